"""Typed values: when two are the same, one canonical form of each, and the cast to a parameter's type."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING

from pydantic import JsonValue

from memory.errors import CastError
from memory.language.text_cache import text_cache
from memory.language.values.dates import normal_date, normal_datetime
from memory.language.values.json_text import json_value
from memory.language.values.numbers import finite, parse_number, whole
from memory.language.values.times import normal_time

if TYPE_CHECKING:
    from memory.tools import Parameter

_TRUE = frozenset({"true", "yes", "on", "是", "要"})
_FALSE = frozenset({"false", "no", "off", "否", "不要"})


def canonical_key(value: JsonValue) -> str:
    """Return one text for all values that are equal whatever their key order, case, width or number form."""
    if isinstance(value, str):
        return _text_key(value)
    return json.dumps(_canonical(value), ensure_ascii=False, sort_keys=True)


@text_cache(4096)
def _text_key(text: str) -> str:
    """The canonical key of a text. Kept: the same few values are compared with one another all the time."""
    return json.dumps(normal_text(text), ensure_ascii=False)


@text_cache(16_384)
def normal_text(text: str) -> str:
    """Return `text` in one width (NFKC), without case, each run of white space one blank."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@text_cache(16_384)
def bare_text(text: str) -> str:
    """Return `normal_text` without blanks, hyphens and underscores, as enum values are compared."""
    return re.sub(r"[\s_\-]+", "", normal_text(text))


def equal(a: JsonValue, b: JsonValue, parameter: Parameter | None = None) -> bool:
    """Say whether two values mean the same.

    Numbers count by value ("1.2k" is 1200, number words too; two texts only where `parameter` is numeric, since ids
    may look like numbers), dates and times by what they denote where `parameter` has such a format or both have the
    shape of one, text across case, width and white space, enum values across separators too, booleans only with
    booleans, lists element by element in order, objects key by key.
    """
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return type(a) is type(b) and a == b
    if isinstance(a, list) and isinstance(b, list):
        items = parameter.items if parameter is not None else None
        return len(a) == len(b) and all(equal(x, y, items) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        fields = {field.name: field for field in parameter.properties} if parameter is not None else {}
        return a.keys() == b.keys() and all(equal(a[key], b[key], fields.get(key)) for key in a)
    if isinstance(a, (list, dict)) or isinstance(b, (list, dict)):
        return False
    return _equal_scalars(a, b, parameter)


def cast(value: JsonValue, parameter: Parameter) -> JsonValue:
    """Return `value` in the type of `parameter`, where only one repair is possible.

    Whole floats become integers, numerals numbers, numbers text, a value other than a list a list of one, a list of
    one its element, JSON text a list or object; an enum value takes the schema's spelling, a date or time of a
    parameter with that format the form YYYY-MM-DD or HH:MM.

    Raises:
        CastError: If the value is of another type and no such repair is certain, or not in the enum.
    """
    if value is None or parameter.type == "any":
        return value
    if parameter.type == "array":
        return _cast_array(value, parameter)
    if parameter.type == "object":
        return _cast_object(value, parameter)
    if isinstance(value, list) and len(value) == 1:
        return cast(value[0], parameter)
    if isinstance(value, (list, dict)):
        raise CastError(value, parameter.name, parameter.type)
    if parameter.enum:
        return _cast_enum(value, parameter)
    if parameter.type == "boolean":
        return _cast_boolean(value, parameter)
    if parameter.type in ("integer", "number"):
        return _cast_number(value, parameter)
    return _cast_text(value, parameter)


def _canonical(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return normal_text(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    return value


def _equal_scalars(a: str | float, b: str | float, parameter: Parameter | None) -> bool:
    is_numeric = parameter is not None and parameter.type in ("integer", "number")
    if not (isinstance(a, str) and isinstance(b, str)) or is_numeric:
        x, y = _number(a), _number(b)
        if x is not None and y is not None:
            return x == y
        if not (isinstance(a, str) and isinstance(b, str)):
            return False
    if _text_key(a) == _text_key(b):
        return True
    if parameter is not None and parameter.enum and bare_text(a) == bare_text(b):
        return True
    return any(x is not None and x == y for x, y in zip(_moments(a), _moments(b), strict=True))


@text_cache(4096)
def _moments(text: str) -> tuple[str | None, str | None, str | None]:
    """The date, time and date with time that a whole text denotes, each `None` where it does not. Kept: it is slow."""
    return normal_date(text), normal_time(text), normal_datetime(text)


def _number(value: str | float) -> float | None:
    return _read_number(value) if isinstance(value, str) else value


@text_cache(4096)
def _read_number(text: str) -> float | None:
    """What a whole text amounts to. Kept: one decision compares the same few words with many numbers."""
    return parse_number(text)


def _cast_array(value: JsonValue, parameter: Parameter) -> JsonValue:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _parsed(value, parameter)
    items = value if isinstance(value, list) else [value]
    element = parameter.items
    return [item if element is None else cast(item, element) for item in items]


def _cast_object(value: JsonValue, parameter: Parameter) -> JsonValue:
    if isinstance(value, str):
        value = _parsed(value, parameter)
    if not isinstance(value, dict):
        raise CastError(value, parameter.name, parameter.type)
    fields = {field.name: field for field in parameter.properties}
    return {key: cast(item, fields[key]) if key in fields else item for key, item in value.items()}


def _parsed(text: str, parameter: Parameter) -> JsonValue:
    try:
        return json_value(text)
    except ValueError as exc:
        raise CastError(text, parameter.name, parameter.type) from exc


def _cast_enum(value: str | float, parameter: Parameter) -> JsonValue:
    for allowed in parameter.enum:
        if equal(value, allowed, parameter):
            return allowed
    choices = ", ".join(repr(choice) for choice in parameter.enum)
    raise CastError(value, parameter.name, f"one of {choices}")


def _cast_boolean(value: str | float, parameter: Parameter) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and normal_text(value) in _TRUE | _FALSE:
        return normal_text(value) in _TRUE
    raise CastError(value, parameter.name, parameter.type)


def _cast_number(value: str | float, parameter: Parameter) -> int | float:
    number = None if isinstance(value, bool) else _number(value)
    if number is None or (isinstance(number, float) and finite(number) is None):
        raise CastError(value, parameter.name, parameter.type)
    if parameter.type == "integer" and isinstance(number, float) and not number.is_integer():
        raise CastError(value, parameter.name, parameter.type)
    return whole(number)


def _cast_text(value: str | float, parameter: Parameter) -> str:
    if isinstance(value, bool):
        raise CastError(value, parameter.name, parameter.type)
    if not isinstance(value, str):
        return str(whole(value))
    normal = {"date": normal_date, "time": normal_time}.get(parameter.format or "")
    return (normal(value) if normal else None) or value
