"""Rules and habits that hold in one context only."""

from __future__ import annotations

import pytest

from memory.evidence import PERSON, Slot
from memory.language.text import tokenise
from memory.records import Turn
from memory.state.conditions import framed, is_met
from memory.state.cues import clauses
from memory.state.user_state import fold, fold_evidence
from memory.strategies import open_strategy
from tests.fakes import make_tool
from tests.memory.test_strategies import Shelf
from tests.memory.turns import call, turn


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("For work trips I fly business.", [("I fly business", "For work trips")]),
        ("When I'm with the kids, always take the train", [("always take the train", "When I'm with the kids")]),
        ("If it rains I always take the bus", [("I always take the bus", "If it rains")]),
        ("I drink decaf after 3 pm", [("I drink decaf", "after 3 pm")]),
        ("I take taxis, but only when it rains", [("I take taxis", "when it rains")]),
        ("I prefer meetings in the afternoon", [("I prefer meetings in the afternoon", "")]),
        ("When I was little I ate fish", [("When I was little I ate fish", "")]),
        ("Use my card if possible", [("Use my card if possible", "")]),
        ("出差的时候我都住全季", [("我都住全季", "出差的时候")]),
        ("带孩子出门的话，以后都订一等座", [("以后都订一等座", "带孩子出门的话")]),
        ("我周五都吃鱼", [("我都吃鱼", "周五")]),
        ("有时候我喝茶", [("有时候我喝茶", "")]),
    ],
)
def test_what_frames_a_clause(said: str, found: list[tuple[str, str]]) -> None:
    assert [(one.clause.raw, one.condition) for one in framed(clauses(said))] == found


@pytest.mark.parametrize(
    ("condition", "request_", "holds"),
    [
        ("for work trips", "Book a flight for my work trip to Oslo", True),
        ("for work trips", "Book a trip to the sea", False),
        ("On Fridays", "what shall I eat on friday?", True),
        ("带孩子出门的话", "带孩子去苏州玩，订个票", True),
        ("带孩子出门的话", "订个去苏州的票", False),
    ],
)
def test_a_context_is_met_where_the_request_speaks_of_it(condition: str, request_: str, holds: bool) -> None:
    assert is_met(condition, tokenise(request_)) is holds


RULED = [
    turn("t1", "From now on book Lufthansa", call("book_flight", airline="Lufthansa")),
    turn("t2", "For trips within Scandinavia always use SAS", call("book_flight", airline="SAS")),
]
AIRLINE = Slot("book_flight", "airline")


def standings(log: list[Turn], slot: Slot = AIRLINE) -> list[tuple[object, str, str]]:
    """Return the values of a slot with how they stand, and their contexts."""
    return [(one.value, one.status, one.condition) for one in fold(log).slots[slot].candidates]


def test_a_rule_of_one_context_closes_only_one_of_the_same() -> None:
    frame = "For trips within Scandinavia"
    assert standings(RULED) == [("Lufthansa", "current", ""), ("SAS", "conditional", frame)]
    newer = turn("t3", "For trips within Scandinavia always use Norwegian", call("book_flight", airline="Norwegian"))
    assert standings([*RULED, newer]) == [
        ("Lufthansa", "current", ""),
        ("Norwegian", "conditional", frame),
        ("SAS", "superseded", frame),
    ]


def test_a_frame_that_names_the_act_of_the_tool_is_none() -> None:
    booked = turn("t1", "When I book flights always use SAS", call("book_flight", airline="SAS"))
    hotel = turn("t1", "订酒店的时候一律要高楼层", call("book_hotel", floor="高楼层"))
    assert standings([booked]) == [("SAS", "current", "")]
    assert standings([hotel], Slot("book_hotel", "floor")) == [("高楼层", "current", "")]


def test_what_is_bound_to_a_sensitive_matter_stays_in_its_slot() -> None:
    log = [turn("t1", "When my asthma is bad, always book the aisle", call("book_flight", seat="aisle"))]
    assert standings(log, Slot("book_flight", "seat")) == [("aisle", "conditional", "When my asthma is bad")]
    tool = make_tool("book_train", "seat")
    assert fold(log).lookup(tool, tool.parameters[0]) is None
    said = fold([turn("t1", "When my asthma is bad, I drink green tea")])
    assert not said.slots


def test_it_speaks_in_its_context_and_is_shown_in_others() -> None:
    memory = open_strategy("state", Shelf(RULED))
    tool = make_tool("book_flight", "airline")
    elsewhere = memory.recall("Book a flight to Rome", [tool], None, 200).items[0]
    assert elsewhere.text == (
        'book_flight.airline = "Lufthansa" (always, 2 turns ago); '
        '"SAS" (only "For trips within Scandinavia", 1 turn ago)'
    )
    assert [(piece.value, piece.kind) for piece in elsewhere.evidence] == [
        ("Lufthansa", "standing"),
        ("SAS", "conditional"),
    ]
    there = memory.recall("Book a trip within Scandinavia", [tool], None, 200).items[0]
    assert there.text == 'book_flight.airline = "SAS" (always, 1 turn ago); "Lufthansa" (superseded, 2 turns ago)'
    assert [(piece.value, piece.kind) for piece in there.evidence] == [("SAS", "standing")]
    assert [one.value for one in fold_evidence(there.evidence).slots[AIRLINE].current] == ["SAS"]


def test_who_is_against_a_thing_has_no_more_of_it_in_any_context() -> None:
    log = [turn("t1", "On Fridays I eat fish."), turn("t2", "I don't eat fish any more.")]
    assert standings(log, Slot(PERSON, "fish")) == [("fish", "current", ""), ("fish", "superseded", "On Fridays")]
    kinds = [turn("t1", "I love running in the park."), turn("t2", "Running isn't for me any more.")]
    assert standings(kinds, Slot(PERSON, "running")) == [
        ("Running", "current", ""),
        ("running in the park", "superseded", ""),
    ]
