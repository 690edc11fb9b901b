from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from memory.errors import RecordError
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.state.transcripts import Conversation, ExportedTurn, export_line, read_line, turns_of
from tests.memory.turns import asked, call, turn

SEARCH = {"id": "c1", "type": "function", "function": {"name": "search_trains", "arguments": '{"to": "Köln"}'}}
BOOK = {"id": "c2", "type": "function", "function": {"name": "book_train", "arguments": {"seat": "window"}}}


def read(*messages: dict[str, Any], conversation: str = "k") -> tuple[Turn, ...]:
    """Return the turns of a line."""
    line = read_line(json.dumps({"user": "ada", "conversation": conversation, "messages": messages}))
    assert isinstance(line, Conversation)
    return turns_of(line)


def user(text: str, **more: str) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str | None = None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


def tool(call_id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_a_conversation_becomes_turns_with_steps_questions_and_times() -> None:
    turns = read(
        {"role": "system", "content": "Be brief."},
        user("Train to Köln", time="2026-03-09T08:00:00+01:00"),
        assistant(None, SEARCH),
        tool("c1", '[{"id": 7}]'),
        assistant("Window or aisle?"),
        user("window"),
        assistant(None, BOOK),
        tool("c2", "booked"),
        assistant("Done. Anything else?"),
        user("No, thanks", time="2026-03-09T08:05:00+01:00"),
        assistant("Bye."),
    )
    zone = timezone(timedelta(hours=1))
    assert turns == (
        Turn(
            turn_id="k#1",
            request="Train to Köln",
            steps=(
                CallStep(
                    calls=(ToolCall(id="c1", name="search_trains", arguments={"to": "Köln"}),),
                    observations=(Observation(content=[{"id": 7}]),),
                ),
                QuestionStep(question="Window or aisle?", answer="window"),
                CallStep(
                    calls=(ToolCall(id="c2", name="book_train", arguments={"seat": "window"}),),
                    observations=(Observation(content="booked"),),
                ),
            ),
            reply="Done. Anything else?",
            time=datetime(2026, 3, 9, 8, tzinfo=zone),
            topic="k",
        ),
        Turn(
            turn_id="k#2", request="No, thanks", reply="Bye.", time=datetime(2026, 3, 9, 8, 5, tzinfo=zone), topic="k"
        ),
    )


def test_calls_of_one_message_are_one_step_and_one_without_a_result_failed() -> None:
    (only,) = read(user("Both"), assistant(None, SEARCH, BOOK), tool("c2", "{}"))
    (step,) = only.steps
    assert isinstance(step, CallStep)
    assert step.observations == (Observation(error="no result was recorded"), Observation(content={}))


def test_text_that_is_no_question_ends_the_turn() -> None:
    assert [(one.request, one.reply) for one in read(user("Hi"), assistant("Hello."), user("Bye"))] == [
        ("Hi", "Hello."),
        ("Bye", None),
    ]


def test_content_in_parts_is_read_as_text() -> None:
    parts = [
        {"type": "text", "text": "Hel"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "lo"},
    ]
    assert [one.request for one in read({"role": "user", "content": parts})] == ["Hello"]


def test_the_same_conversation_always_gives_the_same_ids_and_long_names_are_cut() -> None:
    assert [one.turn_id for one in read(user("a"), assistant("b"), user("c"))] == ["k#1", "k#2"]
    long = read(user("a"), conversation="x" * 400)[0].turn_id
    assert len(long) == 18
    assert (
        long == read(user("a"), conversation="x" * 400)[0].turn_id != read(user("a"), conversation="x" * 401)[0].turn_id
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        (f'{{"user": {"1" * 5000}}}', "no JSON"),
        ('{"user": NaN}', "no JSON"),
        ("[]", "a JSON object was expected, got list"),
        ("{}", "user: Field required"),
        ('{"user": "", "conversation": "k", "messages": [{"role": "user"}]}', "user: String should have at least 1"),
        ('{"user": "a", "conversation": "k", "messages": []}', "messages: Tuple should have at least 1"),
        ('{"user": "a", "conversation": "k", "messages": [{"role": "king"}]}', "messages.0.role: Input should be"),
        ('{"user": "a", "conversation": "k", "messages": [{"role": "user", "time": "soon"}]}', "messages.0.time"),
        ('{"user": "a", "turn": {"turn_id": ""}}', "turn.turn_id"),
        ('{"user": "a", "conversation": "k", "messages": [{"role": "user"}], "x": 1}', "x: Extra inputs"),
        (b"\xff".decode("utf-8", "surrogateescape"), "no UTF-8"),
    ],
)
def test_a_bad_line_says_what_is_wrong(line: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_line(line)


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([assistant("Hello")], "message 1: the first one of a conversation is the user's, got 'assistant'"),
        ([user("Hi"), tool("c9", "x")], "names the call 'c9', which nothing made"),
        (
            [user("Hi"), assistant(None, {"id": "c1", "function": {"name": "go", "arguments": "{"}})],
            "arguments of 'go' are no JSON",
        ),
        (
            [user("Hi"), assistant(None, {"id": "c1", "function": {"name": "go", "arguments": "[1]"}})],
            "arguments of 'go' are no JSON object",
        ),
    ],
)
def test_messages_that_do_not_fit_together_are_refused(messages: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read(*messages)


@pytest.mark.parametrize("value", ["NaN", "1e999", "1" * 5000, "[" * 100_000, '"\\ud800"'])
def test_what_no_turn_can_hold_is_refused_as_an_argument_and_kept_as_text_as_a_result(value: str) -> None:
    """No message may end an import, and what a tool printed may not cost the person's turn."""
    call = {"id": "c1", "function": {"name": "go", "arguments": f'{{"x": {value}}}'}}
    with pytest.raises(RecordError, match="arguments of 'go' are no JSON"):
        read(user("Hi"), assistant(None, call), tool("c1", "{}"))
    call["function"] = {"name": "go", "arguments": "{}"}
    (turn,) = read(user("Hi"), assistant(None, call), tool("c1", value))
    assert turn.steps == (CallStep(calls=(ToolCall(id="c1", name="go"),), observations=(Observation(content=value),)),)


def test_an_exported_turn_is_read_back_as_it_was() -> None:
    whole = turn("t1", "订票 🎫", asked("几点？", "9点", "book.time"), call("book", time="9:00"), reply="好", topic="x")
    dated = whole.model_copy(update={"time": datetime(2026, 3, 9, 8, tzinfo=timezone(timedelta(hours=8)))})
    for one in (whole, dated):
        assert read_line(export_line("用户1", one)) == ExportedTurn(user="用户1", turn=one)
    assert "订票" in export_line("用户1", whole)


def test_an_id_that_is_used_again_names_the_last_call_before_the_result() -> None:
    """Some models count calls anew in every step, and some within one."""
    first, second = ({**SEARCH, "id": "0"}, {**BOOK, "id": "0"})
    [one] = read(user("x"), assistant(None, first), tool("0", "found"), assistant(None, second), tool("0", "booked"))
    assert one.steps == (
        CallStep(
            calls=(ToolCall(id="0", name="search_trains", arguments={"to": "Köln"}),),
            observations=(Observation(content="found"),),
        ),
        CallStep(
            calls=(ToolCall(id="0", name="book_train", arguments={"seat": "window"}),),
            observations=(Observation(content="booked"),),
        ),
    )
    [both] = read(user("x"), assistant(None, first, second), tool("0", "found"), tool("0", "booked"))
    assert [step.observations for step in both.steps if isinstance(step, CallStep)] == [
        (Observation(content="found"), Observation(content="booked"))
    ]


def test_results_may_come_after_further_calls() -> None:
    [one] = read(user("x"), assistant(None, SEARCH), assistant(None, BOOK), tool("c2", "booked"), tool("c1", "found"))
    assert [step.observations for step in one.steps if isinstance(step, CallStep)] == [
        (Observation(content="found"),),
        (Observation(content="booked"),),
    ]


def test_a_second_result_of_a_call_is_refused() -> None:
    with pytest.raises(RecordError, match="names the call 'c1', which has a result already"):
        read(user("x"), assistant(None, SEARCH), tool("c1", "a"), tool("c1", "b"))


def test_all_that_was_said_is_kept_also_without_an_answer_in_between() -> None:
    [one] = read(user("x"), assistant("Let me see."), assistant(None, SEARCH), tool("c1", "a"), assistant("Done."))
    assert one.steps[0] == QuestionStep(question="Let me see.", answer=None)
    assert one.reply == "Done."


@pytest.mark.parametrize("line", ['{"user": "a", "user": "b", "turn": {}}', '{"user": "a", "m": [{"k": 1, "k": 1}]}'])
def test_a_key_that_is_there_twice_is_refused(line: str) -> None:
    with pytest.raises(RecordError, match=r"the key '(user|k)' is there twice in one object"):
        read_line(line)
