"""Rules that end by themselves; days count from the turn's time, whatever the clock here says (CASES B05)."""

from __future__ import annotations

import time as clock
from datetime import datetime, timedelta, timezone

import pytest

from memory.evidence import Slot
from memory.state.bounds import Bound, rule_bound
from memory.state.cues import clauses
from memory.state.user_state import fold
from tests.memory.turns import call, turn

WEDNESDAY = datetime(2023, 5, 24, 10)
SHANGHAI = timezone(timedelta(hours=8))
SEAT = Slot("book", "seat")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("From now on the window, until Friday", datetime(2023, 5, 27)),
        ("Always the window until 2 June", datetime(2023, 6, 3)),
        ("Always the window for the next two weeks", datetime(2023, 6, 8)),
        ("Always the window, all this month", datetime(2023, 6, 1)),
        ("Always the window until the end of the year", datetime(2024, 1, 1)),
        ("这个月都坐靠窗 以后都这样", None),
        ("以后都坐靠窗，到月底为止", datetime(2023, 6, 1)),
        ("每次都坐靠窗，接下来两周", datetime(2023, 6, 8)),
        ("From now on the window", None),
        ("Until Friday use the window", datetime(2023, 5, 27)),
        ("For the next two weeks the window", datetime(2023, 6, 8)),
        ("Until the end of June I want the window", datetime(2023, 7, 1)),
        ("Until I say otherwise the window", None),
        ("到五月底我都坐靠窗", datetime(2023, 6, 1)),
        ("周五之前都坐靠窗", datetime(2023, 5, 27)),
        ("The weather until Friday", None),
    ],
)
def test_when_a_rule_ends(text: str, end: datetime | None) -> None:
    assert rule_bound(clauses(text), WEDNESDAY) == (Bound(end) if end else None)


def test_a_rule_whose_end_cannot_be_told_is_an_exception() -> None:
    bounded = turn("t", "From now on the window, until Friday", call("book", seat="window"))
    (candidate,) = fold([bounded]).slots[SEAT].candidates
    assert candidate.status == "one_off"


@pytest.mark.parametrize("zone", [None, SHANGHAI])
@pytest.mark.parametrize("place", ["UTC", "America/New_York", "Asia/Shanghai"])
def test_the_end_counts_from_the_turn_and_the_older_habit_comes_back(
    zone: timezone | None, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", place)
    clock.tzset()
    night = datetime(2023, 5, 24, 0, 30, tzinfo=zone)
    log = [
        turn("t1", "The aisle", call("book", seat="aisle")).model_copy(update={"time": night - timedelta(days=9)}),
        turn("t2", "From now on the window, until Friday", call("book", seat="window")).model_copy(
            update={"time": night}
        ),
    ]
    friday, saturday = night.replace(day=26, hour=23), night.replace(day=27, hour=0)
    end = datetime(2023, 5, 27, tzinfo=zone)
    assert [(one.value, one.status, one.until_time) for one in fold(log, as_of=friday).slots[SEAT].candidates] == [
        ("window", "current", end),
        ("aisle", "superseded", night),
    ]
    assert [(one.value, one.status, one.until_time) for one in fold(log, as_of=saturday).slots[SEAT].candidates] == [
        ("aisle", "current", None),
        ("window", "expired", end),
    ]
    monkeypatch.undo()
    clock.tzset()


def test_a_count_beyond_any_calendar_ends_nowhere_near() -> None:
    for count in ("99999999999", "9" * 400):
        bound = rule_bound(clauses(f"以后都坐靠窗，接下来{count}天"), datetime(2026, 3, 9, 7, 36))
        assert bound == Bound(datetime(9999, 1, 2))
