"""What tools returned, in a person's words: a record on one line, a list numbered, a change confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from agent.planners.rules.amount_words import plain, value_told
from agent.planners.rules.entries import Entry
from memory.language.text import Language, split_name
from memory.language.values.values import equal
from memory.records import ToolCall

MAX_ENTRIES = 5
"""Entries of a list that a reply tells of; the rest is counted."""
MAX_FIELDS = 12
"""Values of one record that a reply tells of; the rest is counted."""

_TITLES = ("name", "title", "label", "headline", "subject", "summary")
_MORE: dict[Language, str] = {"en": "and {n} more", "zh": "另有{n}条"}
_NONE: dict[Language, str] = {"en": "nothing found", "zh": "没有结果"}
_COUNT: dict[Language, str] = {"en": "{n} {noun}", "zh": "共{n}条"}
_COMMA: dict[Language, str] = {"en": ", ", "zh": "，"}
_COLON: dict[Language, str] = {"en": ": ", "zh": "："}


def told(content: JsonValue, call: ToolCall, tongue: Language) -> str:
    """Return what a call brought, without what it was called with; empty where nothing else is left."""
    if isinstance(content, list):
        return _listed(content, "results", tongue, list(call.arguments.values()))
    if not isinstance(content, Mapping):
        return plain(content, tongue)
    record = {key: value for key, value in content.items() if not _is_echo(key, value, call)}
    lists = {key: value for key, value in record.items() if isinstance(value, list) and _is_entries(value)}
    fields = _fields({key: value for key, value in record.items() if key not in lists}, tongue)
    parts = ([fields] if fields else []) + [
        _listed(value, _noun(key), tongue, list(call.arguments.values())) for key, value in lists.items()
    ]
    return ("; " if tongue == "en" else "；").join(parts) if lists else fields


def _is_echo(key: str, value: JsonValue, call: ToolCall) -> bool:
    """Whether a field only repeats what the call said."""
    return key in call.arguments and equal(value, call.arguments[key])


def _is_entries(value: Sequence[JsonValue]) -> bool:
    return not value or any(isinstance(item, Mapping) for item in value)


def _listed(items: Sequence[JsonValue], noun: str, tongue: Language, said: Sequence[JsonValue] = ()) -> str:
    """Return how many items there are and the first of them, a record each on a numbered line.

    What all of them have is said once before them, and not at all where the call has it (`said`).
    """
    if not items:
        return _NONE[tongue]
    shown, left = items[:MAX_ENTRIES], len(items) - MAX_ENTRIES
    if not any(isinstance(item, Mapping) for item in items):
        words = [plain(item, tongue) for item in shown] + ([_MORE[tongue].format(n=left)] if left > 0 else [])
        return _COMMA[tongue].join(words)
    same = _same_in_all(items)
    rows = [_without(item, same) if isinstance(item, Mapping) else item for item in shown]
    lines = [f"{place}. {_entry(item, tongue)}" for place, item in enumerate(rows, 1)]
    lines += [_MORE[tongue].format(n=left)] if left > 0 else []
    noun = noun[:-1] if len(items) == 1 and noun.endswith("s") else noun
    told_once = _fields({key: value for key, value in same.items() if value not in said}, tongue)
    once = (f" ({told_once})" if tongue == "en" else f"（{told_once}）") if told_once else ""
    return _COUNT[tongue].format(n=len(items), noun=noun) + once + _COLON[tongue].rstrip() + "\n" + "\n".join(lines)


def _same_in_all(items: Sequence[JsonValue]) -> dict[str, JsonValue]:
    """Return the fields that all of several records have with one value: they are said once."""
    records = [item for item in items if isinstance(item, Mapping)]
    if len(records) < 2 or len(records) < len(items):
        return {}
    return {
        key: value
        for key, value in records[0].items()
        if key.casefold() not in _TITLES
        if all(key in one and equal(one[key], value) for one in records)
    }


def _without(item: Entry, same: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a row of a list without what all rows have, and without its id where other fields tell it apart."""
    left = {key: value for key, value in item.items() if key not in same}
    told_apart = {key: value for key, value in left.items() if split_name(key)[-1:] != ("id",)}
    return told_apart if len(told_apart) > 1 else left


def _entry(item: JsonValue, tongue: Language) -> str:
    """Return an entry by its title, without ids where it has one."""
    if not isinstance(item, Mapping):
        return plain(item, tongue)
    titles = [key for key in item if key.casefold() in _TITLES and isinstance(item[key], str)]
    if not titles:
        return _fields(item, tongue)
    rest = {key: value for key, value in item.items() if key != titles[0] and split_name(key)[-1].casefold() != "id"}
    fields = _fields(rest, tongue)
    return f"{item[titles[0]]}{_COLON[tongue]}{fields}" if fields else str(item[titles[0]])


def _fields(record: Entry, tongue: Language) -> str:
    """Return "name value" of every value that is there, the first `MAX_FIELDS`."""
    words = list(_named_values(record, "", tongue))
    left = len(words) - MAX_FIELDS
    return _COMMA[tongue].join(words[:MAX_FIELDS] + ([_MORE[tongue].format(n=left)] if left > 0 else []))


def _named_values(record: Entry, before: str, tongue: Language) -> Iterator[str]:
    for key, value in record.items():
        name = f"{before} {_noun(key)}".strip()
        if isinstance(value, Mapping):
            yield from _named_values(value, name, tongue)
        elif isinstance(value, list):
            if value:
                yield f"{name} {_inner(value, tongue)}"
        elif value is not None:
            said = value_told(key, value, tongue)
            yield " ".join(filter(None, (before, said.label, said.words)))


def _inner(items: Sequence[JsonValue], tongue: Language) -> str:
    """Return a list within a record on one line."""
    words = [
        f"({_fields(item, tongue)})" if isinstance(item, Mapping) else plain(item, tongue)
        for item in items[:MAX_ENTRIES]
    ]
    left = len(items) - MAX_ENTRIES
    return (" / " if tongue == "en" else "、").join(words + ([_MORE[tongue].format(n=left)] if left > 0 else []))


def _noun(key: str) -> str:
    """Return the words of a field's name; a day or number that serves as one stays as it is."""
    words = split_name(key)
    return " ".join(words).casefold() if words and key.isascii() and not any(char.isdigit() for char in key) else key
