"""Dates and times at Wednesday 1 April 2026, 06:51, unless a test says otherwise; the right days from a calendar."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memory.language.values.dates import find_dates, normal_date, normal_datetime
from memory.language.values.times import normal_time

NOW = datetime(2026, 4, 1, 6, 51)


def days(text: str, now: datetime | None = NOW) -> list[tuple[str, str, str]]:
    return [(text[s.start : s.end], s.first.isoformat(), s.last.isoformat()) for s in find_dates(text, now)]


def test_without_a_clock_only_full_dates_are_read() -> None:
    assert days("tomorrow, 8 May or 8 May 2026", None) == [("8 May 2026", "2026-05-08", "2026-05-08")]


def test_the_zone_of_the_clock_decides_the_day() -> None:
    late = datetime(2026, 4, 1, 0, 30, tzinfo=timezone(timedelta(hours=8)))
    assert days("today", late) == [("today", "2026-04-01", "2026-04-01")]


def test_normal_forms_of_whole_texts() -> None:
    assert normal_date(" 12 March 2026 ") == "2026-03-12"
    assert normal_date("2026/3/12") == "2026-03-12"
    assert normal_date("12 March") is None
    assert normal_date("on 2026-03-12") is None
    assert normal_time("8:15:00") == "08:15"
    assert normal_time("ten") is None
    assert normal_datetime("2026-03-12 08:15") == "2026-03-12T08:15:00"
    assert normal_datetime("2026-03-12") is None
