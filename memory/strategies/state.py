"""`state`: the user state alone, as compact lines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.language.text import tokenise
from memory.recall import Recall, Strategy, TurnShelf
from memory.records import Turn
from memory.strategies._history import History
from memory.strategies._state_lines import state_items
from memory.tools import Tool

DEFAULT_BUDGET_TOKENS = 600


class State:
    """Recalls what is known about the slots of the tools on offer, and no turn."""

    name = "state"

    def __init__(self, shelf: TurnShelf) -> None:
        self._history = History(shelf)

    def observe(self, turn: Turn) -> None:
        """Nothing to prepare: the state is folded from the shelf."""

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return state lines within `budget` tokens, best first."""
        history = self._history.snapshot(now)
        return history.arrange(state_items(history, tools, tokenise(request), budget))


def create(shelf: TurnShelf) -> Strategy:
    """Return the strategy over `shelf`."""
    return State(shelf)
