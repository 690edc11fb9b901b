"""What stands in for a vector index that cannot be opened: memory goes on without vectors."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memory.embedder import Matrix
from memory.errors import MemoryStoreError
from memory.records import Scope
from memory.storage.index import IndexEntry, StoredVectors


class UnreadableIndex:
    """A `VectorIndex` of which every use says why it cannot be used.

    Args:
        reason: Why, and what to do about it.
    """

    def __init__(self, reason: MemoryStoreError) -> None:
        self._reason = reason

    def read(self, scope: Scope, turn_ids: Collection[str]) -> StoredVectors:
        raise self._error()

    def fetch(self, scope: Scope, turn_ids: Collection[str]) -> StoredVectors:
        raise self._error()

    def upsert(self, scope: Scope, entries: Sequence[IndexEntry], vectors: Matrix) -> None:
        raise self._error()

    def retain(self, scope: Scope, turn_ids: Collection[str]) -> int:
        raise self._error()

    def clear(self) -> None:
        raise self._error()

    def adopt(self, scopes: Collection[Scope]) -> int:
        raise self._error()

    @property
    def residue(self) -> None:
        """Nothing is erased."""

    def close(self) -> None:
        """Nothing is open."""

    def _error(self) -> MemoryStoreError:
        return MemoryStoreError(str(self._reason))
