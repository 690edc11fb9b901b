"""Chinese dates by day, month and year: 3月5号, 明年三月, 下个月5号, 月底, 十二月的第一个周一."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from types import MappingProxyType

from memory.language.values.date_forms import ZH_NUM, day_number, month_of_year, said_of_past
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
from memory.language.values.weekdays import day_of, zh_weekday_pattern

YEARS: Mapping[str, int] = MappingProxyType({"前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2})
_MONTHS: Mapping[str, int] = MappingProxyType({"这": 0, "本": 0, "当": 0, "下": 1, "上": -1})
_YEAR = r"(?:(?P<year>\d{4}|[〇零一二三四五六七八九]{4})年的?|(?P<rel>[前去今本明后])年的?)?"
_MONTH = r"(?:(?P<which>这|本|当|(?<!一)下|上)个?月|(?P<month>" + ZH_NUM + r")月)"


@lru_cache(maxsize=1)
def han_readings() -> tuple[Reading, ...]:
    """Return how Chinese dates by day, month and year are read."""
    rows: tuple[tuple[str, Reader], ...] = (
        (
            rf"{_YEAR}(?<![\d一二三四五六七八九十个])(?P<month>{ZH_NUM})月(?:份)?"
            rf"(?:(?P<day>{ZH_NUM})(?:号|日)?|整月|全月|一整个?月)?",
            _read_date,
        ),
        (rf"(?P<which>这|本|当|(?<!一)下|上)个?月的?(?P<day>{ZH_NUM})(?:号|日)", _read_day_of_month),
        (rf"(?<![\d月一二三四五六七八九十])(?P<day>{ZH_NUM})(?:号(?![线楼])|日(?![本元]))", _read_numbered),
        (rf"{_YEAR}{_MONTH}(?P<edge>底|末|初(?![一二三四五六七八九十]))", _read_edge),
        (r"(?P<edge>月底|月末)(?!了)", _read_edge),
        (r"(?P<rel>[去今本明后])?年(?:底|末)(?!了)", _read_year_end),
        (rf"{_YEAR}{_MONTH}的?第(?P<nth>[一二三四五])个{zh_weekday_pattern()}", _read_nth),
    )
    return tuple((re.compile(pattern), read) for pattern, read in rows)


def _year(match: re.Match[str], today: date) -> int | None:
    if match["year"]:
        return day_number(match["year"])
    return today.year + YEARS[match["rel"]] if match["rel"] else None


def _read_date(match: re.Match[str], today: date) -> Days | None:
    year, month, day = _year(match, today), day_number(match["month"]), match["day"]
    if not 1 <= month <= 12:
        raise ValueError(match.group())
    if year:
        return one(date(year, month, day_number(day))) if day else month_days(year, month)
    if not day:
        return month_of_year(month, match, today)
    return one(of_year(month, day_number(day), today, is_past=said_of_past(match)))


def _read_day_of_month(match: re.Match[str], today: date) -> Days | None:
    return one(month_from(today, _MONTHS[match["which"]])[0].replace(day=day_number(match["day"])))


def _read_numbered(match: re.Match[str], today: date) -> Days | None:
    day = day_number(match["day"])
    return one(next_numbered(day, today)) if 1 <= day <= 31 else None


def _month(match: re.Match[str], today: date, day: int) -> Days:
    """The month that is named, with this day of it not long gone by where no year is."""
    groups = match.groupdict()
    if not groups.get("month"):
        return month_from(today, _MONTHS[groups.get("which") or "这"])
    month = day_number(match["month"])
    if not 1 <= month <= 12:
        raise ValueError(match.group())
    meant = of_year(month, day, today, is_past=said_of_past(match))
    return month_days(_year(match, today) or meant.year, month)


def _read_edge(match: re.Match[str], today: date) -> Days | None:
    is_start = match["edge"] == "初"
    return one(_month(match, today, 1 if is_start else 28)[0 if is_start else 1])


def _read_year_end(match: re.Match[str], today: date) -> Days | None:
    return one(date(today.year + YEARS[match["rel"] or "今"], 12, 31))


def _read_nth(match: re.Match[str], today: date) -> Days | None:
    return one(nth_weekday(_month(match, today, 28), day_of(match), day_number(match["nth"])))
