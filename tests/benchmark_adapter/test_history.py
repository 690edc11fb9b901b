"""The messages of a request: reference history, then the request."""

from __future__ import annotations

from typing import Any

import pytest

from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, Action, ReferenceStep
from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.history import history_messages, reference_path, session_messages, step_messages
from benchmark_adapter.evaluator.trajectory import Follower
from tests.benchmark_adapter.topics import call, final, question, reference_turn


def steps(*raw: dict[str, Any]) -> tuple[ReferenceStep, ...]:
    return tuple(ReferenceStep.model_validate(one) for one in raw)


TWO_CALLS = steps(
    question("search_books", ["title"], "Which book?", "Dune."),
    call("search_books", {"title": "Dune"}, {"found": "é"}, after=[0]),
    call("get_opening_hours", {"branch": "Harbour"}, "9 to 5", after=[0]),
    final("Here.", after=[1, 2]),
)


def tool_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, "id": call_id}


def test_a_past_turn_is_its_reference() -> None:
    messages = history_messages([("Find it.", TWO_CALLS)], request="Now?", env_info="2026-03-02 10:00:00")

    assert messages == [
        {"role": "system", "content": "Current Date: 2026-03-02 10:00:00"},
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": "Which book?"},
        {"role": "user", "content": "Dune."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                tool_call("call_0", "search_books", '{"title": "Dune"}'),
                tool_call("call_1", "get_opening_hours", '{"branch": "Harbour"}'),
            ],
        },
        {"role": "tool", "content": '{"found": "é"}', "tool_call_id": "call_0"},
        {"role": "tool", "content": '"9 to 5"', "tool_call_id": "call_1"},
        {"role": "assistant", "content": "Here."},
        {"role": "user", "content": "Now?"},
    ]


def test_without_consecutive_tool_messages_the_ids_drift() -> None:
    again = steps(call("search_books", {}, None), final(after=[0]))
    messages = history_messages(
        [("a", TWO_CALLS), ("b", again)], request="Now?", env_info=None, consecutive_tool_messages=False
    )

    assert messages[0]["content"] == "Current Date: None"
    assert [one for one in messages if one["role"] == "tool"] == [
        {"role": "tool", "content": '"[{\\"found\\": \\"é\\"}, \\"9 to 5\\"]"', "tool_call_id": "call_0"},
        {"role": "tool", "content": '"[null]"', "tool_call_id": "call_1"},
    ]
    assert messages[-4]["tool_calls"][0]["id"] == "call_2"


def test_history_takes_the_first_of_the_shortest_paths() -> None:
    free = steps(call("a", {}), call("b", {}), call("c", {}, after=[0]), final(after=[1, 2]))

    assert reference_path(free) == ((0,), (1, 2), (3,))


def test_a_question_beside_a_call_cannot_be_written() -> None:
    beside = steps(question("a", [], "Which?", "That."), call("a", {}), final(after=[0, 1]))

    with pytest.raises(ReferenceCrashError, match="a clarification or final answer shares a step") as info:
        history_messages([("a", beside)], request="Now?", env_info=None)
    assert info.value.type_name == "AssertionError"


@pytest.mark.parametrize(("after", "exception"), [([0], "IndexError"), ([4], "KeyError")])
def test_a_reference_without_a_path_cannot_be_written(after: list[int], exception: str) -> None:
    with pytest.raises(ReferenceCrashError) as info:
        reference_path(steps(call("a", {}, after=after)))
    assert info.value.type_name == exception


def test_a_session_gives_earlier_requests_and_the_current_date() -> None:
    turns = [
        reference_turn(final("Hello."), request="Hi.", env_info="2026-03-01 10:00:00"),
        reference_turn(final(), request="Reserve.", index=1, env_info="2026-03-02 10:00:00"),
        reference_turn(final(), request="Later.", index=2),
    ]

    assert session_messages(turns, 1) == [
        {"role": "system", "content": "Current Date: 2026-03-02 10:00:00"},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Reserve."},
    ]


def test_what_a_reply_adds_to_the_conversation() -> None:
    follower = Follower(
        [
            ReferenceStep(action=Action(name=CLARIFICATION), observation="?", user_input="Dune."),
            ReferenceStep(action=Action(name="search"), observation=[1], dependency_list=(0,)),
            ReferenceStep(action=Action(name=FINAL_ANSWER), dependency_list=(1,)),
        ]
    )
    asked = {"content": "Which?", "tool_calls": None, "reasoning_content": "hm"}
    called = {
        "content": None,
        "tool_calls": [{"id": "x", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
        "reasoning_content": "hm",
    }
    wrong = {"content": "", "tool_calls": None}

    assert step_messages(asked, follower.reply(asked)) == [
        {"role": "assistant", "content": "Which?"},
        {"role": "user", "content": "Dune."},
    ]
    assert step_messages(called, follower.reply(called)) == [
        {"role": "assistant", "content": None, "tool_calls": called["tool_calls"], "reasoning_content": "hm"},
        {"role": "tool", "content": "[1]", "tool_call_id": "x"},
    ]
    assert step_messages(wrong, follower.reply(wrong)) == []
