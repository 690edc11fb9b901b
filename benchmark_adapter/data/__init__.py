"""Data sets: topic files, toolsets, sessions."""
