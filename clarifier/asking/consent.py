"""Consent: what a person said in this turn when asked about the very calls at hand."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Literal

from clarifier.asking.answering import calls_all_off, refuses
from clarifier.grounding.replies import calls_off
from memory.language.speech import answer_kind, opening_of
from memory.records import QuestionStep

Consent = Literal["given", "refused"]


def consent(questions: Sequence[QuestionStep], confirmation: str, tools: Set[str]) -> Consent | None:
    """Return what the person said to the calls at hand; `None`: they were not asked.

    A question for a slot of a call also names what else is taken for granted, so its answer is consent, unless it calls
    the whole thing off.

    Args:
        questions: The questions of this turn, in order.
        confirmation: The question that asks for consent to these very calls.
        tools: The names of the tools of those calls which the person did not state in full.
    """
    said: Consent | None = None
    for step in questions:
        if step.answer is None:
            continue
        is_confirmation = step.question == confirmation
        asked_about = {slot.partition(".")[0] for slot in step.slots}
        if not is_confirmation and not (asked_about and tools <= asked_about):
            continue
        if (
            calls_all_off(step)
            or calls_off(opening_of(step.answer))
            or (is_confirmation and refuses(step.answer, step.question))
        ):
            return "refused"
        if answer_kind(step.answer, step.question) in ("yes", "value"):
            said = "given"
    return said
