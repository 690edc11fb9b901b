"""What data may hold so that a run can keep it: JSON that every reader takes, and tools that a planner can read.

Topics that break these limits would stop a run in the middle or fail each of their turns; readers refuse them first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchmark_adapter.data.reference import ReferenceStep
from memory.errors import ToolSchemaError
from memory.tools import parse_tools

MOST_NESTING = 100
"""Levels of objects and lists in arguments and observations: strict readers of JSON take 200, and files add some."""
MOST_SCHEMA_NESTING = 200
"""Levels in a tool's definition, which a nested object of its parameters takes two of."""


def tools_fault(tools: Sequence[Any]) -> str | None:
    """Return what no planner could read of these tools, with the mend, or `None`."""
    if fault := json_fault(tools, MOST_SCHEMA_NESTING):
        return f"tools: {fault}"
    for position, tool in enumerate(tools):
        try:
            (parsed,) = parse_tools([tool], strict=False)
        except ToolSchemaError as exc:
            return f"tool {position}: {exc!s:.300}; correct the tool's schema"
        if not is_text(parsed.name):
            return f"tool {position}: expected a name of whole characters, got {parsed.name!r:.80}; rename the tool"
    return None


def steps_fault(answers: Sequence[Sequence[ReferenceStep]]) -> str | None:
    """Return what could not be kept of the steps of a topic's turns, with its place and the mend, or `None`."""
    for turn, steps in enumerate(answers):
        for index, step in enumerate(steps):
            for name, value in (("arguments", _written(step.action.arguments)), ("observation", step.observation)):
                if fault := json_fault(value, MOST_NESTING):
                    return f"turn {turn}, step {index}, {name}: {fault}"
    return None


def _written(arguments: Any) -> Any:
    """Return arguments as JSON values, also where data write them as JSON text."""
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):  # no JSON: the evaluator's to judge
        return None


def json_fault(value: Any, most: int) -> str | None:
    """Return why a JSON value cannot be kept, with the mend, or `None`.

    Args:
        value: As read from JSON.
        most: Levels of objects and lists that it may have.
    """
    for level, part in _containers(value):
        if level > most:
            return f"expected at most {most} levels of objects and lists, got more; make it flatter"
        if isinstance(part, dict) and (broken := next((key for key in part if not is_text(key)), None)) is not None:
            return f"expected keys of whole characters, got {broken!r:.80} with half a surrogate pair; rename the key"
    return None


def _containers(value: Any) -> Iterator[tuple[int, dict[str, Any] | list[Any]]]:
    """Yield every object and list in a value with its level, from 1, without recursion."""
    waiting = [(1, value)]
    while waiting:
        level, part = waiting.pop()
        if not isinstance(part, dict | list | tuple):
            continue
        inside = list(part.values()) if isinstance(part, dict) else list(part)
        yield level, part if isinstance(part, dict) else inside
        waiting += [(level + 1, one) for one in inside]


def is_text(text: str) -> bool:
    """Say whether UTF-8 can hold a text, as it cannot hold half a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
