"""Requests of many pages: how much of them is read."""

from __future__ import annotations

from datetime import datetime

from agent.planners.rules import RulesPlanner
from clarifier.decision import Situation
from memory.evidence import Slot
from memory.language.values.amounts import lengths_of_time
from memory.language.values.mentions import READ_CHARACTERS
from memory.ranking.turn_features import read_turn
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.state.extraction import extract, read
from tests.agent.test_rules_planner import TOOLS

NOW = datetime(2026, 3, 9, 7, 36)


def test_of_a_long_request_the_beginning_is_read() -> None:
    request = "Find a ferry from Dover to Calais." + " so" * (READ_CHARACTERS // 3)
    told = Situation(request + ", on 2 May at 9:30.", TOOLS, now=NOW)
    assert len(request) > READ_CHARACTERS
    assert RulesPlanner().plan(told) == RulesPlanner().plan(Situation(request[:READ_CHARACTERS], TOOLS, now=NOW))
    [call] = RulesPlanner().plan(told).calls
    assert call.arguments == {"origin": "Dover", "destination": "Calais"}


def test_of_a_long_turn_the_beginning_speaks_for_the_person() -> None:
    request = "Always window seats for me." + " so" * (READ_CHARACTERS // 3) + ". I am allergic to nuts."
    call = ToolCall(id="1", name="book_train", arguments={"seat": "window", "car": 3})
    turn = Turn(
        turn_id="t1",
        request=request,
        steps=(CallStep(calls=(call,), observations=(Observation(content="done"),)),),
    )
    begun = turn.model_copy(update={"request": request[:READ_CHARACTERS]})
    [seat, car] = extract(turn, 0)
    assert (seat.slot, seat.value, seat.kind, seat.is_said) == (Slot("book_train", "seat"), "window", "standing", True)
    assert (car.slot, car.value, car.is_said) == (Slot("book_train", "car"), 3, False)
    assert read(turn, 0) == read(begun, 0)
    assert read_turn(turn) == read_turn(begun)


def test_amounts_are_read_in_the_beginning_of_a_long_text() -> None:
    text = "20 minutes" + " so" * (READ_CHARACTERS // 3) + ", two hours"
    assert list(lengths_of_time(text)) == [20 * 60]
