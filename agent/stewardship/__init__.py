"""What a person may see, mend and take away of what is remembered of them."""
