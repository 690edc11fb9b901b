"""Risk certificates: thresholds for acting that come with a promise (DESIGN §6).

Two promises, for acting iff a score (p_c) is at least λ. `joint`: the mean share of turns that act and are wrong is at
most α, by conformal risk control (Angelopoulos, Bates, Fisch, Lei & Schuster, 2024, Theorem 1): it holds on average
over calibration sets. `selective`: of the turns that act at most a share α is wrong, with confidence 1 − δ over
calibration sets, by fixed-sequence testing (Angelopoulos, Bates, Candès, Jordan & Lei, 2021, §4). Both speak of further
turns of the calibrated population. The turns of one person are alike, so for a new person the persons are what counts:
the unit `persons` asks for many of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clarifier.errors import CertificateRefusedError

Promise = Literal["joint", "selective"]
Unit = Literal["turns", "persons"]
Vector = NDArray[np.float64]
_STEPS = 20
"""Thresholds in a sequence: each costs nothing in δ, but the first that fails ends it."""


@dataclass(frozen=True)
class Outcomes:
    """What became of turns that a score was given for.

    Args:
        score: Probability that acting is right, in [0, 1], shape `(n,)`.
        is_wrong: Whether acting was wrong, or would have been, shape `(n,)`.
        person: Whose each turn is, shape `(n,)`.
    """

    score: Vector
    is_wrong: NDArray[np.bool_]
    person: NDArray[Any]

    @classmethod
    def of(cls, score: Sequence[float], is_wrong: Sequence[bool], person: Sequence[str]) -> Outcomes:
        """Return the outcomes of these turns."""
        return cls(np.asarray(score, dtype=float), np.asarray(is_wrong, dtype=bool), np.asarray(person, dtype=np.str_))

    def __len__(self) -> int:
        return len(self.score)

    def count(self, unit: Unit) -> int:
        """Return how many units there are."""
        return len(self) if unit == "turns" else len(np.unique(self.person))

    def weights(self, unit: Unit) -> Vector:
        """Return what each turn counts within its unit: 1, or one over the turns of its person."""
        if unit == "turns":
            return np.ones(len(self))
        _, inverse, counts = np.unique(self.person, return_inverse=True, return_counts=True)
        return np.asarray(1 / counts[inverse])


@dataclass(frozen=True)
class Certificate:
    """A threshold with what it promises."""

    promise: Promise
    unit: Unit
    alpha: float
    """Target: the largest share that may go wrong."""
    delta: float | None
    """Risk that the calibration set misleads; `None` where the promise is on average."""
    threshold: float
    """Act iff the score is at least this."""
    n: int
    """Units in the calibration set."""
    act_share: float
    """Share of the calibration turns that act."""
    error_of_acting: float
    """μ: the share that would be wrong if every turn acted."""

    @property
    def words(self) -> str:
        """The promise in words."""
        where = "a further turn of the calibrated population" if self.unit == "turns" else "a further person"
        sized = f"calibrated on {self.n} {self.unit}; acts on {self.act_share:.0%} of their turns"
        if self.promise == "joint":
            return (
                f"on average over calibration sets, at most {self.alpha:.0%} of the turns of {where} act and are "
                f"wrong ({sized})"
                if self.unit == "persons"
                else f"on average over calibration sets, {where} acts and is wrong with probability at most "
                f"{self.alpha:.0%} ({sized})"
            )
        return (
            f"with confidence {1 - (self.delta or 0):.0%} over calibration sets, of the turns that act at most "
            f"{self.alpha:.0%} are wrong, in {where} ({sized})"
        )

    def as_json(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {**asdict(self), "words": self.words}


def most_act_share(error_of_acting: float, alpha: float) -> float:
    """Return the largest share of turns that can act with at most a share α of them wrong: (1 − μ)/(1 − α), at most 1.

    Of the acting share κ at least (1 − α)·κ is right, and no more than 1 − μ of all turns can be.
    """
    return min(1.0, (1 - error_of_acting) / (1 - alpha)) if alpha < 1 else 1.0


def least_units(promise: Promise, alpha: float, delta: float | None = None) -> int:
    """Return the smallest calibration set that can back a promise, were nothing wrong in it.

    `joint`: 1/(n + 1) ≤ α. `selective`: (1 − α)^n ≤ δ.
    """
    if promise == "joint":
        return math.ceil(round(1 / alpha - 1, 9))
    assert delta is not None, "a selective promise has a δ"
    return math.ceil(round(math.log(delta) / math.log(1 - alpha), 9))


def joint_threshold(outcomes: Outcomes, alpha: float, *, unit: Unit = "turns") -> float:
    """Return λ̂ = inf{λ: (n·R̂(λ) + 1)/(n + 1) ≤ α}; infinity where only never acting keeps the promise.

    R̂(λ) is the mean over units of the share of their turns with a score of at least λ that are wrong; it falls as λ
    rises, so the smallest score that keeps it is looked for among the scores themselves.
    """
    n = outcomes.count(unit)
    order = np.argsort(-outcomes.score, kind="stable")
    losses = np.cumsum((outcomes.is_wrong * outcomes.weights(unit))[order])  # n·R̂ when all down to this one act
    scores = outcomes.score[order]
    is_last_of_ties = np.append(scores[1:] != scores[:-1], True)
    kept = is_last_of_ties & ((losses + 1) / (n + 1) <= alpha + 1e-12)
    return float(scores[kept][-1]) if kept.any() else math.inf


def selective_threshold(
    outcomes: Outcomes, alpha: float, delta: float, thresholds: Sequence[float], *, unit: Unit = "turns"
) -> float:
    """Return the last threshold that passes when they are tested in turn, each at level δ; infinity if the first fails.

    Tested is, against the hypothesis that more than α of what acts is wrong: for turns by the binomial tail
    P(Bin(m, α) ≤ k) of k wrong among m acting; for persons by the p-value of Hoeffding and Bentkus (Bates et al.,
    2021, §3) of the mean over persons of `share wrong and acting − α·share acting`, shifted into [0, 1].

    Args:
        outcomes: The calibration set.
        alpha: Target.
        delta: Level.
        thresholds: Strictest first; chosen without a look at these outcomes, else the promise is void.
        unit: What counts as one.
    """
    chosen = math.inf
    for threshold in thresholds:
        if p_value(outcomes, threshold, alpha, unit=unit) > delta:
            break
        chosen = threshold
    return chosen


def p_value(outcomes: Outcomes, threshold: float, alpha: float, *, unit: Unit = "turns") -> float:
    """Return how probable outcomes as good as these are if more than α of what acts is wrong; 1 where nothing acts."""
    acts = outcomes.score >= threshold
    if not acts.any():
        return 1.0
    if unit == "turns":
        return _binomial_tail(int((acts & outcomes.is_wrong).sum()), int(acts.sum()), alpha)
    loss = np.where(acts, outcomes.is_wrong - alpha, 0.0)
    persons = outcomes.count("persons")
    return _hoeffding_bentkus(float((loss * outcomes.weights("persons")).sum()) / persons + alpha, persons, alpha)


def sequence_of(scores: Sequence[float] | Vector, *, first_share: float, steps: int = _STEPS) -> list[float]:
    """Return thresholds, strictest first, at which from `first_share` to all of these turns would act.

    Args:
        scores: Of other persons than those of the certificate, say those that the heads were fitted on.
        first_share: In (0, 1]: where testing starts. Too small, and too few act to prove anything; too large, and a
            promise that only the surest turns could keep is missed.
        steps: How many.
    """
    shares = np.linspace(first_share, 1.0, steps)
    found = np.quantile(np.asarray(scores, dtype=float), 1 - shares, method="higher")
    return list(dict.fromkeys(found.tolist()))


def certify(
    outcomes: Outcomes,
    promise: Promise,
    *,
    alpha: float,
    delta: float = 0.1,
    thresholds: Sequence[float] = (),
    unit: Unit = "turns",
    act_share: float = 0.0,
) -> Certificate:
    """Return a certificate, or refuse it.

    Args:
        outcomes: The calibration set; neither the heads were fitted nor the result is tested on its persons.
        promise: Which.
        alpha: Target, in (0, 1).
        delta: In (0, 1), for `selective`.
        thresholds: For `selective`: see `selective_threshold`.
        unit: What counts as one.
        act_share: Least share of turns that shall act.

    Raises:
        CertificateRefusedError: If the set is too small, acting is wrong too often for that share, or no threshold but
            never to act keeps the promise.
    """
    if not 0 < alpha < 1 or not 0 < delta < 1 or not 0 <= act_share <= 1:
        raise CertificateRefusedError(
            f"expected α and δ between 0 and 1 and a share to act, got α={alpha}, δ={delta}, share {act_share}"
        )
    n = outcomes.count(unit)
    needed = least_units(promise, alpha, delta)
    if n < needed:
        raise CertificateRefusedError(
            f"at α={alpha:g}{f', δ={delta:g}' if promise == 'selective' else ''} a `{promise}` promise needs at least "
            f"{needed} {unit} without a single error, got {n}; gather more, or raise α"
        )
    error = float(outcomes.is_wrong.mean())
    if promise == "selective" and act_share > most_act_share(error, alpha):
        raise CertificateRefusedError(
            f"acting is wrong in {error:.0%} of the turns, so at most {most_act_share(error, alpha):.0%} can act with "
            f"{alpha:.0%} of them wrong; {act_share:.0%} were asked for"
        )
    if promise == "joint":
        threshold = joint_threshold(outcomes, alpha, unit=unit)
    else:
        threshold = selective_threshold(outcomes, alpha, delta, thresholds, unit=unit)
    acting = float((outcomes.score >= threshold).mean())
    if math.isinf(threshold) or acting < act_share:
        raise CertificateRefusedError(
            f"acting is wrong in {error:.0%} of the {len(outcomes)} calibration turns, and with α={alpha:g} only "
            f"{acting:.0%} may act; {'some' if not act_share else f'{act_share:.0%}'} were asked for"
        )
    return Certificate(promise, unit, alpha, delta if promise == "selective" else None, threshold, n, acting, error)


def _binomial_tail(k: int, n: int, p: float) -> float:
    """Return P(Bin(n, p) ≤ k)."""
    if k >= n:
        return 1.0
    log_p, log_q = math.log(p), math.log1p(-p)
    terms = (
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * log_p + (n - i) * log_q
        for i in range(k + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def _hoeffding_bentkus(mean: float, n: int, limit: float) -> float:
    """Return the p-value that the expectation exceeds `limit`, of n values in [0, 1] with this mean."""
    mean = max(0.0, mean)
    if mean >= limit:
        return 1.0
    relative = (mean * math.log(mean / limit) if mean else 0.0) + (1 - mean) * math.log((1 - mean) / (1 - limit))
    return min(1.0, math.exp(-n * relative), math.e * _binomial_tail(math.ceil(n * mean - 1e-9), n, limit))
