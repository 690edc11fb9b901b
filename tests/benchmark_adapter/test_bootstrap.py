"""Shares on resampled topics."""

from __future__ import annotations

import time

import numpy as np
import pytest

from benchmark_adapter.scoring.bootstrap import Draws, Values, divide, interval, mean_of_defined, point

_TURNS = [("ann", 1), ("ann", 1), ("ann", 2), ("bob", 1)]
"""Two topics of ann and one of bob, whose number is the same as ann's first."""


def test_in_the_first_draw_every_turn_counts_once() -> None:
    draws = Draws.once(_TURNS)

    assert draws.topic_of_turn.tolist() == [0, 0, 1, 2]
    assert draws.person_of_topic.tolist() == [0, 0, 1]
    assert draws.counts.tolist() == [[1, 1, 1]]
    assert draws.weights().tolist() == [[1, 1, 1, 1]]


def test_shares_are_over_turns_or_the_mean_over_persons() -> None:
    draws = Draws.once(_TURNS)
    right, every = [1, 0, 1, 0], [1, 1, 1, 1]

    assert draws.share(right, every).tolist() == [0.5]
    assert draws.share_by_person(right, every).tolist() == [pytest.approx((2 / 3 + 0) / 2)]


def test_a_person_without_such_turns_is_left_out_or_counts_as_empty() -> None:
    draws = Draws.once(_TURNS)
    right, chosen = [1, 0, 0, 0], [1, 0, 0, 0]

    assert draws.share_by_person(right, chosen).tolist() == [1.0]
    assert draws.share_by_person(right, chosen, empty=0.0).tolist() == [0.5]


def test_draws_weigh_topics_as_wholes() -> None:
    once = Draws.once(_TURNS)
    draws = Draws(once.topic_of_turn, once.person_of_topic, np.array([[2.0, 0, 1], [0, 2, 1]]), is_resampled=True)

    assert draws.weights().tolist() == [[2, 2, 0, 1], [0, 0, 2, 1]]
    assert draws.share([1, 0, 1, 0], [1, 1, 1, 1]).tolist() == [2 / 5, 2 / 3]
    assert draws.share_by_person([1, 0, 1, 0], [1, 1, 1, 1]).tolist() == [(2 / 4 + 0) / 2, (1 + 0) / 2]
    assert np.isnan(draws.share([0, 0, 0, 0], [1, 1, 0, 0])[1])  # the draw has none of these turns


def test_each_person_keeps_as_many_topics_as_they_have() -> None:
    draws = Draws.once(_TURNS).resampled(seed=7, n=200)

    assert draws.counts.shape == (200, 3)
    assert set(draws.counts[:, :2].sum(axis=1)) == {2.0}
    assert set(draws.counts[:, 2]) == {1.0}
    assert {tuple(row) for row in draws.counts[:, :2].tolist()} == {(2, 0), (1, 1), (0, 2)}


def test_draws_follow_the_seed() -> None:
    once = Draws.once(_TURNS)

    assert (once.resampled(seed=1).counts == once.resampled(seed=1).counts).all()
    assert (once.resampled(seed=1).counts != once.resampled(seed=2).counts).any()


@pytest.mark.parametrize(
    ("turns", "expected"), [([], False), ([("ann", 1), ("bob", 2)], False), ([("ann", 1), ("ann", 2)], True)]
)
def test_draws_can_vary_where_somebody_has_two_topics(turns: list[tuple[str, int]], expected: bool) -> None:
    assert Draws.once(turns).can_vary == expected


def test_no_turns_give_nothing_defined() -> None:
    draws = Draws.once([])

    assert point(draws.share([], [])) is None
    assert point(draws.share_by_person([], [])) is None
    assert point(draws.share_by_person([], [], empty=0.0)) is None
    assert draws.resampled(seed=1, n=3).counts.shape == (3, 0)


def test_division_by_0_and_means_of_nothing_are_undefined() -> None:
    nan = np.nan

    np.testing.assert_equal(divide([1, 0, 0], [2, 1, 0]), [0.5, 0.0, nan])
    np.testing.assert_equal(mean_of_defined(np.array([[1.0, nan], [nan, nan], [0.0, 1.0]])), [1.0, nan, 0.5])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(1001) / 1000, [0.025, 0.975]),
        (np.array([np.nan, 0.25, np.nan]), [0.25, 0.25]),
        (np.array([np.nan]), None),
    ],
)
def test_an_interval_is_the_middle_of_the_defined_draws(values: Values, expected: list[float] | None) -> None:
    assert interval(values) == expected


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Turns of one topic are alike here, which an interval over single turns would not notice."""
    rng = np.random.default_rng(3)
    turns = [(person, topic) for person in range(6) for topic in range(15) for _ in range(5)]
    draws = Draws.once(turns)
    resampled = draws.resampled(seed=5, n=400)
    hits = 0
    for _ in range(200):
        right = np.repeat(rng.random(90) < 0.4, 5)
        low, high = interval(resampled.share_by_person(right, np.ones(450))) or (1, 0)
        hits += low <= 0.4 <= high

    assert 0.88 <= hits / 200 <= 0.99


def test_a_thousand_draws_of_a_thousand_turns_take_milliseconds() -> None:
    turns = [(turn % 20, turn % 200) for turn in range(1065)]
    started = time.perf_counter()

    Draws.once(turns).resampled(seed=1).share_by_person(np.ones(1065), np.ones(1065))

    assert time.perf_counter() - started < 1.0
