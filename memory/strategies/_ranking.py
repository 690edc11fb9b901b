"""Rankings of turns: by words, by vectors, and fused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory.lexical import LexicalIndex
from memory.recall import TurnShelf
from memory.rendering import index_text
from memory.strategies._history import Snapshot

RRF_K = 60
"""Damps the lead of first ranks (Cormack, Clarke & Büttcher 2009, who found 60 near the optimum)."""
DEPTH = 50
"""Turns asked of the vector index for each query; a budget of some hundred tokens holds far fewer."""


class Ranked(NamedTuple):
    """A turn with its place in a ranking."""

    position: int
    score: float


class WordRanking:
    """Ranks turns by the words they share with a query; the index follows the snapshots it is given."""

    def __init__(self) -> None:
        self._index = LexicalIndex()

    def rank(self, snapshot: Snapshot, query: str) -> list[Ranked]:
        """Return the turns that share a term with `query`, best first; ties by position."""
        for key in self._index.keys:
            if key not in snapshot.position:
                self._index.discard(key)
        for turn in snapshot.turns:
            if turn.turn_id not in self._index:
                self._index.add(turn.turn_id, index_text(turn))
        hits = [Ranked(snapshot.position[key], score) for key, score in self._index.search(query)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.position))


def rank_by_vectors(shelf: TurnShelf, snapshot: Snapshot, queries: Sequence[str]) -> list[list[Ranked]]:
    """Return for each query the turns nearest to it, best first; ties by position.

    Turns that the shelf has taken in or lost since the snapshot are left out.
    """
    if not queries or not snapshot.turns:
        return [[] for _ in queries]
    rankings = []
    for hits in shelf.similar(queries, min(DEPTH, len(snapshot.turns))):
        known = [Ranked(snapshot.position[id_], score) for id_, score in hits if id_ in snapshot.position]
        rankings.append(sorted(known, key=lambda hit: (-hit.score, hit.position)))
    return rankings


def fuse(rankings: Iterable[Sequence[Ranked]], weights: Iterable[float] | None = None) -> list[Ranked]:
    """Return one ranking by reciprocal rank fusion, best first; ties by position.

    The score of a turn is Σ w / (60 + rank) over the rankings that hold it, ranks from 1 (Cormack, Clarke & Büttcher
    2009, with weights).

    Args:
        rankings: Best first.
        weights: One a ranking; `None`: all 1.
    """
    scores: dict[int, float] = defaultdict(float)
    lists = list(rankings)
    for ranking, weight in zip(lists, [1.0] * len(lists) if weights is None else weights, strict=True):
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.position] += weight / (RRF_K + rank)
    return sorted((Ranked(position, score) for position, score in scores.items()), key=lambda hit: (-hit.score, hit[0]))
