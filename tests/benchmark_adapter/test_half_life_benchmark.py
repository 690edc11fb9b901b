"""The arithmetic of fitting the half-life of habits, worked out by hand."""

from __future__ import annotations

import math

import pytest

from benchmarks.fit_half_life import Choice, gains, likelihood
from clarifier.posterior import Moment
from memory.evidence import Evidence, Slot

SEAT = Slot("book", "seat")


def piece(value: str, position: int) -> Evidence:
    """Return a choice of the turn at `position`."""
    return Evidence(SEAT, value, "accepted_call", "plain", f"t{position}", position)


def choice(value: str, person: str = "ada", position: int = 4) -> Choice:
    """Return a choice after an aisle seat four turns and a window seat two turns ago."""
    before = (piece("aisle", position - 4), piece("window", position - 2))
    return Choice(person, piece(value, position), before, Moment(position), None)


@pytest.mark.parametrize(
    ("value", "half_life", "probability"),
    [
        ("aisle", 2, 0.2 / 1.6),  # 0.8/4 of 0.8/4 + 0.8/2 + 1
        ("window", 2, 0.4 / 1.6),
        ("middle", 2, 1 / 1.6),  # never seen: the mass on unknown
        ("window", 4, 0.8 * 2**-0.5 / (0.4 + 0.8 * 2**-0.5 + 1)),
    ],
)
def test_the_likelihood_is_the_posterior_of_the_value_chosen(value: str, half_life: float, probability: float) -> None:
    assert likelihood(choice(value), "turns", half_life) == pytest.approx(math.log(probability))


def test_each_person_is_tried_with_the_half_life_of_the_others() -> None:
    found = [choice("aisle"), choice("aisle", position=5), choice("aisle", "bob")]
    table = {1.0: [0.0, 0.0, -3.0], 2.0: [-1.0, -2.0, -1.0]}
    ada, bob, pooled = gains(table, found, default=1.0)
    assert (ada.fitted, ada.choices, ada.over_default) == (2.0, 2, -1.5)  # bob likes 2
    assert ada.over_default_se == pytest.approx(math.sqrt(0.5) * math.sqrt(2) / 2)  # sums -1 and -2 over two turns
    assert (bob.fitted, bob.over_default, bob.over_default_se) == (1.0, 0.0, None)  # ada likes 1
    assert (pooled.choices, pooled.over_default) == (3, -1.0)
