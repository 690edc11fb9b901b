"""Tools as one family of models wants to see them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from agent.dialects.normal_form import Schema, normal_form
from agent.dialects.strict import NotStrictError, strict_schema
from agent.dialects.subsets import gemini_schema, glm_schema, moonshot_schema
from agent.providers import Dialect
from memory.tools import Tool

MAX_NAME = 64
"""Characters of a function's name that endpoints take."""
_REFUSED_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_REFUSED_IN_CODE = re.compile(r"[^\w.]")


class Rendered(NamedTuple):
    """Tools in one dialect."""

    tools: list[dict[str, Any]]
    """What is sent, or for a text dialect what the prompt shows."""
    names: Mapping[str, str]
    """By the name that is sent: the tool's own."""
    notes: tuple[str, ...]
    """What was mended or could not be said, in words."""

    def sent_name(self, name: str, dialect: Dialect) -> str:
        """Return the name by which the model knows the tool `name`, also of one that is not on offer."""
        return next((sent for sent, own in self.names.items() if own == name), None) or clean_name(name, dialect)


def clean_name(name: str, dialect: Dialect) -> str:
    """Return `name` with the characters replaced that the dialect's endpoints refuse."""
    if dialect in ("hammer", "pythonic"):
        return _REFUSED_IN_CODE.sub("_", name)
    cleaned = _REFUSED_IN_NAMES.sub("_", name)[:MAX_NAME]
    return cleaned if re.match("[a-zA-Z_]", cleaned) else f"_{cleaned}"[:MAX_NAME]


def render_tools(tools: Iterable[Tool], dialect: Dialect) -> Rendered:
    """Return the tools in a dialect, each name once (of two the last); the definitions stay as they are."""
    notes: list[str] = []
    unique: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in unique:
            notes.append(f"two tools are called {tool.name!r}; the last one is offered")
        unique[tool.name] = tool
    names: dict[str, str] = {}
    rendered = []
    for tool in unique.values():
        sent = _free_name(clean_name(tool.name, dialect), names)
        names[sent] = tool.name
        if sent != tool.name:
            notes.append(f"{tool.name!r} is offered as {sent!r}, since endpoints refuse its name")
        form = normal_form(tool)
        rendered.append(_RENDERERS[dialect](sent, tool, form.schema, notes))
        notes += form.notes
    return Rendered(rendered, names, tuple(notes))


def _free_name(name: str, taken: Mapping[str, str]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name[: MAX_NAME - 4]}_{count}"
    return free


def _function(name: str, tool: Tool, parameters: Schema, **more: Any) -> dict[str, Any]:
    function = tool.definition.get("function", tool.definition)
    described = isinstance(function, Mapping) and "description" in function
    description = {"description": tool.description} if described else {}
    return {"type": "function", "function": {"name": name, **description, "parameters": parameters, **more}}


def _openai(name: str, tool: Tool, schema: Schema, notes: list[str]) -> dict[str, Any]:
    return _function(name, tool, schema)


def _openai_strict(name: str, tool: Tool, schema: Schema, notes: list[str]) -> dict[str, Any]:
    try:
        return _function(name, tool, strict_schema(schema), strict=True)
    except NotStrictError as exc:
        notes.append(f"{tool.name}: not strict, since {exc}")
        return _function(name, tool, schema)


def _hammer(name: str, tool: Tool, schema: Schema, notes: list[str]) -> dict[str, Any]:
    # As the model's own client flattens them (MadeAgents/Hammer, README).
    required = schema.get("required", ())
    parameters = {
        field: {**part, "required": True} if field in required else part for field, part in schema["properties"].items()
    }
    return {"name": name, "description": tool.description, "parameters": parameters}


def _pythonic(name: str, tool: Tool, schema: Schema, notes: list[str]) -> dict[str, Any]:
    return {"name": name, "description": tool.description, "parameters": schema}


def _with(make: Callable[[Schema], Schema]) -> Callable[[str, Tool, Schema, list[str]], dict[str, Any]]:
    return lambda name, tool, schema, notes: _function(name, tool, make(schema))


_RENDERERS: Mapping[Dialect, Callable[[str, Tool, Schema, list[str]], dict[str, Any]]] = {
    "openai": _openai,
    "openai-strict": _openai_strict,
    "moonshot": _with(moonshot_schema),
    "gemini": _with(gemini_schema),
    "glm": _with(glm_schema),
    "hammer": _hammer,
    "pythonic": _pythonic,
}
