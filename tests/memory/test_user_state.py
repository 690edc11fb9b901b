from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from memory.evidence import Evidence, Kind, Slot
from memory.records import Turn
from memory.state.extraction import extract_all
from memory.state.user_state import Candidate, SlotState, UserState, accepts, context_similarity, fold, fold_evidence
from memory.tools import Parameter, Tool, ValueType
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


def test_a_rule_that_comes_on_top_closes_nothing() -> None:
    added = Evidence(SEAT, "window", "accepted_call", "standing", "t2", 2, is_added=True)
    assert seats(piece("aisle", 0, "standing"), added) == [
        ("window", "current", 2, None, ("t2",)),
        ("aisle", "current", 0, None, ("t0",)),
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


STORIES = [
    turn("a", "A window seat, please", call("book", seat="window")),
    turn("b", "Book the next one", call("book", seat="window")),
    turn("c", "From now on the aisle", call("book", seat="aisle")),
    turn("d", "The window, just this once", call("book", seat="window")),
    turn("e", "I love Chinese food"),
    turn("f", "I can't stand Chinese food any more"),
    turn("g", "My name is Ada and I live in Ghent"),
    turn("h", "We moved to Oslo"),
    turn("i", "Weather here", call("getForecast", city="Oslo")),
    turn("j", "Undo that"),
    turn("k", "以后都坐靠窗", call("订票", 座位="靠窗")),
]


@given(st.permutations(STORIES), st.integers(min_value=0, max_value=len(STORIES)))
def test_the_state_as_of_a_turn_is_that_of_the_turns_until_then(log: list[Turn], count: int) -> None:
    assert fold(log, as_of=count - 1) == fold(log[:count])


@given(st.permutations(STORIES), st.sampled_from(STORIES))
def test_a_turn_that_is_deleted_has_never_been(log: list[Turn], gone: Turn) -> None:
    left = [one for one in log if one is not gone]
    state = fold(left)
    named = {piece.turn_id for slot in state.slots.values() for one in slot.candidates for piece in one.evidence}
    echoed = {piece.echo_of for slot in state.slots.values() for one in slot.candidates for piece in one.evidence}
    assert gone.turn_id not in named | echoed
    # Nothing of the turn is in any cache either: from copies of the others comes the same state.
    assert state == fold([Turn.model_validate(one.model_dump()) for one in left])


@given(st.lists(st.sampled_from(["aisle", "window", "middle"]), max_size=5), st.data())
def test_turns_about_other_slots_change_nothing_wherever_they_stand(values: list[str], data: st.DataObject) -> None:
    own = [turn(f"s{n}", f"The {value}", call("book", seat=value)) for n, value in enumerate(values)]
    others = [turn(f"o{n}", "Weather", call("getForecast", city=city)) for n, city in enumerate(["Ghent", "Oslo"])]
    mixed = list(own)
    for one in others:
        mixed.insert(data.draw(st.integers(min_value=0, max_value=len(mixed))), one)

    def seen(log: list[Turn]) -> list[tuple[JsonValue, str, tuple[str, ...]]]:
        slot = fold(log).slots.get(SEAT)
        return [(one.value, one.status, one.turn_ids) for one in slot.candidates] if slot else []

    assert seen(mixed) == seen(own)


def dated(turn_id: str, request: str, seat: str, time: datetime | None) -> Turn:
    """Return a turn that booked a seat at a time."""
    return turn(turn_id, request, call("book", seat=seat)).model_copy(update={"time": time})


def test_the_state_as_of_a_time() -> None:
    zone = timezone(timedelta(hours=8))
    log = [
        dated("a", "The aisle", "aisle", datetime(2026, 3, 1, 9, tzinfo=zone)),
        dated("b", "The middle", "middle", None),  # belongs with the one before
        dated("c", "The window", "window", datetime(2026, 3, 3, 0, 30, tzinfo=zone)),
    ]

    def values(as_of: datetime) -> list[JsonValue]:
        slot = fold(log, as_of=as_of).slots.get(SEAT)
        return [one.value for one in slot.current] if slot else []

    assert values(datetime(2026, 3, 1, 8, tzinfo=zone)) == []
    assert values(datetime(2026, 3, 1, 9, tzinfo=zone)) == ["middle", "aisle"]
    assert values(datetime(2026, 3, 3, 0, 29)) == ["middle", "aisle"]
    assert values(datetime(2026, 3, 3, 0, 30)) == ["window", "middle", "aisle"]


def test_evidence_is_used_as_long_as_it_is_retained() -> None:
    log = [
        dated("a", "The aisle", "aisle", datetime(2026, 3, 1)),
        dated("b", "Always the middle", "middle", datetime(2026, 3, 2)),
        dated("c", "The window", "window", datetime(2026, 3, 30)),
        dated("d", "The exit row", "exit row", None),  # of unknown age
    ]

    def values(**days: float) -> list[JsonValue]:
        retention: dict[Kind, float] = {"plain": days.get("plain", 999), "standing": days.get("standing", 999)}
        return [one.value for one in fold(log, retention=retention).slots[SEAT].current]

    assert values() == ["exit row", "window", "middle"]
    assert values(plain=28) == ["exit row", "window", "middle"]
    assert values(standing=28) == ["exit row", "window", "middle"]
    assert values(standing=27) == ["exit row", "window", "aisle"]
    assert values(standing=27, plain=28) == ["exit row", "window"]
    assert values(plain=0) == ["exit row", "window", "middle"]


def test_values_written_differently_are_one_candidate() -> None:
    log = [
        turn("a", "At 9:05", call("wake", at="9:05", place="臺北")),
        turn("b", "At 09:05", call("wake", at="09:05", place="台北")),
    ]
    state = fold(log)
    assert [(one.value, one.turn_ids) for one in state.slots[Slot("wake", "at")].current] == [("09:05", ("a", "b"))]
    assert [(one.value, one.turn_ids) for one in state.slots[Slot("wake", "place")].current] == [("台北", ("a", "b"))]


def test_being_against_one_value_leaves_the_others() -> None:
    assert seats(piece("aisle", 0), piece("window", 1), piece("aisle", 2, "negated")) == [
        ("aisle", "current", 2, None, ("t2",)),
        ("window", "current", 1, None, ("t1",)),
        ("aisle", "superseded", 0, 2, ("t0",)),
    ]
    state = fold_evidence([piece("aisle", 0), piece("window", 1), piece("aisle", 2, "negated")]).slots[SEAT]
    assert ([one.value for one in state.current], [one.value for one in state.unwanted]) == (["window"], ["aisle"])


def test_words_that_name_an_allowed_value_speak_as_an_argument_of_their_name_does() -> None:
    classes = Parameter(name="travel_class", enum=("first_class", "second_class"))
    trains = Tool(name="book_train", parameters=(classes,), definition={})
    state = fold([turn("t1", "I always travel second class.")])
    found = state.lookup(trains, classes)
    assert found is not None
    assert [(one.value, one.similarity, one.is_standing) for one in found.candidates] == [("second_class", 0.5, True)]


@pytest.mark.parametrize(
    ("said", "choices", "found"),
    [
        ("I prefer the aisle.", ("aisle", "window"), ["aisle"]),
        ("我喜欢二等座", ("一等座", "二等座"), ["二等座"]),
        ("我一直坐靠窗", ("靠窗", "过道"), ["靠窗"]),
        ("I love jazz.", ("folk", "jazz"), ["jazz"]),
        ("I love jazz festivals.", ("folk", "jazz"), []),
        ("I have a large garden.", ("large", "small"), []),
    ],
)
def test_what_is_liked_speaks_for_an_argument_that_allows_just_that(
    said: str, choices: tuple[str, ...], found: list[str]
) -> None:
    kind = Parameter(name="variant", enum=choices)
    state = fold([turn("t0", said)]).lookup(Tool(name="pick", parameters=(kind,), definition={}), kind)
    assert [one.value for one in (state.candidates if state else ())] == found


def test_a_lookup_by_names_says_what_it_takes() -> None:
    with pytest.raises(TypeError, match=r"lookup\(tool, tool.parameter\('milk'\)\); got 'order' and 'milk'$"):
        fold([]).lookup("order", "milk")  # type: ignore[arg-type]  # that is the point
    with pytest.raises(TypeError, match="and None, which it does not have"):
        fold([]).lookup(tool("order"), tool("order").parameter("milk"))  # type: ignore[arg-type]  # that too
