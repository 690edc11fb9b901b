"""What of results, topic and tools is sent where there is little room."""

from __future__ import annotations

import json

import pytest

from agent.planners.chat import ChatPlanner
from agent.planners.prompt_shares import RESULTS_SHARE, fitting_tools, tools_taken, within_shares
from agent.settings import ChatSettings
from clarifier.decision import Situation
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.tokens import count_tokens
from tests.chat_server import ChatServer, Reply, fails, says
from tests.fakes import make_tool

MANY = tuple(make_tool(f"tool_{number}", description=f"Does thing {number}") for number in range(200))
WEATHER = make_tool("get_weather", "city", description="Tells the weather of a city")


def called(name: str, *contents: str) -> CallStep:
    calls = tuple(ToolCall(id=f"c{place}", name=name, arguments={}) for place in range(len(contents)))
    return CallStep(calls=calls, observations=tuple(Observation(content=one) for one in contents))


def test_results_are_cut_to_their_share_and_small_ones_stay_whole() -> None:
    situation = Situation("go on", (WEATHER,), steps=(called("get_weather", "x" * 5_000_000, "sunny"),))
    cut = within_shares(situation, 8000)
    step = cut.situation.call_steps[0]
    long, small = (str(one.content) for one in step.observations)
    assert small == "sunny"
    assert long.endswith("… [cut: the first 12,792 of 5,000,000 characters]")
    assert count_tokens(long) <= 8000 * RESULTS_SHARE + 20
    assert cut.notes == ("1 results of this turn were cut to their share of 8000 tokens",)
    assert within_shares(situation, None).situation is situation


def test_results_of_the_topic_have_a_share_of_their_own() -> None:
    turn = Turn(turn_id="t1", request="what is it like", steps=(called("get_weather", "天" * 9000),), reply="warm")
    item = RecallItem("topic", ("t1",), "what is it like", 4, turn=turn)
    cut = within_shares(Situation("and now", (WEATHER,), Recall((item,))), 8000)
    (shown,) = cut.situation.recall.topic_turns
    assert "… [cut: the first 1,000 of 9,000 characters]" in json.dumps(
        shown.model_dump(mode="json"), ensure_ascii=False
    )


def test_of_too_many_tools_the_fitting_and_the_used_ones_are_offered_in_their_order() -> None:
    turn = Turn(turn_id="t1", request="do it", steps=(called("tool_150", "done"),))
    recall = Recall((RecallItem("turn", ("t1",), "do it", 2, turn=turn),))
    situation = Situation("the weather of Rome", (*MANY, WEATHER), recall, (called("tool_199", "done"),))
    names = [tool.name for tool in fitting_tools(situation, most=10, tokens=None)]
    assert names == [*(f"tool_{number}" for number in range(7)), "tool_150", "tool_199", "get_weather"]
    assert fitting_tools(situation, most=500, tokens=None) is situation.tools
    assert len(fitting_tools(situation, most=None, tokens=1)) == 8


@pytest.mark.parametrize(
    ("refusal", "most"),
    [
        ("Invalid 'tools': array too long. Expected an array with maximum length 128, but got 201 instead.", 128),
        ("The number of tools must be at most 64", 64),
        ("tools: too many (limit 16)", 16),
        ("temperature must be at most 2", None),
        ("tools: 'strict' is not supported", None),
    ],
)
def test_the_number_that_a_refusal_names_is_read(refusal: str, most: int | None) -> None:
    assert tools_taken(refusal, 201) == most


def test_an_endpoint_that_takes_fewer_tools_is_asked_once_more_and_remembered() -> None:
    refused = fails(400, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got 202.")
    script: tuple[Reply, ...] = (refused, says("Sunny."), says("Sunny."))
    situation = Situation("the weather of Rome", (*MANY, WEATHER))
    with ChatServer(*script) as server:
        settings = ChatSettings(base_url=server.base_url, api_key="sk-test", model="m", max_retries=0)
        with ChatPlanner(settings) as planner:
            first, second = planner.plan(situation), planner.plan(situation)
        sent = [[tool["function"]["name"] for tool in request["tools"]] for request in server.requests]
    assert [len(names) for names in sent] == [202, 128, 128]
    assert "get_weather" in sent[1]
    assert first.reply == second.reply == "Sunny."
    assert "127 of 201 tools were offered, those that fit the request best" in first.notes
    assert len(first.attempts) == 1
    assert second.attempts == ()
