"""Feasts by their names: fixed days, and those that the calendars of the `holidays` package tell year by year."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from types import MappingProxyType

from memory.language.tongue import tongue, tongues
from memory.language.values.date_forms import said_of_past
from memory.language.values.days import Days, Reader, Reading, one
from memory.language.values.numbers import read_chinese

_FIXED: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "new_year": (1, 1), "valentine": (2, 14), "st_patrick": (3, 17), "may_day": (5, 1), "youth_day": (5, 4),
        "children_day": (6, 1), "independence_us": (7, 4), "teachers_day": (9, 10), "national_cn": (10, 1),
        "halloween": (10, 31), "christmas_eve": (12, 24), "christmas": (12, 25), "boxing_day": (12, 26),
        "new_year_eve": (12, 31),
    }
)  # fmt: skip
_LISTED: Mapping[str, tuple[str, str, int]] = MappingProxyType(
    {
        "thanksgiving": ("US", "Thanksgiving Day", 0), "labor_us": ("US", "Labor Day", 0),
        "memorial_us": ("US", "Memorial Day", 0),
        "black_friday": ("US", "Thanksgiving Day", 1), "cyber_monday": ("US", "Thanksgiving Day", 4),
        "shrove_tuesday": ("GB", "Good Friday", -45), "ash_wednesday": ("GB", "Good Friday", -44),
        "palm_sunday": ("GB", "Good Friday", -5), "maundy_thursday": ("GB", "Good Friday", -1),
        "holy_saturday": ("GB", "Good Friday", 1), "ascension": ("GB", "Good Friday", 41),
        "whit_sunday": ("GB", "Good Friday", 51), "whit_monday": ("GB", "Good Friday", 52),
        "good_friday": ("GB", "Good Friday", 0), "easter": ("GB", "Good Friday", 2),
        "easter_monday": ("GB", "Good Friday", 3),
        "lunar_new_year": ("HK", "Chinese New Year", 0), "lunar_new_year_eve": ("HK", "Chinese New Year", -1),
        "lantern": ("HK", "Chinese New Year", 14), "dragon_boat": ("HK", "Dragon Boat Festival", 0),
        "mid_autumn": ("HK", "The Day following Mid-Autumn Festival", -1),
        "double_ninth": ("HK", "Double Ninth Festival", 0), "tomb_sweeping": ("HK", "Tomb-Sweeping Day", 0),
    }
)  # fmt: skip
"""The country in whose calendar it stands, its name there, and how many days later it is. Of the Chinese calendars
that of Hong Kong has all years and no day off beside the feast."""


@lru_cache(maxsize=1)
def recurring_feasts() -> re.Pattern[str]:
    """Return what names a feast of every year, which is no day."""
    latin, han = _alternatives()
    return re.compile(rf"\b(?:every|each)\s(?:{latin})(?!\w)|每(?:年的?|逢|到)(?:{han})", re.IGNORECASE)


@lru_cache(maxsize=1)
def feast_readings() -> tuple[Reading, ...]:
    """Return how the English names of feasts are read."""
    names, _ = _alternatives()
    things = "|".join(tongue("en").of_feasts)
    pattern = (
        rf"(?<![\w'’])(?:(?P<which>this|next|last)\s)?(?:{names})(?:\s(?P<year>\d{{4}}))?(?!\w)"
        rf"(?![\s-](?:{things})s?\b)"
    )
    return ((re.compile(pattern, re.IGNORECASE), _read),)


@lru_cache(maxsize=1)
def han_feast_readings() -> tuple[Reading, ...]:
    """Return how the Chinese names of feasts, and days by the moon, are read."""
    _, names = _alternatives()
    things = "|".join(tongue("zh").of_feasts)
    digits = "一二三四五六七八九十"
    rows: tuple[tuple[str, Reader], ...] = (
        (rf"(?:(?P<which>[今明去])年的?|(?P<year>\d{{4}})年的?)?(?:{names})(?!{things})", _read),
        (rf"(?:大年|正月)(?P<day>初[{digits}]|[一二]?十[{digits}]?)", _read_first_month),
        (rf"[农阴旧]历(?:的|[月初廿{digits}])*|[{digits}冬腊]+月初[{digits}]+|[冬腊]月[{digits}廿]*", _read_lunar),
    )
    return tuple((re.compile(pattern), read) for pattern, read in rows)


def _alternatives() -> tuple[str, str]:
    """The names in letters and those in characters, as alternatives of a pattern, the longest first."""
    names = sorted(_names(), key=len, reverse=True)
    is_latin = [name[0].isascii() for name in names]
    return (
        "|".join(re.escape(name) for name, latin in zip(names, is_latin, strict=True) if latin),
        "|".join(re.escape(name) for name, latin in zip(names, is_latin, strict=True) if not latin),
    )


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    """Each feast by its names."""
    return MappingProxyType(
        {name: feast for words in tongues() for feast, forms in words.feasts.items() for name in forms}
    )


_QUALIFIER = re.compile(r"^(?:this|next|last)\s|^(?:[今明去]年的?|\d{4}年的?)|\s\d{4}$", re.IGNORECASE)


def _read_first_month(match: re.Match[str], today: date) -> Days | None:
    """A day of the first month of the moon's year, 正月初三."""
    number = read_chinese(match["day"].removeprefix("初"))
    if number is None or not 1 <= number <= 29:
        raise ValueError(match.group())
    days = [_day("lunar_new_year", year) + timedelta(days=number - 1) for year in (today.year, today.year + 1)]
    return one(min(day for day in days if day >= today))


def _read_lunar(match: re.Match[str], today: date) -> Days | None:
    """Other days by the moon are recognised and not read."""
    raise ValueError(match.group())


def _read(match: re.Match[str], today: date) -> Days | None:
    feast = _names()[_QUALIFIER.sub("", match.group().casefold())]
    which = (match["which"] or "").casefold()
    if match.string.startswith("假", match.end()):
        raise ValueError(match.group())  # days around it, how many is not known
    if match["year"]:
        return one(_day(feast, int(match["year"])))
    if which in ("今", "明", "去"):
        return one(_day(feast, today.year + "去今明".index(which) - 1))
    years = [_day(feast, year) for year in (today.year - 1, today.year, today.year + 1)]
    if which == "last" or (not which and said_of_past(match)):
        return one(max(day for day in years if day < today))
    return one(min(day for day in years if day >= today))


@lru_cache(maxsize=256)
def _day(feast: str, year: int) -> date:
    """Return the day of a feast; `ValueError` where the calendars do not reach."""
    if feast in _FIXED:
        return date(year, *_FIXED[feast])
    if feast not in _LISTED:
        raise ValueError(f"the day of {feast!r} is not known")
    import holidays  # its calendars are loaded country by country, at first use

    country, name, later = _LISTED[feast]
    listed = holidays.country_holidays(country, years=year, language="en_US")
    days = [day for day in listed.get_named(name, lookup="exact") if day.year == year]
    if not days:
        raise ValueError(f"no {name!r} is known of {year}")
    return min(days) + timedelta(days=later)
