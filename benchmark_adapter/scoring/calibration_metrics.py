"""How well stated probabilities agree with what came true. Undefined is not a number.

Every function takes weights of whole numbers, shape `(draws, n)`: how often each of the `n` outcomes counts in each
draw. It returns one value a draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmark_adapter.scoring.bootstrap import Values, divide

MOST_BINS, LEAST_PER_BIN = 10, 10


@dataclass(frozen=True)
class Forecasts:
    """Stated probabilities with their outcomes, lowest first.

    Args:
        probability: In [0, 1], shape `(n,)`.
        is_right: What came true, shape `(n,)`.
    """

    probability: NDArray[np.float64]
    is_right: NDArray[np.float64]
    order: NDArray[np.intp]
    """Where each stood in what was given."""

    @classmethod
    def of(cls, probability: ArrayLike, is_right: ArrayLike) -> Forecasts:
        """Return the forecasts in order of their probability."""
        given, came = np.asarray(probability, dtype=float), np.asarray(is_right, dtype=float)
        order = np.argsort(given, kind="stable")
        return cls(given[order], came[order], order)

    def __len__(self) -> int:
        return len(self.order)

    def tie_starts(self) -> NDArray[np.intp]:
        """Return where each run of equal probabilities begins."""
        return np.flatnonzero(np.diff(self.probability, prepend=-1.0))

    def bins(self) -> NDArray[np.intp]:
        """Return the bin of each forecast: bins of equal mass, at least 10 forecasts in each and at most 10 bins.

        Equal probabilities share a bin, that of their middle rank.
        """
        n = len(self)
        count = min(MOST_BINS, max(1, n // LEAST_PER_BIN))
        starts = self.tie_starts()
        sizes = np.diff(starts, append=n)
        middle = starts + sizes / 2
        return np.repeat((middle * count / max(n, 1)).astype(np.intp), sizes)


def brier(forecasts: Forecasts, weights: Values) -> Values:
    """Return the mean squared difference of probability and outcome (Brier, 1950, in its form for two outcomes)."""
    ordered = weights[:, forecasts.order]
    squared = (forecasts.probability - forecasts.is_right) ** 2
    return divide((ordered * squared).sum(axis=1), ordered.sum(axis=1))


def ece(forecasts: Forecasts, weights: Values, *, is_resampled: bool = False) -> Values:
    """Return the expected calibration error over bins of equal mass, less its bias, in [0, 1].

    `ECE = Σ_b n_b/n·|p̄_b − ȳ_b|` is too large on finite samples, as noise adds to every gap (Bröcker, 2012; Roelofs et
    al., 2022, who recommend bins of equal mass). Taken off is the difference between its expectation, were `ȳ_b` drawn
    from `N(ȳ_b, ȳ_b(1−ȳ_b)/n_b)`, and itself (Kumar, Liang & Ma, 2019, whose code estimates it by sampling); here in
    closed form, the mean of a folded normal (Leone, Nelson & Nottingham, 1961).

    Args:
        forecasts: Bins are formed on all of them.
        weights: Of each.
        is_resampled: Whether the weights are a bootstrap's. Its draws have the noise of the sample and their own, so
            the bias of the sample is taken off as well.
    """
    error, bias = _error_and_bias(forecasts, weights)
    if is_resampled and len(forecasts):
        bias = bias + _error_and_bias(forecasts, np.ones((1, len(forecasts))))[1]
    return np.clip(error - bias, 0.0, 1.0)


def _error_and_bias(forecasts: Forecasts, weights: Values) -> tuple[Values, Values]:
    ordered = weights[:, forecasts.order]
    membership = np.eye(MOST_BINS)[forecasts.bins()]  # (n, bins)
    sizes = ordered @ membership
    observed = divide((ordered * forecasts.is_right) @ membership, sizes)
    gaps = np.abs(divide((ordered * forecasts.probability) @ membership, sizes) - observed)
    spread = np.sqrt(divide(observed * (1 - observed), sizes))
    shares = divide(sizes, sizes.sum(axis=1, keepdims=True))
    is_filled = sizes > 0
    gaps, spread = np.where(is_filled, gaps, 0.0), np.where(is_filled, np.nan_to_num(spread), 0.0)
    return (shares * gaps).sum(axis=1), (shares * (_folded_mean(gaps, spread) - gaps)).sum(axis=1)


_erf = np.vectorize(math.erf, otypes=[float])


def _folded_mean(mean: Values, spread: Values) -> Values:
    """Return E|X| of X ~ N(mean, spread²), `mean` itself where nothing spreads."""
    z = divide(mean, spread)
    is_spread = ~np.isnan(z)
    z = np.where(is_spread, z, 0.0)
    folded = spread * math.sqrt(2 / math.pi) * np.exp(-(z**2) / 2) + mean * _erf(z / math.sqrt(2))
    return np.where(is_spread, folded, mean)


def auroc(forecasts: Forecasts, weights: Values) -> Values:
    """Return the probability that what came true was given more than what did not, ties counting half.

    Undefined where all outcomes are alike (Fawcett, 2006, §7).
    """
    if not len(forecasts):
        return np.full(len(weights), np.nan)
    ordered, starts = weights[:, forecasts.order], forecasts.tie_starts()
    right = np.add.reduceat(ordered * forecasts.is_right, starts, axis=1)
    wrong = np.add.reduceat(ordered * (1 - forecasts.is_right), starts, axis=1)
    below = np.cumsum(wrong, axis=1) - wrong
    pairs = right.sum(axis=1) * wrong.sum(axis=1)
    return divide((right * (below + wrong / 2)).sum(axis=1), pairs)


def aurc(forecasts: Forecasts, weights: Values) -> Values:
    """Return the area under the risk-coverage curve: the mean over k of the share wrong among the k surest.

    Geifman, Uziel & El-Yaniv (2019, §2). Among ties the order is that of chance: ties of ranks a+1 to b, of which the
    share r is wrong, after E wrong ones, add `(E − a·r)·(H_b − H_a) + r·(b − a)`, H being the harmonic numbers.
    """
    if not len(forecasts):
        return np.full(len(weights), np.nan)
    ordered, starts = weights[:, forecasts.order], forecasts.tie_starts()
    sizes = np.add.reduceat(ordered, starts, axis=1)[:, ::-1]  # surest first
    wrong = np.add.reduceat(ordered * (1 - forecasts.is_right), starts, axis=1)[:, ::-1]
    ends = np.cumsum(sizes, axis=1)
    before = ends - sizes
    wrong_before = np.cumsum(wrong, axis=1) - wrong
    rate = np.nan_to_num(divide(wrong, sizes))
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(ends.max()) + 1))])
    steps = harmonic[ends.astype(np.intp)] - harmonic[before.astype(np.intp)]
    return divide(((wrong_before - before * rate) * steps + rate * sizes).sum(axis=1), ends[:, -1])
