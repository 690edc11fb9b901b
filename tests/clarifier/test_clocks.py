"""Times of day whose half is left open, and days of the week."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from clarifier.grounding.clocks import as_weekdays, in_half, names_time
from clarifier.settings import GroundingSettings
from memory.tools import Parameter
from tests.clarifier.samples import NOW, need


@pytest.mark.parametrize(
    ("value", "text", "probability"),
    [
        ("23:30", "tonight, half eleven", 0.95),
        ("23:30", "after half eleven", 0.6),
        ("20:15", "dinner at 8:15", 0.95),
        ("20:15", "at 8:15", 0.6),
        ("03:00", "三点到四点那班", 0.6),
        ("03:00", "凌晨，三点到四点", 0.95),
        ("2026-03-10T20:15", "dinner at 8:15", 0.95),
        ("05:00", "not between nine at night and five", 0.6),  # the hour by its number
        ("18:20", "a bit after six", 0.6),
        ("08:10", "eight o'clock or so, around that", 0.6),
        ("18:20", "at six o'clock", None),  # not vague
        ("19:00", "a bit after six", None),  # too far
        ("20:15", "at 8:15 in the morning", None),
        ("08:15", "at 20:15", None),
        ("11:45", "tonight, half eleven", None),
    ],
)
def test_a_time_that_is_not_spelled_out(value: str, text: str, probability: float | None) -> None:
    assert names_time(value, text, NOW, GroundingSettings()) == probability


@pytest.mark.parametrize(
    ("values", "parameter", "days"),
    [
        ([1, 2, 7], need("weekdays", "1为周一，7为周日。"), {0, 1, 6}),
        ([0, 6], need("days", "Days of the week, 0 is Sunday."), {6, 5}),
        ([0, 6], need("days", "Days of the week, 0 = Monday."), {0, 6}),
        ([1, 2], need("days", "Days of the week; 1 for Sunday."), {6, 0}),
        (["Mon", "thursday"], need("days", "Days of the week."), {0, 3}),
        (["周一", "礼拜天"], need("weekdays"), {0, 6}),
        ([1, 2], need("pages"), None),
        ([1, 99], need("weekdays"), None),
        (["Mon", "Quenby"], need("weekdays"), None),
    ],
)
def test_values_that_stand_for_days(values: list[JsonValue], parameter: Parameter, days: set[int] | None) -> None:
    assert as_weekdays(values, parameter) == (frozenset(days) if days is not None else None)


@pytest.mark.parametrize(
    ("time", "text", "context", "meant"),
    [
        ("07:00", "at seven", ("a table for dinner",), "19:00"),
        ("07:00", "七点，两个人", ("订第一家", "明天晚上吃饭的餐厅"), "19:00"),
        ("18:00", "at six", ("breakfast with Ann",), "06:00"),
        ("07:00", "at seven", ("breakfast, then", "dinner"), "07:00"),  # the nearest decides
        (
            "07:00",
            "at seven",
            ("breakfast or dinner", "this evening"),
            "19:00",
        ),  # one that speaks of both tells nothing
        ("07:00", "at seven", ("I sleep there the night before",), "07:00"),
        ("07:00", "七点", ("晚点也行",), "07:00"),  # later, not evening
        ("07:00", "at 7 am", ("dinner",), "07:00"),
        ("07:00", "at 07:00", ("dinner",), "07:00"),
        ("12:00", "at twelve", ("dinner",), "12:00"),
        ("07:00", "at seven", (), "07:00"),
    ],
)
def test_the_context_tells_the_half_of_the_day(time: str, text: str, context: tuple[str, ...], meant: str) -> None:
    assert in_half(time, text, context, NOW) == meant


def test_a_time_in_the_half_of_the_context_is_sure() -> None:
    settings = GroundingSettings()
    assert names_time("19:00", "at seven", NOW, settings, context=("dinner",)) == settings.derived
    assert names_time("19:00", "at seven", NOW, settings, context=("breakfast",)) == settings.derived_unnamed
    assert names_time("19:00", "at seven", NOW, settings) == settings.derived_unnamed
