"""Mends arguments where only one mending is possible, and says so; all else stays as the model sent it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from agent.dialects.normal_form import Schema, normal_form
from memory.errors import CastError
from memory.language.values.values import bare_text, cast
from memory.tools import Parameter, Tool


class Repaired(NamedTuple):
    """Arguments as they are proposed."""

    arguments: dict[str, JsonValue]
    """In the order of the schema, arguments it does not know last."""
    notes: tuple[str, ...]
    """What was mended, in words."""


def repair(arguments: Mapping[str, JsonValue], tool: Tool) -> Repaired:
    """Return arguments with names and values as the tool's schema has them, where that is certain.

    A name takes the schema's spelling, a text loses white space around it, a value takes the type of its parameter
    and an enum value the spelling of the schema. What a model does not know it sends as null or as nothing, which is
    left out. A parameter of several types takes what it is given.
    """
    properties = normal_form(tool).schema["properties"]
    notes: list[str] = []
    made: dict[str, JsonValue] = {}
    for name, value in arguments.items():
        known = _own_name(name, arguments, properties)
        if known != name:
            notes.append(f"{tool.name}: {name} was read as {known}")
        mended = _mended(value, tool.parameter(known), properties.get(known, {}))
        if mended is None or mended == "":
            continue
        if _written(mended) != _written(value):
            notes.append(f"{tool.name}.{known}: {_written(value)} was read as {_written(mended)}")
        made[known] = mended
    order = [*(name for name in properties if name in made), *(name for name in made if name not in properties)]
    return Repaired({name: made[name] for name in order}, tuple(notes))


def _own_name(name: str, given: Mapping[str, JsonValue], properties: Mapping[str, Schema]) -> str:
    if name in properties:
        return name
    alike = [known for known in properties if bare_text(known) == bare_text(name) and known not in given]
    return alike[0] if len(alike) == 1 else name


def _mended(value: JsonValue, parameter: Parameter | None, schema: Schema) -> JsonValue:
    value = value.strip() if isinstance(value, str) else value
    if parameter is None or value is None or value == "" or _takes_several_types(schema):
        return value
    if isinstance(value, list | dict):
        value = _without_strict_nulls(value, schema)
    try:
        return cast(value, parameter)
    except CastError:
        return value


def _takes_several_types(schema: Schema) -> bool:
    kinds = [part.get("type") for part in schema["anyOf"]] if "anyOf" in schema else schema.get("type")
    return isinstance(kinds, list) and len([kind for kind in kinds if kind != "null"]) > 1


def _without_strict_nulls(value: JsonValue, schema: Schema) -> JsonValue:
    """Return `value` without the nulls by which strict mode leaves out the optional fields of an object."""
    if isinstance(value, list):
        items = schema.get("items")
        return [_without_strict_nulls(one, items) for one in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    fields = schema.get("properties", {})
    return {
        name: _without_strict_nulls(one, fields.get(name, {}))
        for name, one in value.items()
        if one is not None or name not in fields or "null" in str(fields[name].get("type"))
    }


def _written(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
