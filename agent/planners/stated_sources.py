"""Where a model says that each value of a call comes from: how it is asked, and how what it says is read. Pure.

One statement a call: `city=request; day=derived "next friday"; seat=known t0012`. It travels as one more argument of
the call where the endpoint allows that, else as a line of the text beside the calls. Whatever cannot be read is
counted, and the call stands as if nothing had been said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import JsonValue

from clarifier.decision import Origin, StatedSource
from memory.language.values.values import bare_text

FIELD = "stated_sources"
"""The argument by which a model states the sources of a call's values."""
LINE = "sources:"
"""What begins a line that does so beside the calls, one line a call in their order."""

_ORIGINS = frozenset(get_args(Origin))
_MARKS = "\"'“”‘’「」『』"
_BETWEEN = re.compile(r"""[;；\n](?=\s*[^=:;；\n"“「]+[=:]\s*[A-Za-z])""")
"""What ends an entry: a semicolon before the next name, since one may stand in a quotation."""
_ASIDE = re.compile(r"[()\[\]@#,，:：]")
_MAX_CHARACTERS = 2_000
"""Of a statement; what a model writes beyond is none."""


class Statement(NamedTuple):
    """What a model says of one call."""

    sources: dict[str, StatedSource]
    """By argument, as the model spells it."""
    faults: int = 0
    """Parts that cannot be read."""

    def of(self, arguments: Mapping[str, JsonValue]) -> Statement:
        """Return the statement for a call's arguments by their own names; what is stated of no argument is a fault."""
        own = {bare_text(name): name for name in arguments}
        known = {own[key]: source for name, source in self.sources.items() if (key := bare_text(name)) in own}
        return Statement(known, self.faults + len(self.sources) - len(known))


def with_field(tool: dict[str, Any], description: str) -> dict[str, Any]:
    """Return a tool with one more argument for its sources, unless it has one of that name, or none at all."""
    parameters = tool["function"]["parameters"]
    if FIELD in parameters["properties"] or not parameters["properties"]:
        return tool
    added = {"type": "string", "description": description}
    made = {**parameters, "properties": {**parameters["properties"], FIELD: added}}
    if tool["function"].get("strict"):
        made["required"] = [*parameters["required"], FIELD]
    return {**tool, "function": {**tool["function"], "parameters": made}}


def read_statement(stated: JsonValue) -> Statement:
    """Return what a statement says; it may also be an object of arguments, as some models will have it."""
    if isinstance(stated, dict):
        entries: Sequence[tuple[str, JsonValue]] = list(stated.items())
    elif isinstance(stated, str) and len(stated) <= _MAX_CHARACTERS:
        parts = [part for part in _BETWEEN.split(stated) if part.strip(" ;；,，.\n")]
        entries = [_entry(part) for part in parts]
    else:
        return Statement({}, 0 if stated is None else 1)
    read = {name: source for name, said in entries if name and (source := _source(said)) is not None}
    return Statement(read, len(entries) - len(read))


def read_lines(text: str, count: int) -> tuple[list[Statement], str]:
    """Return the statements of the lines of a text for `count` calls in order, and the text without those lines."""
    lines = text.splitlines()
    stated = [line.strip().lstrip("-*` ") for line in lines]
    found = [line[len(LINE) :].strip(" `") for line in stated if line.casefold().startswith(LINE)]
    rest = [line for line, bare in zip(lines, stated, strict=True) if not bare.casefold().startswith(LINE)]
    read = [read_statement(line) for line in found[:count]]
    read += [Statement({})] * (count - len(read))
    if len(found) > count and read:
        read[-1] = read[-1]._replace(faults=read[-1].faults + len(found) - count)
    return read, "\n".join(rest) if found else text


def fault_notes(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return a note that counts what could not be read; none where all could."""
    faults = sum(statement.faults for statement in statements)
    return (f"{faults} stated source{'s' if faults > 1 else ''} could not be read",) if faults else ()


def _entry(part: str) -> tuple[str, JsonValue]:
    name, _, said = part.partition("=") if "=" in part else part.partition(":")
    return name.strip().strip(_MARKS), said.strip()


def _source(said: JsonValue) -> StatedSource | None:
    if isinstance(said, dict):
        return _checked(said.get("source"), said.get("turn"), said.get("quote"))
    if not isinstance(said, str):
        return None
    head, quote = said, None
    for index, char in enumerate(said):
        if char in _MARKS:
            head, quote = said[:index], said[index:].strip().strip(_MARKS + " ")
            break
    words = _ASIDE.sub(" ", head).split()
    if not words or len(words) > 3:
        return None
    turns = [word for word in words[1:] if word.casefold() != "turn"]
    return _checked(words[0], turns[0] if turns else None, quote)


def _checked(origin: JsonValue, turn: JsonValue, quote: JsonValue) -> StatedSource | None:
    if not isinstance(origin, str) or origin.strip().casefold() not in _ORIGINS:
        return None
    turn_id = turn.strip() if isinstance(turn, str) and turn.strip() else None
    words = quote.strip() if isinstance(quote, str) and quote.strip() else None
    return StatedSource(origin.strip().casefold(), turn_id, words)  # type: ignore[arg-type]  # an origin, as checked
