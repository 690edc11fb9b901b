"""The frozen rule of where a reference value comes from."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from benchmark_adapter.data.dataset import ReferenceTurn, load_sessions
from benchmark_adapter.scoring.value_sources import (
    GOLD_EQUIVALENTS,
    Earlier,
    agreement,
    gold_or_rule,
    is_written,
    source_by_rule,
)
from tests.benchmark_adapter.topics import call, final, question, reference_turn
from tests.shared import shared_path


def _source(turn: ReferenceTurn, name: str, *earlier: ReferenceTurn, node: int = 0) -> str:
    return source_by_rule(turn, node, name, Earlier(earlier))


def _hours(branch: str = "Old Mill", request: str = "When is it open?", **fields: Any) -> ReferenceTurn:
    return reference_turn(call("get_opening_hours", {"branch": branch}, "9 to 5"), final(), request=request, **fields)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Old Mill", "at the OLD MILL, please"),
        ("old_mill", "the old mill"),
        (3, "for three weeks"),
        (18500, "18,500 in all"),
        ("08:15", "from 8:15"),
        (["Harbour", "Station"], "Station or Harbour"),
    ],
)
def test_values_are_found_as_they_are_written(value: Any, text: str) -> None:
    assert is_written(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [("Mill", "Millers"), (3, "B-3a or 13"), (True, "true"), ([], "anything"), (["Harbour", "Station"], "Harbour")],
)
def test_parts_of_words_and_booleans_are_not_written(value: Any, text: str) -> None:
    assert not is_written(value, text)


def test_the_request_comes_before_history() -> None:
    before = _hours(request="I like Old Mill.")

    assert _source(_hours(request="When is Old Mill open?"), "branch", before) == "request"
    assert _source(_hours(), "branch", before) == "history"
    assert _source(_hours(), "branch") == "none"


def test_history_is_what_was_said_or_given_first_and_observation_what_a_tool_returned_first() -> None:
    given = _hours()
    returned = reference_turn(call("search_books", {"title": "Dune"}, "at Old Mill"), final(after=[0]))

    assert _source(_hours(), "branch", given, returned) == "history"
    assert _source(_hours(), "branch", returned, given) == "observation"


def test_what_a_call_of_this_turn_returned_is_an_observation_if_the_other_depends_on_it() -> None:
    def turn(*after: int) -> ReferenceTurn:
        return reference_turn(
            call("search_books", {"title": "Dune"}, {"book_id": "B-17"}),
            call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "ok", after=after),
            final(),
            request="Reserve Dune.",
        )

    assert _source(turn(0), "book_id", node=1) == "observation"
    assert _source(turn(), "book_id", node=1) == "none"


def test_what_the_reference_asks_for_and_what_the_answer_brings_is_asked() -> None:
    turn = reference_turn(
        question("reserve_book", ["branch"], "Which branch?", "The mill, and take B-17."),
        call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "ok", after=[0]),
        final(after=[1]),
    )

    assert (_source(turn, "branch", node=1), _source(turn, "book_id", node=1)) == ("asked", "asked")


def test_booleans_and_numbers_count_as_arguments_of_the_same_name_alone() -> None:
    def renew(weeks: int, request: str = "Again.") -> ReferenceTurn:
        return reference_turn(
            call("renew_loans", {"book_ids": ["B-17"], "weeks": weeks}, "ok"), final(), request=request
        )

    assert _source(renew(2), "weeks", renew(2)) == "history"
    assert _source(renew(2), "weeks", renew(3, "I have 2 dogs.")) == "none"


def test_gold_goes_before_the_rule() -> None:
    annotated = _hours(request="When is Old Mill open?", gold={"slots": {"branch": "preference"}})

    assert gold_or_rule(annotated, 0, "branch", Earlier()) == "preference"
    assert gold_or_rule(_hours(), 0, "branch", Earlier()) == "derived"
    assert gold_or_rule(_hours(), 0, "branch", Earlier((_hours(),))) == "history"


def test_a_value_is_unambiguous_if_all_earlier_calls_of_the_tool_had_it() -> None:
    same, other = _hours("Old Mill"), _hours("Station")

    assert Earlier((same, same)).is_unambiguous("get_opening_hours", "branch", "Old Mill")
    assert not Earlier((same, other)).is_unambiguous("get_opening_hours", "branch", "Old Mill")
    assert not Earlier((same,)).is_unambiguous("reserve_book", "branch", "Old Mill")
    assert not Earlier().is_unambiguous("get_opening_hours", "branch", "Old Mill")


def test_agreement_counts_every_argument_of_annotated_turns() -> None:
    first = _hours(request="When is Old Mill open?", gold={"slots": {"branch": "request"}})
    second = _hours(gold={"slots": {"branch": "preference"}})

    assert agreement([first, second, _hours()]) == Counter({("request", "request"): 1, ("preference", "history"): 1})


def test_the_rule_agrees_with_gold_on_three_quarters_of_the_shared_personas() -> None:
    sessions = load_sessions(shared_path("utb-dev"), toolsets=shared_path("toolsets"))
    counts = sum((agreement(session.turns) for session in sessions), Counter[Any]())
    agreed = sum(count for (gold, rule), count in counts.items() if gold in GOLD_EQUIVALENTS[rule])

    assert counts.total() == 299
    assert agreed / counts.total() == pytest.approx(230 / 299)
