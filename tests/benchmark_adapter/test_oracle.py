"""The oracle reads what was recalled, asked and seen, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import JsonValue

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.topics import Gold
from benchmark_adapter.replay.oracle import MissingGoldError, OraclePlanner, holds, item_holds, source_of, stands_in
from clarifier.decision import Proposal, Situation
from memory.evidence import Evidence, Slot
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.rendering import render_turn
from tests.benchmark_adapter.topics import call, final, question, reference_turn

_SAID = Turn(turn_id="t0001", request="I always fetch my books at Old Mill.", reply="Noted.")
_OTHER = Turn(turn_id="t0002", request="Nothing of interest, Old Mill apart.")


def _turn(
    arguments: Mapping[str, Any], slots: Mapping[str, str], *, evidence: Sequence[str] = ("topic_1#0",)
) -> ReferenceTurn:
    return reference_turn(
        call("reserve_book", arguments), final(after=[0]), gold={"slots": dict(slots), "evidence": list(evidence)}
    )


def _item(turn: Turn) -> RecallItem:
    return RecallItem(kind="turn", turn_ids=(turn.turn_id,), text=render_turn(turn), tokens=1, turn=turn)


def _situation(*recalled: Turn | RecallItem, steps: Sequence[Step] = ()) -> Situation:
    items = tuple(_item(one) if isinstance(one, Turn) else one for one in recalled)
    return Situation(request="Reserve Dune.", tools=(), recall=Recall(items=items), steps=tuple(steps))


def _arguments(
    turn: ReferenceTurn, situation: Situation, *, evidence: Sequence[Turn] = (_SAID,)
) -> dict[str, JsonValue]:
    (made,) = OraclePlanner(turn, evidence).plan(situation).calls
    return made.arguments


def _made(*calls: tuple[str, str]) -> CallStep:
    return CallStep(
        calls=tuple(ToolCall(id=call_id, name=name) for call_id, name in calls),
        observations=tuple(Observation(content="…") for _ in calls),
    )


# Sources


def test_what_the_request_says_is_readable_at_once() -> None:
    assert _arguments(_turn({"branch": "Old Mill"}, {"branch": "request"}), _situation()) == {"branch": "Old Mill"}


def test_a_slot_that_gold_does_not_name_is_of_the_request() -> None:
    assert _arguments(_turn({"branch": "Old Mill"}, {}), _situation()) == {"branch": "Old Mill"}


@pytest.mark.parametrize("source", ["history", "preference"])
def test_what_a_past_turn_says_is_readable_once_that_turn_is_recalled(source: str) -> None:
    turn = _turn({"branch": "Old Mill"}, {"branch": source})

    assert _arguments(turn, _situation()) == {}
    assert _arguments(turn, _situation(_OTHER)) == {}  # holds the words, but is not the evidence
    assert _arguments(turn, _situation(_OTHER, _SAID)) == {"branch": "Old Mill"}


def test_an_evidence_turn_cut_down_to_less_than_the_value_does_not_hold_it() -> None:
    cut = _SAID.model_copy(update={"request": "I always fetch my books…"})

    assert _arguments(_turn({"branch": "Old Mill"}, {"branch": "history"}), _situation(cut)) == {}


def test_a_state_line_that_stems_from_the_evidence_turn_counts_by_its_text_or_its_evidence() -> None:
    turn = _turn({"branch": "Old Mill"}, {"branch": "preference"})
    by_text = RecallItem(kind="state", turn_ids=("t0000", "t0001"), text="branch: Old Mill", tokens=1)
    speaks = Evidence(Slot("reserve_book", "branch"), "old  mill", "request", "standing", "t0001", 1)
    by_evidence = RecallItem(kind="state", turn_ids=("t0001",), text="a habit", tokens=1, evidence=(speaks,))
    silent = RecallItem(kind="state", turn_ids=("t0001",), text="a habit", tokens=1)

    assert _arguments(turn, _situation(by_text)) == {"branch": "Old Mill"}
    assert _arguments(turn, _situation(by_evidence)) == {"branch": "Old Mill"}
    assert _arguments(turn, _situation(silent)) == {}


def test_a_value_that_no_evidence_turn_holds_literally_is_readable_once_any_is_recalled() -> None:
    turn = _turn({"branch": "Station"}, {"branch": "history"})

    assert _arguments(turn, _situation()) == {}
    assert _arguments(turn, _situation(_OTHER)) == {}
    assert _arguments(turn, _situation(_SAID)) == {"branch": "Station"}


def test_history_without_any_evidence_turn_is_never_readable() -> None:
    turn = _turn({"branch": "Old Mill"}, {"branch": "history"}, evidence=())

    assert _arguments(turn, _situation(_SAID), evidence=()) == {}


def test_a_boolean_is_held_as_an_argument_and_not_as_a_word() -> None:
    turn = _turn({"large_print": True}, {"large_print": "preference"})
    reserved = CallStep(
        calls=(ToolCall(id="1", name="reserve_book", arguments={"large_print": True}),), observations=(Observation(),)
    )
    chosen = Turn(turn_id="t0001", request="In large print, please.", steps=(reserved,))
    words = RecallItem(kind="turn", turn_ids=("t0001",), text="True, true: true", tokens=1)

    assert _arguments(turn, _situation(chosen), evidence=[chosen]) == {"large_print": True}
    assert _arguments(turn, _situation(words), evidence=[chosen]) == {}


def test_false_is_a_value_like_any_other() -> None:
    assert _arguments(_turn({"large_print": False}, {"large_print": "request"}), _situation()) == {"large_print": False}


def test_a_list_is_read_element_by_element() -> None:
    first, second = Turn(turn_id="t0001", request="Give me B-17."), Turn(turn_id="t0002", request="And B-40.")
    turn = _turn({"book_ids": ["B-17", "B-40"]}, {"book_ids": "history"})

    assert _arguments(turn, _situation(), evidence=[first, second]) == {}
    assert _arguments(turn, _situation(second), evidence=[first, second]) == {"book_ids": ["B-40"]}
    assert _arguments(turn, _situation(first, second), evidence=[first, second]) == {"book_ids": ["B-17", "B-40"]}


def test_an_empty_list_is_one_value() -> None:
    assert _arguments(_turn({"book_ids": []}, {"book_ids": "request"}), _situation()) == {"book_ids": []}


def test_what_is_derived_needs_its_evidence_and_nothing_where_there_is_none() -> None:
    with_evidence = _turn({"branch": "Old Mill"}, {"branch": "derived"})

    assert _arguments(with_evidence, _situation()) == {}
    assert _arguments(with_evidence, _situation(_OTHER)) == {}
    assert _arguments(with_evidence, _situation(_SAID)) == {"branch": "Old Mill"}
    assert _arguments(with_evidence, _situation(), evidence=()) == {"branch": "Old Mill"}


_CHAIN = reference_turn(
    call("search_books", {"title": "Dune"}, {"book_id": "B-17"}),
    call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "reserved", after=[0]),
    final(after=[1]),
    gold={"slots": {"title": "request", "book_id": "observation", "branch": "asked"}},
)


def test_what_a_tool_returns_is_readable_once_it_was_seen() -> None:
    planner = OraclePlanner(_CHAIN, ())

    assert planner.plan(_situation()).calls == (
        ToolCall(id="call_0", name="search_books", arguments={"title": "Dune"}),
    )
    assert planner.plan(_situation(steps=[_made(("call_0", "search_books"))])).calls == (
        ToolCall(id="call_1", name="reserve_book", arguments={"book_id": "B-17"}),
    )


def test_what_a_tool_returned_earlier_is_readable_once_that_turn_is_recalled() -> None:
    turn = _turn({"book_id": "B-17"}, {"book_id": "observation"})

    assert _arguments(turn, _situation()) == {}
    assert _arguments(turn, _situation(_SAID)) == {"book_id": "B-17"}


def test_an_observation_behind_a_question_counts_as_seen() -> None:
    turn = reference_turn(
        call("search_books", {"title": "Dune"}, {"book_id": "B-17"}),
        question("reserve_book", ["branch"], "Which branch?", "Old Mill.", after=[0]),
        call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "reserved", after=[1]),
        final(after=[2]),
        gold={"slots": {"title": "request", "book_id": "observation", "branch": "asked"}},
    )
    steps: list[Step] = [_made(("call_0", "search_books")), QuestionStep(question="Which branch?", answer="Old Mill.")]

    assert OraclePlanner(turn, ()).plan(_situation(steps=steps)).calls == (
        ToolCall(id="call_2", name="reserve_book", arguments={"book_id": "B-17", "branch": "Old Mill"}),
    )


def test_what_is_asked_is_readable_once_it_was_answered() -> None:
    searched = _made(("call_0", "search_books"))
    unanswered: list[Step] = [searched, QuestionStep(question="Which branch?")]
    answered: list[Step] = [searched, QuestionStep(question="Which branch?", answer="Old Mill.")]

    assert _arguments(_CHAIN, _situation(steps=unanswered)) == {"book_id": "B-17"}
    assert _arguments(_CHAIN, _situation(steps=answered)) == {"book_id": "B-17", "branch": "Old Mill"}


# Plans


def test_at_the_end_it_replies() -> None:
    steps = [_made(("call_0", "search_books")), _made(("call_1", "reserve_book"))]

    assert OraclePlanner(_CHAIN, ()).plan(_situation(steps=steps)) == Proposal(reply="Done.")
    assert OraclePlanner(reference_turn(final(), gold={}), ()).plan(_situation()) == Proposal(reply="Done.")


def test_the_references_questions_are_not_proposed() -> None:
    turn = reference_turn(
        question("reserve_book", ["branch"], "Which branch?", "Old Mill."),
        call("reserve_book", {"branch": "Old Mill"}, after=[0]),
        final(after=[1]),
        gold={"slots": {"branch": "asked"}},
    )

    assert OraclePlanner(turn, ()).plan(_situation()) == Proposal(
        calls=(ToolCall(id="call_1", name="reserve_book", arguments={}),)
    )


def test_independent_calls_go_together_and_those_held_back_are_proposed_again() -> None:
    turn = reference_turn(
        call("search_books", {"title": "Dune"}),
        call("search_books", {"title": "Emma"}),
        call("get_opening_hours", {"branch": "Station"}, after=[0, 1]),
        final(after=[2]),
        gold={},
    )
    dune = ToolCall(id="call_0", name="search_books", arguments={"title": "Dune"})
    emma = ToolCall(id="call_1", name="search_books", arguments={"title": "Emma"})
    planner = OraclePlanner(turn, ())

    together = planner.plan(_situation())
    rest = planner.plan(_situation(steps=[_made(("call_1", "search_books"))]))

    assert sorted(together.calls, key=lambda made: made.id) == [dune, emma]
    assert rest == Proposal(calls=(dune,))


def test_a_turn_without_gold_is_refused() -> None:
    with pytest.raises(MissingGoldError, match=r"person1 turn 3 \(topic topic_1\) has none"):
        OraclePlanner(reference_turn(final(), index=3), ())


# Values


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        ("Old Mill", "at the OLD  MILL branch", True),
        ("Old Mill", "at Old Millers", False),
        ("B-17", "B-170", False),
        (17, "17 books", True),
        (17, "170 books", False),
        (17, "a fine of 17.5", False),
        (17.5, "a fine of £17.50", True),
        (18500, "18,500 pages", True),
        (1234567.5, "1,234,567.5 in all", True),
        (20.0, "20 pounds", True),
        (-3, "at -3 degrees", True),
        ("老地方", "还在老地方见", True),
        (20, "筒骨20斤", True),
        ("", "anything", False),
        (None, "None", False),
        ({"book_id": "B-17", "copies": 2}, "2 of B-17", True),
        ({"book_id": "B-17", "copies": 3}, "2 of B-17", False),
        ({}, "anything", False),
    ],
)
def test_a_value_stands_in_a_text_as_a_word_or_number_of_its_own(value: JsonValue, text: str, expected: bool) -> None:
    assert stands_in(value, text) is expected


def test_a_turn_holds_what_is_in_its_words_arguments_and_observations() -> None:
    step = CallStep(
        calls=(ToolCall(id="1", name="reserve_book", arguments={"items": [{"weeks": 3, "quiet": False}]}),),
        observations=(Observation(content={"status": "reserved"}),),
    )
    turn = Turn(turn_id="t0001", request="As always.", steps=(step,))

    held: list[JsonValue] = ["always", "reserved", 3, False, {"weeks": 3, "quiet": False}]
    absent: list[JsonValue] = ["never", 4, True]

    assert [holds(turn, value) for value in held] == [True] * 5
    assert [holds(turn, value) for value in absent] == [False] * 3


def test_an_item_without_its_turn_holds_what_its_text_says() -> None:
    item = RecallItem(kind="exemplar", turn_ids=("t0001",), text='reserve_book(branch="Station")', tokens=1)

    assert (item_holds(item, "Station"), item_holds(item, "Harbour"), item_holds(item, True)) == (True, False, False)


def test_a_source_named_for_one_tool_goes_before_the_general_one() -> None:
    gold = Gold(slots={"branch": "history", "reserve_book.branch": "asked"})

    assert source_of(gold, "reserve_book", "branch") == "asked"
    assert source_of(gold, "search_books", "branch") == "history"
    assert source_of(gold, "search_books", "title") == "request"
