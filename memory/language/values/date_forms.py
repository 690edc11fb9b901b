"""Dates by day, month and year: "17 March", "feb 29", "25/12/2026", 3月5号, "end of february"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from memory.language.tongue import tongue, tongues
from memory.language.values.days import (
    Days,
    Reading,
    month_days,
    month_from,
    next_numbered,
    of_year,
    one,
)
from memory.language.values.numbers import parse_number, read_chinese
from memory.language.values.weekdays import day_names

Order = Literal["day-month", "month-day"]
"""How a person writes a day and a month in figures."""
ZH_NUM = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_MIDDLE = 15
_WHICH: Mapping[str, int] = MappingProxyType({"this": 0, "the": 0, "next": 1, "last": -1})
_LOOK_BACK = 40


@lru_cache(maxsize=1)
def month_names() -> Mapping[str, int]:
    """Return the months by each of their names, in lower case."""
    return MappingProxyType({name: month for month, forms in enumerate(tongue("en").months, 1) for name in forms})


@lru_cache(maxsize=1)
def ordinals() -> Mapping[str, int]:
    """Return the days of a month by their ordinals, in lower case."""
    words = {word: day for day, word in enumerate(tongue("en").ordinals, 1)}
    return MappingProxyType(words | {word.replace("-", " "): day for word, day in words.items()})


def ordinal_pattern() -> str:
    """Return what an ordinal in words is."""
    return "|".join(sorted(ordinals(), key=len, reverse=True))


def day_number(text: str) -> int:
    """Return what a day's number in a match is: figures, an ordinal, a numeral of either tongue.

    Raises:
        ValueError: If it is none of them.
    """
    text = text.casefold()
    if text in ordinals():
        return ordinals()[text]
    if digits := re.match(r"\d+", text):
        return int(digits.group())
    chinese = read_chinese(text)
    number = chinese if chinese is not None else parse_number(text)
    if number is None:
        raise ValueError(text)
    return int(number)


def form_readings(order: Order | None) -> tuple[Reading, ...]:
    """Return how dates by their parts are read.

    Args:
        order: Of day and month in figures; `None`: unknown, so that "03/04/2027" is a date that cannot be told.
    """
    return (*_forms(), *_figures(order))


@lru_cache(maxsize=1)
def _forms() -> tuple[Reading, ...]:
    flags = re.IGNORECASE
    month = "(?P<month>" + "|".join(sorted(month_names(), key=len, reverse=True)) + r")\b\.?"
    day = rf"(?P<day>(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?|{ordinal_pattern()})"
    weekday = "|".join(sorted((name for name in day_names() if name.isascii()), key=len, reverse=True))
    led = rf"(?:\b(?:{weekday})\b\.?,?\s(?:the\s)?)?"
    shy = [name.title() for name in tongue("en").shy_months]
    bold = [forms[0].title() for forms in tongue("en").months if forms[0].title() not in shy]
    # "May" and "March" are too often verbs; in capitals after a preposition, or with a year, they are months.
    named = "|".join((*bold, *(rf"(?<=in ){name}|(?<=of ){name}|{name}(?=\s\d{{4}})" for name in shy)))
    return (
        (
            re.compile(rf"{led}(?<!\w)(?:the )?{day}(?:\sof)?[\s-]?{month}(?:,?[\s-](?P<year>\d{{4}}))?(?!\w)", flags),
            _read_day_month,
        ),
        (re.compile(rf"{led}\b{month}\s?(?:the )?{day}(?:,?\s(?P<year>\d{{4}}))?(?![\w:%]|[.,]\d)", flags),
         _read_day_month),
        (
            re.compile(rf"{led}\b{month}\s?{day}\s?[-–]\s?(?P<last>\d\d?)(?:,?\s(?P<year>\d{{4}}))?(?![\w:%-])", flags),
            _read_days_month,
        ),
        (
            re.compile(
                rf"\b(?:(?:all|(?:the )?whole|rest) of |in |during )?(?<!\d\s)(?P<month>{named})"
                r"(?:\s(?P<year>\d{4}))?(?![\w'’])"
            ),
            _read_month,
        ),
        (
            re.compile(
                rf"(?<![\w-]){day}\s?(?:-|–|to|and)\s?(?P<last>\d\d?)(?:st|nd|rd|th)?\s{month}(?:\s(?P<year>\d{{4}}))?",
                flags,
            ),
            _read_days_month,
        ),
        (
            re.compile(
                rf"(?:(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})年)?(?<![\d一二三四五六七八九十个])"
                rf"(?P<month>{ZH_NUM})月(?:份)?(?:(?P<day>{ZH_NUM})(?:号|日)?|整月|全月|一整个?月)?"
            ),
            _read_zh_date,
        ),
        (re.compile(rf"(?<![\d月一二三四五六七八九十])(?P<day>{ZH_NUM})(?:号(?![线楼])|日(?![本元]))"), _read_numbered),
        (
            re.compile(
                rf"{led}\bthe (?P<day>(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th)|{ordinal_pattern()})"
                r"(?: of (?P<which>this|the|next|last) month)\b",
                flags,
            ),
            _read_numbered,
        ),
        (re.compile(rf"{led}\bthe (?P<day>(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th))\b(?! century)", flags),
         _read_numbered),
        (
            re.compile(
                r"\b(?:the |at the )?(?P<edge>end|start|beginning) of (?:(?P<which>this|next|last|the) "
                rf"(?P<unit>month|year)|{month}(?:,?\s(?P<year>\d{{4}}))?)(?!\w)",
                flags,
            ),
            _read_edge,
        ),
        (re.compile(rf"(?P<month>{ZH_NUM})月(?P<edge>底|末|初)"), _read_edge),
        (
            re.compile(r"(?P<which>这个?|本|(?<!一)下个?|上个?)?(?P<edge>月底|月末|月初|年底|年末)(?!了)"),
            _read_zh_edge,
        ),
    )  # fmt: skip


def said_of_past(match: re.Match[str]) -> bool:
    """Say whether the words before a date without a year say that it is gone by."""
    lead = re.split(r"[.!?;,。！？；，\n]", match.string[max(0, match.start() - _LOOK_BACK) : match.start()])[-1]
    return _past().search(lead) is not None


@lru_cache(maxsize=1)
def _past() -> re.Pattern[str]:
    latin = "|".join(word for words in tongues() for word in words.past if word.isascii())
    others = "|".join(word for words in tongues() for word in words.past if not word.isascii())
    return re.compile(rf"\b(?:{latin})\b|{others}", re.IGNORECASE)


def _read_day_month(match: re.Match[str], today: date) -> Days | None:
    month, day = month_names()[match["month"].casefold()], day_number(match["day"])
    if match["year"]:
        return one(date(int(match["year"]), month, day))
    return one(of_year(month, day, today, is_past=said_of_past(match)))


def _read_days_month(match: re.Match[str], today: date) -> Days | None:
    first = _read_day_month(match, today)
    return None if first is None else (first[0], first[0].replace(day=int(match["last"])))


def _month_of_year(month: int, match: re.Match[str], today: date) -> Days:
    """The whole month that is meant without a year: as long as its middle is."""
    return month_days(of_year(month, _MIDDLE, today, is_past=said_of_past(match)).year, month)


def _read_month(match: re.Match[str], today: date) -> Days | None:
    month = month_names()[match["month"].casefold()]
    return month_days(int(match["year"]), month) if match["year"] else _month_of_year(month, match, today)


def _read_zh_date(match: re.Match[str], today: date) -> Days | None:
    year, month, day = match["year"], day_number(match["month"]), match["day"]
    if not 1 <= month <= 12:
        raise ValueError(match.group())
    if year:
        return one(date(day_number(year), month, day_number(day))) if day else month_days(day_number(year), month)
    if not day:
        return _month_of_year(month, match, today)
    return one(of_year(month, day_number(day), today, is_past=said_of_past(match)))


def _read_numbered(match: re.Match[str], today: date) -> Days | None:
    day = day_number(match["day"])
    if not 1 <= day <= 31:
        return None
    if month := match.groupdict().get("which"):
        return one(month_from(today, _WHICH[month.casefold()])[0].replace(day=day))
    return one(next_numbered(day, today))


def _read_edge(match: re.Match[str], today: date) -> Days | None:
    groups = match.groupdict()
    is_start = match["edge"].casefold() in ("start", "beginning", "初")
    if groups.get("unit") == "year":
        year = today.year + _WHICH[match["which"].casefold()]
        return one(date(year, 1, 1) if is_start else date(year, 12, 31))
    if name := groups.get("month"):
        month = month_names().get(name.casefold()) or day_number(name)
        meant = of_year(month, 1 if is_start else 28, today, is_past=said_of_past(match))
        days = month_days(int(groups.get("year") or meant.year), month)
    else:
        days = month_from(today, _WHICH[match["which"].casefold()])
    return one(days[0] if is_start else days[1])


def _read_zh_edge(match: re.Match[str], today: date) -> Days | None:
    which = (match["which"] or "这").removesuffix("个")
    shift = {"这": 0, "本": 0, "下": 1, "上": -1}[which]
    if match["edge"].startswith("年"):
        return one(date(today.year + shift, 12, 31))
    first, last = month_from(today, shift)
    if match["edge"] == "月初":  # alone it tells no more than roughly when
        return None if match["which"] is None else one(first)
    return one(last)


_YEAR_FIRST = re.compile(r"(?<![\w-])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)(?![\d-])")
_YEAR_LAST = re.compile(r"(?<![\w/.-])(?P<a>\d\d?)(?P<s>[-/.])(?P<b>\d\d?)(?P=s)(?P<y>\d{4}|\d\d)(?![\w/-]|\.\d)")
_NO_YEAR = re.compile(
    r"(?:(?<=\bon )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\bfrom )|(?<=\bfor )|(?<=\bbefore )|(?<=\bdue )|^)"
    r"(?!24/7)(?P<a>\d\d?)/(?P<b>\d\d?)(?![\w/%-]|\.\d|\s(?:of|cups?|tea|table|inch|mile|stars?)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=3)
def _figures(order: Order | None) -> tuple[Reading, ...]:
    def read(match: re.Match[str], today: date) -> Days | None:
        a, b = int(match["a"]), int(match["b"])
        year = match.groupdict().get("y")
        if not year and not (1 <= a <= 31 and 1 <= b <= 31 and min(a, b) <= 12):
            return None  # a score, a share
        if order is None and a <= 12 and b <= 12 and a != b:
            raise ValueError(match.group())
        day, month = (a, b) if a > 12 or (b <= 12 and order != "month-day") else (b, a)
        if not year:
            return one(of_year(month, day, today, is_past=said_of_past(match)))
        return one(date(int(year) + (2000 if len(year) == 2 else 0), month, day))

    return (_YEAR_FIRST, _read_year_first), (_YEAR_LAST, read), (_NO_YEAR, read)


def _read_year_first(match: re.Match[str], today: date) -> Days | None:
    return one(date(int(match["y"]), int(match["m"]), int(match["d"])))
