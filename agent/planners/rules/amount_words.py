"""A value of a tool's result with its unit, as people write it: €114, 108 min, 11 °C.

The unit is read off the name of the field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from memory.language.text import Language, split_name

_BEFORE: Mapping[str, str] = {"eur": "€", "euro": "€", "euros": "€", "usd": "$", "gbp": "£", "cny": "¥", "rmb": "¥"}
_AFTER: Mapping[str, str] = {
    **dict.fromkeys(("percent", "pct", "percentage"), "%"),
    **dict.fromkeys(("celsius",), " °C"),
    **dict.fromkeys(("fahrenheit",), " °F"),
    **{unit: f" {unit}" for unit in ("km", "kg", "mm", "cm", "ml", "mb", "gb", "kcal", "mph")},
}
_TIMES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("minutes", "minute", "mins", "min"), (" min", "分钟")),
    **dict.fromkeys(("hours", "hour"), (" h", "小时")),
    **dict.fromkeys(("days",), (" days", "天")),
}
_SELF_TOLD = frozenset(
    ("price", "cost", "fare", "amount", "duration", "sky", "status", "state", "date", "name", "kind")
)
"""Nouns that a value with its unit, or in words, tells without."""
_DIGIT = re.compile(r"\d")
_YES: Mapping[Language, tuple[str, str]] = {"en": ("no", "yes"), "zh": ("否", "是")}


class Told(NamedTuple):
    """A value in words."""

    label: str
    """What it is of; empty where the words tell."""
    words: str


def value_told(key: str, value: JsonValue, tongue: Language) -> Told:
    """Return a value of the field `key` as it is read out."""
    words = list(split_name(key)) if key.isascii() and not _DIGIT.search(key) else []
    if not words:
        return Told(key, plain(value, tongue))
    unit = words[-1].casefold()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and (amount := _with_unit(unit, value, tongue)):
        rest = words[:-1]
        return Told("" if not rest or rest[-1].casefold() in _SELF_TOLD else " ".join(rest).casefold(), amount)
    label = " ".join(words).casefold()
    if isinstance(value, str) and label in _SELF_TOLD:
        return Told("", value)
    if unit in ("id", "number", "code", "ref") and len(words) > 1:
        label = " ".join(words[:-1]).casefold()
    return Told(label, plain(value, tongue))


def plain(value: JsonValue, tongue: Language) -> str:
    """Return a value without what it is of."""
    if isinstance(value, bool):
        return _YES[tongue][value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _with_unit(unit: str, value: JsonValue, tongue: Language) -> str:
    number = json.dumps(value)
    if unit in _BEFORE:
        return f"{_BEFORE[unit]}{number}"
    if unit in _AFTER:
        return f"{number}{_AFTER[unit]}"
    if unit in _TIMES:
        return f"{number}{_TIMES[unit][tongue == 'zh']}"
    return ""
