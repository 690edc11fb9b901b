"""Consent: what a person said in this turn when asked about the very calls at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Literal

from memory.records import QuestionStep

Consent = Literal["given", "refused"]

_CALLS_OFF = re.compile(r"(?:cancel|never ?mind|forget it|stop)\b|算了|取消", re.IGNORECASE)
"""How an answer that refuses a call begins, whatever follows."""
_REFUSES = re.compile(
    r"(?:no|nope|nah|not now|don['’]?t|do not|leave it)\b(?! (?:problem|worries|objections?)\b)"
    r"|不要(?!紧)|不用|不行|不了|不是|不可以|别(?!的)|不(?:[，。！]|$)",
    re.IGNORECASE,
)
"""How an answer to "shall I?" begins that means no."""


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
        answer = step.answer.strip()
        is_confirmation = step.question == confirmation
        asked_about = {slot.partition(".")[0] for slot in step.slots}
        if not is_confirmation and not (asked_about and tools <= asked_about):
            continue
        if _CALLS_OFF.match(answer) or (is_confirmation and _REFUSES.match(answer)):
            return "refused"
        said = "given"
    return said
