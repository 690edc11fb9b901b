"""What a person lets be used for so long only is neither recalled nor believed from the moment it lapses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory import Memory, Scope
from memory.evidence import Slot
from memory.state.user_state import fold
from memory.storage.user_settings import UserSettings
from memory.strategies import STRATEGIES, open_strategy
from tests.fakes import HashingEmbedder, make_tool
from tests.memory.turns import call, turn

ANN = Scope("ann")
SEAT = Slot("book_train", "seat")
DAY = datetime(2026, 3, 1, 12)
TURNS = (
    turn("once", "Book a train to Turin, an aisle seat", call("book_train", to="Turin", seat="aisle", meal="tea")),
    turn("rule", "I always want a window seat on a train", call("book_train", to="Rome", seat="window")),
    turn("talk", "What a lovely train that was!"),
)
TOOLS = [make_tool("book_train", "to", "seat", "meal")]
WEEK = UserSettings(retention_days={"plain": 7})


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=HashingEmbedder(dimensions=64)) as memory:
        memory.user(ANN).remember_all(item.model_copy(update={"time": DAY}) for item in TURNS)
        memory.user(ANN).settle(WEEK)
        yield memory


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"none"}))
def test_a_lapsed_turn_is_recalled_by_no_strategy(memory: Memory, strategy: str) -> None:
    recalling = open_strategy(strategy, memory.user(ANN))

    def recalled(after: timedelta) -> tuple[set[str], bool]:
        found = recalling.recall("a train to Turin, which seat?", TOOLS, DAY + after, 2000)
        text = "\n".join(item.text for item in found.items)
        return {turn_id for item in found.items for turn_id in item.turn_ids}, "Turin" in text or "aisle" in text

    turn_ids, is_told = recalled(timedelta(days=7))
    assert ("once" in turn_ids, is_told) == (True, True)
    turn_ids, is_told = recalled(timedelta(days=7, seconds=1))
    assert ("once" in turn_ids, "rule" in turn_ids, is_told) == (False, True, False)
    memory.user(ANN).settle(UserSettings())
    assert "once" in recalled(timedelta(days=7, seconds=1))[0]


def test_the_state_is_without_it_too(memory: Memory) -> None:
    def believed(after: timedelta) -> list[object]:
        state = fold(memory.user(ANN).turns(), now=DAY + after, retention=WEEK.retention_days)
        return [candidate.value for candidate in state.slots[SEAT].candidates]

    assert believed(timedelta(days=7)) == ["window", "aisle"]
    assert believed(timedelta(days=7, seconds=1)) == ["window"]


@pytest.mark.parametrize("days", [3e6, 1e300])
def test_a_lapse_beyond_the_calendar_never_comes(memory: Memory, days: float) -> None:
    state = fold(memory.user(ANN).turns(), now=DAY, retention={"plain": days})
    assert [candidate.value for candidate in state.slots[SEAT].candidates] == ["window", "aisle"]


def test_what_was_never_evidence_and_what_has_no_time_stay(memory: Memory) -> None:
    user = memory.user(ANN)
    user.remember(turn("undated", "A train to Oslo", call("book_train", to="Oslo", seat="middle")))
    recall = open_strategy("full", user).recall("x", TOOLS, DAY + timedelta(days=400), 0)
    assert [shown.turn_id for shown in recall.turns] == ["rule", "talk", "undated"]
