"""The journal: what a turn is about to change, written down before it does, and what came of it.

A turn is remembered whole when it is over. What breaks off before that is told from here, so that no deed is forgotten
and none is done twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn

Stage = Literal["running", "parked", "untold", "unknown"]
"""Of an entry. `running`: its turn runs, or was cut off; `parked`: its turn is kept by a checkpointer, which may resume
it in days; `untold`: its turn is over, and the person has not heard of it; `unknown`: told, but nobody knows whether
the call was made."""

UNKNOWN_OUTCOME = "it is not known whether this was done"
"""How the error of a call ends that may or may not have changed something."""
CUT_OFF = Observation(error=f"the turn was cut off here: {UNKNOWN_OUTCOME}")
"""What stands for the result of a call during which its turn ended."""


class Intent(BaseModel, frozen=True, extra="forbid"):
    """A call that is about to be made."""

    turn: Turn
    """Its turn so far, of which only the request and what was asked and answered is kept."""
    call: ToolCall
    words: str
    """What the call does, in the person's language."""
    key: str
    """Unlike that of any other deed: whoever runs the call may know a repetition by it."""


@dataclass(frozen=True)
class JournalEntry:
    """An intent and what became of it."""

    number: int
    """Its place in the journal of its turn."""
    intent: Intent
    observation: Observation | None
    """`None`: no result was written down."""
    stage: Stage

    @property
    def turn_id(self) -> str:
        return self.intent.turn.turn_id

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows if the call was made."""
        return self.observation is None or is_unknown(self.observation)


def is_unknown(observation: Observation) -> bool:
    """Say whether a result leaves open whether the call was made."""
    return (observation.error or "").endswith(UNKNOWN_OUTCOME)


def outline(turn: Turn) -> Turn:
    """Return what an intent keeps of its turn: reading calls are left out, and calls that change have their own."""
    return turn.model_copy(update={"steps": _questions(turn), "reply": None})


def cut_off_turn(entries: Sequence[JournalEntry]) -> Turn:
    """Return the turn that was cut off, as far as its entries (in order, at least one) tell of it."""
    steps: list[Step] = []
    asked = 0
    for entry in entries:
        questions = _questions(entry.intent.turn)
        steps += questions[asked:]
        asked = len(questions)
        steps.append(CallStep(calls=(entry.intent.call,), observations=(entry.observation or CUT_OFF,)))
    return entries[0].intent.turn.model_copy(update={"steps": tuple(steps)})


def _questions(turn: Turn) -> tuple[QuestionStep, ...]:
    return tuple(step for step in turn.steps if isinstance(step, QuestionStep))
