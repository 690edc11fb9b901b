"""What a vector index was created with, kept beside the vectors."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel, Field

from memory.errors import DataVersionError, EmbedderMismatchError, MemoryStoreError

INDEX_VERSION = 2
REINDEX_HINT = (
    "rebuild the index from the turn log with `stead reindex`, or in Python with "
    "Memory.open(…, reindexing=True) and its method reindex()"
)


class IndexHeader(BaseModel, frozen=True, extra="forbid"):
    """What an index was created with; only a complete rebuild puts another one in its place."""

    version: int = INDEX_VERSION
    embedder: str
    dimensions: int = Field(ge=1)
    collections: int = Field(ge=1)
    """Users are hashed over so many collections: a metadata filter takes time linear in its collection."""
    servers: int = Field(default=1, ge=1)
    """Collections are dealt out to so many servers."""

    @property
    def space(self) -> str:
        """8 hex digits in the names of its collections, so that a rebuild does not disturb the index in use."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]

    @property
    def embedder_name(self) -> str:
        """The embedder as messages name it."""
        return f"{self.embedder} ({self.dimensions} dimensions)"


def check_header(found: IndexHeader, given: IndexHeader, name: str) -> None:
    """Check that the index called `name` may be opened with what is given.

    Raises:
        DataVersionError: If it was written by a newer version of the project.
        EmbedderMismatchError: If it was created with another embedder, or with vectors of another length.
        MemoryStoreError: If it is spread over another number of servers.
    """
    if found.version > INDEX_VERSION:
        raise DataVersionError(
            f"the index in {name} is of version {found.version}, and this version of the project reads up to "
            f"{INDEX_VERSION}; install the newer one, or {REINDEX_HINT}"
        )
    if (found.embedder, found.dimensions) != (given.embedder, given.dimensions):
        raise EmbedderMismatchError(stored=found.embedder_name, given=given.embedder_name)
    if found.servers != given.servers:
        raise MemoryStoreError(
            f"the index is spread over {found.servers} Chroma servers and is opened with {given.servers}; "
            f"name the same ones in the same order, or {REINDEX_HINT}"
        )
