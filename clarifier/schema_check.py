"""The last look at a call before it is made: do its arguments keep to the tool's own JSON Schema?"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from jsonschema import Draft202012Validator, FormatChecker, SchemaError, ValidationError

from memory.records import ToolCall
from memory.tools import Tool, value_type


class Fault(NamedTuple):
    """What the schema refuses."""

    argument: str
    """The argument at fault, of the top level; empty where it is about no one argument."""
    reason: str
    """What is wrong, with the place within the argument."""


def faults_of(call: ToolCall, tool: Tool) -> tuple[Fault, ...]:
    """Return what `tool` would refuse of the arguments of `call`, one fault an argument, in the order of the schema.

    Types are read as leniently as `memory.tools` reads them; a schema that is none beyond that refuses nothing.
    """
    validator = _validator(json.dumps(_schema(tool)))
    if validator is None:
        return ()
    faults: dict[str, Fault] = {}
    for error in validator.iter_errors(call.arguments):
        for argument in _arguments_at_fault(error):
            faults.setdefault(argument, Fault(argument, _reason(error)))
    return tuple(faults.values())


def _schema(tool: Tool) -> object:
    function: Any = tool.definition.get("function", tool.definition)
    return function.get("parameters") if isinstance(function, dict) else None


@lru_cache(maxsize=512)
def _validator(text: str) -> Draft202012Validator | None:
    schema = _mended(json.loads(text))
    if not isinstance(schema, dict):
        return None
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return None
    return Draft202012Validator(schema, format_checker=_formats())


def _mended(schema: object) -> object:
    """Return a schema with the spellings of types that JSON Schema has; a type that nobody knows says nothing."""
    if isinstance(schema, list):
        return [_mended(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    mended = {key: part if key in ("enum", "const", "default") else _mended(part) for key, part in schema.items()}
    kind = schema.get("type")
    if isinstance(kind, str):
        known = value_type(kind) if kind != "null" else kind
        mended = {**mended, "type": known} if known != "any" else {k: v for k, v in mended.items() if k != "type"}
    return mended


def _arguments_at_fault(error: ValidationError) -> Iterator[str]:
    """Yield the names of the top level that an error is about; an empty one where it is about none in particular."""
    if error.absolute_path:
        yield str(error.absolute_path[0])
    elif error.validator == "required" and isinstance(error.instance, dict):
        yield from (name for name in error.validator_value if name not in error.instance)
    elif error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        yield from (name for name in error.instance if name not in known)
    else:
        yield ""


def _reason(error: ValidationError) -> str:
    place = ".".join(map(str, list(error.absolute_path)[1:]))
    return f"{place}: {error.message}" if place else error.message


def _is_email(text: str) -> bool:
    return re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None


def _is_url(text: str) -> bool:
    return bool(urlsplit(text).scheme) and not re.search(r"\s", text)


_FORMATS: dict[str, Callable[[str], object]] = {
    "date": date.fromisoformat,
    "time": time.fromisoformat,  # RFC 3339 wants seconds and a zone, which people's tools leave out
    "date-time": datetime.fromisoformat,
    "email": _is_email,
    "uri": _is_url,
    "url": _is_url,
    "uuid": UUID,
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "regex": re.compile,
}
"""What reads a text of a format: it raises `ValueError` (or `re.error`), or returns `False`, where the text is none."""


@lru_cache(maxsize=1)
def _formats() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, read in _FORMATS.items():
        checker.checks(name, raises=(ValueError, re.error))(_checking(read))
    return checker


def _checking(read: Callable[[str], object]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or read(value) is not False
