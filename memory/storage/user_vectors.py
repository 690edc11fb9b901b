"""One user's vectors in memory, scanned exactly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from memory.embedder import Matrix


class Place(NamedTuple):
    """Where the vector of a turn belongs."""

    turn_id: str
    position: int
    """In the log of the scope."""


class UserVectors:
    """The vectors of one scope, in log order; the matrix grows by doubling, so appending stays cheap."""

    def __init__(self, dimensions: int) -> None:
        self._places: dict[str, Place] = {}
        self._rows: Matrix = np.empty((8, dimensions), dtype=np.float32)
        self._turn_ids: tuple[str, ...] | None = ()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, turn_id: object) -> bool:
        return turn_id in self._places

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The turn of each row."""
        if self._turn_ids is None:
            self._turn_ids = tuple(self._places)
        return self._turn_ids

    @property
    def matrix(self) -> Matrix:
        """The vectors, shape `(len(self), d)`: a view that cannot be written to and that later changes leave alone."""
        rows = self._rows[: len(self)]
        rows.flags.writeable = False
        return rows

    def put(self, places: Sequence[Place], vectors: Matrix) -> None:
        """Add a row a place, each turn once, in place of the row its turn has."""
        self.drop({place.turn_id for place in places if place.turn_id in self._places})
        old = len(self)
        last = next(reversed(self._places.values())).position if old else -1
        self._reserve(old + len(places))
        self._rows[old : old + len(places)] = vectors
        self._places.update((place.turn_id, place) for place in places)
        self._turn_ids = None
        positions = [last, *(place.position for place in places)]
        if positions != sorted(positions):  # only healing adds turns out of log order
            self._sort()

    def drop(self, turn_ids: Collection[str]) -> None:
        """Remove the rows of these turns; unknown ones are passed over."""
        if turn_ids:
            self._take([row for row, turn_id in enumerate(self._places) if turn_id not in turn_ids])

    def rows(self, turn_ids: Sequence[str]) -> Matrix:
        """Return a copy of the vectors of these turns, shape `(len(turn_ids), d)`."""
        row_of = {turn_id: row for row, turn_id in enumerate(self._places)}
        chosen: Matrix = self._rows[[row_of[turn_id] for turn_id in turn_ids]]
        return chosen

    def _reserve(self, count: int) -> None:
        if count > len(self._rows):
            grown = np.empty((max(count, 2 * len(self._rows)), self._rows.shape[1]), dtype=np.float32)
            grown[: len(self)] = self.matrix
            self._rows = grown

    def _sort(self) -> None:
        positions = [place.position for place in self._places.values()]
        self._take(sorted(range(len(positions)), key=positions.__getitem__))

    def _take(self, rows: Sequence[int]) -> None:
        places = list(self._places.values())
        self._rows = self.matrix[list(rows)]  # others, since views of the old ones may be in use
        self._places = {places[row].turn_id: places[row] for row in rows}
        self._turn_ids = None
