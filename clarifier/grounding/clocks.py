"""Times of day and days of the week, as far as a text leaves open which is meant or names several at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from pydantic import JsonValue

from clarifier.grounding.spoken import mentions_in
from clarifier.settings import GroundingSettings
from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.language.values.times import normal_time
from memory.tools import Parameter

_HALF_DAY = 720
_NEAR_MINUTES = 30
_DECIDED = re.compile(
    r"[ap]\.?m\b|\b(?:morning|afternoon|evening|night|noon|midday|midnight)\b"
    r"|凌晨|早|清晨|上午|中午|下午|傍晚|晚|夜|正午",
    re.IGNORECASE,
)
_PART_OF_DAY = re.compile(
    r"(?:(?:in|at|by|during) (?:the )?|early |late )?"
    r"(?:day(?:time)?|night(?:time)?|mornings?|afternoons?|evenings?|noon|midday|midnight|dawn|dusk|sunrise|sunset)s?"
    r"|凌晨|清晨|早[上晨间]?|上午|中午|正午|下午|傍晚|黄昏|日落|日出|晚[上间]?|夜[里晚间]?|深夜|半夜|午夜|白天|[日夜]间",
    re.IGNORECASE,
)
_LATE = re.compile(r"\b(?:tonight|evening|night|dinner|supper|pm|afternoon)\b|晚|夜|下午", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:morning|dawn|breakfast|early|sunrise|am)\b|凌晨|早|清晨|上午", re.IGNORECASE)
_EVENING = re.compile(
    r"\b(?:tonight|evenings?|dinner|supper)\b|(?<![最太])晚(?!于|些|一点|点(?![钟半]))", re.IGNORECASE
)
_MORNING = re.compile(
    r"\b(?:mornings?|dawn|breakfast|sunrise)\b|凌晨|清晨|上午|(?<![最尽趁])早(?!就|已|于|些|一?点(?![钟半]))",
    re.IGNORECASE,
)
"""Words for the two ends of the day, not for earlier and later; a night is rather what one sleeps through."""
_VAGUE = re.compile(
    r"\b(?:a (?:bit|little|touch)|just|shortly|soon|right) (?:after|before|past)\b"
    r"|\b(?:around|about|roughly|ish|gone|approximately)\b|左右|前后|出头|不到|刚过|大概|差不多",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:[T ]|^)(\d{1,2}:\d{2})(?::00)?(?:$|[+Z])")

_DAYS_TEXT = (
    "monday mon 周一 星期一 礼拜一|tuesday tue tues 周二 星期二 礼拜二|wednesday wed 周三 星期三 礼拜三|"
    "thursday thu thur thurs 周四 星期四 礼拜四|friday fri 周五 星期五 礼拜五|saturday sat 周六 星期六 礼拜六|"
    "sunday sun 周日 周天 星期日 星期天 礼拜日 礼拜天"
)
_DAYS: Mapping[str, int] = MappingProxyType(
    {word: day for day, words in enumerate(_DAYS_TEXT.split("|")) for word in words.split()}
)
_ZH_DAY = "一二三四五六日"
_DAY = (
    r"(?:(?<![a-z])(?P<{0}>monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:s|days)?(?![a-z])|(?:周|星期|礼拜)(?P<{1}>[一二三四五六日天]))"
)
_DAY_NAME = re.compile(_DAY.format("en", "zh"), re.IGNORECASE)
_DAY_RANGE = re.compile(
    _DAY.format("en", "zh")
    + r"\s*(?:to|till|until|through|thru|-|–|到|至)\s*(?:(?:周|星期|礼拜)?(?P<bare>[一二三四五六日天])|"
    + _DAY.format("en2", "zh2")
    + ")",
    re.IGNORECASE,
)
_GROUP_TEXTS: Mapping[str, tuple[int, ...]] = {
    r"\b(?:week-?days|working days|work days|school days)\b|工作日|上班日": (0, 1, 2, 3, 4),
    r"\bweek-?ends?\b|周末|双休": (5, 6),
    r"\b(?:every day|daily|each day|all week|seven days a week)\b|每天|天天|每日": (0, 1, 2, 3, 4, 5, 6),
}
_GROUPS = tuple((re.compile(text, re.IGNORECASE), frozenset(days)) for text, days in _GROUP_TEXTS.items())
_SPEAKS_OF_WEEKDAYS = re.compile(r"week-?days?|days? of the week|monday|mon\b|周一|星期|礼拜|每周|周几", re.IGNORECASE)
_SUNDAY_FIRST = re.compile(
    r"0\s*(?:=|is|for|means|stands for|为|是|表示|代表)?\s*:?\s*(?:sun|周日|星期日|周天)", re.IGNORECASE
)
_MONDAY_ZERO = re.compile(
    r"0\s*(?:=|is|for|means|stands for|为|是|表示|代表)?\s*:?\s*(?:mon|周一|星期一)", re.IGNORECASE
)
_SUNDAY_ONE = re.compile(
    r"1\s*(?:=|is|for|means|stands for|为|是|表示|代表)?\s*:?\s*(?:sun|周日|星期日|周天)", re.IGNORECASE
)


def is_part_of_day(value: str) -> bool:
    """Say whether a whole value is a part of the day in words: "night", 白天."""
    return _PART_OF_DAY.fullmatch(value.strip()) is not None


def half_of_day(texts: Iterable[str]) -> Literal["early", "late"] | None:
    """Return the half of the day that the first text which speaks of one alone speaks of ("dinner"), or `None`."""
    for text in texts:
        is_late, is_early = bool(_EVENING.search(text)), bool(_MORNING.search(text))
        if is_late != is_early:
            return "late" if is_late else "early"
    return None


def in_half(time: str, text: str, context: Iterable[str], now: datetime | None) -> str:
    """Return the time HH:MM that `text` says, in the half of the day that it leaves open and the context tells.

    Args:
        time: As it is read from `text`.
        text: Where it is said.
        context: What else bears on it, the nearest first.
        now: The turn's clock.
    """
    minutes = _minutes(time)
    if minutes is None or minutes % _HALF_DAY < 60 or (minutes, True) not in _said_times(text, now):
        return time
    half = half_of_day((text, *context))
    meant = minutes if half is None else minutes % _HALF_DAY + (_HALF_DAY if half == "late" else 0)
    return f"{meant // 60:02d}:{meant % 60:02d}"


def names_time(
    value: str, text: str, now: datetime | None, settings: GroundingSettings, *, context: Sequence[str] = ()
) -> float | None:
    """Return how probable it is that `text` means the time of day `value`, though it does not spell it so.

    A time said without its half of the day ("half eleven", "8:15") may be in the other one: surely so where the text
    speaks of that half ("tonight") or, where it speaks of none, the nearest of the context that does; else perhaps.
    "A bit after six" may be any time of the next half hour. "From eight" is the hour. `None` where nothing leads to it.
    """
    wanted = _minutes(value)
    if wanted is None:
        return None
    vague = _VAGUE.search(text) is not None
    found: float | None = None
    for said, is_open in _said_times(text, now):
        if is_open and said == wanted:
            return settings.derived
        if is_open and abs(said - wanted) == _HALF_DAY:
            own, opposite = (_LATE, _EARLY) if wanted >= _HALF_DAY else (_EARLY, _LATE)
            if own.search(text):
                return settings.derived
            if not opposite.search(text) and half_of_day(context) == ("late" if wanted >= _HALF_DAY else "early"):
                return settings.derived
            if not opposite.search(text):
                found = settings.derived_unnamed
        elif vague and 0 < abs(said - wanted) <= _NEAR_MINUTES:
            found = settings.derived_unnamed
    if found is None and names_hour(text, value, now):
        return settings.derived_unnamed
    return found


def names_hour(text: str, value: str, now: datetime | None) -> bool:
    """Say whether `text` names the hour of a time on the hour by its number alone: "from eight" for 08:00."""
    time = normal_time(value)
    if time is None or not time.endswith(":00"):
        return False
    hour = int(time[:2])
    return any(one.kind == "number" and one.value in (hour, hour - 12) for one in mentions_in(text, now))


def hours_in(text: str, now: datetime | None) -> frozenset[int]:
    """Return the times of day that `text` names, in minutes of the half day, 0 to 719."""
    return frozenset(said % _HALF_DAY for said, _ in _said_times(text, now))


@text_cache(1024)
def weekdays_in(text: str) -> frozenset[frozenset[int]]:
    """Return the sets of days of the week that `text` names, Monday 0.

    Each range ("Monday to Thursday" gives 0 to 3) and group ("at weekends") by itself, the days that are named singly
    together, and all of them.
    """
    found = {days for pattern, days in _GROUPS if pattern.search(text)}
    covered: list[tuple[int, int]] = []
    for one in _DAY_RANGE.finditer(text):
        first, last = _day(one["en"], one["zh"]), _day(one["en2"], one["zh2"] or one["bare"])
        if first is not None and last is not None:
            found.add(frozenset((first + step) % 7 for step in range((last - first) % 7 + 1)))
            covered.append(one.span())
    single = {
        day
        for one in _DAY_NAME.finditer(text)
        if not any(start <= one.start() < end for start, end in covered)
        and (day := _day(one["en"], one["zh"])) is not None
    }
    found |= {frozenset(single)} if single else set()
    return frozenset((*found, frozenset().union(*found))) if found else frozenset()


def as_weekdays(values: Sequence[JsonValue], parameter: Parameter) -> frozenset[int] | None:
    """Return the days of the week that `values` of `parameter` stand for, Monday 0; `None` where they are no such."""
    if not _SPEAKS_OF_WEEKDAYS.search(f"{' '.join(split_name(parameter.name))} {parameter.description}"):
        return None
    days = [_as_weekday(value, parameter) for value in values]
    known = [day for day in days if day is not None]
    return frozenset(known) if known and len(known) == len(days) else None


def _as_weekday(value: JsonValue, parameter: Parameter) -> int | None:
    if isinstance(value, str):
        return _DAYS.get(value.strip().casefold())
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    text = parameter.description
    if _SUNDAY_FIRST.search(text):
        return (value - 1) % 7 if 0 <= value <= 6 else None
    if _SUNDAY_ONE.search(text):
        return (value - 2) % 7 if 1 <= value <= 7 else None
    if _MONDAY_ZERO.search(text):
        return value if 0 <= value <= 6 else None
    return value - 1 if 1 <= value <= 7 else None


def _day(english: str | None, chinese: str | None) -> int | None:
    if chinese:
        return _ZH_DAY.index(chinese.replace("天", "日"))
    return _DAYS.get(english.casefold()) if english else None


def _said_times(text: str, now: datetime | None) -> Iterator[tuple[int, bool]]:
    """Yield the times of day in minutes, and whether the half of the day is left open."""
    for one in mentions_in(text, now):
        if one.kind == "time" and isinstance(one.value, str) and (said := _minutes(one.value)) is not None:
            figure = re.match(r"\d{1,2}", one.text)
            is_24_hours = figure is not None and (int(figure.group()) > 12 or figure.group().startswith("0"))
            yield said, not is_24_hours and _DECIDED.search(one.text) is None


def _minutes(value: str) -> int | None:
    """The time of day of a time, or of a date with a time, in minutes."""
    found = _CLOCK.search(value)
    time = normal_time(found[1] if found else value)
    return int(time[:2]) * 60 + int(time[3:]) if time is not None else None
