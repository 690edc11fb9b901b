"""`full`: the whole history, uncut, whatever the budget; what most agents send, less what is sensitive elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import History
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 0


class Full:
    """Recalls every turn, oldest first."""

    name = "full"

    def __init__(self, shelf: TurnShelf) -> None:
        self._history = History(shelf)

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: the shelf has the turn."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return all turns; `budget` is ignored."""
        return self._history.snapshot(now).all(request, tools)


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Full(shelf)
