"""`recent`: the last turns that fit the budget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import History
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 600


class Recent:
    """Recalls an unbroken run of last turns, each cut down where the budget asks for it."""

    name = "recent"

    def __init__(self, shelf: TurnShelf) -> None:
        self._history = History(shelf)

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: the shelf has the turn."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return the last turns within `budget` tokens; the run ends at the first that does not fit."""
        history = self._history.snapshot(now)
        newest_first = ((position, float(position)) for position in reversed(range(len(history.turns))))
        return history.arrange(history.take(newest_first, request, tools, budget, is_unbroken=True))


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Recent(shelf)
