"""`dense`: the turns whose vectors are nearest to that of the request."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import History
from memory.strategies._ranking import rank_by_vectors
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 600


class Dense:
    """Recalls the nearest turns that fit the budget."""

    name = "dense"

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._history = History(shelf)

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: the shelf has the turn's vector."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return the turns nearest to `request`; there is always a nearest one."""
        history = self._history.snapshot(now)
        (ranking,) = rank_by_vectors(self._shelf, history, [request])
        return history.arrange(history.take(ranking, request, tools, budget))


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return Dense(shelf)
