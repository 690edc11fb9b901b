"""Allowed values named in a text, in whatever case, form and spelling."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memory.language.text import stem
from memory.language.values.amounts import Amount, amounts
from memory.language.values.mentions import Mention, overlaps
from memory.language.values.units import units
from memory.tools import Parameter


def enum_mention(text: str, parameter: Parameter, *, partial: bool = False) -> tuple[Mention, ...]:
    """Return where `text` names an allowed value of `parameter` (or of its elements), in order, longest first.

    A value is named by its words in any case, stem and separators ("second class" names `second_class`, "failed
    login" `failedLogins`), by a number with its unit ("five-minute" names `5min`), or by a word that the description
    gives for it ("'C' (Celsius)").

    Args:
        text: What was said.
        parameter: With its `enum`, or that of its `items`.
        partial: Whether the words that tell a value from all others suffice ("second"); right for answers to a
            question about this very parameter.
    """
    source = parameter.items if parameter.type == "array" and parameter.items is not None else parameter
    stems = _stems(text)
    names = _names(tuple(map(str, source.enum)), source.description, partial)
    keys = {_key(word) for word, _, _ in stems}
    named = {place for key in keys for place in names.by_first_word.get(key, ())}
    measured = amounts(text) if names.counted else ()
    found: list[Mention] = []
    for place in sorted(named.union(names.counted if measured else ())):
        value = source.enum[place]
        for start, end in _amounts_of(names.counted.get(place), measured):
            found.append(Mention("enum", start, end, text[start:end], value))
        for words in names.phrases[place]:
            found.extend(
                Mention("enum", start, end, text[start:end], value) for start, end in _places(words, stems, text)
            )
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda mention: (mention.start - mention.end, mention.start)):
        if not overlaps(mention, kept):
            kept.append(mention)
    return tuple(sorted(kept, key=lambda mention: mention.start))


def _stems(text: str) -> list[tuple[str, int, int]]:
    """Return the words of `text` as stems with their places; each CJK character is a word of its own."""
    found = re.finditer(r"[A-Za-z]+|\d+(?:\.\d+)?|[\u4e00-\u9fff]", text)
    return [(stem(match.group().casefold()), match.start(), match.end()) for match in found]


_SHORTEST_PREFIX = 4
"""Letters that two words which begin alike must have in common."""
_COUNTED = re.compile(r"(?P<number>\d+)\s?(?P<unit>[a-z]+)")
_ABBREVIATED = {"m": "minute", "d": "day", "w": "week"}
"""What allowed values call a unit, and nobody who speaks; months and years have no length."""
_CALENDAR = {"y": "year", "mo": "month"}


class _Names(NamedTuple):
    """What names each of a list of allowed values, by its place in the list."""

    phrases: tuple[tuple[tuple[str, ...], ...], ...]
    by_first_word: Mapping[str, tuple[int, ...]]
    """The values with a phrase that begins so: a text is compared with these alone, however long the list is."""
    counted: Mapping[int, tuple[float, str]]
    """Those that are an amount: its size in the unit of its dimension, and the dimension."""


@lru_cache(maxsize=256)
def _names(values: tuple[str, ...], description: str, partial: bool) -> _Names:
    shared = Counter(word for value in set(values) for word in set(_value_words(value))) if partial else Counter()
    phrases = tuple(tuple(_phrases(value, description, shared if partial else None)) for value in values)
    firsts: dict[str, list[int]] = {}
    for place, ways in enumerate(phrases):
        for key in {_key(words[0]) for words in ways if words}:
            firsts.setdefault(key, []).append(place)
    counted = {place: size for place, value in enumerate(values) if (size := _size(value)) is not None}
    return _Names(phrases, {key: tuple(places) for key, places in firsts.items()}, counted)


def _key(word: str) -> str:
    """Return what two words have in common that `_meets`."""
    return word[:_SHORTEST_PREFIX]


def _size(value: str) -> tuple[float, str] | None:
    counted = _COUNTED.fullmatch(value)
    unit = units().get(_ABBREVIATED.get(counted["unit"], counted["unit"])) if counted else None
    return None if counted is None or unit is None else (float(counted["number"]) * unit.factor, unit.dimension)


def _amounts_of(size: tuple[float, str] | None, measured: Sequence[Amount]) -> Iterator[tuple[int, int]]:
    """Yield where a text names the amount that an allowed value is, in whatever unit: "half an hour" for `30min`."""
    for one in measured if size is not None else ():
        if size is None or one.unit is None or one.unit.dimension != size[1]:
            continue
        if math.isclose(one.value * one.unit.factor, size[0]):
            yield one.start, one.end


_CHINESE: dict[str, tuple[str, ...]] = {
    "album": ("专辑",), "song": ("歌曲", "单曲"), "artist": ("歌手", "艺人"), "android": ("安卓",), "ios": ("苹果",),
    "executable": ("可执行文件", "可执行"), "male": ("男",), "female": ("女",), "high": ("高",), "low": ("低",),
    "medium": ("中等",), "daily": ("每天", "每日", "按天"), "weekly": ("每周", "按周"), "monthly": ("每月", "按月"),
    "hourly": ("每小时", "按小时"), "yearly": ("每年", "按年"), "email": ("邮件", "邮箱"), "sms": ("短信",),
    "driving": ("驾车", "开车"), "walking": ("步行", "走路"), "transit": ("公交",), "cycling": ("骑车", "骑行"),
    "celsius": ("摄氏",), "fahrenheit": ("华氏",), "buy": ("买入",), "sell": ("卖出",), "asc": ("升序", "从低到高"),
    "desc": ("降序", "从高到低"), "positive": ("正面",), "negative": ("负面",), "free": ("免费",),
    "all": ("全部", "所有"),
}  # fmt: skip
"""What Chinese speakers say for allowed values that schemas give in English."""


def _phrases(value: str, description: str, shared: Mapping[str, int] | None) -> Iterator[tuple[str, ...]]:
    """Yield the word stems that name an allowed value.

    Args:
        value: As text.
        description: Of the parameter.
        shared: How many values have each word, where the words of this one alone suffice.
    """
    meaning = "\\(|（|:|：|for |means |represents |表示|代表|即"
    counted = _COUNTED.fullmatch(value)
    words = _value_words(value)
    if counted and counted["unit"] in _CALENDAR:
        yield counted["number"], _CALENDAR[counted["unit"]]
    if len(value) > 1 or not value.isascii():
        yield words
    described = (
        re.search(
            rf"(?<![A-Za-z]){re.escape(value)}['’\"]?\s*(?:{meaning})\s*(?P<words>[A-Za-z\u4e00-\u9fff]+)", description
        )
        if value in description
        else None
    )
    if described and described["words"].casefold() != "default":
        yield tuple(word for word, _, _ in _stems(described["words"]))
    if len(value) > 1 and value.endswith("类"):
        yield tuple(value[:-1])
    for word in _CHINESE.get(value.casefold(), ()):
        yield tuple(word)
    if shared is not None:
        telling = tuple(word for word in words if shared[word] == 1)
        if telling and telling != words:
            yield telling


def _value_words(value: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value)
    return tuple(word for word, _, _ in _stems(spaced))


def _places(words: tuple[str, ...], stems: list[tuple[str, int, int]], text: str) -> Iterator[tuple[int, int]]:
    """Yield where `words` stand one after another, with at most two characters between them."""
    for first in range(len(stems) - len(words) + 1 if words else 0):
        run = stems[first : first + len(words)]
        if all(_meets(word, found) for word, (found, _, _) in zip(words, run, strict=True)) and all(
            later[1] - earlier[2] <= 2 for earlier, later in pairwise(run)
        ):
            yield run[0][1], run[-1][2]


def _meets(word: str, found: str) -> bool:
    return word == found or (
        min(len(word), len(found)) >= _SHORTEST_PREFIX and (found.startswith(word) or word.startswith(found))
    )
