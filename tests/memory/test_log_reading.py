"""Reading a log as it grows gives what reading it at once gives, and nothing of turns that are gone."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from memory import Memory, Scope
from memory.evidence import Slot
from memory.records import Step, Turn
from memory.state.concepts import context_similarity
from memory.state.extraction import extract_all
from memory.state.user_state import UserState, fold, fold_evidence
from memory.storage.sql_turn_log import SqlTurnLog
from memory.strategies import open_strategy
from memory.strategies._log_reading import LogMoment, LogReading
from memory.strategies._ranked_log import RankedLog
from tests.fakes import HashingEmbedder, make_tool
from tests.memory.test_strategies import Shelf
from tests.memory.turns import asked, call, turn

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAYINGS = (
    "Book a window seat to Ghent",
    "From now on always a window seat",
    "All this week always the aisle",
    "Actually no, I meant Oslo",
    "Undo that please",
    "Never mind, cancel it",
    "Just this once an aisle seat",
    "I like green tea and I hate coffee",
    "I don't like green tea any more",
    "For my wife please, Oslo",
    "For work trips always the aisle",
    "I have a bike",
    "I sold the bike",
    "Again",
)
CALLS: tuple[tuple[Step, ...], ...] = (
    (),
    (call("bookSeat", seat="window", city="Ghent"),),
    (call("bookSeat", seat="aisle", city="Oslo"), call("findHotel", location="Oslo", guests=2)),
    (asked("Which seat?", "window, always"), call("bookSeat", seat="window")),
    (call("getForecast", city="Ghent", day="2026-03-02"),),
)
turns_of_log = st.lists(st.tuples(st.sampled_from(SAYINGS), st.sampled_from(CALLS), st.booleans()), max_size=9)


def log_of(parts: Sequence[tuple[str, tuple[Step, ...], bool]]) -> list[Turn]:
    return [
        Turn(
            turn_id=f"t{number}",
            request=request,
            steps=steps,
            reply="Do you like tea?" if is_timed else "Done.",
            time=START + timedelta(days=3 * number) if is_timed else None,
        )
        for number, (request, steps, is_timed) in enumerate(parts)
    ]


def same(moment: LogMoment, turns: Sequence[Turn]) -> None:
    """Assert that `moment` is what reading `turns` at once gives."""
    evidence = extract_all(turns)
    state = fold(turns)
    assert moment.turns == tuple(turns)
    assert [repr(piece) for pieces in moment.evidence for piece in pieces] == [repr(piece) for piece in evidence]
    assert moment.state == state
    assert list(moment.state.slots) == list(state.slots)
    for tool in (make_tool("findHotel", "location", "seat"), make_tool("bookSeat", "seat", "city", "tea")):
        for parameter in tool.parameters:
            assert moment.state.lookup(tool, parameter) == state.lookup(tool, parameter)
    for name in ("bookSeat", "findHotel", "none"):
        calling = [any(call.name == name for call in one.calls) for one in turns]
        assert moment.calling([name]).tolist() == calling


@settings(max_examples=60, deadline=None)
@given(parts=turns_of_log, gone=st.integers(0, 8))
def test_folding_new_turns_equals_folding_them_all(parts: list[tuple[str, tuple[Step, ...], bool]], gone: int) -> None:
    log = log_of(parts)
    shelf, reading = Shelf(), LogReading()
    for one in log:
        shelf.log.append(one)
        same(reading.moment(shelf, None), shelf.log)
    del shelf.log[gone : gone + 1]
    same(reading.moment(shelf, None), shelf.log)
    shelf.log.append(turn("new", "Undo that", call("bookSeat", seat="middle")))
    same(reading.moment(shelf, None), shelf.log)


def test_an_earlier_moment_stays_as_it_was() -> None:
    shelf, reading = Shelf([turn("t0", "Window please", call("bookSeat", seat="window"))]), LogReading()
    before = reading.moment(shelf, None)
    kept = repr((before.turns, before.evidence, before.state.slots))
    shelf.log.append(turn("t1", "Undo that", call("findHotel", location="Oslo")))
    assert [str(slot) for slot in reading.moment(shelf, None).state.slots] == ["findHotel.location"]
    assert repr((before.turns, before.evidence, before.state.slots)) == kept
    assert before.calling(["findHotel"]).tolist() == [False]


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_reading_some_turns_at_a_time_ends_with_all(limit: int) -> None:
    log = log_of([(saying, CALLS[number % len(CALLS)], True) for number, saying in enumerate(SAYINGS)])
    for kind in (LogReading, RankedLog):
        reading, shelf, steps = kind(), Shelf(log), 1
        while reading.follow(shelf, limit):
            steps += 1
        assert steps == -(-len(log) // limit)
    reading = LogReading()
    reading.follow(Shelf(log), limit)
    same(reading.moment(Shelf(log), None), log)


def brute_lookup(state: UserState, tool_name: str, *parameters: str) -> None:
    """Assert that only slots that `lookup` looks at are similar to an argument."""
    tool = make_tool(tool_name, *parameters)
    for parameter in tool.parameters:
        near = set(state.nouns.near(Slot(tool.name, parameter.name)))
        similar = {slot for slot in state.slots if context_similarity(slot, tool, parameter) > 0}
        assert similar <= near


def test_lookup_passes_over_no_similar_slot() -> None:
    names = ("city", "departure_city", "location", "userName", "name", "person.full_name", "date", "_", "邮箱", "email")
    log = [turn(f"t{n}", "My name is Ann", call(f"tool{n}", **{name: "x"})) for n, name in enumerate(names)]
    state = fold_evidence(extract_all(log))
    assert {slot.tool for slot in state.slots} >= {"@person", "tool0"}
    brute_lookup(state, "tool0", *names, "passenger_name", "to")
    brute_lookup(state, "other", *names, "passenger_name", "to")


def test_what_was_read_goes_with_an_erasure_and_serves_nobody_else(tmp_path: Path) -> None:
    secret = turn("t0", "I always want the aisle, code name bluebird", call("bookSeat", seat="aisle"), reply="Done.")
    other = turn("t1", "Rain in Ghent?", call("getForecast", city="Ghent"), reply="Dry.")
    tools = [make_tool("bookSeat", "seat"), make_tool("getForecast", "city")]
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        ann, bob = memory.user(Scope("ann")), memory.user(Scope("bob"))
        strategies = [open_strategy("stead", user) for user in (ann, bob)]
        ann.remember_all([secret, other])
        ann.wait_indexed()
        shown = repr(strategies[0].recall("My usual seat", tools, None, 600))
        assert "bluebird" in shown
        assert "aisle" in shown
        assert repr(strategies[1].recall("My usual seat", tools, None, 600)) == "Recall(items=())"
        memory.erase(Scope("ann"), turn_ids=["t0"])
        after = strategies[0].recall("My usual seat", tools, None, 600)
        assert after == open_strategy("stead", Shelf([other])).recall("My usual seat", tools, None, 600)
        assert ann.keep(LogReading).moment(ann, None).turns == (other,)
        memory.erase(Scope("ann"))
        assert strategies[0].recall("My usual seat", tools, None, 600).items == ()


def texts_within(start: object) -> set[str]:
    """Return every text that is reachable from `start` through data, not through code or what the fake notes down."""
    seen: dict[int, object] = {}
    waiting: list[object] = [start]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen and not isinstance(one, type | ModuleType | FunctionType | HashingEmbedder):
            seen[id(one)] = one
            waiting.extend(gc.get_referents(one))
    return {one for one in seen.values() if isinstance(one, str)}


@pytest.mark.parametrize("name", ["stead", "lexical", "hybrid"])
def test_no_strategy_holds_words_of_an_erased_turn(tmp_path: Path, name: str) -> None:
    result: JsonValue = [{"name": "Robin crane"}, {"name": "Bluebird plot"}]
    secret = turn("t0", "From now on the bluebird plot", call("listPlots", returns=result), reply="Yes, the bluebird.")
    other = turn("t1", "Rain in Ghent?", call("getForecast", city="Ghent"), reply="Dry.")
    tools = [make_tool("bookPlot", "plot"), make_tool("getForecast", "city")]
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        ann = memory.user(Scope("ann"))
        strategy = open_strategy(name, ann)
        ann.remember_all([secret, other])
        ann.wait_indexed()
        assert "t0" in repr(strategy.recall("Rain on my plot", tools, None, 600))
        assert any("bluebird" in text.casefold() for text in texts_within(strategy))
        memory.erase(Scope("ann"), turn_ids=["t0"])
        assert not any("bluebird" in text.casefold() for text in texts_within(strategy))


def test_what_another_process_erased_is_not_held_once_it_is_noticed(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        ann = memory.user(Scope("ann"))
        strategy = open_strategy("stead", ann)
        ann.remember_all([turn("t0", "From now on the bluebird plot"), turn("t1", "Rain in Ghent?")])
        ann.wait_indexed()
        strategy.recall("Rain on my plot", [make_tool("bookPlot", "plot")], None, 600)
        with closing(SqlTurnLog(f"sqlite:///{tmp_path}/turns.sqlite")) as log:
            log.forget(Scope("ann"), ["t0"])
        assert [one.turn_id for one in ann.turns()] == ["t1"]
        assert not any("bluebird" in text for text in texts_within(strategy))


def test_what_was_released_is_read_again(tmp_path: Path) -> None:
    log = log_of([(saying, CALLS[number % len(CALLS)], True) for number, saying in enumerate(SAYINGS)])
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        user = memory.user(Scope("ann"))
        strategy = open_strategy("stead", user)
        user.remember_all(log)
        tools = [make_tool("bookSeat", "seat")]
        before = strategy.recall("My usual seat", tools, None, 600)
        user.wait_indexed()
        assert user.turns_in_memory == len(log)
        user.release()
        assert user.turns_in_memory == 0
        assert strategy.recall("My usual seat", tools, None, 600) == before


def test_a_rule_ends_with_its_time_though_nothing_was_said_since() -> None:
    seat = call("bookSeat", seat="aisle")
    ruled = Turn(turn_id="t0", request="Until Friday always book the aisle", steps=(seat,), time=START)  # a Sunday
    shelf = Shelf([ruled, Turn(turn_id="t1", request="Thanks", time=START + timedelta(days=1))])
    slot = Slot("bookSeat", "seat")
    moment = LogReading().moment(shelf, None)
    assert [one.status for one in moment.state.slots[slot].candidates] == ["current"]
    assert moment.at(START + timedelta(days=2)) is moment
    after = moment.at(START + timedelta(days=6))
    assert [one.status for one in after.state.slots[slot].candidates] == ["expired"]
    shelf.log.append(Turn(turn_id="t2", request="Hello", time=START + timedelta(days=6)))
    assert LogReading().moment(shelf, None).state == after.state == fold(shelf.log)


@pytest.mark.parametrize("is_followed", [False, True])
@pytest.mark.parametrize("name", ["full", "recent", "stead"])
def test_a_rule_that_has_ended_fills_nothing_by_way_of_its_turn(name: str, is_followed: bool) -> None:
    seat = call("bookSeat", seat="aisle")
    log = [Turn(turn_id="t0", request="Until Friday always book the aisle", steps=(seat,), time=START)]  # a Sunday
    if is_followed:
        log.append(Turn(turn_id="t1", request="Hello", time=START + timedelta(days=7)))
    strategy, tools = open_strategy(name, Shelf(log)), [make_tool("bookSeat", "seat")]
    within = strategy.recall("Book a seat", tools, START + timedelta(hours=1), 900)
    after = strategy.recall("Book a seat", tools, START + timedelta(days=8), 900)
    assert is_followed or "aisle" in {piece.value for piece in within.evidence}
    assert "always book the aisle" in " ".join(item.text for item in after.items)
    assert "aisle" not in {piece.value for piece in after.evidence}
