"""Dates as people write them, in English and Chinese, at a clock that is passed in.

Conventions, for a clock of Wednesday 1 April 2026: "Thursday", "周四" is the next such day after today (2 April, and
"Wednesday" 8 April); "this Friday", "这周五" the one of this week, Monday to Sunday (3 April), or the next if that is
past; "next Friday", "下周五" the one of next week (10 April), "Friday after next" a week later; "last Friday" the
latest before today; "the 23rd", "5号" the next day of that number from today on; "17 March", "February", "二月整月"
without a year the coming ones, unless they went by lately or are said of the past; feasts the coming ones; "this
weekend", "the weekend", "这周末" Saturday and Sunday of this week, "next weekend", "下周末" of the next; "last month"
the whole month. In "from … to …" the end is the first such day after the start. "That day", "那天" is the date named
last before it. "3/4" is a date that cannot be told unless the person's order of day and month is known. Nothing reads
the machine's clock or zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple

from memory.language.values.date_forms import english_readings, numbered_readings
from memory.language.values.date_joins import related
from memory.language.values.date_relations import RECURRING, han_relation_readings, relation_readings
from memory.language.values.days import DateSpan, Reading
from memory.language.values.feasts import feast_readings, han_feast_readings, recurring_feasts
from memory.language.values.figure_dates import Order, figure_readings
from memory.language.values.han_dates import han_readings
from memory.language.values.plain import plain
from memory.language.values.taken import Taken
from memory.language.values.unsure import unsure_on_error

_NO_CLOCK = date(2000, 1, 1)
_YEAR = re.compile(r"\d{4}|[〇零一二三四五六七八九]{4}年")
_LONGEST_DATE = 60
"""Characters that a lone date has at most."""


class Dates(NamedTuple):
    """What a text says of days."""

    spans: tuple[DateSpan, ...]
    unread: tuple[tuple[int, int], ...]
    """Where something stands that looks like a date and is none, or could be two: 31 February, "3/4"."""
    recurring: tuple[tuple[int, int], ...]
    """Where something stands that comes again and again: "every other Wednesday"."""


def find_dates(text: str, now: datetime | None, *, order: Order | None = None) -> tuple[DateSpan, ...]:
    """Return the dates and ranges of days written in `text`, in order; of overlapping readings the longest.

    Args:
        text: English, Chinese or both; its beginning is read.
        now: The clock that relative dates count from; `None` leaves only dates that name their year.
        order: Of day and month in figures, as this person writes them; `None`: unknown.
    """
    return read_dates(text, now, order=order).spans


@unsure_on_error(lambda text: Dates((), ((0, len(text)),), ()))
def read_dates(text: str, now: datetime | None, *, order: Order | None = None) -> Dates:
    """Return the dates of `text` as `find_dates` does, with what looks like one and is not read."""
    text = plain(text)
    today = None if now is None else now.date()
    found: list[tuple[int, int, DateSpan | None]] = []
    for pattern, read in _readings(text, order, is_relative=today is not None):
        for match in pattern.finditer(text):
            if today is None and not _YEAR.search(match.group()):
                continue
            try:
                days = read(match, today or _NO_CLOCK)
            except (ValueError, OverflowError):  # such as 31 February: written like a date, but none
                found.append((match.start(), match.end(), None))
                continue
            if days is not None:
                found.append((match.start(), match.end(), DateSpan(match.start(), match.end(), *days)))
    recurring = sorted(
        {match.span() for pattern in (*RECURRING, recurring_feasts()) for match in pattern.finditer(text)}
    )
    taken, spans, unread = Taken(), list[DateSpan](), list[tuple[int, int]]()
    recurs = [span for span in recurring if taken.add(*span)]
    for start, end, span in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if not taken.add(start, end):
            continue
        if span is None:
            unread.append((start, end))
        else:
            spans.append(span)
    return Dates(related(text, sorted(spans)), tuple(sorted(unread)), tuple(recurs))


_HAN = re.compile(r"[\u4e00-\u9fff]")
_FIGURE = re.compile(r"\d")
_MONTH = re.compile(r"month|year|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_RELATIVE = re.compile(
    r"day|week|fortnight|month|year|night|morning|noon|evening|tomorrow|tmr|mon|tue|wed|thu|fri|sat|sun", re.IGNORECASE
)


def _readings(text: str, order: Order | None, *, is_relative: bool) -> Iterator[Reading]:
    """Yield the readings that may find something in `text`; most texts name no month and no day."""
    if _MONTH.search(text):
        yield from english_readings()
    if _FIGURE.search(text):
        yield from figure_readings(order)
    yield from numbered_readings()
    yield from feast_readings()
    if is_relative and _RELATIVE.search(text):
        yield from relation_readings()
    if _HAN.search(text):
        yield from han_readings()
        yield from han_feast_readings()
        yield from han_relation_readings() if is_relative else ()


def normal_date(text: str) -> str | None:
    """Return YYYY-MM-DD if the whole of `text` is one date with its year, else `None`."""
    text = text.strip()
    if len(text) > _LONGEST_DATE or not any(char.isdigit() for char in text):
        return None
    for span in find_dates(text, None):
        if (span.start, span.end) == (0, len(text)) and not span.is_range:
            return span.iso
    return None


def normal_datetime(text: str) -> str | None:
    """Return YYYY-MM-DDTHH:MM:SS (with the offset, if one is given) if `text` is a date with a time, else `None`."""
    if len(text) > _LONGEST_DATE or not re.match(r"\s*\d{4}-\d\d?-\d\d?[T ]\d", text):
        return None
    try:
        return datetime.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return None
