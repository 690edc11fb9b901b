"""The seams of the agent: who plans, who executes tools, who answers questions, who keeps the turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from clarifier.decision import Decision, Proposal, Situation
from memory.records import Observation, ToolCall, Turn
from memory.tools import Tool

Clock = Callable[[], datetime]
Decide = Callable[[Situation, Proposal], Decision]
"""The clarifier with its policy bound."""

OwnRequest = Callable[[str, Sequence[str], Sequence[Tool], datetime | None], bool]
"""Says whether what a person said to a question for slots, with these tools at that time, is a request of its own."""


class Planner(Protocol):
    """Proposes the next step of a turn."""

    @property
    def name(self) -> str:
        """The name it is chosen by."""
        ...

    def plan(self, situation: Situation) -> Proposal:
        """Return calls, a question or a reply for `situation`; arguments without a value are left out."""
        ...


class ToolExecutor(Protocol):
    """Runs tools."""

    def execute(self, calls: Sequence[ToolCall]) -> Sequence[Observation] | None:
        """Return one observation a call, in order; `None`: nothing comes back and the turn ends here."""
        ...


class User(Protocol):
    """The person in the conversation."""

    def ask(self, question: str) -> str | None:
        """Put a question; return the answer, `None` if there is none and the turn ends here."""
        ...

    def tell(self, reply: str) -> str | None:
        """Say the final reply; return what the person says back within this turn, `None` if the turn is over."""
        ...


class TurnLog(Protocol):
    """Keeps finished turns."""

    def remember(self, turn: Turn) -> object:
        """Append `turn`; a turn that is already there stays once. What comes back is not used."""
        ...
