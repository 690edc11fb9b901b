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
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import NamedTuple

from memory.language.values.date_forms import Order, day_number, form_readings, ordinal_pattern
from memory.language.values.date_relations import COUNT, RECURRING, UNIT, counted_from, relation_readings
from memory.language.values.days import DateSpan, coming_weekday, month_days, next_numbered
from memory.language.values.feasts import feast_readings, recurring_feasts
from memory.language.values.plain import plain
from memory.language.values.taken import Taken
from memory.language.values.unsure import unsure_on_error
from memory.language.values.weekdays import as_weekday, day_names

_NO_CLOCK = date(2000, 1, 1)
_YEAR = re.compile(r"\d{4}|[〇零一二三四五六七八九]{4}年")
_LONGEST_DATE = 60
"""Characters that a lone date has at most."""
_LOOK_BACK = 40


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
    relative = relation_readings() if today else ()
    for pattern, read in (*form_readings(order), *feast_readings(), *relative):
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
    spans = _with_references(text, _counted(text, sorted(spans)), today)
    return Dates(_joined(text, spans), tuple(sorted(unread)), tuple(recurs))


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


_COUNTED = re.compile(
    rf"(?<!for )\b{COUNT} {UNIT}\s(?:(?P<side>from|after|before|on|following)\s)?(?:the\s)?$", re.IGNORECASE
)
_TODAYS = ("today", "tomorrow")


def _counted(text: str, spans: list[DateSpan]) -> list[DateSpan]:
    """Shift the days that others are counted from: "two weeks from Saturday", "a week on Tuesday", "a week today"."""
    shifted: list[DateSpan] = []
    for span in spans:
        start = max(shifted[-1].end if shifted else 0, span.start - _LOOK_BACK)
        words = text[span.start : span.end].casefold()
        match = None if span.is_range else _COUNTED.search(text, start, span.start)
        if match and (match["side"] or words in _TODAYS):
            sign = -1 if (match["side"] or "").casefold() == "before" else 1
            try:
                day = counted_from(span.first, match["count"], match["unit"], sign)
            except (ValueError, OverflowError):
                continue
            shifted.append(DateSpan(match.start(), span.end, day, day))
        else:
            shifted.append(span)
    return shifted


_REFERENCE = re.compile(
    r"\b(?P<day>(?:that|the same|that same|same) day)\b|(?P<end>\bthe end of that month\b)"
    r"|(?P<zhday>那天|当天|同一天|那一天)",
    re.IGNORECASE,
)


def _with_references(text: str, spans: list[DateSpan], today: date | None) -> list[DateSpan]:
    """Add "that day" and "the end of that month" where a date stands before them."""
    added: list[DateSpan] = []
    taken = Taken((span.start, span.end) for span in spans)
    index = 0
    for match in _REFERENCE.finditer(text):
        while index < len(spans) and spans[index].end <= match.start():
            index += 1
        if index and not taken.overlaps(match.start(), match.end()):
            day = spans[index - 1].first
            day = month_days(day.year, day.month)[1] if match["end"] else day
            added.append(DateSpan(match.start(), match.end(), day, day))
    return sorted(spans + added)


_BETWEEN = re.compile(r"\s*(?:,\s*)?(?:to|until|till|through|thru|-|–|—|~|到|至|and)\s*(?:the\s)?", re.IGNORECASE)
_LEAD = re.compile(r"(?:\b(?P<between>between)|\bfrom|从|自)\s*(?:the\s)?$", re.IGNORECASE)
_LONE_ORDINAL = r"(?:the )?(?P<day>{}|(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th)?)\b"
_BARE_WEEKDAY = re.compile(r"[一二三四五六日天](?![\u4e00-\u9fff]?月)")
_NUMBERED = re.compile(r"(?:the )?\d+(?:st|nd|rd|th)", re.IGNORECASE)


def _joined(text: str, spans: list[DateSpan]) -> tuple[DateSpan, ...]:
    """Join "from A to B" into one range, B counted from A where it names a bare day."""
    joined: list[DateSpan] = []
    index = 0
    while index < len(spans):
        span = spans[index]
        end = _range_end(text, span, spans[index + 1 : index + 2])
        if end is None:
            joined.append(span)
            index += 1
            continue
        joined.append(end)
        index += 1
        while index < len(spans) and spans[index].start < end.end:
            index += 1
    return tuple(joined)


def _range_end(text: str, span: DateSpan, following: Iterable[DateSpan]) -> DateSpan | None:
    between = _BETWEEN.match(text, span.end)
    if between is None or span.is_range:
        return None
    lead = _LEAD.search(text[max(0, span.start - _LOOK_BACK) : span.start])
    is_and = "and" in between.group().casefold()
    if is_and and not (lead and lead["between"]):
        return None
    for other in following:
        if other.start in (between.end(), between.end() - 4) and (lead or not is_and):
            return DateSpan(span.start, other.end, span.first, _last_day(text, span.first, other))
    return next(_lone_ends(text, span, between, has_lead=lead is not None), None)


def _last_day(text: str, first: date, other: DateSpan) -> date:
    """Return the day a range ends on: a bare weekday or number counts from its start."""
    words = text[other.start : other.end]
    weekday = as_weekday(words)
    if weekday is not None:
        return first if weekday == first.weekday() else coming_weekday(weekday, first)
    if other.last < first or _NUMBERED.fullmatch(words):
        return next_numbered(other.last.day, first)
    return other.last


def _lone_ends(text: str, span: DateSpan, between: re.Match[str], *, has_lead: bool) -> Iterator[DateSpan]:
    """Yield the range that a bare character of a weekday (周一到五) or a bare number ends."""
    words = text[span.start : span.end]
    is_han_day = words.endswith(tuple(name for name in day_names() if not name.isascii()))
    if is_han_day and (bare := _BARE_WEEKDAY.match(text, between.end())):
        weekday = day_names()["周" + bare.group()]
        yield DateSpan(span.start, bare.end(), span.first, coming_weekday(weekday, span.first))
    lone = re.compile(_LONE_ORDINAL.format(ordinal_pattern()), re.IGNORECASE).match(text, between.end())
    if lone and has_lead and between.group().strip() not in ("-", "–", "—", "~"):
        yield DateSpan(span.start, lone.end(), span.first, next_numbered(day_number(lone["day"]), span.first))
