"""What tools and the person say after a turn's first deviation, where the reference no longer leads.

It serves relaxed scoring and the audit alone. Nothing here depends on what the agent may not know but through what it
asks for: a call gets an observation only if it is, in all that matters, a call of the reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import CLARIFICATION, arguments
from benchmark_adapter.evaluator.arguments import CORRECT, compare_arguments, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.replay.bookkeeping import is_bookkeeping
from benchmark_adapter.replay.questions import is_about
from clarifier.effects import is_read_only
from memory.language.text import Language, language
from memory.records import Observation
from memory.tools import Tool, parse_tools

REPLY_LIMIT = 12
"""Replies of the agent that are still answered after the deviation, the same for every turn."""
NO_RESULT = "this call gave no result"
"""The error of every call that the reference does not have. It is the same whatever is wrong with the call."""
NOTHING_TO_ADD: dict[Language, str] = {
    "en": "I have nothing to add to that. Please go by what you know.",
    "zh": "这个我没有要补充的，按你知道的办就好。",
}
"""What the person answers where the reference has no answer. It settles nothing, and says so."""


@dataclass
class Continuation:
    """Tools and person of one turn after its deviation.

    Args:
        turn: The turn.
        similarity: How the reference evaluator compares texts.
    """

    turn: ReferenceTurn
    similarity: SimilarityMode
    _given: set[int] = field(default_factory=set, init=False)
    """Reference calls whose observation was handed out here."""

    def observe(self, name: str, written: str) -> Observation:
        """Return the observation of the reference call that a call stands for, `NO_RESULT` where there is none.

        A call stands for a reference call of the same tool if their arguments are equal by the reference's comparison.
        Of a tool that only reads, also if they differ in request ids, pages and formats alone: what comes back then
        tells nothing of the person that the call did not name. Among several the one is taken that was not handed out
        yet, then the first.

        Args:
            name: The tool.
            written: The arguments as JSON text.
        """
        given = _parsed(written)
        if given is None:
            return Observation(error=NO_RESULT)
        nodes = [node for node, step in enumerate(self.turn.answer) if step.action.name == name and step.is_tool_call]
        equal = [node for node in nodes if self._is_equal(node, arguments(self.turn.answer[node]), given)]
        if not equal and (tool := self._tool(name)) is not None and is_read_only(tool):
            task = _of_the_task(given)
            equal = [
                node for node in nodes if self._is_equal(node, _of_the_task(arguments(self.turn.answer[node])), task)
            ]
        if not equal:
            return Observation(error=NO_RESULT)
        node = min(equal, key=lambda one: (one in self._given, one))
        self._given.add(node)
        return Observation(content=self.turn.answer[node].observation)

    def answer(self, question: str, slots: Iterable[str]) -> str:
        """Return what the person answers: the reference's answer to a question about the same, else nothing new.

        Args:
            question: Its text; the answer comes in its language.
            slots: What it asks for, as `tool.argument`, where that is known.
        """
        prepared = self.prepared_answer(question, slots)
        return NOTHING_TO_ADD[language(question)] if prepared is None else prepared

    def prepared_answer(self, question: str, slots: Iterable[str]) -> str | None:
        """Return the reference's answer to a question about what the reference asks for, `None` where it has none."""
        slots = tuple(slots)
        for step in self.turn.answer:
            if step.action.name == CLARIFICATION and is_about(question, slots, step, self._tools):
                return step.user_input or ""
        return None

    @cached_property
    def _tools(self) -> tuple[Tool, ...]:
        return parse_tools(self.turn.tools, strict=False)

    @cached_property
    def _functions(self) -> dict[str, Any]:
        return functions_by_name(convert_tools(self.turn.tools, ""))

    def _tool(self, name: str) -> Tool | None:
        return next((tool for tool in reversed(self._tools) if tool.name == name), None)

    def _is_equal(self, node: int, wanted: dict[str, Any], given: dict[str, Any]) -> bool:
        parameters = self._functions.get(self.turn.answer[node].action.name, {}).get("parameters", {})
        return compare_arguments(given, wanted, parameters, self.similarity) == CORRECT


def _of_the_task(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if not is_bookkeeping(name)}


def _parsed(written: str) -> dict[str, Any] | None:
    try:
        value = json.loads(written)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
