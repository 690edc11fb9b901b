"""Dates and times at Wednesday 1 April 2026, 06:51, unless a test says otherwise; the right days from a calendar."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memory.language.values.dates import find_dates, normal_date, normal_datetime
from memory.language.values.times import find_times, normal_time

NOW = datetime(2026, 4, 1, 6, 51)


def days(text: str, now: datetime | None = NOW) -> list[tuple[str, str, str]]:
    return [(text[s.start : s.end], s.first.isoformat(), s.last.isoformat()) for s in find_dates(text, now)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Thursday", "2026-04-02"),
        ("Wednesday", "2026-04-08"),
        ("this Friday", "2026-04-03"),
        ("this Monday", "2026-04-06"),
        ("next Friday", "2026-04-10"),
        ("last Friday", "2026-03-27"),
        ("the 23rd", "2026-04-23"),
        ("the 1st", "2026-04-01"),
        ("Thursday the 18th", "2026-04-18"),
        ("17 March", "2026-03-17"),
        ("8 May", "2026-05-08"),
        ("March 17th, 2027", "2027-03-17"),
        ("Second of February 1976", "1976-02-02"),
        ("tomorrow", "2026-04-02"),
        ("the day after tomorrow", "2026-04-03"),
        ("yesterday", "2026-03-31"),
        ("in two weeks", "2026-04-15"),
        ("three days ago", "2026-03-29"),
        ("the first of this month", "2026-04-01"),
        ("2026-5-4", "2026-05-04"),
        ("周六", "2026-04-04"),
        ("周三", "2026-04-08"),
        ("这周五", "2026-04-03"),
        ("下周三", "2026-04-08"),
        ("上周日", "2026-03-29"),
        ("昨天", "2026-03-31"),
        ("大后天", "2026-04-04"),
        ("3月5号", "2026-03-05"),
        ("二零二五年十二月三十一日", "2025-12-31"),
        ("23号", "2026-04-23"),
        ("两天后", "2026-04-03"),
    ],
)
def test_one_day(text: str, day: str) -> None:
    assert days(text) == [(text, day, day)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("查一下周四的车", [("周四", "2026-04-02", "2026-04-02")]),
        ("查一下下周四的车", [("下周四", "2026-04-09", "2026-04-09")]),
        ("看一下周末的天气", [("周末", "2026-04-04", "2026-04-05")]),
    ],
)
def test_a_little_is_not_next(text: str, found: list[tuple[str, str, str]]) -> None:
    assert days(text) == found


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("this weekend", "2026-04-04", "2026-04-05"),
        ("next weekend", "2026-04-11", "2026-04-12"),
        ("last month", "2026-03-01", "2026-03-31"),
        ("next week", "2026-04-06", "2026-04-12"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("the whole of February", "2026-02-01", "2026-02-28"),
        ("10-12 May", "2026-05-10", "2026-05-12"),
        ("二月整月", "2026-02-01", "2026-02-28"),
        ("这周末", "2026-04-04", "2026-04-05"),
        ("下周末", "2026-04-11", "2026-04-12"),
        ("上个月", "2026-03-01", "2026-03-31"),
        ("5号到8号", "2026-04-05", "2026-04-08"),
        ("the sixth of this month and the eighteenth", "2026-04-06", "2026-04-18"),
    ],
)
def test_ranges(text: str, first: str, last: str) -> None:
    lead = "between " if " and " in text else ""
    assert days(lead + text) == [(text, first, last)]


def test_a_reference_takes_the_date_named_before_it() -> None:
    text = "It sank on 12 February 1983. The papers from that day to the end of that month."
    assert days(text) == [
        ("12 February 1983", "1983-02-12", "1983-02-12"),
        ("that day to the end of that month", "1983-02-12", "1983-02-28"),
    ]
    assert days("what was that day like") == []


@pytest.mark.parametrize("text", ["May I book it", "the first one", "31 February", "月底了", "一下", "10 people"])
def test_no_date(text: str) -> None:
    assert days(text) == []


def test_without_a_clock_only_full_dates_are_read() -> None:
    assert days("tomorrow, 8 May or 8 May 2026", None) == [("8 May 2026", "2026-05-08", "2026-05-08")]


def test_the_zone_of_the_clock_decides_the_day() -> None:
    late = datetime(2026, 4, 1, 0, 30, tzinfo=timezone(timedelta(hours=8)))
    assert days("today", late) == [("today", "2026-04-01", "2026-04-01")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8:15", "08:15"),
        ("from 16:00", "16:00"),
        ("at ten", "10:00"),
        ("at four", "16:00"),
        ("half five", "17:30"),
        ("quarter past seven", "07:15"),
        ("ten to four", "15:50"),
        ("seven o'clock", "07:00"),
        ("at five in the morning", "05:00"),
        ("noon", "12:00"),
        ("7am", "07:00"),
        ("3.30 pm", "15:30"),
        ("上午九点", "09:00"),
        ("晚上八点半", "20:30"),
        ("下午3:20", "15:20"),
        ("凌晨两点", "02:00"),
        ("九点一刻", "09:15"),
        ("table for two tonight in Milan at 8", "20:00"),
        ("at 8, please", "08:00"),
        ("tomorrow morning at five", "05:00"),
        ("今晚在米兰订位，8点", "20:00"),
    ],
)
def test_times(text: str, value: str) -> None:
    assert [span.value for span in find_times(text)] == [value]


@pytest.mark.parametrize(
    "text",
    ["this afternoon", "at one of those", "一点也不", "ratio 1:2:3", "25:00", "ten people", "for two tonight", "at 8%"],
)
def test_no_time(text: str) -> None:
    assert find_times(text) == ()


def test_normal_forms_of_whole_texts() -> None:
    assert normal_date(" 12 March 2026 ") == "2026-03-12"
    assert normal_date("2026/3/12") == "2026-03-12"
    assert normal_date("12 March") is None
    assert normal_date("on 2026-03-12") is None
    assert normal_time("8:15:00") == "08:15"
    assert normal_time("ten") is None
    assert normal_datetime("2026-03-12 08:15") == "2026-03-12T08:15:00"
    assert normal_datetime("2026-03-12") is None
