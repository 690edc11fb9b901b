"""The exact score of a turn from its replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.evaluator.trajectory import Follower, PredictedCall
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.scoring.exact import ExactScore, score_turn, score_verdict
from benchmark_adapter.scoring.turn_verdict import judge
from tests.benchmark_adapter.topics import call, final, question, reference_turn


def _calls(*made: tuple[str, dict[str, Any]]) -> Reply:
    return Reply(
        calls=tuple(
            WrittenCall(id=f"c{number}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
            for number, (name, arguments) in enumerate(made)
        )
    )


def _score(turn: ReferenceTurn, *replies: Reply) -> ExactScore:
    return score_turn(turn, replies, similarity="fallback")


_RESERVE = reference_turn(
    call("search_books", {"title": "Dune"}, "B-17"),
    call("reserve_book", {"book_id": "B-17", "branch": "Old Mill", "large_print": True}, "reserved", after=[0]),
    final(after=[1]),
)
_SEARCHED = _calls(("search_books", {"title": "Dune"}))


def test_a_turn_along_the_reference_is_correct_and_every_argument_right() -> None:
    reserved = _calls(("reserve_book", {"book_id": "B-17", "branch": "Old Mill", "large_print": True}))

    assert _score(_RESERVE, _SEARCHED, reserved, Reply(content="Done.")) == ExactScore(
        "correct", None, frozenset({(0, "title"), (1, "book_id"), (1, "branch"), (1, "large_print")})
    )


def test_a_wrong_argument_makes_the_turn_wrong_and_leaves_the_others_right() -> None:
    reserved = _calls(("reserve_book", {"book_id": "B-17", "branch": "Station", "large_print": True}))

    score = _score(_RESERVE, _SEARCHED, reserved, Reply(content="Done."))

    assert (score.label, score.reason is None) == ("error", False)
    assert score.right_arguments == {(0, "title"), (1, "book_id"), (1, "large_print")}


def test_arguments_of_a_refused_step_are_not_right_even_if_they_are_the_references() -> None:
    both = _calls(
        ("search_books", {"title": "Dune"}),
        ("reserve_book", {"book_id": "B-17", "branch": "Old Mill", "large_print": True}),
    )

    score = _score(_RESERVE, both)

    assert score == ExactScore("error", "action name not in candidate_answer_function_list", frozenset())


def test_an_argument_left_out_is_not_right() -> None:
    reserved = _calls(("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}))

    score = _score(_RESERVE, _SEARCHED, reserved, Reply(content="Done."))

    assert score.label == "error"
    assert score.right_arguments == {(0, "title"), (1, "book_id"), (1, "branch")}


def test_a_boolean_is_not_an_integer() -> None:
    reserved = _calls(("reserve_book", {"book_id": "B-17", "branch": "Old Mill", "large_print": 1}))

    assert (1, "large_print") not in _score(_RESERVE, _SEARCHED, reserved).right_arguments


def test_two_calls_of_one_tool_are_paired_by_their_arguments() -> None:
    turn = reference_turn(
        call("search_books", {"title": "Emma"}, 1), call("search_books", {"title": "Dune"}, 2), final(after=[0, 1])
    )

    score = _score(
        turn, _calls(("search_books", {"title": "Emma"}), ("search_books", {"title": "Dune"})), Reply(content="Done.")
    )

    assert score == ExactScore("correct", None, frozenset({(0, "title"), (1, "title")}))


def test_replies_after_the_end_play_no_part() -> None:
    turn = reference_turn(call("search_books", {"title": "Dune"}, "B-17"), final(after=[0]))

    assert _score(turn, _SEARCHED, Reply(content="Done."), _SEARCHED, Reply(content="More.")).label == "correct"
    assert _score(turn, Reply(content="Which?"), _SEARCHED, Reply(content="Done.")).label == "error"


def test_a_question_is_a_step_of_the_reference() -> None:
    turn = reference_turn(
        question("search_books", ["title"], "Which title?", "Dune."),
        call("search_books", {"title": "Dune"}, "B-17", after=[0]),
        final(after=[1]),
    )

    assert _score(turn, Reply(content="Which?", is_question=True), _SEARCHED, Reply(content="Done.")).label == "correct"
    assert _score(turn, _SEARCHED, Reply(content="Done.")).label == "error"


def test_a_turn_without_replies_is_wrong() -> None:
    assert _score(_RESERVE) == ExactScore("error", "the turn was not finished", frozenset())


@pytest.mark.parametrize("reply", [Reply(content=""), Reply(content=None)])
def test_an_empty_reply_is_wrong(reply: Reply) -> None:
    assert _score(reference_turn(final()), reply).label == "error"


def test_a_chat_turn_is_correct_with_any_words() -> None:
    assert _score(reference_turn(final("Hello.")), Reply(content="Hi!")) == ExactScore("correct", None, frozenset())


def test_reference_arguments_written_as_text_match_nothing() -> None:
    turn = reference_turn(call("search_books", '{"title": "Dune"}', "B-17"), final(after=[0]))

    assert _score(turn, _SEARCHED, Reply(content="Done.")).label == "error"


@pytest.mark.parametrize(
    "arguments",
    ['{"title": "Dune"', "Dune", "[1]", "null", "", pytest.param("[" * 100_000, id="too deep"), '{"title": "\\ud800"}'],
)
def test_arguments_that_are_no_json_object_make_the_turn_wrong_and_raise_nothing(arguments: str) -> None:
    turn = reference_turn(call("search_books", {"title": "Dune"}, "B-17"), final(after=[0]))
    broken = Reply(calls=(WrittenCall(id="c0", name="search_books", arguments=arguments),))

    score = _score(turn, broken, Reply(content="Done."))

    assert (score.label, score.right_arguments) == ("error", frozenset())


@pytest.mark.parametrize(
    ("reference", "right"), [('{"title": "Dune"}', {(0, "title")}), ("Dune", set()), ("[1]", set()), ("", set())]
)
def test_of_reference_arguments_written_as_text_those_that_can_be_read_are_looked_at(
    reference: str, right: set[tuple[int, str]]
) -> None:
    turn = reference_turn(call("search_books", reference, "B-17"), final(after=[0]))

    score = _score(turn, _SEARCHED, Reply(content="Done."))

    assert score.label == "error"
    assert set(score.right_arguments) == right


@pytest.mark.parametrize("arguments", [{"title": "Dune"}, None, 7])
def test_arguments_that_are_no_text_make_the_turn_wrong_and_raise_nothing(arguments: Any) -> None:
    turn = reference_turn(
        call("search_books", {"title": "Dune"}, "B-17"), call("search_books", {"title": "Emma"}, "B-40"), final()
    )
    follower = Follower(turn.answer)
    follower.calls([PredictedCall("1", "search_books", arguments), PredictedCall("2", "search_books", "{}")])

    assert score_verdict(judge(turn, follower, similarity="fallback")).label == "error"


def test_a_schema_that_is_none_makes_the_turn_wrong_and_raises_nothing() -> None:
    broken = {"type": "function", "function": {"name": "search_books", "parameters": {"properties": {"title": "text"}}}}
    turn = reference_turn(call("search_books", {"title": "Dune"}, "B-17"), final(after=[0]))
    turn = ReferenceTurn(**{**vars(turn), "tools": (broken,)})

    score = _score(turn, _SEARCHED, Reply(content="Done."))

    assert score.label == "error"
    assert score.right_arguments == {(0, "title")}
