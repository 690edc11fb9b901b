"""What supports the value of an argument."""
