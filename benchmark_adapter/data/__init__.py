"""Data sets: topic files, toolsets, sessions, statistics and validation."""
