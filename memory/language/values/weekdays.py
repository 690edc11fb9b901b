"""Days of the week by their names: "Fri", "thursdays", 周五, 礼拜天."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from memory.language.text_cache import text_cache
from memory.language.tongue import tongue
from memory.language.values.plain import plain

_JOIN = r"\s*(?:to|till|until|through|thru|-|–|到|至)\s*"
_LED = re.compile(
    r"(?:\b(?:on|by|until|till|from|to|next|last|this|coming|every|each|before|after|since|or|and|through|thru)\s"
    r"|[-–/,]\s?)$",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(
    r"s?\s?(?:$|[-–/,&)]|\s?(?:morning|afternoon|evening|night|at|and|or|to|till|through|the\s?\d|\d)\b)"
)
_GROUPS = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(days))
    for pattern, days in (
        (r"\b(?:week-?days|working days|work days|school days)\b|工作日|上班日", (0, 1, 2, 3, 4)),
        (r"\bweek-?ends?\b|周末|双休", (5, 6)),
        (r"\b(?:every day|daily|each day|all week|seven days a week)\b|每天|天天|每日", range(7)),
    )
)


_LONGEST_NAME = 12
"""Characters of a text that is a name alone."""


class Weekday(NamedTuple):
    """A day of the week named in a text."""

    start: int
    end: int
    day: int
    """Monday 0."""


@lru_cache(maxsize=1)
def day_names() -> Mapping[str, int]:
    """Return the days by each of their whole names, in lower case."""
    english, chinese = tongue("en"), tongue("zh")
    return MappingProxyType(
        {name: day for day, forms in enumerate(english.weekdays) for name in forms}
        | {week + char: day for day, forms in enumerate(chinese.weekdays) for char in forms for week in chinese.week}
    )


def english_weekday_pattern() -> str:
    """Return what names one in English, as the group `weekday`."""
    whole = "|".join(forms[0] for forms in tongue("en").weekdays)
    short = "|".join(sorted((name for forms in tongue("en").weekdays for name in forms[1:]), key=len, reverse=True))
    return rf"(?<![A-Za-z])(?P<weekday>{whole}|{short})\b(?:(?<!day)\.)?"


def zh_weekday_pattern() -> str:
    """Return what names one in Chinese, as the group `zhday`."""
    words = tongue("zh")
    return rf"(?:{'|'.join(words.week)})(?P<zhday>[{''.join(char for forms in words.weekdays for char in forms)}])"


def is_shy(text: str, start: int, end: int) -> bool:
    """Say whether a name at this place may well be another word: "sat", "sun", "wed" without a word that tells."""
    name = text[start:end].casefold().rstrip(".")
    is_alone = len(text) <= _LONGEST_NAME and name == text.casefold().strip(" .!")
    if name not in tongue("en").shy_weekdays or is_alone or _LED.search(text[max(0, start - 10) : start]):
        return False
    return not (text[start].isupper() and _FOLLOWED.match(text, end))


def as_weekday(word: str) -> int | None:
    """Return the day that a whole word names, Monday 0, or `None`."""
    return day_names().get(word.strip().casefold().rstrip("."))


def find_weekdays(text: str) -> tuple[Weekday, ...]:
    """Return the days named one by one, in order, also as "Mondays", "Weds"; ranges and groups aside."""
    return tuple(
        Weekday(one.start(), one.end(), day_of(one))
        for one in _names().finditer(text)
        if one["zhday"] or not is_shy(text, one.start("weekday"), one.end("weekday"))
    )


def day_of(match: re.Match[str]) -> int:
    """Return the day that a match of either pattern names, Monday 0."""
    word = match["weekday"] if "weekday" in match.re.groupindex else None
    return day_names()[word.casefold()] if word else day_names()[tongue("zh").week[0] + match["zhday"]]


@text_cache(1024)
def weekdays_in(text: str) -> frozenset[frozenset[int]]:
    """Return the sets of days of the week that `text` names, Monday 0.

    Each range ("Monday to Thursday" gives 0 to 3) and group ("at weekends") by itself, the days that are named singly
    together, and all of them.
    """
    text = plain(text)
    found = {days for pattern, days in _GROUPS if pattern.search(text)}
    named = find_weekdays(text)
    single: set[int] = set()
    index = 0
    while index < len(named):
        first, following = named[index], named[index + 1 : index + 2]
        last = _bare_end(text, first.end)
        if following and re.fullmatch(_JOIN, text[first.end : following[0].start], re.IGNORECASE):
            last, index = following[0].day, index + 1
        if last is None:
            single.add(first.day)
        else:
            found.add(frozenset((first.day + step) % 7 for step in range((last - first.day) % 7 + 1)))
        index += 1
    found |= {frozenset(single)} if single else set()
    return frozenset((*found, frozenset().union(*found))) if found else frozenset()


def _bare_end(text: str, place: int) -> int | None:
    """The last day of 周一到五, by its character alone."""
    bare = _bare().match(text, place)
    return day_names()[tongue("zh").week[0] + bare["day"]] if bare else None


@lru_cache(maxsize=1)
def _bare() -> re.Pattern[str]:
    chars = "".join(char for forms in tongue("zh").weekdays for char in forms)
    return re.compile(rf"{_JOIN}(?P<day>[{chars}])(?![\u4e00-\u9fff]?月)")


@lru_cache(maxsize=1)
def _names() -> re.Pattern[str]:
    latin = "|".join(sorted((name for name in day_names() if name.isascii()), key=len, reverse=True))
    return re.compile(
        rf"(?<![A-Za-z])(?P<weekday>{latin})(?:s|days)?(?![A-Za-z])|{zh_weekday_pattern()}", re.IGNORECASE
    )
