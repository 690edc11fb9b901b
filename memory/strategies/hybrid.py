"""`hybrid`: words and vectors, fused by rank."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import History
from memory.strategies._ranking import WordRanking, fuse, rank_by_vectors
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 600


class Hybrid:
    """Recalls the turns that stand high by words, by vectors or by both."""

    name = "hybrid"

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._history = History(shelf)
        self._words = WordRanking(shelf)

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: index and vectors follow the shelf."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return the turns best by reciprocal rank fusion of both rankings for `request`."""
        history = self._history.snapshot(now)
        rankings = [self._words.rank(history, request), *rank_by_vectors(self._shelf, history, [request])]
        return history.arrange(history.take(fuse(rankings), request, tools, budget))


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Hybrid(shelf)
