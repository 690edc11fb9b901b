"""How a call leaves the adapter as text: values in the types of its schema, keys in the order that the reference uses.

The reference evaluator tells 5 and 5.0 apart, refuses undefined arguments, and pairs several calls of one tool by their
text (conformance notes, 26, 35). None of it is anything a person would notice, so no planner need care.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from memory.errors import CastError
from memory.language.values.numbers import finite
from memory.language.values.values import cast
from memory.records import ToolCall, Turn
from memory.tools import Parameter, Tool


@dataclass(frozen=True)
class Spelling:
    """Writes the arguments of calls.

    Args:
        tools: Those on offer; of two with one name the last counts, as in the reference evaluator.
        past: Earlier turns, oldest first, as the requests of the reference harness hold them. Of their calls only the
            order of keys, and whether whole numbers are written `5` or `5.0`, are looked at.
    """

    tools: Sequence[Tool]
    past: Sequence[Turn] = ()

    def arguments(self, call: ToolCall) -> str:
        """Return a call's arguments as JSON text with real characters.

        A value takes its schema's type and spelling where only one repair is possible (`values.cast`), and
        stays as it is where none is. Arguments that the tool does not define are left out, and so are nulls for an
        optional argument that may not be null: no such call can be right. The keys stand as in the last past call
        of the tool that has them all, else as in the schema.
        """
        tool = next((tool for tool in reversed(self.tools) if tool.name == call.name), None)
        if tool is None:
            return _json(call.arguments)
        examples = [
            made.arguments for turn in reversed(self.past) for made in turn.calls[::-1] if made.name == tool.name
        ]
        spelled: dict[str, JsonValue] = {}
        for name, value in call.arguments.items():
            parameter = tool.parameter(name)
            if parameter is None or (value is None and not parameter.is_required and not _takes_null(tool, name)):
                continue
            spelled[name] = _spelled(value, parameter, [example[name] for example in examples if name in example])
        return _json(_ordered(spelled, examples, tool.parameters))


def _spelled(value: JsonValue, parameter: Parameter, examples: Iterable[JsonValue]) -> JsonValue:
    try:
        value = cast(value, parameter)
    except CastError:
        return value  # the clarifier has let it pass; what it means is not settled here
    if parameter.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        whole = next((one for one in examples if _is_whole(one)), None)
        written = finite(value) if isinstance(whole, float) else None
        return value if written is None else written
    return value


def _is_whole(value: JsonValue) -> bool:
    """Whether a value is a whole number, so that it shows how these are written."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1


def _takes_null(tool: Tool, name: str) -> bool:
    function: Any = tool.definition.get("function", tool.definition)
    schema = function["parameters"]["properties"].get(name, {})
    alternatives = [schema, *(schema.get("anyOf") or schema.get("oneOf") or ())]
    types = [one.get("type") for one in alternatives if isinstance(one, Mapping)]
    return any(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in types)


def _ordered(
    value: Mapping[str, JsonValue], examples: Sequence[JsonValue], parameters: Sequence[Parameter]
) -> dict[str, JsonValue]:
    """Return an object with its keys in the canonical order, and so the objects in it."""
    written = [example for example in examples if isinstance(example, Mapping)]
    known = {parameter.name: parameter for parameter in parameters}
    order = next((list(example) for example in written if value.keys() <= example.keys()), list(known))
    ranks = {name: rank for rank, name in enumerate(order)}
    ordered: dict[str, JsonValue] = {}
    for name in sorted(value, key=lambda name: ranks.get(name, len(ranks))):
        item = value[name]
        if isinstance(item, dict):
            below = known[name].properties if name in known else ()
            item = _ordered(item, [example[name] for example in written if name in example], below)
        ordered[name] = item
    return ordered


def _json(value: Mapping[str, JsonValue]) -> str:
    return json.dumps(value, ensure_ascii=False)
