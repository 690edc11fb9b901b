"""What the questions of a reference ask for, and whether a question of the agent is about that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmark_adapter.data.reference import CLARIFICATION, ReferenceStep, arguments
from memory.language.text import split_name, stem, tokenise
from memory.tools import Tool


def missing_slots(step: ReferenceStep) -> frozenset[str]:
    """Return what a reference step asks for, as `tool.argument`; empty where it asks for nothing."""
    if step.action.name != CLARIFICATION:
        return frozenset()
    asked = arguments(step)
    return frozenset(f"{asked.get('tool_name')}.{name}" for name in asked.get("missing_required_parameters") or ())


def is_about(text: str, slots: Iterable[str], step: ReferenceStep, tools: Sequence[Tool]) -> bool:
    """Whether a question is about one of the slots that a reference step asks for.

    Where the question is known to ask for slots, one must have the argument's name, of whatever tool: the person
    hears of a branch, not of `reserve_book.branch`. Else the words decide: the question must have a word of the
    argument's name, or one that the argument's description shares with no other argument of the tool.

    Args:
        text: The question.
        slots: What it asks for, as `tool.argument`, where that is known.
        step: The reference step.
        tools: The tools on offer.
    """
    wanted = missing_slots(step)
    named = {slot.rpartition(".")[2] for slot in slots}
    if named:
        return bool(named & {slot.rpartition(".")[2] for slot in wanted})
    words = set(tokenise(text))
    return any(words & telling_words(slot, tools) for slot in wanted)


def telling_words(slot: str, tools: Sequence[Tool]) -> frozenset[str]:
    """Return the index terms that give away what slot (`tool.argument`) is meant."""
    tool_name, _, argument = slot.rpartition(".")
    telling = {stem(word) for word in split_name(argument) if len(word) > 2}
    tool = next((one for one in reversed(tools) if one.name == tool_name), None)
    parameter = tool.parameter(argument) if tool is not None else None
    if tool is None or parameter is None:
        return frozenset(telling)
    others = {term for one in tool.parameters if one.name != argument for term in tokenise(one.description)}
    own = {term for term in tokenise(parameter.description) if not term.isascii() or len(term) > 3}
    return frozenset(telling | (own - others - set(tokenise(tool.description))))
