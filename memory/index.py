"""The seam to vector indexes: derived from the turn log, and rebuilt from it when lost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.embedder import Matrix, Vector
from memory.recall import Hit
from memory.records import Scope

_SIMILARITY_DECIMALS = 6
"""Float32 dot products of equal rows may differ in the last digit with the row's place; equal rows must tie."""


class IndexEntry(NamedTuple):
    """What an index knows of a turn besides its vector."""

    turn_id: str
    position: int
    """In the log of the scope."""
    digest: str
    """Of the embedded text: another digest means that the vector is stale."""


class VectorIndex(Protocol):
    """The vectors of every scope's turns. Two scopes share nothing."""

    def entries(self, scope: Scope) -> Mapping[str, IndexEntry]:
        """Return what is indexed for `scope`, by turn id, in log order."""
        ...

    def upsert(self, scope: Scope, entries: Sequence[IndexEntry], vectors: Matrix) -> None:
        """Store a unit row a turn, in place of the one it has."""
        ...

    def search(self, scope: Scope, queries: Matrix, k: int) -> list[list[Hit]]:
        """Return for each query row the `k` turns nearest to it, best first; ties keep log order."""
        ...

    def delete(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        """Remove these turns (`None`: all) of `scope` and return how many there were."""
        ...

    def close(self) -> None:
        """Release what the index holds; it is of no use afterwards."""
        ...


def nearest(queries: Matrix, rows: Matrix, k: int) -> list[list[tuple[int, float]]]:
    """Return for each query the `k` rows nearest to it with their cosine, best first; ties keep row order.

    Args:
        queries: Unit vectors, shape `(q, d)`.
        rows: Unit vectors, shape `(n, d)`; `n == 0` gives empty lists.
        k: Most rows to return for a query, at least 1.
    """
    if k < 1:
        raise ValueError(f"k is the number of rows to return and at least 1; got {k!r}")
    if not len(rows):
        return [[] for _ in queries]
    similarities = np.clip(np.round(queries @ rows.T, _SIMILARITY_DECIMALS), -1.0, 1.0)
    return [[(int(row), float(line[row])) for row in _largest(line, k)] for line in similarities]


def _largest(values: Vector, k: int) -> NDArray[np.intp]:
    """Return the places of the `k` largest of `values`, shape `(n,)`, largest first; ties keep their order."""
    if k >= len(values):
        candidates = np.arange(len(values), dtype=np.intp)
    else:  # sorting only what reaches the k-th largest value keeps long histories linear
        least = np.partition(values, len(values) - k)[len(values) - k]
        candidates = np.flatnonzero(values >= least)
    order = np.argsort(-values[candidates], kind="stable")
    return candidates[order][:k]
