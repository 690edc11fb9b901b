"""Which calls of a turn were wrong, and whether all that were wanted were made."""

from __future__ import annotations

import json
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.scoring.turn_outcome import NO_CALLS, TurnOutcome, outcome_of
from benchmark_adapter.scoring.turn_verdict import follow, judge
from tests.benchmark_adapter.topics import call, final, question, reference_turn

_DUNE = {"title": "Dune"}
_RESERVED = {"book_id": "B-17", "branch": "Old Mill"}
_RESERVE = reference_turn(
    call("search_books", _DUNE, "B-17"), call("reserve_book", _RESERVED, "reserved", after=[0]), final(after=[1])
)
_DONE = Reply(content="Done.")


def _calls(*made: tuple[str, Any]) -> Reply:
    written = (value if isinstance(value, str) else json.dumps(value) for _, value in made)
    return Reply(
        calls=tuple(
            WrittenCall(id=f"c{number}", name=name, arguments=text)
            for number, ((name, _), text) in enumerate(zip(made, written, strict=True))
        )
    )


def _outcome(turn: ReferenceTurn, *replies: Reply) -> TurnOutcome:
    return outcome_of(judge(turn, follow(turn, replies), similarity="fallback"))


def test_a_turn_along_the_reference_has_no_wrong_call() -> None:
    assert _outcome(_RESERVE, _calls(("search_books", _DUNE)), _calls(("reserve_book", _RESERVED)), _DONE) == (
        TurnOutcome((), calls_are_right=True, is_optimal=True, steps_in_log=3)
    )


def test_all_calls_of_a_refused_step_are_wrong() -> None:
    both = _calls(("search_books", _DUNE), ("reserve_book", _RESERVED))

    assert _outcome(_RESERVE, both, _DONE) == TurnOutcome(("search_books", "reserve_book"), steps_in_log=1)


def test_of_an_accepted_step_only_calls_with_wrong_arguments_are_wrong() -> None:
    turn = reference_turn(
        call("search_books", _DUNE), call("get_opening_hours", {"branch": "Station"}), final(after=[0, 1])
    )
    both = _calls(("search_books", _DUNE), ("get_opening_hours", {"branch": "Harbour"}))

    # The evaluator drops the step after wrong arguments from the log.
    assert _outcome(turn, both, _DONE) == TurnOutcome(("get_opening_hours",), steps_in_log=1)


def test_calls_after_the_first_wrong_one_are_looked_at_too() -> None:
    searched = _calls(("search_books", {"title": "Emma"}))
    reserved = _calls(("reserve_book", {**_RESERVED, "branch": "Station"}))

    assert _outcome(_RESERVE, searched, reserved, _DONE).wrong_calls == ("search_books", "reserve_book")


def test_unreadable_arguments_are_wrong() -> None:
    assert _outcome(_RESERVE, _calls(("search_books", "{"))).wrong_calls == ("search_books",)


def test_calls_are_not_right_where_some_of_the_reference_is_undone() -> None:
    assert _outcome(_RESERVE, _calls(("search_books", _DUNE)), _DONE) == TurnOutcome((), steps_in_log=2)


def test_acting_where_the_reference_asks_is_wrong() -> None:
    turn = reference_turn(
        question("reserve_book", ["branch"], "Which?", "Old Mill."),
        call("reserve_book", _RESERVED, after=[0]),
        final(after=[1]),
    )

    assert _outcome(turn, _calls(("reserve_book", _RESERVED))).wrong_calls == ("reserve_book",)


def test_a_turn_without_replies_did_nothing() -> None:
    assert _outcome(_RESERVE) == NO_CALLS
