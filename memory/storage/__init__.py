"""The turn log and the vector index."""
