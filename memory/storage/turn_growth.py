"""Whether one turn is the beginning of another: a conversation that went on after it was taken down."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel

from memory.records import UNRECORDED, CallStep, QuestionStep, Step, Turn


def has_grown_to(turn: Turn, later: Turn) -> bool:
    """Say whether `later` says all that `turn` says, and perhaps more.

    More are further steps, a reply, an answer to what was the last thing said, a result that was missing, and a time
    where none was known. A turn has grown to itself.
    """
    is_same_request = (turn.turn_id, turn.request, turn.topic) == (later.turn_id, later.request, later.topic)
    if not is_same_request or turn.time not in (None, later.time):
        return False
    held, further = later.steps[: len(turn.steps)], later.steps[len(turn.steps) :]
    if len(held) < len(turn.steps) or not all(map(_is_in, turn.steps, held)):
        return False
    return turn.reply is None or _is_said(turn.reply, further, later.reply)


def _is_in(step: Step, later: Step) -> bool:
    if isinstance(step, CallStep) and isinstance(later, CallStep) and len(step.calls) == len(later.calls):
        pairs = zip(step.observations, later.observations, strict=False)
        return all(map(_is_same, step.calls, later.calls)) and all(
            one == UNRECORDED or _is_same(one, other) for one, other in pairs
        )
    if isinstance(step, QuestionStep) and isinstance(later, QuestionStep) and step.answer is None:
        return step == later.model_copy(update={"answer": None})
    return step == later


def _is_same(one: BaseModel, other: BaseModel) -> bool:
    """Compare as JSON does: 1 is not true there, and the order of arguments says nothing."""
    texts = [json.dumps(part.model_dump(mode="json"), sort_keys=True) for part in (one, other)]
    return texts[0] == texts[1]


def _is_said(reply: str, further: Sequence[Step], later_reply: str | None) -> bool:
    """Say whether a reply is still the last thing said, or else what was said before the steps that followed."""
    if not further:
        return reply == later_reply
    first = further[0]
    return isinstance(first, QuestionStep) and first.question == reply
