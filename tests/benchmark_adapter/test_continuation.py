"""What tools and the person say after the first deviation, and that nothing of it is official."""

from __future__ import annotations

from typing import Any

import pytest

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.replay.continuation import NO_RESULT, NOTHING_TO_ADD, REPLY_LIMIT, Continuation
from benchmark_adapter.replay.environment import ReplayEnvironment
from benchmark_adapter.replay.questions import is_about, telling_words
from memory.records import Observation
from memory.tools import parse_tools
from tests.benchmark_adapter.replies import ask, do, perform
from tests.benchmark_adapter.topics import TOOLS, call, final, question, reference_turn

_NOTHING = Observation(error=NO_RESULT)
_SEARCH = ("search_books", {"title": "Dune"})
_HOURS = ("get_opening_hours", {"branch": "Old Mill"})
_RESERVE = ("reserve_book", {"book_id": "B-17", "branch": "Old Mill"})


def _turn() -> ReferenceTurn:
    """A turn that starts with a search; whatever else comes first is its deviation."""
    return reference_turn(
        call(*_SEARCH, "found"),
        question("reserve_book", ["branch"], "Which branch?", "Old Mill.", after=[0]),
        call(*_RESERVE, "reserved", after=[1]),
        final(after=[2]),
    )


def _played(*acts: Any, goes_on: bool = True) -> tuple[list[Any], ReplayEnvironment]:
    environment = ReplayEnvironment(_turn(), "fallback", goes_on=goes_on)
    return perform(environment, *acts), environment


def test_a_call_of_the_reference_gets_its_observation_and_any_other_the_same_error() -> None:
    heard, _ = _played(
        do(_HOURS),
        do(_SEARCH),
        do(("search_books", {"title": "Emma"})),
        do(("reserve_book", {"book_id": "B-40", "branch": "Old Mill"}), _RESERVE),
    )

    assert heard == [
        [_NOTHING],
        [Observation(content="found")],
        [_NOTHING],
        [_NOTHING, Observation(content="reserved")],
    ]


def test_pages_and_formats_may_differ_in_a_call_that_only_reads_and_nothing_else() -> None:
    turn = reference_turn(
        call("search_books", {"title": "Dune", "branch": "Harbour", "page_size": 5}, "found"),
        call("reserve_book", {"book_id": "B-17", "branch": "Old Mill", "format": "pdf"}, "reserved"),
        final(after=[0, 1]),
    )
    continuation = Continuation(turn, "fallback")

    assert continuation.observe("search_books", '{"title": "Dune", "branch": "Harbour"}') == Observation(
        content="found"
    )
    # What it returned would tell of the branch.
    assert continuation.observe("search_books", '{"title": "Dune"}') == _NOTHING
    assert continuation.observe("reserve_book", '{"book_id": "B-17", "branch": "Old Mill"}') == _NOTHING


def test_two_equal_calls_get_the_observations_one_after_the_other() -> None:
    turn = reference_turn(call(*_HOURS, "9 to 5"), call(*_HOURS, "closed"), final(after=[0, 1]))
    continuation = Continuation(turn, "fallback")

    heard = [continuation.observe("get_opening_hours", '{"branch": "Old Mill"}').content for _ in range(3)]

    assert heard == ["9 to 5", "closed", "9 to 5"]


@pytest.mark.parametrize("written", ["[1]", "{", '"Old Mill"'])
def test_arguments_that_are_no_object_get_the_same_error(written: str) -> None:
    assert Continuation(_turn(), "fallback").observe("search_books", written) == _NOTHING


def test_the_person_answers_what_the_reference_asks_and_has_nothing_to_add_to_anything_else() -> None:
    heard, _ = _played(
        ask("Which weeks?", "renew_loans.weeks"),
        ask("Where to?", "reserve_book.branch"),
        ask("要续借几周？", "renew_loans.weeks"),
    )

    assert heard == [NOTHING_TO_ADD["en"], "Old Mill.", NOTHING_TO_ADD["zh"]]


def test_a_final_reply_ends_the_turn() -> None:
    heard, environment = _played(do(_HOURS), "Done.")

    assert heard == [[_NOTHING], None]
    assert [reply.after_deviation for reply in environment.replies] == [False, True]


def test_the_turn_ends_at_the_deviation_where_it_is_not_to_go_on() -> None:
    heard, environment = _played(do(_HOURS), goes_on=False)

    assert heard == [None]
    assert [reply.after_deviation for reply in environment.replies] == [False]


def test_a_turn_that_ended_as_the_reference_ends_does_not_go_on() -> None:
    environment = ReplayEnvironment(reference_turn(final()), "fallback", goes_on=True)

    assert perform(environment, "Bye.", do(_HOURS), ask("Anything else?")) == [None, None, None]


def test_the_limit_of_replies_is_the_same_for_every_turn() -> None:
    for turn in (_turn(), reference_turn(final())):
        environment = ReplayEnvironment(turn, "fallback", goes_on=True)
        heard = perform(environment, *[do(_HOURS)] * (REPLY_LIMIT + 3))

        # The deviating reply is answered, and so many after it.
        assert [one is None for one in heard] == [False] * (1 + REPLY_LIMIT) + [True] * 2


def test_known_slots_decide_what_a_question_is_about_and_else_its_words() -> None:
    step = ReferenceStep.model_validate(question("reserve_book", ["branch"], "Which branch?", "Old Mill."))
    tools = parse_tools(TOOLS)

    assert is_about("Where?", ["get_opening_hours.branch"], step, tools)
    assert not is_about("Which branch?", ["reserve_book.book_id"], step, tools)
    assert is_about("At which branches?", [], step, tools)
    assert not is_about("Which title?", [], step, tools)
    # `pickup` and `reserve` tell nothing: the tool's own description has them.
    assert telling_words("reserve_book.branch", tools) == frozenset({"branch", "library"})
