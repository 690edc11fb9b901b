"""The planner `chat` and the whole agent against a real model on a real server: `make test-local-model`.

The model is far too small to judge: what holds here holds whatever it samples. It is about the wire alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.agent import Agent
from agent.doctor import examine
from agent.planners.chat import ChatPlanner
from agent.providers import find_profile
from agent.settings import ChatSettings
from clarifier.decision import Proposal, Situation
from memory.memory import Memory
from memory.records import Observation, Scope, ToolCall
from memory.tools import parse_tool
from tests.fakes import RecordingExecutor, ScriptedUser
from tests.local_model_server import MODEL, local_model

pytestmark = [pytest.mark.local_model, pytest.mark.slow]

WEATHER = parse_tool(
    {
        "name": "get_weather",
        "description": "Returns the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "enum": ["Turin"]}},
            "required": ["city"],
        },
    }
)
REQUEST = "What is the weather in Turin?"
CALLS: dict[str, Any] = {"type": "function", "function": {"name": "get_weather"}}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with local_model() as base_url:
        yield base_url


def planner(url: str, tool_choice: Any = None, **changes: Any) -> ChatPlanner:
    profile = find_profile(None, {})
    if tool_choice is not None:
        profile = profile.model_copy(update={"extra_body": {"tool_choice": tool_choice}})
    chosen = {"base_url": url, "api_key": "none", "profile": profile, "max_tokens": 60, **changes}
    return ChatPlanner(ChatSettings(**chosen))


@pytest.mark.parametrize("stream", [False, True])
def test_a_plain_reply_comes_with_its_usage(url: str, stream: bool) -> None:
    with planner(url, stream=stream) as chat:
        assert chat.endpoint.model == MODEL
        proposal = chat.plan(Situation("Say hello to Ada.", ()))
    assert proposal.calls == ()
    assert proposal.reply or proposal.question
    assert stream or (proposal.usage.prompt > 300 and 0 < proposal.usage.completion <= 60)


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_that_is_demanded_comes_with_arguments_of_its_schema(url: str, stream: bool) -> None:
    with planner(url, CALLS, stream=stream) as chat:
        proposal = chat.plan(Situation(REQUEST, (WEATHER,)))
    (call,) = proposal.calls
    assert (call.name, call.arguments) == ("get_weather", {"city": "Turin"})
    assert call.id


def test_the_agent_calls_a_tool_tells_what_came_of_it_and_remembers(url: str, tmp_path: Path) -> None:
    class CallsThenTells:
        name = "chat"

        def plan(self, situation: Situation) -> Proposal:
            return (telling if situation.call_steps else calling).plan(situation)

    ran = RecordingExecutor(lambda call: Observation(content={"city": "Turin", "sky": "clear", "celsius": 21}))
    with (
        planner(url, CALLS, temperature=0.0) as calling,
        planner(url, "none", temperature=0.0) as telling,
        Memory.open(tmp_path) as memory,
    ):
        agent = Agent(memory.user(Scope("ada")), CallsThenTells(), policy="benchmark")
        result = agent.run(REQUEST, [WEATHER], executor=ran, user=ScriptedUser())
        remembered = agent.turns()
    assert [(call.name, call.arguments) for call in ran.calls] == [("get_weather", {"city": "Turin"})]
    assert result.reply
    assert [turn.calls for turn in remembered] == [result.turn.calls]
    assert all(isinstance(call, ToolCall) for call in result.turn.calls)
    assert result.usage.completion > 0


def test_the_doctor_finds_all_well(url: str) -> None:
    with planner(url, temperature=0.0, max_tokens=200) as chat:
        checks = list(examine(chat))
    assert [(check.name, check.is_well) for check in checks] == [
        ("settings", True),
        ("endpoint", True),
        ("tool call", True),
        ("echo", True),
    ], checks[-1].words
