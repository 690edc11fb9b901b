"""From the name of an embedder to the embedder."""

from __future__ import annotations

from memory.embedders.checked import CheckedEmbedder
from memory.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory.embedders.use import UseEmbedder
from memory.errors import EmbedderError

KNOWN_SPECS = ("use", "sentence-transformers:NAME_OR_PATH")


def open_embedder(spec: str) -> CheckedEmbedder:
    """Return the embedder that `spec` names: `use`, or `sentence-transformers:` and the name or path of a model.

    Its answers are checked, and the vectors of queries kept: share one embedder for all who use it.

    Raises:
        EmbedderError: If no embedder is called so, or it is not installed.
    """
    kind, _, model = spec.partition(":")
    if spec == "use":
        return CheckedEmbedder(UseEmbedder())
    if kind == "sentence-transformers" and model:
        return CheckedEmbedder(SentenceTransformersEmbedder(model))
    raise EmbedderError(f"no embedder is called {spec!r}; choose one of {', '.join(KNOWN_SPECS)}")
