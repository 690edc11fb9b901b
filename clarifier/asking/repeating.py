"""Asking whether to make a call of which nobody knows if it was made, and reading the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from clarifier.asking.consent import consent
from clarifier.asking.deeds import deed_words
from clarifier.repeats import is_same_deed
from memory.language.learned.signs import bears
from memory.language.read import read
from memory.language.text import Language
from memory.records import QuestionStep, ToolCall
from memory.tools import Tool

Said = Literal["given", "refused", "unclear"]

_LEADS: Mapping[Language, str] = {
    "en": "I was cut off earlier and do not know whether this was done: ",
    "zh": "上次中断了，我不确定这件事是否已经办成：",
}
_SETTLES_NOTHING = ("ask", "memory", "unsure")
"""Acts of an answer that leave the question open."""
_SURELY = 0.8
"""From here on an answer is taken for a yes."""


def doubtful_calls(calls: Iterable[tuple[ToolCall, Tool]], unknown: Sequence[ToolCall]) -> list[tuple[ToolCall, Tool]]:
    """Return those of `calls` that may have been made already."""
    return [(call, tool) for call, tool in calls if any(is_same_deed(call, other, tool) for other in unknown)]


def repeat_question(calls: Iterable[tuple[ToolCall, Tool]], spoken: Language) -> str:
    """Return the question that stands before calls of which nobody knows whether they were made already."""
    words = [deed_words(call, tool, spoken) for call, tool in calls]
    if spoken == "zh":
        return f"{_LEADS[spoken]}{'；'.join(words)}。要现在（再）办一次吗？"
    return f"{_LEADS[spoken]}{'; '.join(words)}. Shall I do it now?"


def is_repeat_question(question: str) -> bool:
    """Say whether a question is one of these."""
    return question.startswith(tuple(_LEADS.values()))


def answer_to(question: str, steps: Sequence[QuestionStep]) -> Said | None:
    """Return what the person said to a repeat question in this turn; `None`: they were not asked, or said nothing.

    Whoever tells how it stands ("it is booked already") wants it no more than whoever refuses.
    """
    said = next((step.answer for step in reversed(steps) if step.question == question and step.answer), None)
    if said is None:
        return None
    if consent(steps, question, {question}) == "refused":  # no answer to another question counts
        return "refused"
    clauses = read(said, before=question).clauses
    if bears(said, "question") or any(clause.act in _SETTLES_NOTHING for clause in clauses):
        return "unclear"
    tells = any(clause.act in ("tell", "refuse") or clause.polarity == "no" for clause in clauses)
    if tells or bears(said, "past"):
        return "refused"
    agrees = any(clause.act in ("answer", "order") and clause.p_act >= _SURELY for clause in clauses)
    return "given" if agrees else "unclear"
