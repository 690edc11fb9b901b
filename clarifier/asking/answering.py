"""What a person's answer to a question is: a value, leave, a refusal, or no answer at all."""

from __future__ import annotations

from collections.abc import Sequence

from clarifier.grounding.replies import calls_off, leaves_open
from memory.language.speech import answer_kind, says_no
from memory.language.text import split_name
from memory.records import QuestionStep
from memory.tools import Parameter, Tool

CONTENT = frozenset(("message", "text", "body", "content", "note", "comment", "caption"))
"""Last words of the names of arguments that may hold any words."""


def agrees(answer: str, question: str) -> bool:
    """Say whether an answer to "shall I?" says yes and nothing else."""
    return answer_kind(answer, question) == "yes"


def refuses(answer: str, question: str) -> bool:
    """Say whether an answer to "shall I?" says no, or calls the whole thing off."""
    kind = answer_kind(answer, question)
    return calls_off(answer) or kind in ("no", "off") or (kind != "yes" and says_no(answer, question))


def calls_all_off(step: QuestionStep) -> bool:
    """Say whether an answer ends what was under way: "forget it", 算了，小王的不要了."""
    return step.answer is not None and (calls_off(step.answer) or answer_kind(step.answer, step.question) == "off")


def gives_value(step: QuestionStep, tools: Sequence[Tool]) -> bool:
    """Say whether an answer may hold a value of the slots that were asked for.

    A bare yes or no is the value of a flag alone; thanks, a question, a request of its own and "this or that" are none.
    """
    if step.answer is None or leaves_open(step.answer):
        return False
    parameters = _asked_for(step, tools)
    if not step.slots or any(CONTENT & set(split_name(one.name)[-1:]) for one in parameters):
        return True
    kind = answer_kind(step.answer, step.question)
    return any(one.type == "boolean" for one in parameters) if kind in ("yes", "no") else kind == "value"


def _asked_for(step: QuestionStep, tools: Sequence[Tool]) -> list[Parameter]:
    by_name = {tool.name: tool for tool in tools}
    asked = [slot.partition(".") for slot in step.slots]
    found = [by_name[name].parameter(argument) for name, _, argument in asked if name in by_name]
    return [one for one in found if one is not None]
