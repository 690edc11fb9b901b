"""What a person says after a turn that waits for something, as an answer to it."""

from __future__ import annotations

import pytest

from agent.planners.rules.open_request import resumed
from clarifier.decision import Situation
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from tests.fakes import make_tool

TOOLS = (make_tool("search_restaurants", "place"), make_tool("book_table", "restaurant_id", "time", "guests"))
FOUND = CallStep(
    calls=(ToolCall(id="1", name="search_restaurants", arguments={"place": "Ghent"}),),
    observations=(Observation(content=[{"restaurant_id": "R8", "name": "Blue Door"}]),),
)
ASKED = QuestionStep(
    question="Which restaurant, what time and how many people?",
    answer="Blue Door",
    slots=("book_table.restaurant_id", "book_table.time", "book_table.guests"),
)
OPEN = Turn(
    turn_id="t1", request="Book me a table in Ghent", steps=(FOUND, ASKED), reply="I still do not know the time."
)


def after(turn: Turn, request: str) -> Situation:
    item = RecallItem("topic", (turn.turn_id,), turn.request, 4, turn=turn)
    return Situation(request=request, tools=TOOLS, recall=Recall((item,)))


@pytest.mark.parametrize("request_", ["for two at seven tomorrow", "At seven, two of us", "晚上七点，两个人"])
def test_the_open_request_goes_on_with_the_answer(request_: str) -> None:
    found = resumed(after(OPEN, request_))
    answer = QuestionStep(question="I still do not know the time.", answer=request_, slots=ASKED.slots)
    assert (found.request, found.steps) == ("Book me a table in Ghent", (FOUND, ASKED, answer))


@pytest.mark.parametrize(
    "request_",
    ["Cancel my booking", "Which other restaurants are there?", "forget it", "whatever", "no idea"],
)
def test_another_request_is_one_of_its_own(request_: str) -> None:
    here = after(OPEN, request_)
    assert resumed(here) is here


def test_nothing_is_open_where_the_call_was_made_or_called_off() -> None:
    booked = CallStep(
        calls=(ToolCall(id="2", name="book_table", arguments={}),), observations=(Observation(content="ok"),)
    )
    off = QuestionStep(question=ASKED.question, answer="Forget it", slots=ASKED.slots)
    for steps in ((FOUND, ASKED, booked), (FOUND, off), (FOUND,)):
        here = after(OPEN.model_copy(update={"steps": steps}), "for two at seven tomorrow")
        assert resumed(here) is here


def test_an_answer_that_told_nothing_is_left_out() -> None:
    vague = ASKED.model_copy(update={"answer": "whatever"})
    found = resumed(after(OPEN.model_copy(update={"steps": (FOUND, vague)}), "for two at seven"))
    assert [step.answer for step in found.steps if isinstance(step, QuestionStep)] == ["for two at seven"]
