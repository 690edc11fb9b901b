"""The demo toolsets: what they offer, and how each tool is simulated, read from one file a language."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import BaseModel, Field, JsonValue, TypeAdapter

from agent.errors import ToolsetError
from memory.language.text import Language
from memory.tools import Tool, parse_tool

ALL = "all"
"""The name of all toolsets together."""
FieldSpec = tuple[JsonValue, ...]
"""How a field is drawn: two whole numbers are a range, ends included; anything else is a choice."""


class _Spec(BaseModel, frozen=True, extra="forbid"):
    pass


class Draw(_Spec, frozen=True):
    """Gives drawn fields, the same for the same arguments."""

    op: Literal["draw"]
    by: tuple[str, ...]
    fields: dict[str, FieldSpec]


class Search(_Spec, frozen=True):
    """Gives rows drawn for the arguments `by`, filtered by the others; they exist from then on."""

    op: Literal["search"]
    table: str
    id: str
    prefix: str
    by: tuple[str, ...]
    rows: int
    fields: dict[str, FieldSpec]
    sort: str
    equal: dict[str, str] = Field(default_factory=dict)
    """Argument by field; left out, it filters nothing. Likewise the next two."""
    at_least: dict[str, str] = Field(default_factory=dict)
    at_most: dict[str, str] = Field(default_factory=dict)


class Create(_Spec, frozen=True):
    """Makes a row of the arguments."""

    op: Literal["create"]
    table: str
    id: str
    prefix: str
    of: dict[str, str]
    """Arguments that are ids, each with the table where it must exist."""
    add: dict[str, JsonValue]


class Change(_Spec, frozen=True):
    """Changes fields of a row that must exist."""

    op: Literal["change"]
    table: str
    id: str
    set: dict[str, JsonValue]


Simulation = Annotated[Draw | Search | Create | Change, Field(discriminator="op")]


class _ToolEntry(_Spec, frozen=True):
    name: str
    description: str
    parameters: dict[str, JsonValue]
    simulate: Simulation


class _ToolsetEntry(_Spec, frozen=True):
    about: str
    tools: tuple[_ToolEntry, ...]


class DemoToolset(BaseModel, frozen=True, extra="forbid"):
    """Tools on offer and how each is simulated."""

    name: str
    about: str
    """In the language of the toolset."""
    tools: tuple[Tool, ...]
    simulations: dict[str, Simulation]
    """By name of the tool."""


def toolset_names() -> tuple[str, ...]:
    """Return the names to choose from."""
    return (*_entries("en"), ALL)


def load_toolset(name: str, language: Language) -> DemoToolset:
    """Return the toolset called `name`, or all of them as one for `all`.

    Raises:
        ToolsetError: If there is none.
    """
    entries = _entries(language)
    if name != ALL and name not in entries:
        raise ToolsetError(name, toolset_names())
    chosen = list(entries.values()) if name == ALL else [entries[name]]
    tools = [tool for entry in chosen for tool in entry.tools]
    return DemoToolset(
        name=name,
        about=("、" if language == "zh" else ", ").join(entry.about for entry in chosen),
        tools=tuple(_tool(entry) for entry in tools),
        simulations={entry.name: entry.simulate for entry in tools},
    )


def _tool(entry: _ToolEntry) -> Tool:
    function = {"name": entry.name, "description": entry.description, "parameters": entry.parameters}
    return parse_tool({"type": "function", "function": function}, strict=False)


@cache
def _entries(language: Language) -> dict[str, _ToolsetEntry]:
    text = resources.files("agent.demo").joinpath(f"{language}.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, _ToolsetEntry]).validate_json(text)
