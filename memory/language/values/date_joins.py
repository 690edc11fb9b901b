"""Dates told by others beside them: "a week on Tuesday", "the Monday after Easter", "from … to …", "that day"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from memory.language.values.date_forms import day_number, ordinal_pattern
from memory.language.values.date_relations import COUNT, UNIT, counted_from
from memory.language.values.days import DateSpan, coming_weekday, monday_of, month_days, next_numbered, past_weekday
from memory.language.values.taken import Taken
from memory.language.values.weekdays import as_weekday, day_names

_LOOK_BACK = 40


def related(text: str, spans: list[DateSpan]) -> tuple[DateSpan, ...]:
    """Return the dates of `text` with what relates them to one another, in order.

    Args:
        text: Where they stand.
        spans: Each read by itself, in order.
    """
    return _joined(text, _with_references(text, _counted(text, _of_weeks(text, spans))))


_COUNTED = re.compile(
    rf"(?<!for )\b(?:(?:the )?(?=day\s)|{COUNT} ){UNIT}\s(?:(?P<side>from|after|before|on|following)\s)?(?:the\s)?$",
    re.IGNORECASE,
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
                day = counted_from(span.first, match["count"] or "a", match["unit"], sign)
            except (ValueError, OverflowError):
                continue
            shifted.append(DateSpan(match.start(), span.end, day, day))
        else:
            shifted.append(span)
    return shifted


_RELATION = re.compile(r"\s(?P<side>after|before|following)\s(?:the\s)?", re.IGNORECASE)


def _of_weeks(text: str, spans: list[DateSpan]) -> list[DateSpan]:
    """Join a weekday with the day it is told by: "the Monday after Easter", "Friday in two weeks", 两周后的周五."""
    joined: list[DateSpan] = []
    for span in spans:
        before = joined[-1] if joined else None
        day = None if before is None or span.is_range or before.is_range else _told_by(text, before, span)
        if before is None or day is None:
            joined.append(span)
        else:
            joined[-1] = DateSpan(before.start, span.end, day, day)
    return joined


def _told_by(text: str, first: DateSpan, second: DateSpan) -> date | None:
    words, others = text[first.start : first.end], text[second.start : second.end]
    between = text[first.end : second.start]
    weekday, other = as_weekday(words), as_weekday(others)
    if weekday is not None and (relation := _RELATION.fullmatch(between)):
        is_before = relation["side"].casefold() == "before"
        return (past_weekday if is_before else coming_weekday)(weekday, second.first)
    if weekday is not None and between == " " and others.casefold().startswith("in "):
        return monday_of(second.first) + timedelta(days=weekday)
    if other is not None and between in ("", "的") and words.endswith("后"):
        return monday_of(first.first) + timedelta(days=other)
    return None


_REFERENCE = re.compile(
    r"\b(?P<day>(?:that|the same|that same|same) day)\b|(?P<end>\bthe end of that month\b)"
    r"|(?P<zhday>那天|当天|同一天|那一天)",
    re.IGNORECASE,
)


def _with_references(text: str, spans: list[DateSpan]) -> list[DateSpan]:
    """Add "that day" and "the end of that month" where a date stands before them."""
    added: list[DateSpan] = []
    taken = Taken((span.start, span.end) for span in spans)
    index = 0
    for match in _REFERENCE.finditer(text):
        while index < len(spans) and spans[index].end <= match.start():
            index += 1
        if index and spans[index - 1].end < match.start() and not taken.overlaps(match.start(), match.end()):
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
