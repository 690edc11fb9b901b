"""Runs on disk: how they start, what they keep, and the reference layout."""
