"""`lexical`: the turns that share the rarest words with the request (BM25)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import History
from memory.strategies._ranking import WordRanking
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 600


class Lexical:
    """Recalls the best turns by BM25 that fit the budget."""

    name = "lexical"

    def __init__(self, shelf: TurnShelf) -> None:
        self._history = History(shelf)
        self._words = WordRanking(shelf)

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: the index follows the shelf."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return the turns that share words with `request`; empty if none does."""
        history = self._history.snapshot(now)
        return history.arrange(history.take(self._words.rank(history, request), request, tools, budget))


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Lexical(shelf)
