"""A value from memory that was used again refreshes its source and adds no weight."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clarifier.posterior import Moment, by_value, posterior
from memory.evidence import Evidence, Slot
from memory.records import Step, Turn
from memory.state.extraction import extract_all
from memory.state.user_state import fold
from tests.memory.turns import asked, call, turn

SEAT = Slot("book", "seat")


def echoes(*turns: Turn) -> list[tuple[str, str, str | None]]:
    """Return turn, slot and echoed turn of all evidence."""
    return [(piece.turn_id, str(piece.slot), piece.echo_of) for piece in extract_all(turns)]


def test_a_value_used_again_unsaid_echoes_its_source() -> None:
    assert echoes(
        turn("t1", "A window seat, please", call("book", seat="window")),
        turn("t2", "Book the next one", call("book", seat="window")),
        turn("t3", "And another", call("book", seat="window")),
    ) == [("t1", "book.seat", None), ("t2", "book.seat", "t1"), ("t3", "book.seat", "t1")]


def test_a_value_said_again_is_a_new_source() -> None:
    assert echoes(
        turn("t1", "A window seat, please", call("book", seat="window")),
        turn("t2", "Window again", call("book", seat="window")),
        turn("t3", "And another", call("book", seat="window")),
    ) == [("t1", "book.seat", None), ("t2", "book.seat", None), ("t3", "book.seat", "t2")]


@pytest.mark.parametrize(
    ("request_", "steps", "is_echo"),
    [
        ("Book it", (call("book", seat="window"),), True),
        ("Book it, seat as ever", (call("book", seat="window"),), False),  # the slot is named
        ("The window!", (call("book", seat="window"),), False),
        ("Book it", (asked("Which seat?", "window"), call("book", seat="window")), False),
        ("Book it", (asked("The window seat again?", "Yes"), call("book", seat="window")), False),  # adopted
        ("Book it", (call("seats", returns=[{"seat": "window"}]), call("book", seat="window")), False),  # a tool's
        ("Book it", (call("book", seat="aisle"),), False),  # another value
        ("Book it", (call("reserve", seat="window"),), True),  # the same concept of another tool
        ("Book it", (call("reserve", view="window"),), False),
    ],
)
def test_what_counts_as_an_echo(request_: str, steps: tuple[Step, ...], is_echo: bool) -> None:
    first = turn("t1", "A window seat, please", call("book", seat="window"))
    found = echoes(first, turn("t2", request_, *steps))
    assert found[-1][2] == ("t1" if is_echo else None)


def test_exceptions_are_no_source_and_their_repetition_no_echo() -> None:
    assert echoes(
        turn("t1", "The window, just this once", call("book", seat="window")),
        turn("t2", "Book it", call("book", seat="window")),
    ) == [("t1", "book.seat", None), ("t2", "book.seat", None)]


def test_numbers_and_switches() -> None:
    assert echoes(
        turn("t1", "For 3", call("book", people=3, wifi=True)),
        turn("t2", "The same", call("book", people=3, wifi=True)),
    ) == [
        ("t1", "book.people", None),
        ("t1", "book.wifi", None),
        ("t2", "book.people", "t1"),
        ("t2", "book.wifi", "t1"),
    ]


def weight(pieces: list[Evidence], now: datetime) -> float:
    """Return Σ w_e of the likeliest value."""
    best = posterior(by_value(pieces), Moment(99, now)).best
    assert best is not None
    return best.weight


@given(st.lists(st.integers(min_value=1, max_value=60), min_size=1, max_size=5, unique=True))
def test_echoes_add_no_weight_and_refresh_their_source(days: list[int]) -> None:
    start = datetime(2026, 3, 1)
    ages = sorted(days)
    said = turn("t0", "A window seat", call("book", seat="window")).model_copy(update={"time": start})
    again = [
        turn(f"t{day}", "Book it", call("book", seat="window")).model_copy(update={"time": start + timedelta(days=day)})
        for day in ages
    ]
    now = start + timedelta(days=61)
    pieces = list(extract_all([said, *again]))
    last = said.model_copy(update={"time": start + timedelta(days=ages[-1])})
    assert weight(pieces, now) == pytest.approx(weight(list(extract_all([last])), now))
    state = fold([said, *again]).slots[SEAT]
    assert [one.support for one in state.current] == [1]


def test_without_its_source_an_echo_speaks_for_itself() -> None:
    first = turn("t1", "A window seat, please", call("book", seat="window"))
    second = turn("t2", "Book the next one", call("book", seat="window"))
    assert fold([second]) == fold([Turn(**second.model_dump())])
    assert echoes(second) == [("t2", "book.seat", None)]
    both = list(extract_all([first, second]))
    moment = Moment(2)
    best = posterior(by_value(both), moment).best
    alone = posterior(by_value(both[1:]), moment).best
    assert best is not None
    assert alone is not None
    assert (best.count, alone.count) == (1, 1)
    assert best.weight == pytest.approx(alone.weight)
    assert best.turn_ids == ("t1", "t2")
