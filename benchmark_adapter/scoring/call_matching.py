"""Which calls of the agent stand for which calls of the reference, whatever their order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.arguments import CORRECT, check_schema
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.scoring.call_arguments import CallJudge, Difference
from clarifier.effects import is_read_only
from memory.tools import Tool


@dataclass(frozen=True)
class MadeCall:
    """A call that the agent made."""

    position: int
    """Of its reply in the turn."""
    call: WrittenCall
    problem: str | None
    """What is wrong with its form: a tool that is not on offer, or the first breach of the tool's schema."""
    arguments: dict[str, Any]
    """Empty where they are no JSON object."""

    @property
    def name(self) -> str:
        """The tool."""
        return self.call.name


@dataclass(frozen=True)
class Pair:
    """A call of the agent that stands for a reference call."""

    node: int
    made: MadeCall
    differences: tuple[Difference, ...]

    @property
    def is_right(self) -> bool:
        """Whether nothing that matters differs."""
        return self.made.problem is None and not any(one.matters for one in self.differences)


@dataclass(frozen=True)
class Matching:
    """The calls of a turn against those of its reference."""

    pairs: dict[int, Pair]
    """By reference step."""
    unmade: tuple[int, ...]
    """Reference calls that no call stands for."""
    extra: tuple[MadeCall, ...]
    """Calls that stand for no reference call, in order."""

    def right(self, node: int) -> Pair | None:
        """Return the pair of a reference call if it is right."""
        pair = self.pairs.get(node)
        return pair if pair is not None and pair.is_right else None


def made_calls(replies: Sequence[Reply], judge: CallJudge) -> tuple[MadeCall, ...]:
    """Return every call of a turn in order, with what is wrong with its form."""
    return tuple(
        MadeCall(position, call, call_problem(call, judge), _parsed(call.arguments))
        for position, reply in enumerate(replies)
        for call in reply.calls
    )


def match_calls(made: Sequence[MadeCall], judge: CallJudge) -> Matching:
    """Return which call stands for which reference call of the same tool, each at most once.

    The best pairs are taken first: fewest differences that matter, then fewest at all, then the first reference call,
    then the first call.
    """
    nodes = [node for node, step in enumerate(judge.turn.answer) if step.is_tool_call]
    free_nodes, free_calls = set(nodes), set(range(len(made)))
    pairs: dict[int, Pair] = {}
    for _, node, index, pair in sorted(_possible(nodes, made, judge), key=lambda one: one[:3]):
        if node in free_nodes and index in free_calls:
            free_nodes.remove(node)
            free_calls.remove(index)
            pairs[node] = pair
    extra = tuple(made[index] for index in sorted(free_calls))
    return Matching(pairs, tuple(sorted(free_nodes)), extra)


def _possible(
    nodes: Sequence[int], made: Sequence[MadeCall], judge: CallJudge
) -> Iterator[tuple[tuple[int, int], int, int, Pair]]:
    for node in nodes:
        for index, one in enumerate(made):
            if one.name == judge.turn.answer[node].action.name:
                differences = judge.differences(node, one.arguments)
                faults = sum(difference.matters for difference in differences) + (one.problem is not None)
                yield (faults, len(differences)), node, index, Pair(node, one, differences)


def call_problem(call: WrittenCall, judge: CallJudge) -> str | None:
    """Return why a call is not well formed, `None` if it is."""
    if call.name not in judge.functions:
        return f"{call.name} is not on offer"
    try:
        result = check_schema(judge.functions, call.name, call.arguments)
    except ReferenceCrashError:
        return None  # the schema is at fault, not the call
    return None if result == CORRECT else f"{call.name}: {result}"


def is_offered_read(name: str, tools: dict[str, Tool]) -> bool:
    """Whether a tool is on offer and changes nothing."""
    return name in tools and is_read_only(tools[name])


def _parsed(written: str) -> dict[str, Any]:
    try:
        value = json.loads(written)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
