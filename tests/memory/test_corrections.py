from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue

from memory.evidence import Evidence, Slot
from memory.state.corrections import correction, is_state_correction
from memory.state.extraction import extract, extract_all
from memory.state.topic import running_topic
from memory.state.user_state import fold
from memory.tools import Tool
from tests.memory.turns import call, turn

SEAT = Slot("book", "seat")
NOON = datetime(2026, 3, 9, 12)


@pytest.mark.parametrize("value", ["aisle", 5, True, ["a", 1], {"k": None}, None])
def test_a_correction_is_a_turn_that_says_one_thing(value: JsonValue) -> None:
    corrected = correction(SEAT, value, turn_id="c1", time=NOON)
    assert is_state_correction(corrected)
    assert extract(corrected, 4) == (Evidence(SEAT, value, "correction", "standing", "c1", 4, NOON),)


def test_it_supersedes_habits_and_rules_and_a_newer_rule_supersedes_it() -> None:
    log = [
        turn("t1", "Always the window", call("book", seat="window")),
        correction(SEAT, "aisle", turn_id="c1"),
    ]
    assert [(one.value, one.status) for one in fold(log).slots[SEAT].candidates] == [
        ("aisle", "current"),
        ("window", "superseded"),
    ]
    later = [*log, turn("t2", "From now on the middle", call("book", seat="middle"))]
    assert [one.value for one in fold(later).slots[SEAT].current] == ["middle"]
    assert [one.value for one in fold([log[0]]).slots[SEAT].current] == ["window"]


def test_it_says_that_a_value_is_not_meant() -> None:
    log = [turn("t1", "The window", call("book", seat="window"))]
    log.append(correction(SEAT, "window", turn_id="c1", is_negated=True))
    assert fold(log).slots[SEAT].current == ()
    assert [one.value for one in fold(log).slots[SEAT].unwanted] == ["window"]


def test_it_takes_nothing_back_whatever_its_words() -> None:
    log = [
        turn("t1", "Pay 5", call("pay", memo="lunch", amount=5)),
        correction(Slot("pay", "memo"), "取消 cancel that, actually", turn_id="c1"),
    ]
    assert [str(piece.slot) for piece in extract_all(log)] == ["pay.memo", "pay.amount", "pay.memo"]


def test_it_leaves_the_running_topic_whole() -> None:
    tools = [Tool(name="book", definition={})]
    fixed = correction(SEAT, "aisle", turn_id="c1")
    first = turn("t1", "Book it", call("book", seat="window"), topic="x")
    second = turn("t2", "And back", call("book", seat="window"), topic="x")
    assert running_topic([turn("t0", "News", call("news")), first, fixed, second, fixed], tools) == 1
    assert running_topic([fixed], tools) == 1
    assert running_topic([first, fixed], tools) == 0
