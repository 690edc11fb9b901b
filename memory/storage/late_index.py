"""What stands in for an index on servers that do not answer: memory begins without vectors, and has them later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from memory.embedder import Matrix
from memory.errors import IndexUnreachableError
from memory.records import Scope
from memory.storage.index import IndexEntry, StoredVectors, VectorIndex

_RETRY_S = 1.0
"""Seconds until servers are tried again, at least."""
_RETRY_FACTOR = 10.0
"""And at least so many times the seconds that trying took, since somebody waits meanwhile."""


class LateIndex:
    """A `VectorIndex` that is opened by the first use that finds its servers answering; until then each use fails.

    Args:
        opening: Opens it.
        reason: Why that failed just now.
    """

    def __init__(self, opening: Callable[[], VectorIndex], reason: IndexUnreachableError) -> None:
        self._opening = opening
        self._reason = str(reason)
        self._index: VectorIndex | None = None
        self._retry_at = time.monotonic() + _RETRY_S
        self._trying = threading.Lock()

    def read(self, scope: Scope, turn_ids: Collection[str]) -> StoredVectors:
        return self._opened().read(scope, turn_ids)

    def fetch(self, scope: Scope, turn_ids: Collection[str]) -> StoredVectors:
        return self._opened().fetch(scope, turn_ids)

    def upsert(self, scope: Scope, entries: Sequence[IndexEntry], vectors: Matrix) -> None:
        self._opened().upsert(scope, entries, vectors)

    def retain(self, scope: Scope, turn_ids: Collection[str]) -> int:
        return self._opened().retain(scope, turn_ids)

    def clear(self) -> None:
        self._opened().clear()

    def adopt(self, scopes: Collection[Scope]) -> int:
        return self._opened().adopt(scopes)

    @property
    def residue(self) -> str | None:
        """As that of the index; `None` while it cannot be opened, and nothing is erased in it."""
        try:
            return self._opened().residue
        except IndexUnreachableError:
            return None

    def close(self) -> None:
        with self._trying:
            if self._index is not None:
                self._index.close()

    def _opened(self) -> VectorIndex:
        with self._trying:
            if self._index is None:
                begun = time.monotonic()
                if begun < self._retry_at:
                    raise IndexUnreachableError(self._reason)
                try:
                    self._index = self._opening()
                except IndexUnreachableError as exc:
                    now = time.monotonic()
                    self._reason, self._retry_at = str(exc), now + max(_RETRY_S, _RETRY_FACTOR * (now - begun))
                    raise
            return self._index
