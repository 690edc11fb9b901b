"""Runs: how they start, play and are scored, what they keep on disk, and the reference layout."""
