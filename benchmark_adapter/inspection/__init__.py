"""What data hold and whether they can be run: validation and statistics."""
