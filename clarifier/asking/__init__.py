"""The question to the person."""
