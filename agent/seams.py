"""The seams of the agent: who plans, who executes tools, who answers questions, who keeps the turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from clarifier.decision import Decision, Proposal, Situation
from memory.journal import JournalEntry
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


class KeyedExecutor(Protocol):
    """A `ToolExecutor` that knows a repetition by its key, and does not do the deed twice."""

    def execute(
        self, calls: Sequence[ToolCall], *, idempotency_keys: Mapping[str, str]
    ) -> Sequence[Observation] | None:
        """Return one observation a call, in order; the keys are by id of a call, for those that change something."""
        ...


class Journal(Protocol):
    """Writes down what a turn is about to change, before it does (`memory.storage.user_journal`)."""

    def intend(self, turn: Turn, call: ToolCall, words: str, *, is_parked: bool = False) -> tuple[JournalEntry, bool]:
        """Return the durable entry of a call that is about to be made, and whether it is new."""
        ...

    def settle(self, entry: JournalEntry, observation: Observation) -> None:
        """Write the result of a call down."""
        ...

    def withdraw(self, entry: JournalEntry) -> None:
        """Take an entry back whose call was not made."""
        ...

    def finish(self, turn_id: str, *, is_told: bool) -> None:
        """Close the entries of a turn that is over, and in the log."""
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
