from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from memory.evidence import Evidence, Kind, Slot
from memory.extraction import extract_all
from memory.records import Turn
from memory.tools import Parameter, Tool, ValueType
from memory.user_state import Candidate, SlotState, UserState, accepts, context_similarity, fold, fold_evidence
from tests.memory.turns import call, turn

SEAT = Slot("book", "seat")


def tool(name: str, **types: ValueType) -> Tool:
    """Return a tool with these parameters."""
    parameters = tuple(Parameter(name=parameter, type=type_) for parameter, type_ in types.items())
    return Tool(name=name, parameters=parameters, definition={})


def lookup(state: UserState, tool_: Tool, parameter: str) -> SlotState | None:
    """Look up an argument by name."""
    found = tool_.parameter(parameter)
    assert found is not None
    return state.lookup(tool_, found)


def piece(value: JsonValue, position: int, kind: Kind = "plain", slot: Slot = SEAT) -> Evidence:
    """Return evidence from the turn at `position`."""
    return Evidence(slot, value, "accepted_call", kind, f"t{position}", position)


def seats(*evidence: Evidence) -> list[tuple[JsonValue, str, int, int | None, tuple[str, ...]]]:
    """Return value, status, since, until and turns of each candidate."""
    candidates = fold_evidence(evidence).slots[SEAT].candidates
    return [(one.value, one.status, one.since, one.until, one.turn_ids) for one in candidates]


def test_habits_stand_side_by_side_newest_first() -> None:
    assert seats(piece("aisle", 0), piece("window", 1), piece("Aisle", 3), piece("window", 5)) == [
        ("window", "current", 1, None, ("t1", "t5")),
        ("Aisle", "current", 0, None, ("t0", "t3")),
    ]


def test_a_rule_closes_the_intervals_of_older_values() -> None:
    assert seats(piece("aisle", 0), piece("window", 1), piece("window", 4, "standing")) == [
        ("window", "current", 1, None, ("t1", "t4")),
        ("aisle", "superseded", 0, 4, ("t0",)),
    ]


def test_a_newer_rule_supersedes_an_older_one() -> None:
    assert seats(piece("aisle", 0, "standing"), piece("window", 2, "standing")) == [
        ("window", "current", 2, None, ("t2",)),
        ("aisle", "superseded", 0, 2, ("t0",)),
    ]


def test_a_value_used_again_after_its_rule_ended_begins_anew() -> None:
    assert seats(piece("aisle", 0), piece("window", 2, "standing"), piece("aisle", 5)) == [
        ("aisle", "current", 5, None, ("t5",)),
        ("window", "current", 2, None, ("t2",)),
        ("aisle", "superseded", 0, 2, ("t0",)),
    ]


def test_two_values_of_one_rule_keep_each_other() -> None:
    assert seats(piece("old", 0), piece("aisle", 2, "standing"), piece("window", 2, "standing")) == [
        ("aisle", "current", 2, None, ("t2",)),
        ("window", "current", 2, None, ("t2",)),
        ("old", "superseded", 0, 2, ("t0",)),
    ]


@pytest.mark.parametrize("kind", ["one_off", "hypothetical", "other_person"])
def test_exceptions_are_kept_apart_and_retire_nothing(kind: Kind) -> None:
    assert seats(piece("aisle", 0), piece("window", 1, kind), piece("aisle", 2, kind)) == [
        ("aisle", "current", 0, None, ("t0",)),
        ("aisle", kind, 2, 3 if kind == "one_off" else None, ("t2",)),
        ("window", kind, 1, 2 if kind == "one_off" else None, ("t1",)),
    ]


def test_other_slots_are_left_alone() -> None:
    meal = Slot("book", "meal")
    state = fold_evidence([piece("vegan", 0, slot=meal), piece("window", 1, "standing")])
    assert state.slots[meal].current == (Candidate("vegan", (piece("vegan", 0, slot=meal),), "current"),)


@given(st.permutations([piece("aisle", 0), piece("window", 1), piece("window", 4, "standing"), piece("aisle", 6)]))
def test_the_order_of_evidence_does_not_matter(shuffled: list[Evidence]) -> None:
    assert seats(*shuffled) == [
        ("aisle", "current", 6, None, ("t6",)),
        ("window", "current", 1, None, ("t1", "t4")),
        ("aisle", "superseded", 0, 4, ("t0",)),
    ]


def test_a_rule_is_told_from_a_habit() -> None:
    state = fold_evidence([piece("window", 1), piece("window", 4, "standing"), piece("aisle", 5)])
    assert [(one.value, one.is_standing) for one in state.slots[SEAT].current] == [("aisle", False), ("window", True)]


def test_contradiction_then_as_of() -> None:
    log = [
        turn("t1", "From now on the aisle.", call("book", seat="aisle")),
        turn("t2", "From now on the window.", call("book", seat="window")),
        turn("t3", "From now on the window.", call("book", seat="window")),
    ]
    assert [one.value for one in fold(log).slots[SEAT].current] == ["window"]
    assert fold(log).slots[SEAT].current[0].turn_ids == ("t2", "t3")
    assert [one.value for one in fold(log[:1]).slots[SEAT].current] == ["aisle"]
    assert [(one.value, one.until) for one in fold(log).slots[SEAT].candidates if one.status == "superseded"] == [
        ("aisle", 1)
    ]


def test_a_slot_of_its_own_comes_before_like_slots_of_other_tools() -> None:
    weather = tool("getForecast", location="string")
    state = fold(
        [
            turn("t1", "Hotel", call("findHotel", city="Ghent")),
            turn("t2", "Weather", call("getForecast", location="Oslo")),
            turn("t3", "Trains", call("trains", departure_city="Bonn")),
        ]
    )
    found = lookup(state, weather, "location")
    assert found is not None
    assert found.slot == ("getForecast", "location")
    assert [(one.value, one.similarity) for one in found.candidates] == [("Oslo", 1.0), ("Ghent", 0.5), ("Bonn", 0.25)]


@pytest.mark.parametrize(
    ("slot", "tool_name", "parameter", "similarity"),
    [
        (Slot("getForecast", "location"), "getForecast", "location", 1.0),
        (Slot("trains", "travelDate"), "weather", "travel_date", 0.5),
        (Slot("trains", "travelDate"), "weather", "date", 0.25),
        (Slot("trains", "from_city"), "trains", "to_city", 0.0),
        (Slot("getCityForecast", "format"), "getCityAQI", "format", 0.5),
        (Slot("getCityForecast", "format"), "getBooks", "format", 0.0),
        (Slot("pay", "account_id"), "refund", "account_id", 0.5),
        (Slot("pay", "account_id"), "refund", "user_id", 0.0),
        (Slot("pay", "id"), "refund", "account_id", 0.0),
        (Slot("find", "filter.city"), "weather", "location", 0.5),
        (Slot("find", "city"), "weather", "country", 0.0),
        (Slot("bookTable", "allergies"), "bookTable", "allergies", 1.0),
        (Slot("bookTable", "allergies"), "findRecipe", "allergies", 0.0),
        (Slot("refillPrescription", "pharmacy_city"), "findHotel", "city", 0.0),
    ],
)
def test_how_far_a_slot_speaks_for_another(slot: Slot, tool_name: str, parameter: str, similarity: float) -> None:
    wanted = Parameter(name=parameter)
    assert context_similarity(slot, Tool(name=tool_name, parameters=(wanted,), definition={}), wanted) == similarity


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        (Parameter(name="a", type="string"), "x", True),
        (Parameter(name="a", type="string"), ["x"], False),
        (Parameter(name="a", type="integer"), 3, True),
        (Parameter(name="a", type="integer"), True, False),
        (Parameter(name="a", type="number"), 3, True),
        (Parameter(name="a", type="integer"), 3.5, False),
        (Parameter(name="a", type="any"), {"k": 1}, True),
        (Parameter(name="a", type="string", enum=("x", "y")), "z", False),
        (Parameter(name="a", type="array", enum=("x", "y")), ["x"], True),
    ],
)
def test_only_values_that_an_argument_takes(parameter: Parameter, value: JsonValue, expected: bool) -> None:
    assert accepts(parameter, value) is expected


def test_nothing_known_is_none() -> None:
    state = fold([turn("t1", "Hotel", call("findHotel", city=["Ghent", "Oslo"]))])
    assert lookup(state, tool("getForecast", city="string"), "city") is None
    assert lookup(state, tool("getForecast", days="integer"), "days") is None
    assert fold([]) == UserState({})


requests = st.sampled_from(
    ["Book it", "From now on this", "Just this once", "Undo that.", "Actually, no", "For my wife."]
)
seat_values = st.sampled_from(["aisle", "window", "middle"])
logs = st.lists(st.tuples(requests, seat_values), max_size=8).map(
    lambda rows: [turn(f"t{n}", request, call("book", seat=seat)) for n, (request, seat) in enumerate(rows)]
)


@given(logs)
def test_every_piece_of_evidence_is_in_the_state_once_and_current_values_are_distinct(log: list[Turn]) -> None:
    state = fold(log)
    folded = [kept for slot in state.slots.values() for one in slot.candidates for kept in one.evidence]
    assert sorted(folded, key=repr) == sorted(extract_all(log), key=repr)
    for slot in state.slots.values():
        current = [one.evidence[0].value_key for one in slot.current]
        assert len(current) == len(set(current))
        assert all(
            one.until is not None and one.last < one.until for one in slot.candidates if one.status == "superseded"
        )


@given(logs, st.data())
def test_without_a_turn_the_state_is_as_if_it_had_never_been(log: list[Turn], data: st.DataObject) -> None:
    index = data.draw(st.integers(min_value=0, max_value=len(log)))
    gone = [one for position, one in enumerate(log) if position != index]
    turn_ids = {kept.turn_id for slot in fold(gone).slots.values() for one in slot.candidates for kept in one.evidence}
    assert f"t{index}" not in turn_ids
    assert fold(gone) == fold([Turn(**one.model_dump()) for one in gone])
