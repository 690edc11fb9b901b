"""What is known of a running turn, what can be done next, and what can come back.

`agent.advance` leads from one to the next. All of it survives a checkpoint: `TurnState` is the one type that is
written, and it is a pydantic model rather than a dataclass because reading it back must give tuples and typed records.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, Field, JsonValue

from clarifier.decision import Decision, Hint, Proposal, Proposed, Situation, Usage
from memory.recall import Recall
from memory.records import Observation, Scope, Step, ToolCall, Turn
from memory.tools import Tool

Ending = Literal["replied", "unanswered", "unobserved", "gave_up"]
"""How a turn ended: with a reply; with a question nobody answered; with calls of which nothing came back;
at the limit of plans, with a reply that says so."""


# Actions: what the driver of a turn has to do next.


@dataclass(frozen=True)
class RecallMemory:
    """Recall what helps with the request."""

    kind: Literal["recall"] = "recall"


@dataclass(frozen=True)
class Plan:
    """Let the planner propose, from `TurnState.situation`."""

    kind: Literal["plan"] = "plan"


@dataclass(frozen=True)
class Calibrate:
    """Let the clarifier decide on `proposal`, from `TurnState.situation`."""

    proposal: Proposal
    kind: Literal["calibrate"] = "calibrate"


@dataclass(frozen=True)
class Execute:
    """Run the calls that have no observation yet."""

    calls: tuple[ToolCall, ...]
    """Of the whole step; their ids are unique in the turn."""
    observed: tuple[Observation, ...] = ()
    """Of the first calls, where the driver hands them in one by one."""
    kind: Literal["execute"] = "execute"

    @property
    def outstanding(self) -> tuple[ToolCall, ...]:
        """The calls still to run, in order; never empty."""
        return self.calls[len(self.observed) :]


@dataclass(frozen=True)
class AskUser:
    """Put `question` to the person."""

    question: str
    slots: tuple[str, ...] = ()
    options: tuple[tuple[str, tuple[JsonValue, ...]], ...] = ()
    """Candidate values by slot."""
    notice: str | None = None
    """What has to be said before it, and is no part of the turn."""
    kind: Literal["ask"] = "ask"

    @property
    def text(self) -> str:
        """All that is to be said."""
        return _noticed(self.notice, self.question)


@dataclass(frozen=True)
class Tell:
    """Say `reply` to the person."""

    reply: str
    gave_up: bool = False
    notice: str | None = None
    """What has to be said before it, and is no part of the turn."""
    kind: Literal["tell"] = "tell"

    @property
    def text(self) -> str:
        """All that is to be said."""
        return _noticed(self.notice, self.reply)


def _noticed(notice: str | None, text: str) -> str:
    return f"{notice}\n{text}" if notice else text


@dataclass(frozen=True)
class Remember:
    """Append `TurnState.turn` to the log."""

    kind: Literal["remember"] = "remember"


@dataclass(frozen=True)
class Done:
    """Nothing: the turn is over."""

    kind: Literal["done"] = "done"


Action = Annotated[
    RecallMemory | Plan | Calibrate | Execute | AskUser | Tell | Remember | Done, Field(discriminator="kind")
]


# Events: what comes back of an action.


@dataclass(frozen=True)
class Recalled:
    """Of `RecallMemory`."""

    recall: Recall


@dataclass(frozen=True)
class Planned:
    """Of `Plan`."""

    proposal: Proposal


@dataclass(frozen=True)
class Decided:
    """Of `Calibrate`."""

    decision: Decision


@dataclass(frozen=True)
class Executed:
    """Of `Execute`."""

    observations: tuple[Observation, ...] | None
    """Of the outstanding calls in order, all or the first ones; `None`: nothing comes back, the turn ends."""


@dataclass(frozen=True)
class Answered:
    """Of `AskUser`."""

    answer: str | None
    """`None`: there is none, the turn ends."""
    next_request: str | None = None
    """What the person asked for instead of an answer."""


@dataclass(frozen=True)
class Told:
    """Of `Tell`."""

    answer: str | None
    """What the person says back within the turn; `None`: the turn is over."""
    failure: str | None = None
    """Why the reply may not have reached the person; `None`: it did."""


@dataclass(frozen=True)
class Remembered:
    """Of `Remember`."""


Event = Recalled | Planned | Decided | Executed | Answered | Told | Remembered


class TraceEntry(BaseModel, frozen=True, extra="forbid"):
    """One plan of the turn and what became of it."""

    steps_before: int = Field(ge=0)
    """Steps the turn had when it was planned."""
    proposal: Proposal
    decision: Decision | None = None
    """`None` while it is not decided, and for good where the proposal was empty."""


class TurnState(BaseModel, frozen=True, extra="forbid"):
    """All of a running turn, with what has to be done next."""

    turn_id: str
    request: str
    scope: Scope | None = None
    """Whose turn it is, where the driver says so."""
    tools: tuple[Tool, ...] = ()
    now: datetime | None = None
    topic: str | None = None
    recall: Recall = Field(default_factory=Recall)
    steps: tuple[Step, ...] = ()
    hints: tuple[Hint, ...] = ()
    """All of this turn, each once; they are kept so that the clarifier sees what it has already suggested."""
    trace: tuple[TraceEntry, ...] = ()
    reply: str | None = None
    ending: Ending | None = None
    """`None` while the turn runs."""
    next_request: str | None = None
    """What the person asked for instead of answering: the request of the next turn, and no part of this one."""
    unknown: tuple[ToolCall, ...] = ()
    """Calls of earlier turns of which nobody knows whether they were made."""
    is_kept: bool = True
    """Whether the turn will be remembered."""
    notice: str | None = None
    """What the first thing said to the person has to be preceded by; `None`: nothing, or it was said."""
    tell_failure: str | None = None
    """Why the last reply may not have reached the person; `None`: it did."""
    action: Action = Field(default_factory=RecallMemory)

    @property
    def situation(self) -> Situation:
        """The turn as planner and clarifier see it."""
        return Situation(
            request=self.request,
            tools=self.tools,
            recall=self.recall,
            steps=self.steps,
            now=self.now,
            hints=self.hints,
            unknown=self.unknown,
            is_kept=self.is_kept,
            proposed=tuple(Proposed(entry.steps_before, entry.proposal) for entry in self.trace),
        )

    @property
    def turn(self) -> Turn:
        """The turn as it is remembered."""
        return Turn(
            turn_id=self.turn_id,
            request=self.request,
            steps=self.steps,
            reply=self.reply,
            time=self.now,
            topic=self.topic,
        )

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision so far, in order, with its reasons."""
        return tuple(entry.decision for entry in self.trace if entry.decision is not None)

    @property
    def usage(self) -> Usage:
        """Tokens the planner spent so far."""
        return sum((entry.proposal.usage for entry in self.trace), Usage())


class Advance(NamedTuple):
    """Where a turn stands after an event."""

    state: TurnState
    action: Action
    """What has to be done next; also `state.action`."""
