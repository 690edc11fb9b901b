"""The simulation of certificates: its truth by hand, and what it has to show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.certificates import Population, must_hold, naive_threshold, simulate
from clarifier.calibration.certificates import Outcomes


def test_the_truth_of_a_threshold() -> None:
    population = Population(np.array([0.9, 0.8, 0.8, 0.1]), np.cumsum([0.1, 0.2, 0.3, 0.8]))
    assert population.risks(0.95) == (0.0, 0.0, 0.0)
    assert population.risks(0.8) == pytest.approx((0.75, 0.15, 0.2))  # 0.6 wrong of three that act, of four
    assert population.risks(math.inf) == (0.0, 0.0, 0.0)


def test_the_naive_threshold_fits_its_own_sample() -> None:
    outcomes = Outcomes.of([0.9, 0.8, 0.7, 0.6], [False, False, True, False], ["anna"] * 4)
    assert naive_threshold(outcomes, 0.25) == 0.6
    assert naive_threshold(outcomes, 0.2) == 0.8
    assert naive_threshold(Outcomes.of([0.9], [True], ["anna"]), 0.2) == math.inf


@pytest.mark.slow
def test_promises_hold_where_they_must_and_break_where_persons_differ() -> None:
    cells = list(simulate(0.1, 0.1, 300, seed=1))
    assert [cell for cell in cells if must_hold(cell) and cell.is_broken] == []
    broken = {cell.method for cell in cells if cell.is_broken}
    assert broken == {"joint, turns", "selective, turns"}
    assert all(cell.violated > 0.4 for cell in cells if cell.method == "naive")
    small = {cell.method: cell for cell in cells if (cell.shape, cell.n) == ("clustered", 60)}
    assert small["joint, persons"].refused == 1.0  # two persons back no promise at all
