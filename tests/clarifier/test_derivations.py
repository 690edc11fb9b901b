"""What can be worked out from words that do not name it."""

from __future__ import annotations

from pydantic import JsonValue

from clarifier.grounding.clocks import names_hour
from clarifier.grounding.derivations import worked_out
from clarifier.settings import GroundingSettings
from memory.tools import Parameter
from tests.clarifier.samples import NOW, need

SETTINGS = GroundingSettings()


def work_out(
    value: JsonValue,
    parameter: Parameter,
    request: str,
    *,
    known: frozenset[str] = frozenset(),
    is_recording: bool = False,
) -> float | None:
    return worked_out(value, parameter, (request,), NOW, lambda: known, is_recording=is_recording, settings=SETTINGS)


def test_days_counted_from_one_that_is_known() -> None:
    end = need("end_date")
    assert work_out("1976-02-09", end, "that day and the seven days following", known=frozenset({"1976-02-02"})) == 0.95
    assert work_out("1976-02-10", end, "that day and the seven days following", known=frozenset({"1976-02-02"})) is None


def test_today_is_meant_where_something_is_recorded_or_the_schema_says_so() -> None:
    date = need("date")
    assert work_out("2026-03-10", date, "note 68 for a font", is_recording=True) == 0.6
    assert work_out("2026-03-10", date, "the weather when it got stuck") is None
    assert work_out("2026-03-10", need("date", "Defaults to the current date."), "the trains") == 0.6
    assert work_out("2026-03-10", need("city"), "note 68 for a font", is_recording=True) is None


def test_years_lists_and_hours() -> None:
    year = need("year", type="integer")
    assert [work_out(value, year, "all of them") for value in (2026, 2025, 2020)] == [0.95, 0.6, None]
    interval = need("interval", "The interval, such as 1min, 5min, 15min.")
    assert work_out("5min", interval, "the quick one") == 0.6
    assert work_out("USD", need("base", "The code, such as 'USD'."), "it") is None  # one example is no list
    assert work_out("08:00", need("time"), "eight would suit me") == 0.6
    assert work_out(True, need("flag", type="boolean"), "yes") is None


def test_hours_by_their_number() -> None:
    assert names_hour("eight would suit me", "08:00", NOW)
    assert names_hour("eight would suit me", "20:00", NOW)
    assert not names_hour("eight would suit me", "08:30", NOW)
    assert not names_hour("eight would suit me", "Lyon", NOW)
