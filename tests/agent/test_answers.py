"""Answers of models: arguments mended where that is certain, samples, stated uncertainty, leaked markup."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.errors import PlannerOutputError, PlannerRateLimitError, PlannerRefusedError
from agent.planners.chat import ChatPlanner, agreed
from agent.planners.endpoint import refused_option
from agent.planners.failures import retry_after_s
from agent.planners.repairs import Repaired, repair
from agent.planners.streaming import StreamError, assemble
from agent.providers import find_profile
from agent.settings import ChatSettings
from clarifier.decision import Proposal, Situation, Usage
from memory.evidence import Slot
from memory.records import CallStep, Observation, ToolCall
from memory.tools import parse_tool
from tests.chat_server import ChatServer, Reply, calls, fails, says

BOOK = parse_tool(
    {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "nights": {"type": "integer"},
                "price": {"type": "number"},
                "board": {"type": "string", "enum": ["Half Board", "none"]},
                "pets": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "guest": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}},
            },
            "required": ["city"],
        },
    }
)
SITUATION = Situation("book", (BOOK,))


@pytest.mark.parametrize(
    ("given", "read", "notes"),
    [
        ({"nights": 5}, {"nights": 5}, ()),
        ({"nights": "5"}, {"nights": 5}, ('book.nights: "5" was read as 5',)),
        ({"nights": 5.0}, {"nights": 5}, ("book.nights: 5.0 was read as 5",)),
        ({"nights": "five or so"}, {"nights": "five or so"}, ()),
        ({"nights": 5.5}, {"nights": 5.5}, ()),
        ({"price": "1.5"}, {"price": 1.5}, ('book.price: "1.5" was read as 1.5',)),
        ({"city": " Turin "}, {"city": "Turin"}, ('book.city: " Turin " was read as "Turin"',)),
        ({"city": 7}, {"city": "7"}, ('book.city: 7 was read as "7"',)),
        (
            {"board": "ＨＡＬＦ board"},
            {"board": "Half Board"},
            ('book.board: "ＨＡＬＦ board" was read as "Half Board"',),
        ),
        ({"board": "full"}, {"board": "full"}, ()),
        ({"pets": "true"}, {"pets": True}, ('book.pets: "true" was read as true',)),
        ({"pets": "maybe"}, {"pets": "maybe"}, ()),
        ({"tags": '["a"]'}, {"tags": ["a"]}, ('book.tags: "[\\"a\\"]" was read as ["a"]',)),
        ({"either": "5"}, {"either": "5"}, ()),
        ({"guest": {"name": "Ada", "age": None}}, {"guest": {"name": "Ada"}}, None),
        ({"CITY": "Turin"}, {"city": "Turin"}, ("book: CITY was read as city",)),
        ({"other": " x "}, {"other": "x"}, None),
        ({"city": None, "nights": "", "price": "  "}, {}, ()),
        ({"nights": 2, "city": "Turin"}, {"city": "Turin", "nights": 2}, ()),
    ],
)
def test_arguments_are_mended_only_where_it_is_certain(
    given: dict[str, Any], read: dict[str, Any], notes: tuple[str, ...] | None
) -> None:
    """Case B41."""
    repaired = repair(given, BOOK)
    assert json.dumps(repaired.arguments) == json.dumps(read)
    if notes is not None:
        assert repaired == Repaired(read, notes)


def planner(server: ChatServer, **settings: Any) -> ChatPlanner:
    chosen = {"base_url": server.base_url, "api_key": "k", "model": "m", "max_retries": 0, **settings}
    return ChatPlanner(ChatSettings(**chosen))


def test_of_several_samples_the_one_most_agree_on_is_proposed() -> None:
    rome, bari = ("a", "book", {"city": "Rome"}), ("a", "book", {"city": "Bari"})
    with (
        ChatServer(calls(bari), calls(rome), says("Which?"), calls(("b", "book", {"city": " rome"}))) as server,
        planner(server, samples=4) as chat,
    ):
        proposal = chat.plan(SITUATION)
    assert proposal.calls == (ToolCall(id="a", name="book", arguments={"city": "Rome"}),)
    assert (proposal.consistency, proposal.usage) == (0.5, Usage(prompt=40, completion=20))
    assert len(server.requests) == 4


def test_of_equally_many_the_earliest_is_proposed() -> None:
    one, two = Proposal(reply="Hello."), Proposal(question="Where?")
    assert agreed([one, two]) == Proposal(reply="Hello.", consistency=0.5)
    assert agreed([two, one, two, one]).question == "Where?"


def test_a_model_states_how_much_a_request_leaves_open_in_the_call_where_the_profile_asks_it() -> None:
    profile = find_profile(None, {}).model_copy(update={"states_uncertainty": True})
    stated = calls(("a", "book", {"city": "Rome", "request_uncertainty": 0.25}))
    with ChatServer(stated, stated) as server:
        with planner(server, profile=profile) as chat:
            proposal = chat.plan(SITUATION)
        with planner(server) as off:
            assert off.plan(SITUATION).uncertainty is None
    assert proposal.calls[0].arguments == {"city": "Rome"}
    assert proposal.uncertainty == 0.25
    sent = [tool["function"]["parameters"]["properties"] for tool in server.requests[0]["tools"]]
    assert ["request_uncertainty" in fields for fields in sent] == [True, True]
    assert "request_uncertainty" not in json.dumps(server.requests[1])


def test_markup_in_the_text_is_read_as_the_call_it_is() -> None:
    leaked = '<think>hm</think><tool_call>{"name": "book", "arguments": {"city": "Rome", "nights": "2"}}</tool_call>'
    with ChatServer(says(leaked)) as server, planner(server) as chat:
        proposal = chat.plan(SITUATION)
    assert proposal.calls == (ToolCall(id="call_1", name="book", arguments={"city": "Rome", "nights": 2}),)
    assert proposal.notes == ("calls came as markup in the text", 'book.nights: "2" was read as 2')


def test_a_written_call_that_is_no_tool_goes_back_in_words() -> None:
    with (
        ChatServer(says("[bok(city='Rome')]"), says("[book(city='Rome')]")) as server,
        planner(server, profile=find_profile("watt", {})) as chat,
    ):
        assert chat.plan(SITUATION).calls[0].arguments == {"city": "Rome"}
    answer, fault = server.requests[1]["messages"][2:]
    assert answer == {"role": "assistant", "content": "[bok(city='Rome')]"}
    assert "no tool is called 'bok'; there are: book" in fault["content"]
    assert "tools" not in server.requests[0]


def test_an_answer_that_thinking_used_up_proposes_nothing_and_says_why() -> None:
    cut = json.loads(says("").body)
    cut["choices"][0]["finish_reason"] = "length"
    with ChatServer(Reply(json.dumps(cut))) as server, planner(server) as chat:
        proposal = chat.plan(SITUATION)
    assert (proposal.reply, proposal.notes) == (None, ("the answer ended at its token limit",))


def test_an_answer_that_is_a_stream_although_none_was_asked_for_is_read() -> None:
    chunk = {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}
    stream = Reply(f"data: {json.dumps(chunk)}\r\n\r\ndata: [DONE]\r\n\r\n", content_type="text/event-stream")
    with ChatServer(stream) as server, planner(server) as chat:
        assert chat.plan(SITUATION).reply == "Hi."


def test_an_endpoint_that_sends_broken_streams_whatever_is_asked_for_ends_the_request() -> None:
    broken = Reply('data: {"choices": [{"delta": {"content": "Hi"}}]}\n\n', content_type="text/event-stream")
    with (
        ChatServer(*[broken] * 9) as server,
        planner(server, stream=True, max_retries=1) as chat,
        pytest.raises(PlannerOutputError, match="broke off its stream: it ended before"),
    ):
        chat.plan(SITUATION)
    assert ["stream" in request for request in server.requests] == [True, False, False]


def test_a_tool_whose_name_endpoints_refuse_is_called_by_another_and_found_again() -> None:
    dotted = parse_tool({"name": "rail.book", "parameters": {"properties": {"to": {"type": "string"}}}})
    asks = ("b", "ask_user", {"question": "Which class?", "slots": ["rail_book.class"]})
    with ChatServer(calls(("a", "rail_book", {"to": "Bari"})), calls(asks)) as server, planner(server) as chat:
        first = chat.plan(Situation("a train", (dotted,)))
        step = CallStep(calls=first.calls, observations=(Observation(content="full"),))
        second = chat.plan(Situation("a train", (dotted,), steps=(step,)))
    assert [call.name for call in first.calls] == ["rail.book"]
    assert second.question_slots == (Slot("rail.book", "class"),)
    assert server.requests[1]["messages"][2]["tool_calls"][0]["function"]["name"] == "rail_book"


def test_halves_of_a_surrogate_pair_in_an_echo_are_replaced_since_no_checkpoint_holds_them() -> None:
    answer = json.loads(calls(("a", "book", {"city": "Rome"})).body)
    answer["choices"][0]["message"]["reasoning_content"] = "why \ud83d"
    with ChatServer(Reply(json.dumps(answer))) as server, planner(server, profile=find_profile("glm", {})) as chat:
        assert chat.plan(SITUATION).echo["message"] == {"reasoning_content": "why \ufffd"}


def test_a_plan_that_fails_half_way_says_what_it_has_cost() -> None:
    with (
        ChatServer(calls(("a", "book", "{"), prompt=7, completion=3), fails(400, "no")) as server,
        planner(server) as chat,
        pytest.raises(PlannerRefusedError) as caught,
    ):
        chat.plan(SITUATION)
    assert caught.value.usage == Usage(prompt=7, completion=3)
    assert caught.value.notes == ("sent back: the arguments are no JSON object: '{'",)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Mon, 09 Mar 2026 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 09 Mar 2026 07:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_the_wait_an_endpoint_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=datetime(2026, 3, 9, 8, 0, tzinfo=UTC)) == seconds


def test_an_account_without_money_is_not_asked_again() -> None:
    with (
        ChatServer(fails(429, "You exceeded your current quota")) as server,
        planner(server, max_retries=3) as chat,
        pytest.raises(PlannerRateLimitError),
    ):
        chat.plan(SITUATION)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "message", "parameter", "option"),
    [
        (400, "bad", "temperature", "temperature"),
        (400, "Unrecognized request argument supplied: top_k", None, "top_k"),
        (422, "temperature: Extra inputs are not permitted", None, "temperature"),
        (400, "temperature and top_k", None, None),
        (400, "top_k_max is wrong", None, None),
        (400, "tools[0].temperature", "tools[0].function", None),
        (400, "messages: temperature?", "messages", None),
        (401, "temperature", "temperature", None),
        (400, "something else", None, None),
    ],
)
def test_the_one_option_that_a_refusal_is_about_is_found(
    status: int, message: str, parameter: str | None, option: str | None
) -> None:
    body = {"model": "m", "messages": [], "tools": [], "temperature": 0, "top_k": 3}
    assert refused_option(body, PlannerRefusedError(message, status=status, parameter=parameter)) == option


def test_an_option_refused_to_several_threads_at_once_is_left_out_in_all() -> None:
    refusal = Reply(fails(400, "temperature is not supported").body, 400, delay_s=0.3)
    with (
        ChatServer(refusal, refusal, says("One."), says("Two."), says("Three.")) as server,
        planner(server, temperature=0.0) as chat,
        ThreadPoolExecutor(2) as pool,
    ):
        proposals = list(pool.map(chat.plan, [SITUATION] * 2))
        third = chat.plan(SITUATION)
    assert {proposal.reply for proposal in proposals} == {"One.", "Two."}
    assert ["temperature" in request for request in server.requests] == [True, True, False, False, False]
    assert {proposal.notes for proposal in (*proposals, third)} == {
        ("temperature is left out, since the endpoint refused it",)
    }


def test_a_limit_that_is_refused_by_either_name_is_left_out() -> None:
    by_either = [
        fails(400, "max_tokens is not supported, use max_completion_tokens"),
        fails(400, "max_completion_tokens is not supported, use max_tokens"),
    ]
    with ChatServer(*by_either, says("Hi."), says("Hi.")) as server, planner(server, max_tokens=9) as chat:
        assert chat.plan(SITUATION).notes == chat.plan(SITUATION).notes
    sent = [sorted(name for name in request if "max" in name) for request in server.requests]
    assert sent == [["max_tokens"], ["max_completion_tokens"], [], []]


def delta(*parts: Any, **others: Any) -> dict[str, Any]:
    fields = {"tool_calls": list(parts)} if parts else {}
    return {"choices": [{"delta": {**fields, **others}}]}


def part(arguments: Any = None, **fields: Any) -> dict[str, Any]:
    named = {"name": fields.pop("name")} if "name" in fields else {}
    return {**fields, "function": {**named, **({} if arguments is None else {"arguments": arguments})}}


END = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}


@pytest.mark.parametrize(
    "chunks",
    [
        [delta(part('{"a"', index=0, id="1", name="f")), delta(part(": 1}", index=0)),
         delta(part("{}", index=1, id="2", name="g"))],
        [delta(part('{"a"', id="1", name="f")), delta(part(": 1}")), delta(part("{}", id="2", name="g"))],
        [delta(part('{"a": 1}', index="0", id="1", name="f"), part("{}", index="1", id="2", name="g"))],
        [delta(part({"a": 1}, index=0, id="1", name="f")), delta(part({}, index=0, id="2", name="g"))],
        [delta(part("", id="1", name="f")), delta(part('{"a": 1}', id="1")), delta(part("", id="2", name="g"))],
        [json.dumps(delta(part('{"a": 1}', index=0, id="1", name="f"))), delta(part("{}", index=1, id="2", name="g"))],
        [delta(tool_calls=json.dumps([part('{"a": 1}', id="1", name="f"), part("{}", id="2", name="g")]))],
        [{"choices": [{"message": {"tool_calls": [part('{"a": 1}', id="1", name="f"), part(id="2", name="g")]}}]}],
    ],
)  # fmt: skip
def test_chunks_in_every_shape_come_to_the_same_calls(chunks: list[Any]) -> None:
    made = assemble([*chunks, END])["choices"][0]["message"]["tool_calls"]
    assert made == [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        # One index, or none, and no ids: a second object is a second call.
        ([part('{"at": 7}', index=0, name="alarm"), part('{"at": 8}', index=0, name="alarm"),
          part('{"at": 9}', index=0, name="alarm")],
         [("alarm", {"at": 7}), ("alarm", {"at": 8}), ("alarm", {"at": 9})]),
        ([part('{"at": 7}', name="alarm"), part('{"at": 8}', name="alarm")],
         [("alarm", {"at": 7}), ("alarm", {"at": 8})]),
        ([part({"at": 7}, name="alarm"), part({"at": 8}, name="alarm")], [("alarm", {"at": 7}), ("alarm", {"at": 8})]),
        ([part('{"at"', name="alarm"), part(": 7}"), part('{"at"', name="alarm"), part(": 8}")],
         [("alarm", {"at": 7}), ("alarm", {"at": 8})]),
        ([part('{"at": 7}', name="alarm"), part('{"at"'), part(": 8}")], [("alarm", {"at": 7}), ("alarm", {"at": 8})]),
        ([part('{"at": 7}', name="alarm"), part("{}", name="list")], [("alarm", {"at": 7}), ("list", {})]),
        ([part("{}", index=0, name="list"), part('{"at": 7}', index=0, name="alarm")],
         [("list", {}), ("alarm", {"at": 7})]),
        # What equals or extends it is the same call.
        ([part('{"at": 7}', name="alarm"), part('{"at": 7}', name="alarm")], [("alarm", {"at": 7})]),
        ([part('{"at": 7}', name="alarm"), part('{"at": 7, "day": 2}')], [("alarm", {"at": 7, "day": 2})]),
        ([part("{}", name="alarm"), part('{"at": '), part("7}")], [("alarm", {"at": 7})]),
        ([part('{"at": 7}', name="alarm"), part("{}", name="alarm")], [("alarm", {"at": 7})]),
        ([part('{"at": 7}', index=0, id="1", name="alarm"), part("{}", index=0)], [("alarm", {"at": 7})]),
        ([part({"at": 7}, index=0, id="1", name="alarm"), part({}, index=0, id="1")], [("alarm", {"at": 7})]),
        ([part('{"at": 7}', name="alarm"), part(""), part("\n")], [("alarm", {"at": 7})]),
    ],
)  # fmt: skip
def test_calls_without_ids_or_under_one_index_are_told_apart(chunks: list[Any], calls: list[Any]) -> None:
    made = assemble([*map(delta, chunks), END])["choices"][0]["message"]["tool_calls"]
    assert [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in made] == calls


@pytest.mark.parametrize(
    ("chunks", "why"),
    [
        ([delta(part('{"a"', index=0, name="f"), part(": 1}", index=0, name="g")), END], "named 'f' and 'g'"),
        ([delta(part("", index=0, name="f"), part("", index=0, name="g")), END], "named 'f' and 'g'"),
        ([delta(part('{"a": 1}', id="1", name="f"), part('{"a": 2}', id="1")), END], "'1' has two sets"),
        ([delta(content="Hi")], "it ended before the answer did"),
        ([delta(part('{"a": ', id="1", name="f")), END], "the call 'f' has the arguments"),
        ([delta(part("{}", id="1")), END], "the call '' has the arguments"),
        ([{"error": {"message": "overloaded"}}], "it says .*overloaded"),
        (["not json"], "a chunk is 'not json'"),
        (["[" * 200_000], r"a chunk is '\[\[\["),
        ([delta({"index": 0, "function": "[" * 200_000}), END], "the call '' has the arguments"),
    ],
)
def test_a_stream_that_is_no_whole_answer_is_refused(chunks: list[Any], why: str) -> None:
    with pytest.raises(StreamError, match=why):
        assemble(chunks)
