"""The reader that is fitted on the corpus: it needs NumPy and the packaged token embeddings, and no server."""
