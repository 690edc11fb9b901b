"""What of a result stays where there is little room, and how a text is clipped."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from memory.language.text import split_name
from memory.rendering import ELLIPSIS

_LABELS = frozenset({"id", "name", "title", "label"})
_PIECE = re.compile(r"[!-~]+|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|.", re.DOTALL)
"""What is not cut in two: a word, a number, a url; of scripts without spaces a character."""


class Size(NamedTuple):
    """How much of an observation stays."""

    entries: int
    """Of each list; objects keep three times as many fields."""
    characters: int
    """Of each text."""
    names: int = 0
    """Further entries of a list that stay by their ids and names alone."""


class Fields:
    """The fields of an observation that may fill a slot or tell one entry from another."""

    _LABELS = frozenset({"name", "title", "label"})
    _TIMES = frozenset({"date", "day", "time", "datetime", "start", "end"})

    def __init__(self, slots: Collection[str]) -> None:
        self._slots: dict[str, list[frozenset[str]]] = {}
        """By each of their words."""
        for slot in slots:
            for word in (words := frozenset(split_name(slot))):
                self._slots.setdefault(word, []).append(words)
        has_times = not self._TIMES.isdisjoint(self._slots)
        self._others = self._LABELS | self._TIMES if has_times else self._LABELS
        self._known: dict[str, bool] = {}

    def __contains__(self, field: str) -> bool:
        if field not in self._known:
            self._known[field] = self._is_wanted(field)
        return self._known[field]

    def _is_wanted(self, field: str) -> bool:
        words = frozenset(split_name(field))
        if not words:
            return bool(self._slots)
        alike = (slot for word in words for slot in self._slots.get(word, ()))
        return not words.isdisjoint(self._others) or any(words <= slot or slot <= words for slot in alike)


def clip(text: str, characters: int) -> str:
    """Return at most `characters` of `text`, with `…` for what was left out.

    It is cut between words: half a url or a number is worse than none.
    """
    if not characters or len(text) <= characters:
        return text if characters else ""
    end = 0
    for piece in _PIECE.finditer(text, 0, characters + 1):
        if piece.end() > characters - 1:
            break
        end = piece.end()
    return text[:end].rstrip() + ELLIPSIS


def shortened(value: JsonValue, size: Size, used: str) -> JsonValue:
    """Return `value` with at most `size` of everything; what was left out of a list or object is counted at its end."""
    if isinstance(value, str):
        return clip(value, size.characters)
    if isinstance(value, list):
        kept = set(_kept_entries(value, size.entries, used))
        short: list[JsonValue] = []
        named = 0
        for index, one in enumerate(value):
            if index in kept:
                short.append(shortened(one, size, used))
            elif named < size.names and (label := _label(one)) is not None:
                short.append(label)
                named += 1
        left_out = len(value) - len(short)
        marks = [*([f"{named} by name alone"] if named else []), *([f"{left_out} more"] if left_out else [])]
        return [*short, f"{ELLIPSIS} {', '.join(marks)}"] if marks else short
    if isinstance(value, dict):
        fields = {name: shortened(value[name], size, used) for name in list(value)[: 3 * size.entries]}
        return fields if len(fields) == len(value) else {**fields, ELLIPSIS: f"{len(value) - len(fields)} more"}
    return value


def news(said: Mapping[str, JsonValue], value: JsonValue, size: Size, used: str, fields: Fields) -> JsonValue:
    """Return of `value` what may fill slots or is used, at most `size` of it, without what the call `said` itself.

    It is `None` if that is nothing.
    """
    if isinstance(value, dict):
        value = {name: inner for name, inner in value.items() if name not in said or said[name] != inner}
    return _focused(value, size, used, fields)


def _focused(value: JsonValue, size: Size, used: str, fields: Fields) -> JsonValue:
    """Return of `value` what is in `fields` or used, at most `size` of it; `None` if that is nothing.

    What was left out of a list is counted at its end; that fields were left out is not said, it is the rule.
    """
    if isinstance(value, list):
        kept = _kept_entries(value, size.entries, used)
        short: list[JsonValue] = [
            part for index in kept if (part := _focused(value[index], size, used, fields)) is not None
        ]
        left_out = len(value) - len(short)
        if short and left_out:
            short.append(f"{ELLIPSIS} {left_out} more")
        return short or None
    if isinstance(value, dict):
        chosen: dict[str, JsonValue] = {
            name: part
            for name, inner in value.items()
            if isinstance(inner, list | dict) or name in fields or _is_used(inner, used)
            if (part := _focused(inner, size, used, fields)) is not None
        }
        return chosen or None
    return clip(value, size.characters) if isinstance(value, str) else value


def _label(entry: JsonValue) -> JsonValue:
    """Return what tells an entry from others; `None` where nothing does."""
    if not isinstance(entry, dict):
        return None
    telling: dict[str, JsonValue] = {
        name: value
        for name, value in entry.items()
        if isinstance(value, (str, int)) and not isinstance(value, bool) and _LABELS & set(split_name(name))
    }
    return telling or None


def _kept_entries(entries: list[JsonValue], count: int, used: str) -> list[int]:
    """Return the indices of the `count` entries to keep, in order: those most taken up later before the first ones."""
    if len(entries) <= count:
        return list(range(len(entries)))
    by_use = sorted(range(len(entries)), key=lambda index: (-_uses(entries[index], used), index))
    return sorted(by_use[:count])


def _is_used(entry: JsonValue, used: str) -> bool:
    return _uses(entry, used) > 0


def _uses(entry: JsonValue, used: str) -> int:
    """Return how many of the texts in an entry were taken up."""
    if isinstance(entry, dict):
        return sum(_uses(value, used) for value in entry.values())
    return int(isinstance(entry, str) and len(entry) > 1 and entry.casefold() in used)
