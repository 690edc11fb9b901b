"""How the arguments of a call differ from those of a reference call, and which differences matter (docs/scoring.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import JsonValue

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import arguments
from benchmark_adapter.evaluator.arguments import CORRECT, compare_arguments, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.replay.bookkeeping import is_bookkeeping
from benchmark_adapter.scoring.value_sources import Earlier, gold_or_rule, is_written
from memory.language.text import tokenise
from memory.language.values.values import equal
from memory.tools import Parameter, Tool, parse_tools

FREE_TEXT_BLANKS, FREE_TEXT_HAN = 3, 8
"""Text of at least so many blanks or Chinese characters is free: it may be worded otherwise. Names, ids, addresses of
web pages and enum values stay below, or are told apart by their schema."""
FREE_TEXT_SIMILARITY = 0.5
"""Least share of common terms (Dice, 1945: twice the common ones over all) at which two free texts say the same."""

_STATED = frozenset({"request", "asked", "history", "preference"})
_HAN = re.compile("[\u4e00-\u9fff]")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Difference:
    """One argument that is not as in the reference call, by the reference evaluator's comparison."""

    argument: str
    kind: Literal["missing", "extra", "different"]
    given: JsonValue
    """`None` where it is missing."""
    expected: JsonValue
    """`None` where it is extra."""
    source: str
    """Where the expected value comes from, in the words of `gold.slots`; `extra` where there is none."""
    is_form: bool
    """Whether both mean the same and only the form differs."""
    matters: bool
    """Whether the call does something else than the reference call."""


@dataclass(frozen=True)
class CallJudge:
    """Compares calls with the reference calls of one turn.

    Args:
        turn: The turn.
        earlier: What came before it.
        similarity: How the reference evaluator compares texts.
    """

    turn: ReferenceTurn
    earlier: Earlier
    similarity: SimilarityMode

    @cached_property
    def functions(self) -> dict[str, Any]:
        """The tools on offer as the reference evaluator has them, by name."""
        return functions_by_name(convert_tools(self.turn.tools, ""))

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """The tools on offer by name; of two with one name the last."""
        return {tool.name: tool for tool in parse_tools(self.turn.tools, strict=False)}

    @cached_property
    def heard(self) -> str:
        """The request and the person's answers in this turn."""
        return "\n".join([self.turn.request, *(step.user_input or "" for step in self.turn.answer)])

    def differences(self, node: int, given: Mapping[str, Any]) -> tuple[Difference, ...]:
        """Return what differs from the reference call at `node`, in the order of its arguments, extra ones last."""
        return tuple(self._differences(node, given))

    def source(self, node: int, argument: str) -> str:
        """Return where a reference value comes from, in the words of `gold.slots`."""
        return gold_or_rule(self.turn, node, argument, self.earlier)

    def is_decision_relevant(self, node: int, argument: str) -> bool:
        """Whether an argument speaks of the task: not mere bookkeeping, unless the person has a say in it."""
        return not is_bookkeeping(argument) or self.source(node, argument) in _STATED

    def _differences(self, node: int, given: Mapping[str, Any]) -> Iterator[Difference]:
        name = self.turn.answer[node].action.name
        expected = arguments(self.turn.answer[node])
        tool, parameters = self.tools.get(name), self.functions.get(name, {}).get("parameters", {})
        for argument, value in expected.items():
            parameter = tool.parameter(argument) if tool is not None else None
            source = self.source(node, argument)
            if argument not in given:
                matters = self._is_missed(node, argument, value, parameter)
                yield Difference(argument, "missing", None, value, source, is_form=False, matters=matters)
                continue
            written = given[argument]
            if compare_arguments({argument: written}, {argument: value}, parameters, self.similarity) == CORRECT:
                continue
            is_form = equal(written, value, parameter)
            is_same = is_form or (_is_free(value, parameter) and says_the_same(written, value))
            matters = not is_same and self.is_decision_relevant(node, argument)
            yield Difference(argument, "different", written, value, source, is_form=is_form, matters=matters)
        for argument in (one for one in given if one not in expected):
            parameter = tool.parameter(argument) if tool is not None else None
            yield Difference(
                argument,
                "extra",
                given[argument],
                None,
                "extra",
                is_form=_is_default(given[argument], parameter),
                matters=self._is_unasked(argument, given[argument], parameter),
            )

    def _is_missed(self, node: int, argument: str, value: JsonValue, parameter: Parameter | None) -> bool:
        if _is_default(value, parameter) or not self.is_decision_relevant(node, argument):
            return False
        is_required = parameter is None or parameter.is_required
        # Found nowhere and optional: a constraint that cannot be recovered. Gold's own `derived` can.
        return is_required or self.turn.gold is not None or self.source(node, argument) != "derived"

    def _is_unasked(self, argument: str, value: JsonValue, parameter: Parameter | None) -> bool:
        is_known = _is_default(value, parameter) or is_bookkeeping(argument) or is_written(value, self.heard)
        return not is_known


def says_the_same(given: JsonValue, expected: JsonValue) -> bool:
    """Whether two free texts have the same numbers and at least half of their terms in common."""
    if not isinstance(given, str) or not isinstance(expected, str):
        return False
    if set(_DIGITS.findall(given)) != set(_DIGITS.findall(expected)):
        return False
    left, right = set(tokenise(given)), set(tokenise(expected))
    return bool(left and right) and 2 * len(left & right) / (len(left) + len(right)) >= FREE_TEXT_SIMILARITY


def _is_free(value: JsonValue, parameter: Parameter | None) -> bool:
    if not isinstance(value, str) or (parameter is not None and (parameter.enum or parameter.format)):
        return False
    return value.strip().count(" ") >= FREE_TEXT_BLANKS or len(_HAN.findall(value)) >= FREE_TEXT_HAN


def _is_default(value: JsonValue, parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.default is not None and equal(value, parameter.default, parameter)
