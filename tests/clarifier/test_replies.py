"""Answers that give nothing."""

from __future__ import annotations

import pytest

from clarifier.clarifier import decide
from clarifier.decision import Answer
from clarifier.grounding.replies import calls_off, leaves_open
from clarifier.policy import open_policy
from tests.clarifier.samples import FORECAST, asked, call, calls, situation

OPEN = [
    "whatever",
    "I don't know.",
    "I'm not sure, sorry",
    "no idea",
    "Any of them",
    "You decide",
    "doesn't matter",
    "随便",
    "都可以吧",
    "我不知道",
    "你定吧",
    "Why do you ask?",
    "你问这个干嘛？",
]
OFF = ["forget it", "Never mind, thanks", "Actually, cancel that", "Don't bother", "算了", "那不用了", "取消吧"]
TELLING = [
    "Turin",
    "I don't know Turin",
    "any train after nine",
    "the first one",
    "not before six",
    "都江堰",
    "定海",
    "No 7",
    "Milan?",
]


@pytest.mark.parametrize("answer", OPEN)
def test_an_answer_that_leaves_it_open_names_nothing(answer: str) -> None:
    """Nor does a planner's reading of it: `whatever` is no town."""
    assert leaves_open(answer)
    step = asked("Which city?", answer, "get_forecast.city")
    here = situation("The weather, please", FORECAST, steps=(step,))
    decision = decide(here, calls(call("get_forecast", city=answer)), policy=open_policy("benchmark"))
    assert decision.reasons[0].grounds == "none"
    assert isinstance(decision, Answer)
    assert decision.reply.startswith("I still do not know the name of the city")


@pytest.mark.parametrize("answer", OFF)
def test_an_answer_that_calls_it_off_ends_the_turn(answer: str) -> None:
    assert calls_off(answer)
    step = asked("Which city?", answer, "get_forecast.city")
    here = situation("The weather for Lyon, please", FORECAST, steps=(step,))
    decision = decide(here, calls(call("get_forecast", city="Lyon")), policy=open_policy("product"))
    assert isinstance(decision, Answer)
    assert decision.reply == "All right, I have not done it."


@pytest.mark.parametrize("answer", TELLING)
def test_other_answers_are_read(answer: str) -> None:
    assert not leaves_open(answer)
    assert not calls_off(answer)


def test_a_day_is_no_town() -> None:
    step = asked("Which city?", "tomorrow", "get_forecast.city")
    here = situation("The weather, please", FORECAST, steps=(step,))
    decision = decide(here, calls(call("get_forecast", city="tomorrow")), policy=open_policy("benchmark"))
    assert isinstance(decision, Answer)
