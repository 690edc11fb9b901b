"""What a vector index was created with, kept beside the vectors."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, Field

from memory.errors import DataVersionError, EmbedderMismatchError, MemoryStoreError

INDEX_VERSION = 1
_HEADER_NAME = "index.json"
REBUILD_HINT = "close it, delete the folder, and open again: the index is rebuilt from the turn log"


class IndexHeader(BaseModel, frozen=True, extra="forbid"):
    """What an index was created with, in `index.json`; none of it can change later."""

    version: int = INDEX_VERSION
    embedder: str
    dimensions: int = Field(ge=1)
    collections: int = Field(ge=1)
    """Users are hashed over so many collections: a metadata filter takes time linear in its collection."""


def open_header(directory: Path, given: IndexHeader, *, has_vectors: bool) -> IndexHeader:
    """Return the header in `directory`, written there if the index is new.

    Args:
        directory: The folder of the index.
        given: What the index would be created with, and must have been as far as the embedder goes.
        has_vectors: Whether vectors are there, with or without a header.

    Raises:
        EmbedderMismatchError: If it was created with another embedder, or with vectors of another length.
        DataVersionError: If it was written by a newer version of the project.
        MemoryStoreError: If it cannot be read.
    """
    path = directory / _HEADER_NAME
    try:
        if not path.exists():
            if has_vectors:
                raise MemoryStoreError(
                    f"{str(path)!r} is missing, so whose vectors these are is unknown; {REBUILD_HINT}"
                )
            directory.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".tmp")
            unfinished.write_text(given.model_dump_json(indent=2) + "\n", encoding="utf-8")
            unfinished.replace(path)
        text = path.read_text(encoding="utf-8")
        found = json.loads(text)
        if isinstance(found, dict) and isinstance(found.get("version"), int) and found["version"] > INDEX_VERSION:
            raise DataVersionError(
                f"the index in {str(directory)!r} is of version {found['version']}, and this version of the project "
                f"reads up to {INDEX_VERSION}; {REBUILD_HINT}"
            )
        header = IndexHeader.model_validate(found)
    except (OSError, ValueError) as exc:
        raise MemoryStoreError(f"cannot read {str(path)!r}: {exc}; {REBUILD_HINT}") from exc
    if (header.embedder, header.dimensions) != (given.embedder, given.dimensions):
        raise EmbedderMismatchError(stored=_embedder_name(header), given=_embedder_name(given))
    return header


def _embedder_name(header: IndexHeader) -> str:
    return f"{header.embedder} ({header.dimensions} dimensions)"
