"""English dates by day, month and year: "17 March", "feb 29", "first Monday in May", "end of february"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from types import MappingProxyType

from memory.language.tongue import tongue, tongues
from memory.language.values.days import (
    Days,
    Reader,
    Reading,
    month_days,
    month_from,
    next_numbered,
    nth_weekday,
    of_year,
    one,
)
from memory.language.values.numbers import parse_number, read_chinese
from memory.language.values.weekdays import day_names

ZH_NUM = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_MIDDLE = 15
WHICH_MONTH: Mapping[str, int] = MappingProxyType({"this": 0, "the": 0, "next": 1, "last": -1})
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


@lru_cache(maxsize=1)
def numbered_readings() -> tuple[Reading, ...]:
    """Return how English days by their number alone are read: "the 23rd"."""
    led = _led()
    figures = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
    rows: tuple[tuple[str, Reader], ...] = (
        (rf"{led}\bthe (?P<day>{figures}|{ordinal_pattern()}) of (?P<which>this|the|next|last) month\b",
         _read_numbered),
        (rf"{led}\bthe (?P<day>(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th))\b(?! century)", _read_numbered),
        (rf"(?:(?<=\bon )|(?<=\bby )|(?<=\bfrom )|(?<=\buntil ))the (?P<day>{ordinal_pattern()})(?=\s?(?:[.,;!?)]|$))",
         _read_numbered),
    )  # fmt: skip
    return tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in rows)


def _led() -> str:
    """What a weekday before a date is."""
    weekday = "|".join(sorted((name for name in day_names() if name.isascii()), key=len, reverse=True))
    return rf"(?:\b(?:{weekday})\b\.?,?\s(?:the\s)?)?"


@lru_cache(maxsize=1)
def english_readings() -> tuple[Reading, ...]:
    """Return how English dates that name their month, or say "month" or "year", are read."""
    flags = re.IGNORECASE
    month = "(?P<month>" + "|".join(sorted(month_names(), key=len, reverse=True)) + r")\b\.?"
    figures = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
    day = rf"(?P<day>{figures}|{ordinal_pattern()})"
    year = r"(?:,?[\s-](?P<year>\d{4}|['’]\d\d\b)|,?\s(?P<rel>this|next|last)\syear)?"
    weekday = "|".join(sorted((name for name in day_names() if name.isascii()), key=len, reverse=True))
    led = _led()
    shy = [name.title() for name in tongue("en").shy_months]
    bold = [forms[0].title() for forms in tongue("en").months if forms[0].title() not in shy]
    # "May" and "March" are too often verbs; in capitals after a preposition, or with a year, they are months.
    leads = "".join(rf"(?<={lead} )(?:{'|'.join(shy)})|" for lead in ("in", "of", "next", "last", "this"))
    named = f"{'|'.join(bold)}|{leads}(?:{'|'.join(shy)})" + r"(?=\s\d{4})"
    to = r"\s?(?:-|–|to|until|till|through|and)\s?(?:the\s)?"
    which = rf"(?:(?P<which>this|next|last|the) month|{month}{year})"
    rows: tuple[tuple[str, Reader], ...] = (
        (rf"{led}(?<!\w)(?:the )?{day}(?:\sof)?[\s-]?{month}{year}(?!\w)", _read_day_month),
        (rf"{led}\b{month}\s?(?:the )?{day}{year}(?![\w:%]|[.,]\d)", _read_day_month),
        (rf"{led}\b{month}\s?{day}{to}(?P<last>{figures}){year}(?![\w:%-])(?!\s(?:{'|'.join(month_names())})\b)",
         _read_days_month),
        (rf"(?<![\w-]){day}{to}(?P<last>{figures})(?:\sof)?\s{month}{year}", _read_days_month),
        (
            r"\b(?:the |at the )?(?P<edge>end|start|beginning|first day|last day) of (?:(?P<which>this|next|last|the) "
            rf"(?P<unit>month|year)|{month}{year})(?!\w)",
            _read_edge,
        ),
        (rf"\b(?:the )?(?P<nth>{'|'.join(_NTH)}) (?P<weekday>{weekday})s? (?:of|in) {which}(?!\w)", _read_nth),
    )  # fmt: skip
    months = (
        rf"\b(?:(?:all|(?:the )?whole|rest) of |in |during )?(?:(?:next|this|last) )?(?<!\d\s)(?P<month>{named}){year}"
        r"(?![\w'’])"
    )
    return (*((re.compile(pattern, flags), read) for pattern, read in rows), (re.compile(months), _read_month))


_NTH: Mapping[str, int] = MappingProxyType(
    {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
)


def said_of_past(match: re.Match[str]) -> bool:
    """Say whether the words before a date without a year, or its own, say that it is gone by."""
    before = match.string[max(0, match.start() - _LOOK_BACK) : match.start()]
    lead = re.split(r"[.!?](?=\s|$)|[;:,。！？；：，\n]", before)[-1]
    if lead.casefold().endswith("for "):  # what was bought for a day is not gone by with the buying
        return False
    return _past().search(lead) is not None or match.group().casefold().startswith("last ")


@lru_cache(maxsize=1)
def _past() -> re.Pattern[str]:
    latin = "|".join(word for words in tongues() for word in words.past if word.isascii())
    others = "|".join(word for words in tongues() for word in words.past if not word.isascii())
    return re.compile(rf"\b(?:{latin})\b|{others}", re.IGNORECASE)


def _year(match: re.Match[str], today: date) -> int | None:
    """The year that a date says: in figures, or by this one."""
    if written := match["year"]:
        return int(written) if written.isdecimal() else 2000 + int(written[1:])
    return today.year + WHICH_MONTH[match["rel"].casefold()] if match["rel"] else None


def _read_day_month(match: re.Match[str], today: date) -> Days | None:
    month, day, year = month_names()[match["month"].casefold()], day_number(match["day"]), _year(match, today)
    return one(date(year, month, day) if year else of_year(month, day, today, is_past=said_of_past(match)))


def _read_days_month(match: re.Match[str], today: date) -> Days | None:
    first = _read_day_month(match, today)
    last = day_number(match["last"])
    if first is None or last < first[0].day:
        raise ValueError(match.group())
    return first[0], first[0].replace(day=last)


def month_of_year(month: int, match: re.Match[str], today: date) -> Days:
    """Return the whole month that is meant without a year: as long as its middle is."""
    return month_days(of_year(month, _MIDDLE, today, is_past=said_of_past(match)).year, month)


def _read_month(match: re.Match[str], today: date) -> Days | None:
    month, year = month_names()[match["month"].casefold()], _year(match, today)
    return month_days(year, month) if year else month_of_year(month, match, today)


def _read_numbered(match: re.Match[str], today: date) -> Days | None:
    day = day_number(match["day"])
    if month := match.groupdict().get("which"):
        return one(month_from(today, WHICH_MONTH[month.casefold()])[0].replace(day=day))
    return one(next_numbered(day, today))


def _read_edge(match: re.Match[str], today: date) -> Days | None:
    is_start = match["edge"].casefold() in ("start", "beginning", "first day")
    if (match["unit"] or "").casefold() == "year":
        year = today.year + WHICH_MONTH[match["which"].casefold()]
        return one(date(year, 1, 1) if is_start else date(year, 12, 31))
    if not match["month"]:
        return one(month_from(today, WHICH_MONTH[match["which"].casefold()])[0 if is_start else 1])
    month, year_said = month_names()[match["month"].casefold()], _year(match, today)
    meant = of_year(month, 1 if is_start else 28, today, is_past=said_of_past(match))
    return one(month_days(year_said or meant.year, month)[0 if is_start else 1])


def _read_nth(match: re.Match[str], today: date) -> Days | None:
    weekday, nth = day_names()[match["weekday"].casefold()], _NTH[match["nth"].casefold()]
    if match["which"]:
        return one(nth_weekday(month_from(today, WHICH_MONTH[match["which"].casefold()]), weekday, nth))
    month, year = month_names()[match["month"].casefold()], _year(match, today)
    for guess in (year,) if year else (today.year, today.year + 1):
        day = nth_weekday(month_days(guess, month), weekday, nth)
        if year or day >= today:
            return one(day)
    return None
