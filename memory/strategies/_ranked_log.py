"""The turns of a log as the ranking reads them, with the vectors of what the person says of themselves."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.embedder import Embedder, Matrix, Vector
from memory.ranking.ranker import RankingLog
from memory.recall import TurnShelf
from memory.records import Turn

_KEPT_STATEMENTS = 16_384
"""Sentences whose vectors stay in memory: 32 MB with 512 dimensions, enough for ten thousand turns."""


class RankedLog:
    """Follows a shelf; as long as its turns are only added to, each is read once. Safe to share by threads."""

    def __init__(self) -> None:
        self._reading = threading.RLock()
        self._log = RankingLog()
        self._statements: OrderedDict[str, Vector] = OrderedDict()

    def follow(self, shelf: TurnShelf, limit: int | None = None) -> bool:
        """Read up to `limit` turns that are new on `shelf`, and embed what they state; say whether there are more."""
        with self._reading:
            turns = shelf.turns()
            known = self._grow(turns, limit)
            texts = [text for position in range(known, len(self._log)) for text in self._log.embeddable(position)]
            missing = self._missing(texts)
            has_more = len(self._log) < len(turns)
        if missing:  # while others may recall
            vectors = shelf.embedder.embed_documents(missing)
            with self._reading:
                self._keep(missing, vectors)
        return has_more

    def ranking(
        self, turns: Sequence[Turn], query: str, rows: Matrix, embedder: Embedder
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the positions of `turns` by how likely they tell what `query` needs, and their scores, best first.

        Ties are in order of position.

        Args:
            turns: The log, oldest first.
            query: What is wanted.
            rows: Vectors of the turns, shape `(n, d)`.
            embedder: What they come from.
        """
        with self._reading:
            log = self._log
            if log.is_prefix_of(turns):
                self._grow(turns, None)
            else:  # another thread has seen a newer log
                log = RankingLog()
                log.follow(turns)
            asked = log.query(query)
            vector = embedder.embed_query(asked.main_line)
            order, scores = log.ranking(asked, rows, vector, lambda texts: self._embed(texts, embedder))
            return order, scores[order]

    def _grow(self, turns: Sequence[Turn], limit: int | None) -> int:
        """Take in what is new of `turns`, and return how many turns were known."""
        known = len(self._log)
        if not self._log.is_prefix_of(turns):
            self._log, known = RankingLog(), 0
            self._statements.clear()  # nothing is kept of turns that are gone
        self._log.follow(turns if limit is None else turns[: known + limit])
        return known

    def _embed(self, texts: Sequence[str], embedder: Embedder) -> Matrix:
        if missing := self._missing(texts):
            self._keep(missing, embedder.embed_documents(missing))
        for text in texts:
            self._statements.move_to_end(text)
        rows = [self._statements[text] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), embedder.dimensions)

    def _missing(self, texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text not in self._statements]

    def _keep(self, texts: Sequence[str], vectors: Matrix) -> None:
        self._statements.update(zip(texts, vectors, strict=True))
        while len(self._statements) > _KEPT_STATEMENTS:
            self._statements.popitem(last=False)
