"""Days of the calendar: what the readers of dates count with."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

Days = tuple[date, date]
"""The first and the last, both included."""
Reader = Callable[[re.Match[str], date], Days | None]
"""What a match means on a day: days; `None` where it is no date; `ValueError` where it is one that no calendar has."""
Reading = tuple[re.Pattern[str], Reader]
GONE_BY_DAYS = 45
"""How long a day without its year is still meant after it went by; then the coming one is."""


@dataclass(frozen=True, order=True)
class DateSpan:
    """A date, or a range of days, found in a text."""

    start: int
    end: int
    first: date
    last: date
    """Equal to `first` for a single day; otherwise the last day, included."""

    @property
    def is_range(self) -> bool:
        """Whether it covers more than one day."""
        return self.first != self.last

    @property
    def iso(self) -> str:
        """The first day as YYYY-MM-DD."""
        return self.first.isoformat()


def one(day: date) -> Days:
    """Return a single day."""
    return day, day


def month_days(year: int, month: int) -> Days:
    """Return the first and the last day of a month."""
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def month_from(today: date, months: int) -> Days:
    """Return the first and the last day of the month so many after that of `today`."""
    index = today.year * 12 + today.month - 1 + months
    return month_days(index // 12, index % 12 + 1)


def months_later(day: date, months: int) -> date:
    """Return the same day so many months later, the last of that month where it has none such."""
    first, last = month_from(day, months)
    return first.replace(day=min(day.day, last.day))


def nth_weekday(month: Days, weekday: int, nth: int) -> date:
    """Return the first (1), second … or last (-1) such day of a month, Monday 0.

    Raises:
        ValueError: If the month has no fifth one.
    """
    if nth < 0:
        return month[1] - timedelta(days=(month[1].weekday() - weekday) % 7)
    day = month[0] + timedelta(days=(weekday - month[0].weekday()) % 7, weeks=nth - 1)
    if day > month[1]:
        raise ValueError(f"the month has no such day {nth} times")
    return day


def monday_of(today: date, weeks: int = 0) -> date:
    """Return the Monday of the week so many after that of `today`."""
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)


def coming_weekday(weekday: int, today: date) -> date:
    """Return the first such day after today, Monday 0."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def past_weekday(weekday: int, today: date) -> date:
    """Return the latest such day before today, Monday 0."""
    return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)


def of_year(month: int, day: int, today: date, *, is_past: bool = False) -> date:
    """Return the day with that month and number that is meant where no year is said.

    The coming one, or the last one if it went by at most `GONE_BY_DAYS` ago; said of the past, the last one.

    Raises:
        ValueError: If no calendar has such a day.
    """
    days = [
        date(year, month, day)
        for year in range(max(today.year - 8, 1), min(today.year + 9, 10_000))
        if day <= calendar.monthrange(year, month)[1]
    ]
    since = today if is_past else today - timedelta(days=GONE_BY_DAYS)
    found = max((one for one in days if one <= today), default=None) if is_past else None
    found = found or min((one for one in days if one >= since), default=None)
    if found is None:
        raise ValueError(f"no day {day} in month {month}")
    return found


def next_numbered(day: int, start: date) -> date:
    """Return the first day with number `day` of its month, from `start` on.

    Raises:
        ValueError: If no month has such a day.
    """
    for months in range(13):
        first, last = month_from(start, months)
        if day <= last.day and first.replace(day=day) >= start:
            return first.replace(day=day)
    raise ValueError(f"no month has a day {day}")
