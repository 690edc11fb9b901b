"""What memory is given of a past turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from benchmark_adapter.data.reference import ReferenceStep, arguments
from benchmark_adapter.replay.past import clock_of, past_turn, turn_id
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from tests.benchmark_adapter.topics import call, final, question, reference_turn

_ASKED = reference_turn(
    question("reserve_book", ["branch"], "Which branch?", "Old Mill."),
    call("search_books", {"title": "Dune"}, {"book_id": "B-17"}),
    call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "reserved", after=[0, 1]),
    final("Reserved.", after=[2]),
    index=4,
    topic_id="topic_9",
)


def test_the_official_view_has_the_reference_steps_and_neither_time_nor_topic_nor_asked_slots() -> None:
    turn = past_turn(_ASKED)

    assert (turn.turn_id, turn.request, turn.reply) == ("t0004", "Reserve Dune.", "Reserved.")
    assert (turn.time, turn.topic) == (None, None)
    assert sorted(turn.steps, key=lambda step: step.kind)[0] == CallStep(
        calls=(ToolCall(id="t0004.1", name="search_books", arguments={"title": "Dune"}),),
        observations=(Observation(content={"book_id": "B-17"}),),
    )
    assert [step for step in turn.steps if step.kind == "question"] == [
        QuestionStep(question="Which branch?", answer="Old Mill.", slots=())
    ]
    assert turn.steps[-1] == CallStep(
        calls=(ToolCall(id="t0004.2", name="reserve_book", arguments={"book_id": "B-17", "branch": "Old Mill"}),),
        observations=(Observation(content="reserved"),),
    )
    assert len(turn.steps) == 3


def test_the_extended_view_adds_time_and_topic_and_nothing_else() -> None:
    extended = past_turn(_ASKED, view="extended")

    assert (extended.time, extended.topic) == (datetime(2026, 3, 2, 10, 0), "topic_9")
    assert extended.model_copy(update={"time": None, "topic": None}) == past_turn(_ASKED)


def test_independent_calls_stand_in_one_step() -> None:
    turn = reference_turn(
        call("get_opening_hours", {"branch": "Station"}, 1),
        call("search_books", {"title": "Dune"}, 2),
        final(after=[0, 1]),
    )

    (step,) = past_turn(turn).steps

    assert isinstance(step, CallStep)
    assert {made.name: seen.content for made, seen in zip(step.calls, step.observations, strict=True)} == {
        "get_opening_hours": 1,
        "search_books": 2,
    }


def test_a_turn_of_talk_has_no_steps() -> None:
    assert past_turn(reference_turn(final("Hello."), request="Hi")) == Turn(
        turn_id="t0000", request="Hi", reply="Hello."
    )


def test_a_reply_that_is_no_text_is_kept_as_json() -> None:
    said = final()
    said["observation"] = {"text": "好"}

    assert past_turn(reference_turn(said)).reply == '{"text": "好"}'


def test_what_no_memory_can_hold_is_replaced() -> None:
    turn = past_turn(
        reference_turn(
            question("search_books", ["title"], "Which \ud83d?", "This \ud83d."),
            call("search_books", {"title": "a\ud83d"}, {"k\ud83d": [float("nan"), float("-inf"), 1.5]}, after=[0]),
            final("\ud83d", after=[1]),
            request="\ud83d!",
        )
    )

    assert turn == Turn(
        turn_id="t0000",
        request="?!",
        steps=(
            QuestionStep(question="Which ??", answer="This ?."),
            CallStep(
                calls=(ToolCall(id="t0000.1", name="search_books", arguments={"title": "a?"}),),
                observations=(Observation(content={"k?": ["nan", "-inf", 1.5]}),),
            ),
        ),
        reply="?",
    )
    assert Turn.model_validate_json(turn.model_dump_json()) == turn


def test_ids_of_turns_sort_as_the_turns_do_and_say_nothing_else() -> None:
    assert [turn_id(0), turn_id(12), turn_id(345)] == ["t0000", "t0012", "t0345"]


@pytest.mark.parametrize(
    ("env_info", "expected"),
    [
        ("2026-03-02 10:05:09", datetime(2026, 3, 2, 10, 5, 9)),
        ("Now: 2026-03-02 10:05 (Monday)", datetime(2026, 3, 2, 10, 5)),
        ("当前时间：2026-03-02T10:05:09+08:00", datetime(2026, 3, 2, 10, 5, 9, tzinfo=timezone(timedelta(hours=8)))),
        ("2026-03-02 10:05:09+00:00", datetime(2026, 3, 2, 10, 5, 9, tzinfo=UTC)),
        ("2026-02-30 10:05:09", None),
        ("Monday", None),
        ("", None),
        (None, None),
    ],
)
def test_the_clock_is_the_first_time_in_the_text(env_info: str | None, expected: datetime | None) -> None:
    assert clock_of(env_info) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("[1]", {}), ("a: 1", {}), ("", {})],
)
def test_arguments_written_as_text_are_read(written: object, expected: dict[str, int]) -> None:
    step = ReferenceStep.model_validate({"action": {"name": "search_books", "arguments": written}})

    assert arguments(step) == expected
