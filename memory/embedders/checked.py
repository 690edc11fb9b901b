"""Holds an embedder to its promise, and remembers the vectors of queries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from memory.embedder import Embedder, Matrix, Vector
from memory.errors import EmbedderError
from memory.language.text_cache import empty_with_texts

_LENGTH_TOLERANCE = 1e-3
"""Float32 rounding over a thousand dimensions stays far below; a vector that is not normalised far above."""


class CheckedEmbedder:
    """The same embedder, every answer checked, so that no vector of another size or length reaches an index.

    Halves of surrogate pairs, which tokenizers refuse, become `?`. The vectors of the last queries are kept: most are
    the slots of tools, the same ones for every request.

    Args:
        embedder: Which one.
        kept_queries: Most vectors of queries to keep; the least recently used goes first.

    Raises:
        EmbedderError: By both methods, if the answer has not the promised shape, or rows that are not finite or not of
            length 1.
    """

    def __init__(self, embedder: Embedder, *, kept_queries: int = 4096) -> None:
        self._embedder = embedder
        self._kept_queries = kept_queries
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._looking = threading.Lock()
        empty_with_texts(self)

    def empty(self) -> None:
        """Forget the vectors of queries."""
        with self._looking:
            self._queries.clear()

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed_query(self, text: str) -> Vector:
        with self._looking:
            if (known := self._queries.get(text)) is not None:
                self._queries.move_to_end(text)
                return known
        vector = self._checked(self._embedder.embed_query(_encodable(text)), (self.dimensions,))
        vector.setflags(write=False)  # it is handed out again
        with self._looking:
            self._queries[text] = vector
            if len(self._queries) > self._kept_queries:
                self._queries.popitem(last=False)
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._checked(
            self._embedder.embed_documents([_encodable(text) for text in texts]), (len(texts), self.dimensions)
        )

    def _checked(self, vectors: Matrix, shape: tuple[int, ...]) -> Matrix:
        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.shape != shape:
            raise EmbedderError(
                f"embedder {self.fingerprint!r} promised vectors of shape {shape} and gave {vectors.shape}; "
                "an index holds vectors of one size only"
            )
        lengths = np.linalg.norm(vectors, axis=-1)
        if not np.all(np.abs(lengths - 1) <= _LENGTH_TOLERANCE):  # false for NaN too
            raise EmbedderError(
                f"embedder {self.fingerprint!r} gave vectors of length {lengths.min():g} to {lengths.max():g} where "
                "unit vectors were expected; let it normalise them"
            )
        return vectors


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
