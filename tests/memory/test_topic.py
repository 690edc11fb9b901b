from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory.records import Turn
from memory.state.topic import LONGEST, LONGEST_SILENCE, running_topic
from memory.tools import Tool
from tests.memory.turns import call, turn

WEATHER, TRAINS = (Tool(name=name, definition={}) for name in ("weather", "trains"))
RAIN = turn("r", "Rain?", call("weather"))
RIDE = turn("t", "A train", call("trains"))
CHAT = turn("c", "Thanks")


def test_the_run_of_last_turns_that_use_tools_on_offer() -> None:
    assert running_topic([RAIN, RIDE, RAIN, RAIN], [WEATHER]) == 2
    assert running_topic([RAIN, RIDE, RAIN], [WEATHER, TRAINS]) == 0


def test_talk_between_belongs_and_talk_before_does_not() -> None:
    assert running_topic([RIDE, CHAT, RAIN, CHAT, RAIN, CHAT], [WEATHER]) == 2


def test_no_topic_without_a_call_that_fits() -> None:
    assert running_topic([], [WEATHER]) == 0
    assert running_topic([RAIN, RIDE], [WEATHER]) == 2
    assert running_topic([CHAT, CHAT], [WEATHER]) == 2
    assert running_topic([RAIN], []) == 1


def test_a_known_topic_bounds_the_run_and_takes_in_its_talk() -> None:
    old, hello = turn("o", "Rain?", call("weather"), topic="1"), turn("h", "Hi", topic="2")
    new = turn("n", "Rain?", call("weather"), topic="2")
    assert running_topic([old, hello, new, new], [WEATHER]) == 1
    assert running_topic([old, new], [WEATHER]) == 1


def test_no_topic_is_longer_than_a_conversation() -> None:
    assert running_topic([RAIN] * (LONGEST + 10), [WEATHER]) == 10
    assert running_topic([RAIN] * LONGEST, [WEATHER]) == 0


def rain_at(hour: float) -> Turn:
    return RAIN.model_copy(update={"time": NOON + timedelta(hours=hour)})


NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def test_a_long_silence_ends_a_conversation_where_times_are_known() -> None:
    hours = LONGEST_SILENCE / timedelta(hours=1)
    turns = [rain_at(0), rain_at(1), rain_at(1 + hours), rain_at(1.5 + 2 * hours), RAIN]
    assert running_topic(turns, [WEATHER]) == 3
    assert running_topic(turns, [WEATHER], now=NOON + timedelta(hours=2 + 2 * hours)) == 3
    assert running_topic(turns, [WEATHER], now=NOON + timedelta(hours=2 + 3 * hours)) == 4
    assert running_topic(turns[:3], [WEATHER], now=NOON + timedelta(hours=1 + 2 * hours)) == 0
    assert running_topic([RAIN, RAIN], [WEATHER], now=NOON) == 0
