"""The seam to vector indexes: derived from the turn log, and rebuilt from it when lost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.embedder import Matrix, Vector, dots
from memory.records import Scope

_SIMILARITY_DECIMALS = 6
"""Float32 dot products of equal rows may differ in the last digit with the row's place; equal rows must tie."""


class IndexEntry(NamedTuple):
    """What an index keeps of a turn besides its vector."""

    turn_id: str
    digest: str
    """Of the embedded text: another digest means that the vector is stale."""


class StoredVectors(NamedTuple):
    """What an index has of a scope."""

    entries: tuple[IndexEntry, ...]
    """In no order."""
    vectors: Matrix
    """A unit row an entry, shape `(n, d)`."""
    strangers: int = 0
    """Vectors of turns that were not asked for."""


class VectorIndex(Protocol):
    """The vectors of every scope's turns. Two scopes share nothing."""

    def read(self, scope: Scope, turn_ids: Collection[str]) -> StoredVectors:
        """Return what is indexed of these turns, the whole log of `scope`, and count what is there besides."""
        ...

    def fetch(self, scope: Scope, turn_ids: Collection[str]) -> StoredVectors:
        """Return what is indexed of these few turns of `scope`."""
        ...

    def upsert(self, scope: Scope, entries: Sequence[IndexEntry], vectors: Matrix) -> None:
        """Store a unit row a turn, in place of the one it has."""
        ...

    def retain(self, scope: Scope, turn_ids: Collection[str]) -> int:
        """Erase every vector of `scope` but those of these turns, and return how many that were."""
        ...

    def clear(self) -> None:
        """Remove the vectors of everyone."""
        ...

    def adopt(self, scopes: Collection[Scope]) -> int:
        """Make this the index that others open too: it is complete, and nobody but `scopes` has turns.

        Erases what other embedders left, and the vectors of other scopes, whose number it returns.
        """
        ...

    @property
    def residue(self) -> str | None:
        """Where bytes of what was erased may stay, and what its operator does about it; `None`: nowhere."""
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
    if not len(rows) or not len(queries):
        return [[] for _ in queries]
    products = np.stack([dots(rows, query) for query in queries])
    similarities = np.clip(np.round(products, _SIMILARITY_DECIMALS), -1.0, 1.0)
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
