"""Faults of tool schemas, and of reference arguments against them.

Two checks: the reference evaluator's own (`arguments.check_schema`), which decides whether an answer equal to the
reference can pass at all, and JSON Schema, which is stricter and finds every fault, not the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from benchmark_adapter.data.limits import is_text
from benchmark_adapter.data.reference import PSEUDO_ACTIONS
from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.arguments import CORRECT, check_schema, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.inspection.faults import Fault, error, warning
from memory.errors import ToolSchemaError
from memory.tools import Tool, parse_tool

_JSON_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})


class ToolShelf:
    """The tools on offer in a topic, as far as they are well formed.

    Args:
        tools: Definitions as in the data.
    """

    def __init__(self, tools: Sequence[Any]) -> None:
        self.functions = functions_by_name(convert_tools(tools, ""))
        self.faults = tuple(_tool_faults(tools))
        self._validators = {name: _validator(one) for name, one in self.functions.items()}

    def __contains__(self, name: str) -> bool:
        return name in self.functions

    def takes(self, name: str, argument: str) -> bool:
        """Whether the tool of that name has that argument at its top."""
        parameters = self.functions[name].get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        return isinstance(properties, Mapping) and argument in properties

    def argument_faults(self, name: str, arguments: Any) -> Iterator[Fault]:
        """Yield what is wrong with the arguments of a call of a tool that is on offer.

        Args:
            name: The tool.
            arguments: JSON value, or JSON text of it.
        """
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        try:
            verdict = check_schema(self.functions, name, text)
        except ReferenceCrashError as exc:
            yield error("tool-schema", f"the schema of {name!r} cannot be checked: {exc}", "correct the tool's schema")
            return
        try:
            value = json.loads(text)
        except ValueError as exc:
            mend = "write them as a JSON object"
            yield error("arguments", f"expected arguments of {name!r} as JSON, got text that fails: {exc}", mend)
            return
        found = sorted(self._violations(name, value), key=lambda one: (list(map(str, one.absolute_path)), one.message))
        for one in found:
            yield _argument_fault(name, one, passes=verdict == CORRECT)
        if verdict != CORRECT and not found:
            mend = "correct the arguments or the tool's schema"
            yield error("arguments", f"{name}: the reference evaluator refuses them: {verdict}", mend)

    def _violations(self, name: str, value: Any) -> Iterable[ValidationError]:
        validator = self._validators[name]
        return () if validator is None else validator.iter_errors(value)


def _argument_fault(name: str, found: ValidationError, *, passes: bool) -> Fault:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in found.absolute_path)
    problem = f"{name}{path}: {found.message:.200}"
    mend = {
        "required": "add the argument, or ask for it first",
        "additionalProperties": "take it out, or declare it in the tool's schema",
        "enum": "take one of the listed values",
        "type": "write it in the schema's type",
    }.get(str(found.validator), "correct the value or the tool's schema")
    if passes:
        return warning("arguments", f"{problem} (the reference evaluator lets it pass)", mend)
    return error("arguments", problem, mend)


def _validator(function: Any) -> Draft202012Validator | None:
    """Return the validator of a tool's arguments, or `None` where its schema is none."""
    schema = _strict(function.get("parameters") or {})
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError):
        return None
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _strict(schema: Any) -> Any:
    """Return a schema that refuses undeclared arguments and does not look at types that JSON does not have."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {key: value if key in ("enum", "default", "const") else _strict(value) for key, value in schema.items()}
    if isinstance(made.get("type"), str) and made["type"] not in _JSON_TYPES:
        del made["type"]
    if isinstance(made.get("properties"), Mapping):
        made.setdefault("additionalProperties", False)
    return made


def _tool_faults(tools: Sequence[Any]) -> Iterator[Fault]:
    seen: set[str] = set()
    for position, definition in enumerate(tools):
        try:
            tool = parse_tool(definition, strict=False)
        except ToolSchemaError as exc:
            yield error("tool-schema", f"tool {position}: {exc}", "correct the tool's schema")
            continue
        if "function" not in tool.definition:
            yield error(
                "tool-schema",
                f"tool {tool.name!r}: expected it below `function`, got its fields at the top",
                'write {"type": "function", "function": {…}}',
            )
        if not is_text(tool.name):
            problem = f"expected a name of whole characters, got {tool.name!r} with half a surrogate pair"
            yield error("tool-name", problem, "rename the tool")
        if tool.name in PSEUDO_ACTIONS:
            yield error("tool-name", f"{tool.name!r} is kept for questions and final answers", "rename the tool")
        if tool.name in seen:
            yield warning("tool-name", f"two tools are called {tool.name!r}; the last one counts", "rename one")
        seen.add(tool.name)
        yield from _parameter_faults(tool)


def _parameter_faults(tool: Tool) -> Iterator[Fault]:
    function = tool.definition.get("function")
    parameters = function.get("parameters") if isinstance(function, dict) else None
    if isinstance(function, dict) and function.get("parameters", {}) is None:
        yield warning(
            "tool-schema",
            f"tool {tool.name!r} has null for its parameters; no call of it can be right",
            "write {} where there are none",
        )
    if not isinstance(parameters, dict):
        return
    properties, required = parameters.get("properties"), parameters.get("required")
    declared = properties if isinstance(properties, dict) else {}
    for name in required if isinstance(required, list) else ():
        if name not in declared:
            yield warning(
                "tool-schema",
                f"tool {tool.name!r} requires {name!r}, which it does not declare; no call of it can be right",
                "declare it below `properties`",
            )
