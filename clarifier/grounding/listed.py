"""Things that tools have listed in this turn or topic, with the names a person knows them by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from clarifier.grounding.codes import KIND_WORDS, is_looked_up
from memory.language.text import split_name, stem
from memory.records import CallStep
from memory.tools import Parameter

_NAMES = ("name", "title", "label", "subject", "headline", "名称", "标题", "姓名")
_TELLING = re.compile(r"depart|start|time|when|place|type|date|kind|tutor|address", re.IGNORECASE)


class Listed(NamedTuple):
    """One thing that a tool gave out."""

    value: str | int
    """Its identifier."""
    name: str
    """What it is called, or what tells it from the others."""


def listed_for(parameter: Parameter, steps: Sequence[CallStep]) -> tuple[Listed, ...]:
    """Return the things whose identifier `parameter` may be, from the newest step that lists any, in its order.

    They are told apart by their names, else by when or where they are; none where two would be called the same.
    """
    if not is_looked_up(parameter):
        return ()
    for step in reversed(steps):
        for observation in reversed(step.observations):
            rows = [] if observation.error is not None else list(_rows(observation.content))
            if found := _named(parameter, rows):
                return found
    return ()


def _rows(content: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """The objects within lists."""
    if isinstance(content, list):
        yield from (item for item in content if isinstance(item, dict))
    for item in content if isinstance(content, list) else content.values() if isinstance(content, dict) else ():
        yield from _rows(item)


def _named(parameter: Parameter, rows: Sequence[Mapping[str, JsonValue]]) -> tuple[Listed, ...]:
    found: dict[str | int, str] = {}
    common = _common(rows)
    for row in rows:
        field = next((name for name in row if _is_field(name, parameter)), None)
        value = row[field] if field is not None else None
        if isinstance(value, (str, int)) and not isinstance(value, bool) and (name := _name(row, {field, *common})):
            found.setdefault(value, name)
    names = set(found.values())
    return tuple(Listed(value, name) for value, name in found.items()) if len(names) == len(found) else ()


def _common(rows: Sequence[Mapping[str, JsonValue]]) -> frozenset[str]:
    """The fields that tell nothing apart: of several rows, all have the same value there."""
    if len(rows) < 2:
        return frozenset()
    return frozenset(name for name, value in rows[0].items() if all(row.get(name) == value for row in rows[1:]))


def _is_field(name: str, parameter: Parameter) -> bool:
    """Whether a field of a row holds what the parameter takes: of its name, or a bare `id`."""
    words, wanted = split_name(name), split_name(parameter.name)
    return words == wanted or (words == ("id",) and wanted[-1:] == ("id",))


def _name(row: Mapping[str, JsonValue], passed_over: Collection[str | None]) -> str:
    """What a row is called, else what tells of it outside the fields `passed_over`; empty where nothing does."""
    for name, value in row.items():
        words = split_name(name)
        if isinstance(value, str) and value and words and (words[-1] in _NAMES or name in _NAMES):
            return value
    telling = [
        str(value)
        for name, value in row.items()
        if name not in passed_over
        and isinstance(value, str)
        and value
        and not KIND_WORDS & {stem(word) for word in split_name(name)}
        and _TELLING.search(name)
    ]
    return ", ".join(telling[:2])
