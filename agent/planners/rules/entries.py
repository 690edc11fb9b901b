"""The things that tools returned: entries of observations, and which of them a request means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from agent.planners.rules.segments import clauses, named
from agent.planners.rules.tool_text import content_terms
from memory.errors import CastError
from memory.language.text import normalise, split_name, tokenise
from memory.language.text_cache import text_cache
from memory.language.values.values import cast, equal
from memory.records import CallStep, ToolCall, Turn
from memory.tools import Parameter

Entry = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Group:
    """Entries of one observation that stand side by side."""

    entries: tuple[Entry, ...]
    name: str = ""
    """The field that holds them."""
    tool: str = ""
    """The tool that returned them."""
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    """What the tool was called with."""


def groups_of(steps: Iterable[CallStep]) -> list[Group]:
    """Return the groups of entries in the observations of `steps`, the latest first."""
    found: list[Group] = []
    for step in steps:
        for call, observation in zip(step.calls, step.observations, strict=True):
            if observation.error is None:
                found.extend(_groups(observation.content, "", call))
    return found[::-1]


def groups_of_turns(turns: Sequence[Turn]) -> list[Group]:
    """Return the groups of entries in the observations of `turns`, the latest first."""
    return groups_of(step for turn in turns for step in turn.steps if isinstance(step, CallStep))


def _groups(value: JsonValue, name: str, call: ToolCall) -> Iterator[Group]:
    if isinstance(value, dict):
        yield Group((value,), name, call.name, call.arguments)
        for key, inner in value.items():
            yield from _groups(inner, key, call)
    elif isinstance(value, list):
        entries = tuple(item for item in value if isinstance(item, dict))
        for entry in entries:
            for key, inner in entry.items():
                yield from _groups(inner, key, call)
        entries = entries or tuple({"id": item} for item in value if isinstance(item, str) and _ID.fullmatch(item))
        if entries:
            yield Group(entries, name, call.name, call.arguments)


_ID = re.compile(r"(?=.*\d)(?=.*[A-Z])[\w.-]+")
"""An entry of a list of bare ids ("cells": ["NM-L03"])."""


def field_for(parameter: Parameter, group: Group) -> str | None:
    """Return the field of the group's entries that holds values for `parameter`, or `None`.

    The names agree word by word; or the field is a bare `id` (or `url`, `link`) of a group named after the thing.
    """
    wanted = _words(parameter.name)
    keys = dict.fromkeys(key for entry in group.entries for key in entry)
    for key in keys:
        if _words(key) == wanted:
            return key
    if len(wanted) > 1:
        for key in keys:
            words = _words(key)
            if wanted[-1] == words[-1] and len(words) == 1 and _singular(group.name) == wanted[0]:
                return key
    for key in keys:
        words = _words(key)
        if len(words) > 1 and len(wanted) == len(words) + 1 and wanted[1:] == words:
            return key  # "from_stop_id" takes a "stop_id"
    if wanted in (("id",), ("url",), ("link",)):
        return next((key for key in keys if _words(key)[-1] == wanted[0]), None)
    return None


def same_noun(name: str, other: str) -> bool:
    """Whether two arguments are named alike but for number and case."""
    return _words(name) == _words(other)


@text_cache(2048)
def _terms(text: str) -> frozenset[str]:
    return frozenset(tokenise(text))


@text_cache(2048)
def _words(name: str) -> tuple[str, ...]:
    words = tuple(_singular(word) for word in split_name(name))
    return words or (name.casefold(),)


def _singular(word: str) -> str:
    word = word.casefold()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    is_plural = word.endswith("s") and not word.endswith("ss") and (len(word) > 3 or word == "ids")
    return word[:-1] if is_plural else word


_MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec"
_NO_ORDINAL = rf"(?![ -](?:class|hand|thoughts?|floor|half|name|of (?:{_MONTHS})))"
"""After it a number word tells no place in a list: a class, a floor, a day."""
_ORDINALS = (
    (re.compile(rf"\bfirst\b{_NO_ORDINAL}|第一|头一|最开始", re.IGNORECASE), 0),
    (re.compile(rf"\bsecond\b{_NO_ORDINAL}|第二", re.IGNORECASE), 1),
    (re.compile(rf"\bthird\b{_NO_ORDINAL}|第三", re.IGNORECASE), 2),
    (re.compile(r"\blast (?:one|of them)\b|最后一?", re.IGNORECASE), -1),
)
_EXTREMES: tuple[tuple[re.Pattern[str], re.Pattern[str], bool], ...] = tuple(
    (re.compile(wording, re.IGNORECASE), re.compile(field_name, re.IGNORECASE), is_max)
    for wording, field_name, is_max in (
        (r"\bcheap(?:er|est)\b|最便宜|便宜的", r"price|cost|fare|amount|fee|价|费", False),
        (r"\b(?:earlier|earliest|soonest|first that|oldest)\b|最早|早的", r"date|time|start|depart|day|slot", False),
        (r"\b(?:later|latest|newest|most recent)\b|最晚|最新", r"date|time|start|depart|day", True),
        (r"\b(?:nearest|closest)\b|最近的|最近那", r"dist|walk|metre|meter|km|minutes_away", False),
        (r"\b(?:best|highest|top)[ -]?rated\b|评分最高|最好的", r"rat|score|star|评分", True),
        (r"\bfastest\b|\bshortest\b|最快", r"duration|minutes|arriv", False),
    )
)
"""Words for an extreme, the fields it is one of, and whether it is the greatest."""
_ENGLISH_NEGATION = (
    r"\bnot\b|\bexcept\b|\bdon['’]t (?:want|have to)\b|\bwithout\b|\bnever\b|\b(?:rather than|instead of)\b"
)
_NEGATED = re.compile(rf"{_ENGLISH_NEGATION}|不要|别|除了|咋", re.IGNORECASE)


def choose(entries: Sequence[Entry], text: str, now: datetime | None) -> Entry | None:
    """Return the entry that `text` means, `None` where it means none or leaves it open.

    It is meant by one of its values ("the 16:07", its name), by its place ("the first one"), by an extreme ("the
    cheapest"), or as the only one that is not turned down.
    """
    if not entries:
        return None
    said = [clause.text for clause in clauses(text) if not _NEGATED.search(clause.text)]
    turned_down = [clause.text for clause in clauses(text) if _NEGATED.search(clause.text)]
    if len(entries) == 1:
        return entries[0]
    telling = _telling(entries)
    scores = [sum(_closeness(entry, clause, now) for clause in said) for entry in telling]
    against = [sum(_closeness(entry, clause, now) for clause in turned_down) for entry in telling]
    best = max(scores)
    winners = [entry for entry, score in zip(entries, scores, strict=True) if score == best]
    if best >= NAMED and len(winners) == 1:
        return winners[0]
    pool = winners if best >= NAMED else [e for e, score in zip(entries, against, strict=True) if score < NAMED]
    for wording, field_name, is_max in _EXTREMES:
        if wording.search(text) and (extreme := _extreme(pool, field_name, is_max)) is not None:
            return extreme
    for pattern, place in _ORDINALS:
        if pattern.search(text) and len(entries) > max(place, 0):
            return entries[place]
    if best > 0 and len(winners) == 1:
        return winners[0]
    left = [entry for entry, score in zip(entries, against, strict=True) if score < max(against) / 2]
    return left[0] if len(left) == 1 else None


def places_said(text: str) -> list[tuple[int, int]]:
    """Return where `text` tells a place in a list ("the first one"), starts and ends."""
    return [match.span() for pattern, _ in _ORDINALS for match in pattern.finditer(text)]


def says_further(text: str) -> bool:
    """Whether `text` tells a place behind the first, so that a single entry is not meant."""
    return any(place > 0 and pattern.search(text) for pattern, place in _ORDINALS)


def is_place_alone(text: str) -> bool:
    """Whether `text` tells a place in a list and nothing else: "the first one", but not "First Avenue"."""
    places = places_said(text)
    rest = text[: places[0][0]] + text[places[-1][1] :] if places else text
    return bool(places) and bool(
        re.fullmatch(r"(?:\W|\b(?:the|one|of them|please)\b|[个家趟条种吧就那])*", rest, re.IGNORECASE)
    )


def named_entry(entries: Sequence[Entry], text: str, now: datetime | None) -> Entry | None:
    """Return the one entry that `text` names by a whole value, `None` where it names none or several."""
    said = [clause.text for clause in clauses(text) if not _NEGATED.search(clause.text)]
    scores = [sum(_closeness(entry, clause, now) for clause in said) for entry in _telling(entries)]
    best = max(scores)
    return entries[scores.index(best)] if best >= NAMED and scores.count(best) == 1 else None


def remaining(entries: Sequence[Entry], text: str, now: datetime | None) -> list[Entry]:
    """Return the entries that `text` does not turn down by a word that the others lack."""
    turned_down = [clause.text for clause in clauses(text) if _NEGATED.search(clause.text)]
    telling = zip(entries, _telling(entries), strict=True)
    return [entry for entry, words in telling if not any(_closeness(words, clause, now) for clause in turned_down)]


def is_described(group: Group, text: str, now: datetime | None) -> bool:
    """Whether `text` has words of just one of several entries."""
    if len(group.entries) < 2:
        return False
    said = [clause.text for clause in clauses(text) if not _NEGATED.search(clause.text)]
    scores = [sum(_closeness(entry, clause, now) for clause in said) for entry in _telling(group.entries)]
    return max(scores) > 0 and scores.count(max(scores)) == 1


def _telling(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with only what tells them apart: a value that all of them have singles none out."""
    if len(entries) < 2:
        return list(entries)
    first, *others = entries
    shared = {key for key, value in first.items() if all(key in other and other[key] == value for other in others)}
    return [{key: value for key, value in entry.items() if key not in shared} for entry in entries]


NAMED = 2.0
"""Closeness from which a clause names an entry outright: by a whole value rather than by a word of one."""


def _closeness(entry: Entry, clause: str, now: datetime | None) -> float:
    """Return how much of `entry` the clause names: its values, and the words of its texts."""
    total = 0.0
    found = named(clause, now)
    words = {word for word in content_terms(clause) if len(word) > 1 and not word.isdigit()}
    for value in leaves(entry):
        if isinstance(value, bool) or value is None:
            continue
        if any(m.kind not in ("yes", "no", "name", "number") and equal(m.value, value) for m in found):
            total += 3
        elif isinstance(value, str):
            if len(value) > 1 and normalise(value) in normalise(clause):
                total += 2
            else:
                total += 0.5 * len(words & _terms(value))
    return total


def leaves(value: JsonValue | Entry) -> Iterator[JsonValue]:
    """Yield the scalars within `value`."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def _extreme(entries: Sequence[Entry], field: re.Pattern[str], is_max: bool) -> Entry | None:
    """Return the entry with the least (or greatest) value in the first field of that name, `None` on a tie."""
    for key in dict.fromkeys(key for entry in entries for key in entry if field.search(key)):
        values = [entry.get(key) for entry in entries]
        if all(isinstance(value, (int, float)) for value in values) or all(isinstance(v, str) for v in values):
            best = max(values, key=_order) if is_max else min(values, key=_order)
            winners = [entry for entry, value in zip(entries, values, strict=True) if value == best]
            if len(winners) == 1:
                return winners[0]
    return None


def _order(value: JsonValue) -> tuple[float, str]:
    return (value, "") if isinstance(value, (int, float)) else (0.0, str(value))


def preferred(entries: Sequence[Entry], choices: Sequence[tuple[Entry, Sequence[Entry]]]) -> Entry | None:
    """Return the entry that is like the ones chosen before, `None` where past choices tell nothing.

    A past choice is the entry taken and all that were on offer. Where every choice had the least (or greatest) of a
    field, the least (or greatest) is preferred; the entry with most such points wins, ties leave it open.
    """
    directions: dict[str, int] = {}
    for key in dict.fromkeys(key for entry in entries for key in entry):
        seen = {_direction(key, taken, offered) for taken, offered in choices} - {None}
        if len(seen) == 1 and (direction := seen.pop()):
            directions[key] = direction
    points = [
        sum(_direction(key, entry, entries) == direction for key, direction in directions.items()) for entry in entries
    ]
    best = max(points, default=0)
    winners = [entry for entry, score in zip(entries, points, strict=True) if score == best]
    return winners[0] if best > 0 and len(winners) == 1 else None


def _direction(key: str, taken: Entry, offered: Sequence[Entry]) -> int | None:
    """-1 where `taken` alone or with others has the least of the field, 1 the greatest, 0 neither, `None` unknown."""
    values = [entry.get(key) for entry in offered]
    mine = taken.get(key)
    if isinstance(mine, bool) or not isinstance(mine, (int, float)):
        return None
    numbers = [value for value in values if isinstance(value, (int, float))]
    if len(numbers) < 2 or min(numbers) == max(numbers):
        return None
    return -1 if mine == min(numbers) else 1 if mine == max(numbers) else 0


def with_field(groups: Sequence[Group], parameter: Parameter) -> Iterator[Group]:
    """Return the groups whose entries have a field for `parameter`."""
    return (group for group in groups if field_for(parameter, group) is not None)


def as_parameter(value: JsonValue, parameter: Parameter) -> JsonValue:
    """Return an entry's value in the parameter's type, `None` where it does not fit."""
    try:
        return cast(value, parameter)
    except CastError:
        return None
