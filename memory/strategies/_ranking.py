"""Rankings of turns: by words, by vectors, by all that is known of them, and fused."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from memory.embedder import Matrix, Vector
from memory.ranking.lexical import LexicalIndex
from memory.ranking.ranker import Ranked, RankingLog
from memory.ranking.turn_features import read_turn
from memory.recall import TurnShelf, TurnVectors
from memory.records import Turn
from memory.rendering import index_text
from memory.strategies._history import Snapshot

RRF_K = 60
"""Damps the lead of first ranks (Cormack, Clarke & Büttcher 2009, who found 60 near the optimum)."""
DEPTH = 50
"""Turns asked of the vector index for each query; a budget of some hundred tokens holds far fewer."""
_KEPT_STATEMENTS = 2048
"""Sentences whose vectors stay in memory: 4 MB with 512 dimensions."""


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


class Relevance:
    """Ranks turns by `memory.ranking.ranker`; it reads each turn once as long as the log only grows."""

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._log = RankingLog()
        self._statements: OrderedDict[str, Vector] = OrderedDict()

    def observe(self, turn: Turn) -> None:
        """Embed now what would else be embedded at the next recall."""
        read = read_turn(turn)
        if not read.is_one_statement:
            self._embed(read.statements)

    def rank(self, snapshot: Snapshot, query: str) -> list[Ranked]:
        """Return all turns by how likely they tell what `query` needs, best first; ties by position."""
        if not snapshot.turns:
            return []
        self._log.follow(snapshot.turns)
        asked = self._log.query(query)
        vector = self._shelf.embedder.embed_query(asked.main_line)
        return self._log.rank(asked, _aligned(self._shelf.vectors(), snapshot), vector, self._embed)

    def _embed(self, texts: Sequence[str]) -> Matrix:
        missing = [text for text in dict.fromkeys(texts) if text not in self._statements]
        if missing:
            self._statements.update(zip(missing, self._shelf.embedder.embed_documents(missing), strict=True))
        rows = np.array([self._statements[text] for text in texts], dtype=np.float32)
        for text in texts:
            self._statements.move_to_end(text)
        while len(self._statements) > _KEPT_STATEMENTS:
            self._statements.popitem(last=False)
        return rows.reshape(len(texts), self._shelf.embedder.dimensions)


def _aligned(vectors: TurnVectors, snapshot: Snapshot) -> Matrix:
    """Return a row for each turn of `snapshot`; of zeros where the shelf has lost the turn since."""
    rows = np.zeros((len(snapshot.turns), vectors.rows.shape[1]), dtype=np.float32)
    for turn_id, row in zip(vectors.turn_ids, vectors.rows, strict=True):
        if turn_id in snapshot.position:
            rows[snapshot.position[turn_id]] = row
    return rows


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
