"""Dates in figures: 2026-12-25, "25/12/2026", "by 25/12"."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Literal

from memory.language.values.date_forms import said_of_past
from memory.language.values.days import Days, Reading, of_year, one

Order = Literal["day-month", "month-day"]
"""How a person writes a day and a month in figures."""
_YEAR_FIRST = re.compile(r"(?<![\w-])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)(?![\d-])")
_YEAR_LAST = re.compile(r"(?<![\w/.-])(?P<a>\d\d?)(?P<s>[-/.])(?P<b>\d\d?)(?P=s)(?P<y>\d{4}|\d\d)(?![\w/-]|\.\d)")
_NO_YEAR = re.compile(
    r"(?:(?<=\bon )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\bfrom )|(?<=\bfor )|(?<=\bbefore )|(?<=\bdue )|^)"
    r"(?!24/7)(?P<a>\d\d?)/(?P<b>\d\d?)(?![\w/%-]|\.\d|\s(?:of|cups?|tea|table|inch|mile|stars?)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=3)
def figure_readings(order: Order | None) -> tuple[Reading, ...]:
    """Return how dates in figures are read.

    Args:
        order: Of day and month; `None`: unknown, so that "03/04/2027" is a date that cannot be told.
    """

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
