"""The oracle planner: a perfect reader, to measure a memory strategy and the clarifier without any model.

Tools and their order are the reference's, without its questions. An argument is filled only if it can be read from what
is before the planner (DESIGN §7); what is not readable stays empty, and the clarifier decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import JsonValue

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import ReferenceStep, arguments
from benchmark_adapter.data.topics import Gold
from benchmark_adapter.errors import BenchmarkError
from benchmark_adapter.evaluator.graph import ReferenceGraph
from clarifier.decision import Proposal, Situation, StatedSource
from memory.language.values.values import equal, normal_text
from memory.recall import RecallItem
from memory.records import ToolCall, Turn
from memory.rendering import render_turn

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
"""The comma of 18,500."""
_NUMBER = re.compile(r"(?<![a-z0-9.])-?\d++(?:\.\d++)?+(?![a-z0-9])")


class MissingGoldError(BenchmarkError):
    """A turn without the annotation that the oracle reads by."""

    def __init__(self, turn: ReferenceTurn) -> None:
        super().__init__(
            f"the oracle planner needs a `gold` block for every turn, and {turn.session} turn {turn.index} "
            f"(topic {turn.topic_id}) has none; use annotated data, or --planner rules or chat"
        )


class OraclePlanner:
    """Plans one turn along its reference.

    Args:
        turn: The turn that is played.
        evidence: The remembered form of each gold evidence turn, whole.
        states_sources: Whether it says where each value comes from, by the gold block, as a model does. The gold has
            no quotations: in place of the telling words it quotes the whole request, answer or recalled turn.

    Raises:
        MissingGoldError: If the turn has no gold block.
    """

    name = "oracle"

    def __init__(self, turn: ReferenceTurn, evidence: Sequence[Turn], *, states_sources: bool = False) -> None:
        if turn.gold is None:
            raise MissingGoldError(turn)
        self._turn = turn
        self._gold = turn.gold
        self._evidence = tuple(evidence)
        self._states_sources = states_sources
        graph = ReferenceGraph([step.action.name for step in turn.answer], [s.dependency_list for s in turn.answer])
        path = graph.first_shortest() or ()
        self._plan = [[node for node in step if turn.answer[node].is_tool_call] for step in path]
        self._calls_before = [_calls_before(turn.answer, node) for node in range(len(turn.answer))]

    def plan(self, situation: Situation) -> Proposal:
        """Return the reference's next calls with what can be read of their arguments, at the end a reply."""
        made = _made(situation)
        for step in self._plan:
            # The clarifier may have held back some calls of a step.
            if ahead := [node for node in step if _call_id(node) not in made]:
                calls = tuple(self._call(node, situation) for node in ahead)
                if not self._states_sources:
                    return Proposal(calls=calls)
                sources = tuple(
                    {name: self._stated(call, name, situation) for name in call.arguments} for call in calls
                )
                return Proposal(calls=calls, sources=sources, understands=True)
        return Proposal(reply="Done.", understands=self._states_sources)

    def _stated(self, call: ToolCall, name: str, situation: Situation) -> StatedSource:
        """Return the gold's source of a value as a model states it: said where it stands there, else derived."""
        source = source_of(self._gold, call.name, name)
        recalled = [item for item in situation.recall.items if self._stems_from_evidence(item)]
        holding = [item for item in recalled if item_holds(item, call.arguments[name])] or recalled
        if source == "observation" and situation.call_steps:
            return StatedSource("result")
        answers = [step.answer for step in situation.question_steps if step.answer]
        if source == "asked" and answers:
            is_said = stands_in(call.arguments[name], answers[-1])
            return StatedSource("answer" if is_said else "derived", quote=answers[-1])
        if source in ("history", "preference", "observation") and holding:
            return self._known(holding[-1])
        if source == "derived" and holding:
            return replace(self._known(holding[-1]), origin="derived")
        is_said = source != "derived" and stands_in(call.arguments[name], situation.request)
        return StatedSource("request" if is_said else "derived", quote=situation.request)

    def _known(self, item: RecallItem) -> StatedSource:
        """Return the newest evidence turn of an item as a source, all of it quoted."""
        own = {turn.turn_id for turn in self._evidence}
        turn_id = next(turn_id for turn_id in reversed(item.turn_ids) if turn_id in own)
        return StatedSource("known", turn_id, item.text)

    def _call(self, node: int, situation: Situation) -> ToolCall:
        step = self._turn.answer[node]
        values = {}
        for name, value in arguments(step).items():
            readable = self._readable(node, name, value, situation)
            if readable is not None:
                values[name] = readable
        return ToolCall(id=_call_id(node), name=step.action.name, arguments=values)

    def _readable(self, node: int, name: str, value: JsonValue, situation: Situation) -> JsonValue:
        """Return as much of `value` as can be read now: lists element by element, `None` if nothing."""
        source = source_of(self._gold, self._turn.answer[node].action.name, name)
        if isinstance(value, list) and value:
            elements = [element for element in value if self._is_readable(source, node, element, situation)]
            return elements or None
        return value if self._is_readable(source, node, value, situation) else None

    def _is_readable(self, source: str, node: int, value: JsonValue, situation: Situation) -> bool:
        if source == "request":
            return True
        if source == "asked":
            return any(step.answer is not None for step in situation.question_steps)
        recalled = [item for item in situation.recall.items if self._stems_from_evidence(item)]
        if source == "derived":
            return bool(recalled) or not self._evidence
        if source == "observation":
            return bool(recalled) or self._was_seen(node, situation)
        if any(holds(turn, value) for turn in self._evidence):
            return any(item_holds(item, value) for item in recalled)
        return bool(recalled)

    def _stems_from_evidence(self, item: RecallItem) -> bool:
        return any(turn.turn_id in item.turn_ids for turn in self._evidence)

    def _was_seen(self, node: int, situation: Situation) -> bool:
        """Whether the calls that this one depends on have been made, and there are any."""
        before = self._calls_before[node]
        return bool(before) and {_call_id(one) for one in before} <= _made(situation)


def _call_id(node: int) -> str:
    return f"call_{node}"


def _made(situation: Situation) -> set[str]:
    return {call.id for step in situation.call_steps for call in step.calls}


def _calls_before(answer: Sequence[ReferenceStep], node: int) -> frozenset[int]:
    """Return the calls that a step depends on, through questions or other calls too."""
    return frozenset(step for step in ancestors(answer, node) if answer[step].is_tool_call)


def ancestors(answer: Sequence[ReferenceStep], node: int) -> frozenset[int]:
    """Return the steps that a step depends on, through others too."""
    found: set[int] = set()
    waiting = list(answer[node].dependency_list)
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting.extend(answer[step].dependency_list)
    return frozenset(found)


def source_of(gold: Gold, tool: str, argument: str) -> str:
    """Return where the value of an argument comes from, by the gold block; `request` where it does not say."""
    return gold.slots.get(f"{tool}.{argument}", gold.slots.get(argument, "request"))


def holds(turn: Turn, value: JsonValue) -> bool:
    """Whether a turn holds a value: in its words or observations, or as an argument (booleans only so)."""
    if any(equal(given, value) for call in turn.calls for given in _leaves(call.arguments)):
        return True
    return not isinstance(value, bool) and stands_in(value, render_turn(turn))


def item_holds(item: RecallItem, value: JsonValue) -> bool:
    """Whether a recalled item holds a value, in its text or as evidence."""
    if item.turn is not None and holds(item.turn, value):
        return True
    if any(equal(given, value) for piece in item.evidence for given in _leaves(piece.value)):
        return True
    return not isinstance(value, bool) and stands_in(value, item.text)


def stands_in(value: JsonValue, text: str) -> bool:
    """Whether `text` has the value as a word or number of its own; of an object or list, every leaf."""
    if isinstance(value, dict | list):
        leaves = [leaf for leaf in _leaves(value) if not isinstance(leaf, dict | list)]
        return bool(leaves) and all(stands_in(leaf, text) for leaf in leaves)
    if value is None or value == "":
        return False
    plain = normal_text(_THOUSANDS.sub("", text))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return any(float(found) == value for found in _NUMBER.findall(plain))
    return re.search(rf"(?<![a-z0-9]){re.escape(normal_text(str(value)))}(?![a-z0-9])", plain) is not None


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    """Yield a value and all values inside it."""
    yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inside:
        yield from _leaves(part)
