"""A loop of three steps through the whole agent, against a server process with each provider's refusals.

Cases B09 (what an endpoint wants back, over a restart), B10 (parallel calls), B15 (failures that pass), B27 and B28.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from pydantic import SecretStr

from agent.advance import begin
from agent.errors import PlannerRateLimitError, PlannerRefusedError, PlannerTimeoutError
from agent.graph import AgentContext, TurnResult, build_graph, run_turn, thread_config
from agent.planners.chat import ChatPlanner
from agent.providers import find_profile
from agent.settings import ChatSettings
from clarifier.decision import Situation, Usage
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, ToolCall, Turn
from tests.fakes import FixedMemory, RecordingExecutor, ScriptedUser, make_tool, obey
from tests.provider_server import REPLY, STEPS, ProviderServer, reasoning, signature

TOOLS = [make_tool(name, "place") for name in ("find_table", "weather")] + [
    make_tool("calendar", "day"),
    make_tool("book_table", "table_id", "time"),
]
HOUSES = {
    "kimi-k2.6": ("kimi", ""),
    "gpt-5.4": ("gpt", ""),
    "qwen3.6-plus": ("qwen", ""),
    "deepseek-v4-pro": ("deepseek", ""),
    "gemini-3.5-flash": ("gemini", ""),
    "glm-5": ("glm", ""),
    "hammer2.1-7b": ("text", "hammer"),
    "toolace-2.5-8b": ("text", "pythonic"),
    "watt-tool-8b": ("text", "pythonic"),
    "openai-compatible": ("plain", ""),
}
"""By profile: whose refusals its endpoint has, and how its model writes calls."""
PAST = Turn(
    turn_id="t0",
    request="weather?",
    steps=(CallStep(calls=(ToolCall(id="x", name="weather"),), observations=(Observation(content="sun"),)),),
    reply="Sun.",
)
MEMORY = FixedMemory(Recall((RecallItem("topic", ("t0",), "weather?", 5, turn=PAST),)))


def settings(server: ProviderServer, profile: str, **changes: Any) -> ChatSettings:
    chosen = {
        "base_url": server.base_url,
        "api_key": SecretStr("key"),
        "model": "m",
        "profile": find_profile(profile, {}),
        "temperature": 0.0,
        **changes,
    }
    return ChatSettings(**chosen)


def context(planner: ChatPlanner, executor: RecordingExecutor | None = None, **changes: Any) -> AgentContext:
    parts = {"planner": planner, "memory": MEMORY, "executor": executor or RecordingExecutor(), "decide": obey}
    return AgentContext(**{**parts, "user": ScriptedUser(), **changes})


def played(
    server: ProviderServer, profile: str, executor: RecordingExecutor | None = None, **changes: Any
) -> TurnResult:
    with ChatPlanner(settings(server, profile, **changes), sleep=lambda seconds: None) as planner:
        return run_turn("a table", TOOLS, context(planner, executor), turn_id="t1")


def made(result: TurnResult) -> list[list[tuple[str, dict[str, Any]]]]:
    """Return the calls of every step."""
    return [
        [(call.name, call.arguments) for call in step.calls] for step in result.turn.steps if isinstance(step, CallStep)
    ]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("profile", HOUSES)
def test_every_provider_takes_a_loop_of_three_steps(profile: str, stream: bool) -> None:
    house, form = HOUSES[profile]
    with ProviderServer(house, form=form) as server:
        result = played(server, profile, stream=stream)
        log = server.log
    assert (made(result), result.reply) == (STEPS, REPLY)
    # A model that writes its calls is asked once more after `[]`, for its reply and without tools.
    n = 5 if house == "text" else 4
    assert [entry["status"] for entry in log] == [200] * n
    if house == "text":
        assert ["find_table" in entry["body"]["messages"][0]["content"] for entry in log] == [True] * 4 + [False]
    streams = stream or house == "qwen"
    assert [bool(entry["body"].get("stream")) for entry in log] == [streams] * n
    assert result.usage == Usage(prompt=100 * n, completion=10 * n, cached=0 if streams else 40 * n)


def test_a_temperature_that_is_not_taken_is_fixed_or_left_out_and_said() -> None:
    """Case B28."""
    sent: dict[str, object] = {}
    for profile, (house, form) in HOUSES.items():
        with ProviderServer(house, form=form) as server:
            result = played(server, profile)
            sent[profile] = server.log[0]["body"].get("temperature")
        notes = [note for entry in result.trace for note in entry.proposal.notes if "temperature" in note]
        assert bool(notes) == (sent[profile] != 0.0)
    free = dict.fromkeys(HOUSES, 0.0)
    assert sent == {**free, "kimi-k2.6": 1.0, "gpt-5.4": None, "deepseek-v4-pro": None}


@contextmanager
def _graph(path: Path) -> Iterator[Any]:
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        yield build_graph(checkpointer=SqliteSaver(connection))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("profile", HOUSES)
def test_what_an_endpoint_wants_back_survives_a_crash_and_goes_to_nobody_else(
    profile: str, stream: bool, tmp_path: Path
) -> None:
    """Cases B09 and B10: the process dies at the second of three parallel calls, and another one goes on."""
    ran: list[str] = []

    def dies_once(call: ToolCall) -> Observation:
        if call.name == "calendar" and "crash" not in ran:
            ran.append("crash")
            raise KeyboardInterrupt
        ran.append(call.name)
        return Observation(error="no such day") if call.name == "calendar" else Observation(content="ok")

    config = thread_config("default/ada/t1")
    house, form = HOUSES[profile]
    with ProviderServer(house, form=form) as server:
        chosen = settings(server, profile, stream=stream)
        start = {"turn": begin("a table", TOOLS, turn_id="t1")}
        with _graph(tmp_path / "c.db") as graph, ChatPlanner(chosen) as planner:
            ctx = context(planner, RecordingExecutor(dies_once))
            with pytest.raises(KeyboardInterrupt):
                graph.invoke(start, config, context=ctx, durability="sync")
        with _graph(tmp_path / "c.db") as graph, ChatPlanner(chosen) as planner:
            ctx = context(planner, RecordingExecutor(dies_once))
            state = graph.invoke(None, config, context=ctx, durability="sync")
        log = server.log
    result = TurnResult.of(state["turn"])
    assert (made(result), result.reply) == (STEPS, REPLY)
    assert ran == ["find_table", "weather", "crash", "calendar", "weather", "book_table"]
    assert [entry["status"] for entry in log] == [200] * (5 if house == "text" else 4)
    results = [message["content"] for message in log[-1]["body"]["messages"] if message["role"] == "tool"]
    failed = '{"error": "no such day"}'
    told = [failed if house != "text" else json.dumps({"name": "calendar", "result": failed})]
    assert (len(results), [one for one in results if "no such day" in one]) == (6, told)
    if house == "text":
        return
    shown = [message for message in log[-1]["body"]["messages"] if message.get("tool_calls")][1:]
    said = [message.get("reasoning_content") for message in shown]
    signed = [message["tool_calls"][0].get("extra_content") for message in shown]
    thinks = house in ("kimi", "deepseek", "glm")
    assert said == ([reasoning(step) for step in range(3)] if thinks else [None] * 3)
    expected = [{"google": {"thought_signature": signature(step)}} for step in range(3)]
    assert signed == (expected if house == "gemini" else [None] * 3)


def test_another_model_in_mid_turn_gets_nothing_of_the_first_ones() -> None:
    """Case B09."""
    situations: list[Situation] = []

    class Keeping(ChatPlanner):
        def plan(self, situation: Situation) -> Any:
            situations.append(situation)
            return super().plan(situation)

    with ProviderServer("kimi") as server, Keeping(settings(server, "kimi-k2.6")) as planner:
        run_turn("a table", TOOLS, context(planner), turn_id="t1")
    assert situations[-1].proposed[0].proposal.echo["message"] == {"reasoning_content": reasoning(0)}
    with ProviderServer("plain") as server, ChatPlanner(settings(server, "openai-compatible")) as planner:
        assert planner.plan(situations[-1]).reply == REPLY
    with ProviderServer("gemini") as server, ChatPlanner(settings(server, "gemini-3.5-flash")) as planner:
        with pytest.raises(PlannerRefusedError, match="thought_signature"):  # this house wants its own
            planner.plan(situations[-1])
        sent = server.log[0]["body"]["messages"]
    assert not any("reasoning_content" in message for message in sent)
    assert [
        message["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
        for message in sent
        if message.get("tool_calls")
    ] == ["skip_thought_signature_validator"] * 4


@pytest.mark.parametrize("quirk", ["no index", "text index", "whole", "object", "repeated"])
def test_streams_are_read_as_providers_really_send_them(quirk: str) -> None:
    with ProviderServer("plain", quirk=quirk) as server:
        result = played(server, "openai-compatible", stream=True)
        assert [entry["status"] for entry in server.log] == [200] * 4
    assert (made(result), result.reply) == (STEPS, REPLY)


@pytest.mark.parametrize("quirk", ["cut", "garbled"])
def test_a_stream_that_breaks_is_asked_for_once_without_streaming(quirk: str) -> None:
    with ProviderServer("plain", quirk=quirk) as server:
        result = played(server, "openai-compatible", stream=True)
        streamed = [bool(entry["body"].get("stream")) for entry in server.log]
    assert (made(result), result.reply) == (STEPS, REPLY)
    plans = [True, False] * 3 + ([True, False] if quirk == "cut" else [True])
    assert streamed == plans
    assert any("the stream failed" in attempt for attempt in result.trace[0].proposal.attempts)


def test_failures_that_pass_are_tried_again_and_every_attempt_is_in_the_trace() -> None:
    """Case B15."""
    waits: list[float] = []
    troubles: dict[int, dict[str, Any]] = {
        0: {"status": 429, "headers": {"Retry-After": "7"}},
        1: {"status": 500},
        2: {"cut": True},
        3: {"body": '{"choices": ['},
        5: {"delay_s": 1.5},
    }
    with (
        ProviderServer("plain", troubles=troubles) as server,
        ChatPlanner(settings(server, "openai-compatible", timeout_s=1.0, max_retries=4), sleep=waits.append) as planner,
    ):
        result = run_turn("a table", TOOLS, context(planner), turn_id="t1")
        log = server.log
    assert (made(result), result.reply) == (STEPS, REPLY)
    assert waits == [7.0, 1.0, 2.0, 4.0, 0.5]
    assert len(log) == 9
    assert result.trace[0].proposal.notes == ()
    assert [attempt.partition(":")[0] for attempt in result.trace[0].proposal.attempts] == [
        "attempt 1 failed, 7 s later the next",
        "attempt 2 failed, 1 s later the next",
        "attempt 3 failed, 2 s later the next",
        "attempt 4 failed, 4 s later the next",
    ]
    # The four answers that came cost 110 tokens each; nothing was paid twice.
    assert result.usage == Usage(prompt=400, completion=40, cached=160)


def test_retries_are_bounded_for_a_request_and_for_the_whole_run() -> None:
    always = {number: {"status": 503} for number in range(40)}
    with ProviderServer("plain", troubles=always) as server:
        chosen = settings(server, "openai-compatible", max_retries=3, run_retries=4)
        with ChatPlanner(chosen, sleep=lambda seconds: None) as planner:
            counts = []
            for _ in range(3):
                with pytest.raises(Exception, match="trouble 503"):
                    planner.plan(Situation("a table", tuple(TOOLS)))
                counts.append(len(server.log))
    assert counts == [4, 6, 7]


def test_an_endpoint_that_wants_too_long_a_wait_ends_the_request_and_says_when() -> None:
    with ProviderServer("plain", troubles={0: {"status": 429, "headers": {"Retry-After": "3600"}}}) as server:
        with (
            ChatPlanner(settings(server, "openai-compatible")) as planner,
            pytest.raises(PlannerRateLimitError) as caught,
        ):
            planner.plan(Situation("a table", tuple(TOOLS)))
        assert len(server.log) == 1
    assert caught.value.retry_after_s == 3600


def test_an_option_that_is_refused_is_dropped_once_and_for_the_process() -> None:
    with ProviderServer("top_k") as server, ChatPlanner(settings(server, "openai-compatible")) as planner:
        result = run_turn("a table", TOOLS, context(planner), turn_id="t1")
        log = server.log
    assert (made(result), result.reply) == (STEPS, REPLY)
    assert [entry["status"] for entry in log] == [400, 200, 200, 200, 200]
    assert ["temperature" in entry["body"] for entry in log] == [True] + [False] * 4
    left_out = ("temperature is left out, since the endpoint refused it",)
    assert [entry.proposal.notes for entry in result.trace] == [left_out] * 4
    assert [len(entry.proposal.attempts) for entry in result.trace] == [1, 0, 0, 0]
    assert result.trace[0].proposal.attempts[0].startswith("temperature was refused: ")


def test_a_limit_under_another_name_is_sent_under_that() -> None:
    with ProviderServer("gpt") as server:
        result = played(server, "openai-compatible", max_tokens=500, temperature=None)
        log = server.log
    assert result.reply == REPLY
    assert [entry["body"].get("max_completion_tokens") for entry in log] == [None, 500, 500, 500, 500]


def test_a_schema_that_is_refused_is_not_sent_again() -> None:
    tool = make_tool("weather", "place")
    tool.definition["function"]["parameters"]["properties"]["place"] = {"anyOf": [{"type": "string"}], "type": "string"}  # type: ignore[index, call-overload]
    with ProviderServer("kimi") as server, ChatPlanner(settings(server, "openai-compatible")) as planner:
        with pytest.raises(PlannerRefusedError, match=r"not a valid schema"):
            planner.plan(Situation("weather", (tool,)))
        assert [entry["status"] for entry in server.log if "schema" in entry.get("error", "")] == [400]


def test_the_turn_has_a_deadline_of_its_own() -> None:
    with (
        ProviderServer("plain", troubles={number: {"delay_s": 0.4} for number in range(9)}) as server,
        ChatPlanner(settings(server, "openai-compatible", turn_timeout_s=0.9, max_retries=0)) as planner,
        pytest.raises(PlannerTimeoutError),
    ):
        run_turn("a table", TOOLS, context(planner), turn_id="t1")
