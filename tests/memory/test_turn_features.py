from __future__ import annotations

import math
from datetime import date, datetime

import pytest

from memory.ranking.turn_features import (
    CIRCUMSTANCE_WEIGHT,
    NamedDay,
    TurnFeatures,
    named_days,
    nearness_in_time,
    read_query,
    read_turn,
)
from memory.records import Turn
from tests.memory.turns import asked, call, turn


def test_reads_a_line_of_a_chat() -> None:
    read = read_turn(
        Turn(
            turn_id="t",
            request="Ann: I never drink coffee. Do you like tea? I moved here last May.",
            time=datetime(2026, 3, 9, 7),
        )
    )
    assert read == TurnFeatures(
        terms=read.terms,
        speaker="ann",
        statements=("I never drink coffee.", "I moved here last May."),
        is_one_statement=False,
        stance_share=1 / 3,
        asking_share=1 / 3,
        is_dated=True,
        day=date(2026, 3, 9),
    )
    assert read.terms["coffe"] == 1


def test_reads_the_persons_words_alone() -> None:
    read = read_turn(turn("t", "Book it.", asked("Seat?", "I always take the window."), call("book", note="I hate it")))
    assert (read.statements, read.is_one_statement) == (("I always take the window.",), False)
    assert (read.stance_share, read.asking_share, read.day) == (0.5, 0.5, None)


def test_a_turn_may_be_one_statement() -> None:
    assert read_turn(turn("t", "I never drink coffee.")).is_one_statement
    assert not read_turn(turn("t", "I never drink coffee.", call("note"))).is_one_statement
    assert not read_turn(turn("t", "")).is_one_statement


def test_a_query_names_speakers_in_its_order_and_their_names_are_no_terms() -> None:
    query = read_query("What did Bob give ANN in March?", {"ann", "bob", "an"})
    assert query.speakers == ("bob", "ann")
    assert dict(query.term_weights) == {"giv": 1.0, "march": 1.0}
    assert read_query("小明喜欢什么？", {"小明"}).speakers == ("小明",)


def test_circumstances_below_the_main_line_count_less() -> None:
    query = read_query("Recommend a quiet restaurant for dinner\nDevice: phone\nPlace: quiet", ())
    assert query.main_line == "Recommend a quiet restaurant for dinner"
    assert {term: weight for term, weight in query.term_weights.items() if weight != 1} == {
        "devic": CIRCUMSTANCE_WEIGHT,
        "phon": CIRCUMSTANCE_WEIGHT,
        "plac": CIRCUMSTANCE_WEIGHT,
    }
    assert query.term_weights["quiet"] == 1


@pytest.mark.parametrize(
    ("text", "is_asked"), [("When did she leave?", True), ("什么时候走", True), ("Where is she?", False), ("", False)]
)
def test_a_query_may_ask_for_a_time(text: str, is_asked: bool) -> None:
    assert read_query(text, ()).asks_when is is_asked


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 12 July, 2022", [NamedDay(2022, 7, 12)]),
        ("on July 12th 2022", [NamedDay(2022, 7, 12)]),
        ("in March or 2026-04", [NamedDay(None, 3, None), NamedDay(2026, 4, None)]),
        ("the 3rd of May", [NamedDay(None, 5, 3)]),
        ("may I go", []),
        ("in May", [NamedDay(None, 5, None)]),
        ("2026年3月9日", [NamedDay(2026, 3, 9)]),
        ("13月", []),
    ],
)
def test_days_are_named_in_many_ways(text: str, days: list[NamedDay]) -> None:
    assert list(named_days(text)) == days


def test_nearness_in_time_falls_with_the_days_between() -> None:
    named = [NamedDay(2022, 7, 12)]
    assert nearness_in_time(named, date(2022, 7, 12)) == 1
    assert nearness_in_time(named, date(2022, 7, 19)) == pytest.approx(1 / math.e)
    assert nearness_in_time(named, date(2022, 7, 8)) == pytest.approx(1 / math.e)
    assert nearness_in_time([NamedDay(None, 7, None)], date(2021, 7, 1)) == 1
    assert nearness_in_time([NamedDay(None, 7, None)], date(2021, 8, 1)) == 0
    assert nearness_in_time([NamedDay(2022, 2, 30)], date(2022, 2, 28)) == 0
    assert nearness_in_time(named, None) == nearness_in_time([], date(2022, 7, 12)) == 0
