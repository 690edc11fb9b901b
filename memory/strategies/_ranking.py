"""Rankings of turns: by words, by vectors, by all that is known of them, and fused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from memory.ranking.lexical import LexicalIndex, content_terms
from memory.ranking.ranker import Ranked
from memory.recall import TurnShelf
from memory.records import Turn
from memory.rendering import index_text
from memory.storage.index import nearest
from memory.strategies._followed import Followed
from memory.strategies._history import Snapshot
from memory.strategies._ranked_log import RankedLog
from memory.strategies._shelved import Shelved

RRF_K = 60
"""Damps the lead of first ranks (Cormack, Clarke & Büttcher 2009, who found 60 near the optimum)."""
DEPTH = 50
"""Turns taken from the ranking for each query; a budget of some hundred tokens holds far fewer."""


class Ranking(Sequence[Ranked]):
    """Turns in order, best first.

    Args:
        positions: Of the turns, each once.
        scores: Of the turn at the same place, falling.
    """

    def __init__(self, positions: NDArray[np.intp], scores: NDArray[np.float64]) -> None:
        self.positions = positions
        self.scores = scores

    @classmethod
    def of(cls, hits: Iterable[tuple[int, float]]) -> Ranking:
        """Return the ranking of hits, best first."""
        pairs = list(hits)
        positions = np.array([position for position, _ in pairs], dtype=np.intp)
        return cls(positions, np.array([score for _, score in pairs], dtype=np.float64))

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, place: int) -> Ranked: ...
    @overload
    def __getitem__(self, place: slice) -> Ranking: ...
    def __getitem__(self, place: int | slice) -> Ranked | Ranking:
        if isinstance(place, slice):
            return Ranking(self.positions[place], self.scores[place])
        return Ranked(int(self.positions[place]), float(self.scores[place]))

    def where(self, is_held: NDArray[np.bool_]) -> Ranking:
        """Return those at whose position `is_held` is true."""
        kept = is_held[self.positions]
        return Ranking(self.positions[kept], self.scores[kept])

    def __iter__(self) -> Iterator[Ranked]:
        return map(Ranked, self.positions.tolist(), self.scores.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


class LogWords:
    """The words of a log's turns."""

    def __init__(self) -> None:
        self._index = LexicalIndex()

    def append(self, turn: Turn) -> None:
        """Take in the next turn."""
        self._index.add(index_text(turn))

    def rank(self, query: str) -> Ranking:
        """Return the turns that share a term with `query`, best first; ties by position."""
        return Ranking(*self._index.search(content_terms(query)))


class _Words(Followed[LogWords]):
    """Follows the words of a shelf."""

    def __init__(self) -> None:
        super().__init__(LogWords)


class WordRanking:
    """Ranks turns by the words they share with a query; each turn is read once as long as the log only grows."""

    def __init__(self, shelf: TurnShelf) -> None:
        self._words = Shelved(shelf, _Words)

    def rank(self, snapshot: Snapshot, query: str) -> Ranking:
        """Return the turns that share a term with `query`, best first; ties by position."""
        with self._words.get().read(snapshot.turns) as words:
            return words.rank(query)


class Relevance:
    """Ranks turns by `memory.ranking.ranker`; each turn is read once as long as the log only grows."""

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._log = Shelved(shelf, RankedLog)

    def observe(self, turn: Turn) -> None:
        """Read now what would else be read at the next recall."""
        self._log.get().follow(self._shelf)

    def rank(self, snapshot: Snapshot, query: str) -> Ranking:
        """Return all turns by how likely they tell what `query` needs, best first; ties by position."""
        if not snapshot.turns:
            return Ranking.of(())
        rows = snapshot.vectors(self._shelf)
        return Ranking(*self._log.get().ranking(snapshot.turns, query, rows, self._shelf.embedder))


def rank_by_vectors(shelf: TurnShelf, snapshot: Snapshot, queries: Sequence[str]) -> list[Ranking]:
    """Return for each query the turns nearest to it, best first; ties by position.

    Turns without a vector, which the shelf has lost since the snapshot, are left out.
    """
    if not queries or not snapshot.turns:
        return [Ranking.of(()) for _ in queries]
    rows = snapshot.vectors(shelf)
    vectors = np.stack([shelf.embedder.embed_query(query) for query in queries])
    found = nearest(vectors, rows, min(DEPTH, len(rows)))
    return [Ranking.of((row, score) for row, score in hits if rows[row].any()) for hits in found]


def fuse(rankings: Iterable[Sequence[Ranked]], weights: Iterable[float] | None = None) -> Ranking:
    """Return one ranking by reciprocal rank fusion, best first; ties by position.

    The score of a turn is Σ w / (60 + rank) over the rankings that hold it, ranks from 1 (Cormack, Clarke & Büttcher
    2009, with weights).

    Args:
        rankings: Best first.
        weights: One a ranking; `None`: all 1.
    """
    lists = [one if isinstance(one, Ranking) else Ranking.of(one) for one in rankings]
    n = max((int(one.positions.max()) + 1 for one in lists if one), default=0)
    scores, is_held = np.zeros(n), np.zeros(n, dtype=bool)
    for one, weight in zip(lists, [1.0] * len(lists) if weights is None else weights, strict=True):
        scores[one.positions] += weight / (RRF_K + np.arange(1, len(one) + 1))
        is_held[one.positions] = True
    held = np.flatnonzero(is_held)
    order = held[np.argsort(-scores[held], kind="stable")]
    return Ranking(order, scores[order])
