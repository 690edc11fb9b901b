"""Dates counted from today: weekdays, weekends, weeks, months, "in a fortnight", 上个星期一, "three days ago"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from types import MappingProxyType

from memory.language.tongue import tongue, tongues
from memory.language.values.date_forms import ZH_NUM, day_number
from memory.language.values.days import (
    Days,
    Reader,
    Reading,
    coming_weekday,
    monday_of,
    month_from,
    months_later,
    one,
    past_weekday,
)
from memory.language.values.han_dates import YEARS
from memory.language.values.weekdays import day_of, english_weekday_pattern, is_shy, zh_weekday_pattern

WHICH: Mapping[str, int] = MappingProxyType(
    {"this": 0, "next": 1, "last": -1, "这": 0, "本": 0, "下": 1, "上": -1, "下下": 2, "上上": -2}
)
# 一下 ("a little") is no 下 ("next"): 查一下周四 looks up this Thursday.
_ZH_WHICH = r"(?P<which>这|本|(?<!一)下下|(?<!一)下|上上|上)"
_ENGLISH_DAYS = "(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_COUNT_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
COUNT = rf"(?P<count>half an?|an?|another|a couple of|\d{{1,4}}|{_COUNT_WORDS})"
UNIT = r"(?P<unit>day|week|fortnight|month|year)s?"


@lru_cache(maxsize=1)
def relation_readings() -> tuple[Reading, ...]:
    """Return how English dates that count from today are read."""
    flags = re.IGNORECASE
    offsets = "|".join(sorted(tongue("en").offsets, key=len, reverse=True))
    days = english_weekday_pattern()
    rows: tuple[tuple[str, Reader], ...] = (
        (
            rf"(?:\b(?:the )?(?P<which>this|next|last|this coming|coming)\s)?{days}(?!\sthe\s\d)"
            r"(?P<after>\s(?:after\snext|week|fortnight|(?P<week>(?:of\s)?(?:this|next|last)\sweek))(?!\w|-?end))?",
            _read_weekday,
        ),
        (rf"\b(?P<which>this|next|last)\sweek(?:['’]s)?\s(?:on\s)?{days}", _read_weekday_of_week),
        (
            r"\b(?:(?:the )?(?P<which>this|next|last)|the|at) (?:coming )?weekend(?P<after> after next)?\b",
            _read_weekend,
        ),
        (r"\b(?P<which>this|next|last) (?P<unit>week|month|year)\b(?!['’-])", _read_period),
        (r"\bthe (?P<unit>week|month|year) (?P<which>after next)\b", _read_period),
        (rf"\b(?P<day>{offsets})\b(?:\s(?P<more>week|fortnight)\b(?![-\s]?end))?", _read_offset),
        (rf"\b(?P<side>in) {COUNT} {UNIT}(?:['’]s? time)?\b(?!['’])", _read_counted),
        (rf"\b{COUNT} {UNIT} (?P<side>ago|from (?:now|today))\b", _read_counted),
    )
    return tuple((re.compile(pattern, flags), read) for pattern, read in rows)


@lru_cache(maxsize=1)
def han_relation_readings() -> tuple[Reading, ...]:
    """Return how Chinese dates that count from today are read."""
    offsets = "|".join(sorted(tongue("zh").offsets, key=len, reverse=True))
    rows: tuple[tuple[str, Reader], ...] = (
        (rf"{_ZH_WHICH}?个?{zh_weekday_pattern()}", _read_weekday),
        (rf"{_ZH_WHICH}?个?周末", _read_weekend),
        (rf"{_ZH_WHICH}(?P<unit>(?:周|个?星期|个?礼拜)(?![一二三四五六日天末])|个?月(?![末底初]))", _read_period),
        (r"(?P<which>[前去今明后])(?P<unit>年)(?![底末]|的?\d|的?[一二三四五六七八九十]+月)", _read_period),
        (rf"(?P<day>{offsets})", _read_offset),
        (
            rf"(?P<count>{ZH_NUM}|两|半|\d{{3}})(?P<unit>天|周|个?星期|个?礼拜|个月|年)(?P<side>之?[后前]|以[后前])",
            _read_counted,
        ),
    )
    return tuple((re.compile(pattern), read) for pattern, read in rows)


RECURRING = (
    re.compile(
        r"\b(?:every|each)(?:\s(?:other|second|third|single|few|couple of|\d{1,3}(?:nd|rd|th)?|week\son|"
        rf"{_COUNT_WORDS}))?\s(?:on\s)?(?:{_ENGLISH_DAYS}|(?:week-?)?(?:day|end)|week|fortnight|month|year|morning"
        r"|evening|night|afternoon)s?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\balternate\s\w+days?\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:每逢?隔?|隔)[一两二三四五六七八九十\d]{0,3}个?"
        r"(?:(?:周|星期|礼拜)[一二三四五六日天]|周末|(?:天|周|月|年|星期|礼拜)(?![初底末]))"
    ),
)
"""What comes again and again and is no day."""


def _read_weekday(match: re.Match[str], today: date) -> Days | None:
    groups = match.groupdict()
    if groups.get("weekday") and not groups["which"] and is_shy(match.string, *match.span("weekday")):
        return None
    weekday, which = day_of(match), (match["which"] or "").casefold().removeprefix("this ")
    if groups.get("week"):
        return one(monday_of(today, WHICH[groups["week"].casefold().split()[-2]]) + timedelta(days=weekday))
    after = (groups.get("after") or "").casefold().strip()
    if after == "after next":
        return one(monday_of(today, 2) + timedelta(days=weekday))
    upcoming = coming_weekday(weekday, today)
    if after in ("week", "fortnight"):
        return one(upcoming + timedelta(weeks=1 if after == "week" else 2))
    if which in ("", "coming"):
        return one(upcoming)
    if which == "last":
        return one(past_weekday(weekday, today))
    day = monday_of(today, WHICH[which]) + timedelta(days=weekday)
    return one(upcoming if which == "this" and day < today else day)


def _read_weekday_of_week(match: re.Match[str], today: date) -> Days | None:
    return one(monday_of(today, WHICH[match["which"].casefold()]) + timedelta(days=day_of(match)))


def _read_weekend(match: re.Match[str], today: date) -> Days | None:
    weeks = 2 if match.groupdict().get("after") else WHICH.get((match["which"] or "").casefold(), 0)
    saturday = monday_of(today, weeks) + timedelta(days=5)
    return saturday, saturday + timedelta(days=1)


def _read_period(match: re.Match[str], today: date) -> Days | None:
    which, unit = match["which"].casefold(), match["unit"].casefold().removeprefix("个")
    shift = 2 if which == "after next" else YEARS[which] if which in YEARS and unit == "年" else WHICH[which]
    if unit in ("week", "周", "星期", "礼拜"):
        monday = monday_of(today, shift)
        return monday, monday + timedelta(days=6)
    if unit in ("month", "月"):
        return month_from(today, shift)
    return date(today.year + shift, 1, 1), date(today.year + shift, 12, 31)


def _read_offset(match: re.Match[str], today: date) -> Days | None:
    name = match["day"].casefold()
    days = next(words.offsets[name] for words in tongues() if name in words.offsets)
    weeks = {"week": 1, "fortnight": 2}.get((match.groupdict().get("more") or "").casefold(), 0)
    return one(today + timedelta(days=days, weeks=weeks))


def _read_counted(match: re.Match[str], today: date) -> Days | None:
    is_past = match["side"].casefold() in ("ago", "前", "之前", "以前")
    return one(counted_from(today, match["count"], match["unit"], -1 if is_past else 1))


def counted_from(day: date, count: str, unit: str, sign: int) -> date:
    """Return the day a number of units after (`sign` 1) or before (-1) another."""
    count, unit = count.casefold(), unit.casefold().removeprefix("个")
    if count.startswith("half") or count == "半":
        raise ValueError("half of a month or a year has no number of days")
    number = sign * (1 if count in ("a", "an", "another") else 2 if "couple" in count else day_number(count))
    if unit in ("month", "月", "year", "年"):
        return months_later(day, number * (12 if unit in ("year", "年") else 1))
    weeks = {"week": 1, "周": 1, "星期": 1, "礼拜": 1, "fortnight": 2}
    return day + (timedelta(weeks=number * weeks[unit]) if unit in weeks else timedelta(days=number))
