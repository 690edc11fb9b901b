"""ECE, Brier score, AUROC and AURC, each worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_adapter.scoring.bootstrap import Values
from benchmark_adapter.scoring.calibration_metrics import Forecasts, aurc, auroc, brier, ece

_Metric = Callable[[Forecasts, Values], Values]
_METRICS: list[_Metric] = [ece, brier, auroc, aurc]


def _value(metric: _Metric, probability: Sequence[float], is_right: Sequence[bool | int]) -> float:
    (value,) = metric(Forecasts.of(probability, is_right), np.ones((1, len(probability))))
    return float(value)


def test_brier_is_the_mean_squared_difference() -> None:
    assert _value(brier, [0.8, 0.4], [1, 0]) == pytest.approx((0.04 + 0.16) / 2)


def test_auroc_counts_pairs_and_half_of_the_ties() -> None:
    # Right: 0.9, 0.6; wrong: 0.6, 0.2. Three pairs are in order, one is a tie.
    assert _value(auroc, [0.6, 0.9, 0.2, 0.6], [1, 1, 0, 0]) == 3.5 / 4


def test_aurc_is_the_mean_risk_over_coverages_ties_in_the_order_of_chance() -> None:
    # Surest first: right; one of two ties wrong; wrong.
    risks = [0, (0 + 0.5) / 2, 1 / 3, 2 / 4]

    assert _value(aurc, [0.6, 0.9, 0.2, 0.6], [1, 1, 0, 0]) == pytest.approx(sum(risks) / 4)


def test_aurc_is_best_where_all_that_is_wrong_comes_last() -> None:
    assert _value(aurc, [0.9, 0.8, 0.1], [1, 1, 0]) == pytest.approx((0 + 0 + 1 / 3) / 3)
    assert _value(aurc, [0.1, 0.2, 0.9], [1, 1, 0]) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_ece_is_the_gap_less_what_noise_adds_to_it() -> None:
    # Ten forecasts are one bin: said 0.5, came 0.8. With spread √(0.8·0.2/10) = 0.12649 and z = 2.37171 the mean of the
    # folded normal is 0.12649·√(2/π)·exp(−z²/2) + 0.3·erf(z/√2) = 0.006061 + 0.294687.
    assert _value(ece, [0.5] * 10, [1] * 8 + [0] * 2) == pytest.approx(0.3 - 0.000748, abs=2e-6)


def test_ece_of_what_agrees_is_0_and_not_below() -> None:
    assert _value(ece, [0.5] * 10, [1] * 5 + [0] * 5) == 0.0


def test_ece_adds_the_gaps_of_bins_by_their_mass() -> None:
    # Two bins without noise, of 10 each: 0.1 said and never right, 0.6 said and always right.
    assert _value(ece, [0.1] * 10 + [0.6] * 10, [0] * 10 + [1] * 10) == pytest.approx((0.1 + 0.4) / 2)


@pytest.mark.parametrize(
    ("probability", "bins"),
    [
        ([], []),
        ([0.3], [0]),
        (np.linspace(0, 1, 19), [0] * 19),  # fewer than 10 in each of two
        (np.linspace(0, 1, 20), [0] * 10 + [1] * 10),
        ([0.1] * 4 + [0.2] * 12 + [0.3] * 4, [0] * 4 + [1] * 16),  # ties stay together, in the bin of their middle
        ([0.5] * 300, [5] * 300),
    ],
)
def test_bins_have_equal_mass_and_ties_share_one(probability: Sequence[float], bins: list[int]) -> None:
    assert Forecasts.of(probability, np.ones(len(probability))).bins().tolist() == bins


def test_bins_of_many_are_ten() -> None:
    bins = Forecasts.of(np.linspace(0, 1, 1000), np.ones(1000)).bins()

    assert np.bincount(bins).tolist() == [100] * 10


@pytest.mark.parametrize("metric", _METRICS)
def test_nothing_forecast_is_undefined(metric: _Metric) -> None:
    assert np.isnan(_value(metric, [], []))


@pytest.mark.parametrize(
    ("is_right", "expected"),
    [(1, {"ece": 0.3, "brier": 0.09, "aurc": 0.0}), (0, {"ece": 0.7, "brier": 0.49, "aurc": 1.0})],
)
def test_where_all_outcomes_are_alike_auroc_alone_is_undefined(is_right: int, expected: dict[str, float]) -> None:
    values = {metric.__name__: _value(metric, [0.7] * 3, [is_right] * 3) for metric in (ece, brier, aurc)}

    assert values == pytest.approx(expected)
    assert np.isnan(_value(auroc, [0.7] * 3, [is_right] * 3))


_OUTCOMES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30
)


@given(_OUTCOMES)
def test_a_weight_is_so_many_copies(outcomes: list[tuple[float, bool, int]]) -> None:
    probability, is_right, weights = (list(column) for column in zip(*outcomes, strict=True))
    copied = [outcome for outcome in outcomes for _ in range(outcome[2])]
    forecasts = Forecasts.of(probability, is_right)

    for metric in (brier, auroc, aurc):
        (weighted,) = metric(forecasts, np.array([weights], dtype=float))
        expected = _value(metric, [one[0] for one in copied], [one[1] for one in copied])
        np.testing.assert_allclose(weighted, expected, atol=1e-9)


@given(_OUTCOMES)
def test_the_order_plays_no_part_and_all_lies_in_0_to_1(outcomes: list[tuple[float, bool, int]]) -> None:
    shuffled = sorted(outcomes, key=lambda one: (one[2], one[1]))

    for metric in _METRICS:
        value = _value(metric, [one[0] for one in outcomes], [one[1] for one in outcomes])
        again = _value(metric, [one[0] for one in shuffled], [one[1] for one in shuffled])
        np.testing.assert_allclose(value, again, atol=1e-9)
        assert np.isnan(value) or 0.0 <= value <= 1.0


def test_ece_of_calibrated_forecasts_is_less_biased_than_the_plain_gap_and_its_draws_no_more() -> None:
    rng = np.random.default_rng(0)
    corrected, plain, drawn = [], [], []
    for _ in range(200):
        probability = rng.uniform(0.3, 0.9, 200)
        forecasts = Forecasts.of(probability, rng.random(200) < probability)
        weights = rng.multinomial(200, np.full(200, 1 / 200), size=20).astype(float)
        corrected.append(ece(forecasts, np.ones((1, 200)))[0])
        drawn.append(ece(forecasts, weights, is_resampled=True).mean())
        sizes, bins = np.bincount(forecasts.bins()), forecasts.bins()
        gaps = np.abs(np.bincount(bins, forecasts.probability - forecasts.is_right)) / sizes
        plain.append((sizes * gaps).sum() / 200)

    assert np.mean(plain) > 0.08
    assert np.mean(corrected) < 0.05
    assert np.mean(drawn) < 0.07
