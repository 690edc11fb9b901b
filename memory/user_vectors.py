"""One user's vectors in memory, scanned exactly."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from memory.embedder import Matrix
from memory.index import IndexEntry


class UserVectors:
    """The entries and vectors of one scope, in log order; the matrix grows by doubling, so appending stays cheap."""

    def __init__(self, dimensions: int) -> None:
        self._entries: dict[str, IndexEntry] = {}
        self._rows: Matrix = np.empty((8, dimensions), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> dict[str, IndexEntry]:
        """The entries by turn id, in log order."""
        return dict(self._entries)

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The turn of each row."""
        return tuple(self._entries)

    @property
    def matrix(self) -> Matrix:
        """The vectors, shape `(len(self), d)`: a view, good until the next change."""
        return self._rows[: len(self)]

    def put(self, entries: Sequence[IndexEntry], vectors: Matrix) -> None:
        """Add a row an entry, each turn once, in place of the row its turn has."""
        self.drop({entry.turn_id for entry in entries if entry.turn_id in self._entries})
        old = len(self)
        last = next(reversed(self._entries.values())).position if old else -1
        self._reserve(old + len(entries))
        self._rows[old : old + len(entries)] = vectors
        self._entries.update((entry.turn_id, entry) for entry in entries)
        positions = [last, *(entry.position for entry in entries)]
        if positions != sorted(positions):  # only healing adds turns out of log order
            self._sort()

    def drop(self, turn_ids: Collection[str]) -> None:
        """Remove the rows of these turns; unknown ones are passed over."""
        if turn_ids:
            self._take([row for row, turn_id in enumerate(self._entries) if turn_id not in turn_ids])

    def _reserve(self, count: int) -> None:
        if count > len(self._rows):
            grown = np.empty((max(count, 2 * len(self._rows)), self._rows.shape[1]), dtype=np.float32)
            grown[: len(self)] = self.matrix
            self._rows = grown

    def _sort(self) -> None:
        positions = [entry.position for entry in self._entries.values()]
        self._take(sorted(range(len(positions)), key=positions.__getitem__))

    def _take(self, rows: Sequence[int]) -> None:
        entries = list(self._entries.values())
        self._rows[: len(rows)] = self.matrix[list(rows)]
        self._entries = {entries[row].turn_id: entries[row] for row in rows}
