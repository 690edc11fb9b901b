"""Metrics, each worked out by hand."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmark_adapter.replay.turn_result import Failure, RecalledItem
from benchmark_adapter.scoring.bootstrap import Values, point
from benchmark_adapter.scoring.metrics import (
    EXACT_KEYS,
    SOURCES,
    ScoredTurn,
    ask_quality,
    by_person,
    draws_once,
    exact_accuracy,
    f1,
    group_of,
    is_decision_relevant,
    ratio,
    slot_counts,
    thirds,
)
from benchmark_adapter.scoring.run_metrics import compute_metrics
from benchmark_adapter.scoring.value_sources import Earlier
from clarifier.decision import Act, Ask, Odds, Usage
from memory.records import ToolCall
from tests.benchmark_adapter.topics import JsonObject, call, final, question, reference_turn, scored

_ODDS = Odds(p_act=0.5, p_calls=0.5, p_asked=0.5)
_QUESTION = question("reserve_book", ["branch"], "Which branch?", "Old Mill.")
_LOI_ASKS, _LOI_ACTS = (
    [_QUESTION, final(after=[0])],
    [call("get_opening_hours", {"branch": "Station"}), final(after=[0])],
)


def _turns(person: str, *kinds: tuple[str | None, bool, list[JsonObject]]) -> list[ScoredTurn]:
    return [
        scored(reference_turn(*answer, session=person, index=index, task_type=task_type), is_correct=is_correct)
        for index, (task_type, is_correct, answer) in enumerate(kinds)
    ]


def _plain(task_type: str | None, is_correct: bool) -> tuple[str | None, bool, list[JsonObject]]:
    return (task_type, is_correct, [final()])


def _asking(*slots: str, reference: list[JsonObject], questions: int = 1) -> ScoredTurn:
    ask = Ask(policy="obey", odds=_ODDS, question="Which?", slots=slots)
    return scored(reference_turn(*reference, task_type="Clarify"), is_correct=False, decisions=(ask,) * questions)


def _silent(*, reference: list[JsonObject]) -> ScoredTurn:
    return scored(reference_turn(*reference, task_type="Clarify"), is_correct=False)


def _exact(turns: list[ScoredTurn]) -> dict[str, float | None]:
    return _points(exact_accuracy(turns, lambda turn: turn.is_correct, draws_once(turns)))


def _ask(turns: list[ScoredTurn]) -> dict[str, float | None]:
    return _points(ask_quality(turns, draws_once(turns)))


def _points(values: dict[str, Values]) -> dict[str, float | None]:
    return {name: point(value) for name, value in values.items()}


def _slots(turns: list[ScoredTurn]) -> dict[str, tuple[int, int]]:
    """Return how many arguments are right, and how many there are."""
    return {name: (sum(right), sum(every)) for name, (right, every) in slot_counts(turns).items()}


# Exact accuracy


def test_accuracy_is_macro_over_persons_and_micro_over_turns() -> None:
    turns = _turns(
        "ann",
        _plain("Single-Tool", True),
        _plain("Single-Tool", False),
        _plain("Multi-Tool", True),
        ("Clarify", True, _LOI_ASKS),
        ("Clarify", False, _LOI_ACTS),
        _plain("Chat", True),
    ) + _turns("bob", _plain("Single-Tool", True), _plain("Multi-Tool", False), ("Clarify", True, _LOI_ACTS))

    assert _exact(turns) == {
        "overall": pytest.approx((0.75 + 0.5 + 0.75) / 3),
        "micro": pytest.approx(6 / 9),
        "ST": 0.75,  # (1/2 + 1/1) / 2
        "MT": 0.5,  # (1 + 0) / 2
        "LOI": 0.75,  # (1/2 + 1) / 2
        "LOI_recoverable": 0.5,  # (0 + 1) / 2
        "LOI_unrecoverable": 1.0,  # bob has none
        "Chat": 1.0,
        "first_third": 0.75,  # ann: turns 1, 2; bob: turn 1
        "middle_third": 0.5,  # ann: 3, 4; bob: 2
        "last_third": 0.75,  # ann: 5, 6; bob: 3
    }


def test_accuracy_of_no_turns_is_undefined_throughout() -> None:
    assert _exact([]) == dict.fromkeys(EXACT_KEYS)


def test_overall_is_undefined_where_a_task_type_is_missing() -> None:
    assert _exact(_turns("ann", _plain("Single-Tool", True), _plain("Multi-Tool", True))) == {
        **dict.fromkeys(EXACT_KEYS),
        "micro": 1.0,
        "ST": 1.0,
        "MT": 1.0,
        "first_third": 1.0,
        "middle_third": 1.0,
    }


@pytest.mark.parametrize("is_correct", [True, False])
def test_accuracy_where_all_turns_are_alike(is_correct: bool) -> None:
    kinds = [_plain(task_type, is_correct) for task_type in ("Single-Tool", "Multi-Tool", "Chat")]
    turns = _turns("ann", *kinds, ("Clarify", is_correct, _LOI_ASKS), ("Clarify", is_correct, _LOI_ACTS))

    assert _exact(turns) == dict.fromkeys(EXACT_KEYS, float(is_correct))


def test_a_type_the_paper_does_not_know_counts_in_micro_and_thirds_alone() -> None:
    assert _exact(_turns("ann", _plain(None, True), _plain("Riddle", False))) == {
        **dict.fromkeys(EXACT_KEYS),
        "micro": 0.5,
        "first_third": 1.0,
        "middle_third": 0.0,
    }


@pytest.mark.parametrize(
    ("task_type", "group"),
    [
        ("Single-Tool", "ST"),
        ("Multi-Tool", "MT"),
        ("Parallel Multi-Tool", "MT"),
        ("Clarify", "LOI"),
        ("Chat", "Chat"),
        ("Riddle", None),
        (None, None),
    ],
)
def test_group_of_a_task_type(task_type: str | None, group: str | None) -> None:
    assert group_of(task_type) == group


@pytest.mark.parametrize(
    ("n", "sizes"), [(0, [0, 0, 0]), (1, [1, 0, 0]), (2, [1, 1, 0]), (3, [1, 1, 1]), (5, [2, 2, 1]), (7, [3, 2, 2])]
)
def test_thirds_differ_by_at_most_one_and_keep_the_order(n: int, sizes: list[int]) -> None:
    turns = _turns("ann", *[_plain("Chat", True)] * n)

    parts = thirds(turns)

    assert [len(part) for part in parts] == sizes
    assert [turn for part in parts for turn in part] == turns


def test_persons_stand_in_the_order_they_come_even_if_their_turns_alternate() -> None:
    ann, bob = _turns("ann", *[_plain("Chat", True)] * 2), _turns("bob", *[_plain("Chat", True)] * 2)

    assert by_person([bob[0], ann[0], bob[1], ann[1]]) == [bob, ann]
    assert by_person([]) == []


# Questions


def test_questions_against_what_is_missing() -> None:
    ask_for_two = [question("reserve_book", ["branch", "book_id"], "Which?", "…"), final(after=[0])]
    turns = [
        _asking("reserve_book.branch", reference=ask_for_two),  # right; one of two slots
        _asking("renew_loans.weeks", reference=_LOI_ASKS),  # asks, but for something else
        _silent(reference=_LOI_ASKS),  # should have asked
        _asking("get_opening_hours.branch", reference=_LOI_ACTS, questions=2),  # should not have asked
        _silent(reference=_LOI_ACTS),
    ]

    assert _ask(turns) == {
        "precision": pytest.approx(1 / 3),
        "recall": pytest.approx(1 / 3),
        "f1": pytest.approx(1 / 3),
        "over_ask": 0.5,
        "under_ask": pytest.approx(1 / 3),
        "slot_precision": pytest.approx(1 / 3),  # named: 1 right of 1, 1, 1
        "slot_recall": 0.25,  # missing: 2, 1, 1
        "questions_per_turn": 0.8,  # 1 + 1 + 0 + 2 + 0 over 5
    }


def test_slots_of_a_tool_count_for_that_tool_alone() -> None:
    quality = _ask([_asking("get_opening_hours.branch", reference=_LOI_ASKS)])

    assert (quality["precision"], quality["recall"], quality["f1"]) == (0.0, 0.0, 0.0)


def test_questions_of_no_turns_are_undefined() -> None:
    assert set(_ask([]).values()) == {None}


def test_questions_where_nobody_asks_and_nobody_should() -> None:
    assert _ask([_silent(reference=_LOI_ACTS)]) == {
        "precision": None,
        "recall": None,
        "f1": None,
        "over_ask": 0.0,
        "under_ask": None,
        "slot_precision": None,
        "slot_recall": None,
        "questions_per_turn": 0.0,
    }


def test_questions_where_all_are_right() -> None:
    assert _ask([_asking("reserve_book.branch", reference=_LOI_ASKS)]) == {
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "over_ask": None,
        "under_ask": 0.0,
        "slot_precision": 1.0,
        "slot_recall": 1.0,
        "questions_per_turn": 1.0,
    }


def test_f1_is_0_where_a_part_is_and_undefined_where_the_recall_is() -> None:
    nan = np.nan

    values = f1(np.array([0.5, nan, 0.0, 0.5, nan]), np.array([1.0, 0.0, 0.0, nan, nan]))

    np.testing.assert_allclose(values, [2 / 3, 0.0, 0.0, nan, nan])


def test_the_ratio_of_nothing_is_undefined() -> None:
    assert (ratio(0, 0), ratio(0, 2), ratio(1, 2)) == (None, 0.0, 0.5)


# Arguments by source

_RENEW = [call("renew_loans", {"book_ids": ["B-17", "B-40"], "weeks": 3}), final(after=[0])]


def test_slots_count_every_reference_argument_by_its_source_also_of_calls_never_made() -> None:
    gold: dict[str, Any] = {"slots": {"book_ids": "history", "weeks": "request", "branch": "preference"}}
    turns = [
        scored(reference_turn(*_RENEW, gold=gold), is_correct=True, right=[(0, "book_ids"), (0, "weeks")]),
        scored(reference_turn(*_RENEW, gold=gold), is_correct=False, right=[(0, "weeks")]),
        scored(
            reference_turn(
                call("search_books", {"title": "Dune"}),
                call("reserve_book", {"book_id": "B-17", "branch": "Station"}, after=[0]),
                final(after=[1]),
                gold={"slots": {"reserve_book.branch": "asked", "branch": "preference", "book_id": "observation"}},
            ),
            is_correct=False,
            right=[(0, "title")],
        ),
    ]

    assert _slots(turns) == {
        "request": (3, 3),  # weeks twice, and the title that gold does not name
        "history": (1, 2),  # a list is one argument
        "preference": (0, 0),  # `tool.argument` goes before `argument`
        "observation": (0, 1),
        "asked": (0, 1),
        "derived": (0, 0),
        "decision_relevant": (4, 6),  # all but the book's id, which the search returned
    }


def test_slots_without_gold_and_earlier_turns_are_not_known() -> None:
    empty = dict.fromkeys([*SOURCES, "decision_relevant"], (0, 0))

    assert _slots([]) == empty
    assert _slots([scored(reference_turn(*_RENEW), is_correct=True, right=[(0, "weeks")])]) == empty


def test_slots_without_gold_have_their_source_by_the_frozen_rule() -> None:
    turn = reference_turn(*_RENEW, request="Renew for 3 weeks.")
    past = reference_turn(call("renew_loans", {"book_ids": ["B-17", "B-40"], "weeks": 1}), final(after=[0]))

    known = replace(scored(turn, is_correct=False, right=[(0, "weeks")]), earlier=Earlier((past,)))
    first = replace(scored(turn, is_correct=False, right=[(0, "weeks")]), earlier=Earlier())

    assert known.argument_sources == {(0, "book_ids"): "history", (0, "weeks"): "request"}
    assert first.argument_sources == {(0, "book_ids"): "derived", (0, "weeks"): "request"}
    assert _slots([known]) == {
        **dict.fromkeys(SOURCES, (0, 0)),
        "history": (0, 1),
        "request": (1, 1),
        "decision_relevant": (1, 2),
    }


@pytest.mark.parametrize(
    ("argument", "source", "expected"),
    [
        ("branch", "preference", True),
        ("budget", "derived", True),
        ("weeks", "asked", True),
        ("book_id", "observation", False),
        ("pageSize", "history", False),
        ("request_id", "derived", False),
        ("outputFormat", "request", False),
    ],
)
def test_decision_relevant_is_what_the_person_can_change(argument: str, source: str, expected: bool) -> None:
    assert is_decision_relevant(argument, source) == expected


# Calibration


def _act(p_calls: float) -> Act:
    made = ToolCall(id="c", name="search_books", arguments={})
    return Act(policy="obey", odds=Odds(p_act=0.5, p_calls=p_calls, p_asked=0.5), calls=(made,))


def test_calibration_is_of_the_last_act_before_the_outcome_over_turns_that_acted() -> None:
    ask = Ask(policy="obey", odds=Odds(p_act=0, p_calls=0.99, p_asked=1), question="Which?")
    turns = [
        scored(reference_turn(*_RENEW), is_correct=True, calls_are_right=True, decisions=(_act(0.1), _act(0.8))),
        scored(reference_turn(*_RENEW), is_correct=False, decisions=(_act(0.4), ask)),
        scored(reference_turn(*_RENEW), is_correct=False, decisions=(ask,)),  # never acted
        scored(reference_turn(*_RENEW), is_correct=False, decisions=(ask,), decisions_after=(_act(0.9),)),  # too late
    ]

    assert [turn.p_calls for turn in turns] == [0.8, 0.4, None, None]
    assert compute_metrics(turns)["calibration"] == {
        # One bin: 0.6 said, 0.5 came, with spread √(0.25/2) = 0.353553. The folded mean is 0.293304, so that 0.193304
        # comes off a gap of 0.1.
        "ece": 0.0,
        "brier": 0.1,  # (0.2² + 0.4²) / 2
        "auroc": 1.0,
        "aurc": 0.25,  # (0 + 1/2) / 2
    }


def test_calibration_of_a_run_that_never_acts_is_undefined() -> None:
    metrics = compute_metrics([scored(reference_turn(final()), is_correct=True)])

    assert metrics["calibration"] == {"ece": None, "brier": None, "auroc": None, "aurc": None}


# All together


def test_metrics_count_turns_failures_and_tokens() -> None:
    recalled = tuple(RecalledItem(kind="turn", turn_ids=("t0000",), tokens=tokens, score=1.0) for tokens in (40, 2))
    failure = Failure(type="PlannerTimeoutError", message="too slow", traceback="…")
    turns = [
        scored(reference_turn(final()), is_correct=True, recall=recalled, usage=Usage(prompt=100, completion=7)),
        scored(reference_turn(final()), is_correct=False, failure=failure, usage=Usage(prompt=1)),
    ]

    metrics = compute_metrics(turns)

    assert (metrics["n"], metrics["failed"]) == (2, 1)
    assert metrics["tokens"] == {"prompt": 101, "completion": 7, "recall": 42}
    assert metrics["exact"]["micro"] == 0.5
    assert list(metrics) == [
        "n",
        "failed",
        "exact",
        "relaxed",
        "slots",
        "ask",
        "expected_cost",
        "calibration",
        "recall",
        "reference",
        "replies",
        "tokens",
        "ci95",
    ]


def test_a_turn_that_failed_is_wrong_even_if_its_replies_are_complete() -> None:
    failure = Failure(type="MemoryError", message="", traceback="…")

    assert _exact([scored(reference_turn(final()), is_correct=True, failure=failure)])["micro"] == 0.0


def test_metrics_of_no_turns() -> None:
    metrics = compute_metrics([])

    assert (metrics["n"], metrics["failed"], metrics["tokens"]) == (0, 0, {"prompt": 0, "completion": 0, "recall": 0})
    assert (metrics["expected_cost"], metrics["ci95"]) == (None, None)
    assert set(metrics["exact"].values()) == set(metrics["calibration"].values()) == {None}
    assert metrics["slots"]["decision_relevant"] == {"n": 0, "accuracy": None}
    assert metrics["reference"] == {key: {"macro": None, "micro": None} for key in ("sessions", "optimal", "progress")}


def test_intervals_stand_by_path_and_are_undefined_where_the_metric_is() -> None:
    turns = [
        scored(reference_turn(final(), topic_id=f"topic_{index}", index=index, task_type="Chat"), is_correct=right)
        for index, right in enumerate([True, False, True, False, True])
    ]

    intervals = compute_metrics(turns)["ci95"]

    low, high = intervals["exact.micro"]
    assert 0.0 <= low < 0.6 < high <= 1.0
    assert intervals["exact.micro"] == intervals["exact.Chat"]  # one person, chat alone
    assert (intervals["exact.ST"], intervals["ask.f1"], intervals["calibration.ece"]) == (None, None, None)
    assert intervals["ask.questions_per_turn"] == [0.0, 0.0]
    assert "relaxed.micro" not in intervals  # turns were not judged so


def test_intervals_hang_on_the_seed_alone() -> None:
    turns = [
        scored(reference_turn(final(), topic_id=f"topic_{index}", index=index), is_correct=index % 3 == 0)
        for index in range(20)
    ]

    assert compute_metrics(turns, seed=1) == compute_metrics(turns, seed=1)
    assert compute_metrics(turns, seed=1)["ci95"] != compute_metrics(turns, seed=2)["ci95"]


def test_topics_are_told_apart_by_their_place_where_ids_repeat() -> None:
    turns = [
        scored(replace(reference_turn(final(), index=index), topic_index=index), is_correct=index == 0)
        for index in range(2)
    ]

    assert compute_metrics(turns)["ci95"]["exact.micro"] == [0.0, 1.0]


def test_the_benchmarks_1065_turns_take_about_a_second() -> None:
    turns = [
        scored(
            reference_turn(*_RENEW, session=f"person{index % 15}", index=index, topic_id=f"topic_{index // 75}"),
            is_correct=index % 3 == 0,
            calls_are_right=index % 3 == 0,
            decisions=(_act(index % 97 / 97),),
        )
        for index in range(1065)
    ]
    started = time.perf_counter()

    assert compute_metrics(turns)["ci95"]["calibration.auroc"] is not None

    assert time.perf_counter() - started < 5.0  # 0.4 s on one free core


def test_nothing_can_be_resampled_where_everybody_has_one_topic() -> None:
    turns = [scored(reference_turn(final(), session=person), is_correct=True) for person in ("ann", "bob")]

    assert compute_metrics(turns)["ci95"] is None


def test_evidence_counts_as_recalled_where_its_turn_was_shown() -> None:
    """Of the three evidence turns that lie before, two were shown; one that is no earlier turn does not count."""
    shown = {"kind": "turn", "turn_ids": ("t0000",), "tokens": 3, "score": 0.5}
    state = {"kind": "state", "turn_ids": ("t0000", "t0001"), "tokens": 3, "score": 0.0}

    def turn(index: int, evidence: list[str], *recall: dict[str, object]) -> ScoredTurn:
        gold = {"evidence": evidence}
        return scored(reference_turn(final(), index=index, gold=gold), is_correct=True, recall=recall)

    turns = [turn(0, []), turn(1, ["topic_1#0"], shown), turn(2, ["topic_1#0", "topic_1#1", "topic_1#2"], shown)]
    assert compute_metrics(turns)["recall"] == {"evidence": pytest.approx(2 / 3, abs=1e-6)}
    turns[2] = turn(2, ["topic_1#0", "topic_1#1"], state)
    assert compute_metrics(turns)["recall"] == {"evidence": 1.0}
    assert compute_metrics([turn(0, [])])["recall"] == {"evidence": None}
