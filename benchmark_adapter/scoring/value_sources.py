"""Where the value of a reference argument comes from, by one frozen rule for data without `gold` (DESIGN §8).

The rule looks for the value literally and in a fixed order; it knows nothing of the agent and nothing of the clarifier.
Changing it changes scores, and raises `manifest.SCORER_VERSION`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import ReferenceStep, arguments
from benchmark_adapter.replay.oracle import ancestors, source_of, stands_in
from benchmark_adapter.replay.questions import missing_slots
from memory.language.values.numbers import parse_number
from memory.language.values.values import equal

_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_LEADING_ZERO = re.compile(r"^0(?=\d:\d\d$)")

RuleSource = Literal["request", "asked", "observation", "history", "none"]
"""`history`: said or used as an argument earlier; `observation`: returned by a tool, in this turn or earlier;
`none`: found nowhere, so worked out, worded freely, or not to be known."""

GOLD_EQUIVALENTS: Mapping[RuleSource, frozenset[str]] = {
    "request": frozenset({"request"}),
    "asked": frozenset({"asked"}),
    "observation": frozenset({"observation"}),
    "history": frozenset({"history", "preference"}),
    "none": frozenset({"derived"}),
}
"""The words of `gold.slots` that mean the same."""


@dataclass(frozen=True)
class Earlier:
    """What the earlier turns of a person hold, along their references.

    Args:
        turns: The turns before the one that is judged, in order.
    """

    turns: tuple[ReferenceTurn, ...] = ()

    @cached_property
    def said(self) -> str:
        """All words of the person."""
        return "\n".join(text for turn in self.turns for text in _words(turn))

    @cached_property
    def _calls(self) -> tuple[ReferenceStep, ...]:
        return tuple(step for turn in self.turns for step in turn.answer if step.is_tool_call)

    def given(self, argument: str, tool: str | None = None) -> tuple[JsonValue, ...]:
        """Return every value that calls gave this argument, in order; of one tool, or of all for `None`."""
        named = (arguments(step) for step in self._calls if tool is None or step.action.name == tool)
        return tuple(values[argument] for values in named if argument in values)

    def first_source(self, argument: str, value: JsonValue) -> Literal["history", "observation", "none"]:
        """Return where the value came up first: said, or given to an argument of this name, or returned by a tool.

        Of a list, the first element that came from a tool decides. Numbers and booleans only count as arguments: in
        words they may stand for anything.
        """
        found = [self._first_source(argument, part) for part in _parts(value)]
        if not found or "none" in found:
            return "none"
        return "observation" if "observation" in found else "history"

    def _first_source(self, argument: str, part: JsonValue) -> Literal["history", "observation", "none"]:
        for turn in self.turns:
            if isinstance(part, str) and any(is_written(part, text) for text in _words(turn)):
                return "history"
            for step in (step for step in turn.answer if step.is_tool_call):
                given = arguments(step).get(argument)
                if any(equal(part, one) for one in (given, *_parts(given))):
                    return "history"
                if isinstance(part, str) and is_written(part, written_observation(step)):
                    return "observation"
        return "none"

    def is_unambiguous(self, tool: str, argument: str, value: JsonValue) -> bool:
        """Whether every earlier call of the tool that gave the argument gave this value, and there is one."""
        given = self.given(argument, tool)
        return bool(given) and all(equal(one, value) for one in given)


def gold_or_rule(turn: ReferenceTurn, node: int, name: str, earlier: Earlier) -> str:
    """Return the source in the words of `gold.slots`, from there where the turn has it, else by the rule.

    The rule cannot tell a preference from other history, nor what is worked out from what is found nowhere: it says
    `history` and `derived`.
    """
    if turn.gold is not None:
        return source_of(turn.gold, turn.answer[node].action.name, name)
    found = source_by_rule(turn, node, name, earlier)
    return "derived" if found == "none" else found


def source_by_rule(turn: ReferenceTurn, node: int, name: str, earlier: Earlier) -> RuleSource:
    """Return where the value of an argument of a reference call comes from.

    The first that holds: a question of the reference names the slot, or its answer has the value (`asked`); the request
    has it (`request`); a call that this one depends on returned it (`observation`); it was given to an argument of this
    name, or said, in an earlier turn (`history`); a tool returned it in an earlier turn (`observation`).

    Args:
        turn: The turn.
        node: Index of the reference call.
        name: Of the argument.
        earlier: What came before the turn.
    """
    step = turn.answer[node]
    value = arguments(step)[name]
    before = [turn.answer[index] for index in sorted(ancestors(turn.answer, node))]
    asked = [one for one in before if not one.is_tool_call]
    if any(f"{step.action.name}.{name}" in missing_slots(one) for one in asked):
        return "asked"
    if is_written(value, "\n".join(one.user_input or "" for one in asked)):
        return "asked"
    if is_written(value, turn.request):
        return "request"
    if is_written(value, "\n".join(written_observation(one) for one in before if one.is_tool_call)):
        return "observation"
    return earlier.first_source(name, value)


def agreement(turns: Iterable[ReferenceTurn]) -> Counter[tuple[str, RuleSource]]:
    """Return how often gold and the rule say what, over all reference arguments of the turns that have gold.

    Args:
        turns: All turns of one person, in order.
    """
    counts: Counter[tuple[str, RuleSource]] = Counter()
    past: list[ReferenceTurn] = []
    for turn in turns:
        earlier = Earlier(tuple(past))
        past.append(turn)
        if turn.gold is None:
            continue
        for node, step in enumerate(turn.answer):
            for name in arguments(step) if step.is_tool_call else ():
                gold = source_of(turn.gold, step.action.name, name)
                counts[gold, source_by_rule(turn, node, name, earlier)] += 1
    return counts


def is_written(value: JsonValue, text: str) -> bool:
    """Whether every part of a value stands in a text; never a boolean or nothing.

    Numbers may be written in words, names with blanks for underscores, times of day without their leading zero.
    """
    parts = _parts(value)
    return bool(parts) and all(not isinstance(part, bool) and _stands(part, text) for part in parts)


def _stands(value: JsonValue, text: str) -> bool:
    if stands_in(value, text):
        return True
    if isinstance(value, int | float):
        return any(parse_number(word) == value for word in _WORDS.findall(text))
    if not isinstance(value, str):
        return False
    spellings = {value.replace("_", " "), _LEADING_ZERO.sub("", value)} - {value}
    return any(stands_in(spelling, text) for spelling in spellings)


def _parts(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _words(turn: ReferenceTurn) -> Iterable[str]:
    yield turn.request
    for step in turn.answer:
        yield step.user_input or ""


def written_observation(step: ReferenceStep) -> str:
    """Return what a step gave back as text."""
    value = step.observation
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
