"""Making of any value one that JSON holds without loss, so that a result can always be written down."""

from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel, JsonValue

_MAX_DEPTH = 60
"""Of lists and objects within each other; readers of JSON give up soon after 100."""
_AS_TEXT = (date, time, Decimal, UUID, PurePath, complex)


class Storable(NamedTuple):
    """A value for JSON."""

    value: JsonValue
    marks: tuple[str, ...]
    """Where it is text for something else, as `place: type`; empty where nothing had to be changed."""


def storable(value: object) -> Storable:
    """Return `value` for JSON: what JSON cannot hold becomes text, with a mark that says where and what it was.

    Dates, times and decimals are written as they are in JSON everywhere, bytes as UTF-8 or else in base 64, numbers
    that are not finite by their names, halves of surrogate pairs as escapes, and anything else as it shows itself.
    """
    marks: list[str] = []
    return Storable(_plain(value, "", marks, 0), tuple(marks))


def storable_text(text: str) -> str:
    """Return `text` with halves of surrogate pairs as escapes, which UTF-8 lacks."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _plain(value: object, place: str, marks: list[str], depth: int) -> JsonValue:
    match value:
        case Enum():
            return _plain(value.value, place, marks, depth)
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case str():
            text = storable_text(value)
            return value if text == value else _marked(text, "surrogates", place, marks)
    parts = _parts(value) if depth < _MAX_DEPTH else None
    if isinstance(parts, Mapping):
        return {_key(key): _plain(part, _at(place, key), marks, depth + 1) for key, part in parts.items()}
    if parts is not None:
        return [_plain(part, _at(place, number), marks, depth + 1) for number, part in enumerate(parts)]
    return _marked(_as_text(value), type(value).__name__, place, marks)


def _parts(value: object) -> Mapping[Any, Any] | Iterable[Any] | None:
    """Return what an object or a list is made of; `None`: it is neither."""
    if isinstance(value, BaseModel):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value if isinstance(value, Mapping | list | tuple | Set) else None


def _as_text(value: object) -> str:
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta() | float():
            return str(value)
        case bytes() | bytearray() | memoryview():
            content = bytes(value)
            try:
                return content.decode("utf-8")
            except UnicodeDecodeError:
                return base64.b64encode(content).decode("ascii")
    return storable_text(str(value)) if isinstance(value, _AS_TEXT) else _shown(value)


def _shown(value: object) -> str:
    try:
        return storable_text(repr(value))
    except Exception as exc:  # of whatever a class does to show itself: its deed is done and has to be written down
        return f"<{type(value).__name__}, which does not show itself: {type(exc).__name__}>"


def _marked(text: str, kind: str, place: str, marks: list[str]) -> str:
    marks.append(f"{place or 'result'}: {kind}")
    return text


def _key(key: object) -> str:
    return storable_text(key if isinstance(key, str) else str(key))


def _at(place: str, part: object) -> str:
    return f"{place}.{_key(part)}" if place else _key(part)
