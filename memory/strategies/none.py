"""`none`: remembers nothing; the lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 0


class NoMemory:
    """Recalls nothing."""

    name = "none"

    def observe(self, turn: Turn) -> None:
        """Take no notice."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return an empty recall."""
        return Recall()


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy; `shelf` is not read."""
    return NoMemory()
