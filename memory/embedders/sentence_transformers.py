"""Any embedding model that sentence-transformers can load; an extra, imported when it is opened."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory.embedder import Matrix, Vector
from memory.errors import EmbedderError

_HINT = "install a CPU build of torch first, then: pip install 'stead[sentence-transformers]'"


class SentenceTransformersEmbedder:
    """A model of sentence-transformers, loaded when the object is made.

    Args:
        model: The path of a folder that holds a model, or a name on the model hub. A path (it exists, or starts with
            `/`, `.` or `~`) is never looked up on the hub; a name is downloaded unless it is in the local cache.
        batch_size: Texts embedded at a time.

    Raises:
        EmbedderError: If the extra is not installed, the path holds no model, or the model cannot be loaded.
    """

    def __init__(self, model: str, *, batch_size: int = 32) -> None:
        folder = _local_folder(model)
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as exc:
            raise EmbedderError(f"the embedder 'sentence-transformers:{model}' is not installed; {_HINT}") from exc
        try:
            self._model: Any = SentenceTransformer(str(folder or model), local_files_only=folder is not None)
            self._dimensions = len(self._model.encode("", show_progress_bar=False))
        except (OSError, ValueError, RuntimeError) as exc:  # what transformers raises for a model it cannot load
            raise EmbedderError(f"sentence-transformers cannot load {model!r}: {exc}") from exc
        identity = f"sha256={_digest(folder)}" if folder else f"revision={self._revision()}"
        self._fingerprint = f"sentence-transformers:{folder.name if folder else model}:{identity}"
        self._batch_size = batch_size
        self._encoding = threading.Lock()  # the tokenizers underneath refuse to be used by two threads at once

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._normalised(self._model.encode_query, [text])[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return self._normalised(self._model.encode_document, list(texts))

    def _normalised(self, encode: Any, texts: list[str]) -> Matrix:
        with self._encoding:
            vectors = encode(
                texts,
                batch_size=self._batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
        return np.asarray(vectors, dtype=np.float32)

    def _revision(self) -> str:
        """Return the commit of a model from the hub, so that a model that was replaced counts as another."""
        config = getattr(getattr(self._model[0], "auto_model", None), "config", None)
        return getattr(config, "_commit_hash", None) or "unknown"


def _local_folder(model: str) -> Path | None:
    """Return the folder that `model` names, or `None` where it is a name on the hub."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if model.startswith((".", "~", os.sep)):
        raise EmbedderError(f"{model!r} is the path of a model, and there is no such folder")
    return None


def _digest(folder: Path) -> str:
    """Return 16 hex digits over names and contents of the files: the same model elsewhere has the same ones."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
