"""Amounts said in one unit for parameters that take another: "two days" for hours, "八斤" for kilograms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.planners.rules.utterance import Said, Text
from memory.language.text import split_name
from memory.language.values.numbers import whole
from memory.tools import Parameter

LIKELY_RATIO = 100
"""Between units of time, up to which one is readily meant by the other: hours by days, but not by weeks."""


class _Unit(NamedTuple):
    """A unit: what people and schemas call it, what it measures, and how many base units it has."""

    words: str
    measure: str
    size: float
    names: str = ""
    """Words that tell of it in a parameter's name or description only."""


_UNITS = tuple(
    _Unit(*row)
    for row in (
        ("minutes?|mins?|分钟?", "time", 1),
        ("hours?|hrs?|小时|钟头", "time", 60),
        ("days?|天", "time", 1440),
        ("weeks?|周|星期|礼拜", "time", 10_080),
        ("fortnights?", "time", 20_160),
        ("grams?|克", "mass", 1, "g"),
        ("kilos?|kilograms?|kg|公斤|千克", "mass", 1000),
        ("jin|斤", "mass", 500),  # the market's half kilogram
        ("pounds?|lbs?|磅", "mass", 453.592),
        ("mm|millimet(?:re|er)s?|毫米", "length", 0.1),
        ("cm|centimet(?:re|er)s?|厘米|公分", "length", 1),
        ("met(?:re|er)s?|米", "length", 100),
        ("km|kilomet(?:re|er)s?|公里|千米", "length", 100_000),
        ("miles?|英里", "length", 160_934.4),
    )
)
_FOLLOWING = tuple(
    (unit, re.compile(rf"\s?-?个?(?P<half>半)?(?:{unit.words})(?![a-z])", re.IGNORECASE)) for unit in _UNITS
)


def _naming(unit: _Unit) -> re.Pattern[str]:
    """Return what tells of `unit` in a parameter's name or description; Chinese words stand there without gaps."""
    latin = "|".join(part for part in f"{unit.words}|{unit.names}".split("|") if part and part.isascii())
    chinese = "|".join(part for part in unit.words.split("|") if not part.isascii())
    return re.compile(rf"(?<![a-z])(?:{latin})(?![a-z])" + (f"|{chinese}" if chinese else ""), re.IGNORECASE)


_NAMED = tuple((unit, _naming(unit)) for unit in _UNITS)
_IN_WORDS = (
    (re.compile(r"\bhalf an hour\b|半个?(?:小时|钟头)", re.IGNORECASE), 30),
    (re.compile(r"\b(?:a )?quarter of an hour\b|一刻钟", re.IGNORECASE), 15),
    (re.compile(r"(?<!half )(?<!of )\ban hour\b", re.IGNORECASE), 60),
    (re.compile(r"\ba fortnight\b", re.IGNORECASE), 20_160),
    (re.compile(r"\bfor a week\b", re.IGNORECASE), 10_080),
    (re.compile(r"\bfor a day\b", re.IGNORECASE), 1440),
)


def measured(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield the amounts that `text` says in any unit of the measure that `parameter` takes, in its unit."""
    own = _unit_of(parameter)
    if own is None:
        return
    if own.measure == "time":
        for pattern, minutes in _IN_WORDS:
            for match in pattern.finditer(text.text):
                yield Said(whole(minutes / own.size), match.start(), match.end(), 1.0)
    for mention in text.of_kind("number"):
        if not isinstance(mention.value, int | float) or isinstance(mention.value, bool):
            continue
        for unit, following in _FOLLOWING:
            said = following.match(text.text, mention.end)
            if said is not None and unit.measure == own.measure:
                amount = mention.value + (0.5 if said["half"] else 0)
                value = whole(round(amount * unit.size / own.size, 6))
                ratio = max(unit.size, own.size) / min(unit.size, own.size)
                strength = 1.0 if ratio == 1 else 0.9 if ratio <= LIKELY_RATIO or own.measure != "time" else 0.6
                yield Said(value, mention.start, said.end(), strength)
                break


def _unit_of(parameter: Parameter) -> _Unit | None:
    """Return the unit that the name of `parameter` tells, else its description, or `None`."""
    for words in (" ".join(split_name(parameter.name)), parameter.description):
        found = [unit for unit, pattern in _NAMED if pattern.search(words)]
        if found:
            return found[0]
    return None
