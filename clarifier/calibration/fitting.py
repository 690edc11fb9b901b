"""Fitting of the heads: L2 logistic regression on the signals of past decisions (DESIGN §6).

scikit-learn fits; it is imported when it is needed, since deciding does without it.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from clarifier.calibration.heads import FORMAT_VERSION, Ablation, Fit, Head, HeadName, Heads, HeadScores, Knot
from clarifier.calibration.signals import FEATURES, STATED, Signals
from clarifier.errors import LabelsError, MissingExtraError

PENALTY = 0.1
"""C of the L2 penalty on standardised features: with some hundred labels of a few persons, weights stay small."""
LEAST_LABELS = 15
"""Fewer labels give no head."""
LEAST_FOR_WEIGHTS = 50
"""With fewer labels a head has an intercept alone: about ten labels a weight are asked for (Peduzzi et al., 1996)."""
LEAST_OF_A_KIND = 3
"""Nor do fewer of either kind."""
LEAST_FOR_ISOTONIC = 1000
"""An isotonic curve has as many parameters as it finds steps: with fewer labels it fits noise (Niculescu-Mizil &
Caruana, 2005, §5)."""
MOST_BINS, LEAST_PER_BIN = 10, 10

HEAD_NAMES: tuple[HeadName, ...] = get_args(HeadName)
_MEANING: Mapping[HeadName, str] = MappingProxyType(
    {"p_act": "whether to act", "p_calls": "whether the calls were right", "p_asked": "whether asking came out right"}
)
_NEUTRAL = Signals().features()
"""For features that are newer than the decision."""
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """A past decision with what is known of it afterwards."""

    signals: Mapping[str, float]
    """Its features, as the decision kept them."""
    person: str
    """Whose turn it was: fit and test never share a person."""
    labels: Mapping[HeadName, bool] = field(default_factory=dict)
    """By head: what came true. A head without a label learns nothing from the decision."""


def features_of(ablation: Ablation) -> tuple[str, ...]:
    """Return the features that heads look at, in order of name."""
    chosen = {"none": frozenset[str](), "stated": STATED, "posterior": FEATURES - STATED}.get(ablation, FEATURES)
    return tuple(sorted(chosen))


def fit_heads(
    labelled: Sequence[Labelled],
    *,
    planner: str,
    strategy: str,
    data: str,
    split: str,
    ablation: Ablation = "fusion",
    penalty: float = PENALTY,
    isotonic: bool = False,
    keep: Heads | None = None,
) -> Heads:
    """Return heads fitted on past decisions, with their leave-one-persona-out scores.

    Args:
        labelled: The decisions.
        planner: That proposed.
        strategy: Of memory.
        data: Hash of the data sets.
        split: Which persons of them, in words.
        ablation: What the heads look at.
        penalty: C of scikit-learn.
        isotonic: Whether to recalibrate by an isotonic curve on the leave-one-persona-out probabilities.
        keep: Heads to keep where labels are too few or all alike; `None`: none.

    Raises:
        LabelsError: If a head has too few labels, or too few of a kind, and there are no heads to keep; if `isotonic`
            is wanted on fewer than 1,000.
        MissingExtraError: If scikit-learn is not installed.
    """
    heads: dict[HeadName, Head] = {}
    scores: dict[HeadName, HeadScores] = {}
    for name in HEAD_NAMES:
        try:
            _check(name, _matrix(labelled, name, ())[1])
        except LabelsError:
            if keep is None:
                raise
            heads[name] = getattr(keep, name)
            continue
        names = features_of(best_ablation(labelled, name, penalty) if ablation == "best" else ablation)
        x, y, persons = _matrix(labelled, name, names)
        if len(y) < LEAST_FOR_WEIGHTS:
            x = np.zeros_like(x)
        foretold = foretell(x, y, persons, penalty)
        if ablation == "best" and len(y) >= LEAST_FOR_WEIGHTS:
            foretold = _foretold_by_best(labelled, name, penalty)
        heads[name] = _fitted(x, y, names, penalty)
        if isotonic:
            heads[name] = heads[name].model_copy(update={"curve": _curve(name, foretold, y)})
        scores[name] = scores_of(foretold, y)
    if not scores:
        raise LabelsError("every head had too few labels, or labels all alike")
    return Heads(
        version=FORMAT_VERSION,
        provenance=_provenance(planner, strategy, split, scores),
        planner=planner,
        strategy=strategy,
        fit=Fit(
            data=data,
            split=split,
            persons=tuple(sorted({one.person for one in labelled})),
            signals=ablation,
            penalty=penalty,
            scores=scores,
        ),
        p_act=heads["p_act"],
        p_calls=heads["p_calls"],
        p_asked=heads["p_asked"],
    )


def best_ablation(labelled: Sequence[Labelled], name: HeadName, penalty: float = PENALTY) -> Ablation:
    """Return what a head shall look at: the signals with the least leave-one-persona-out Brier score.

    Ties go to fewer signals. Base rates where nobody can be foretold from others.
    """

    def brier(ablation: Ablation) -> float:
        x, y, persons = _matrix(labelled, name, features_of(ablation))
        foretold = foretell(x, y, persons, penalty)
        known = ~np.isnan(foretold)
        return float(np.mean((foretold - y)[known] ** 2)) if known.any() else 0.0

    candidates: tuple[Ablation, ...] = ("none", "stated", "posterior", "fusion")
    return min(candidates, key=brier)


def _foretold_by_best(labelled: Sequence[Labelled], name: HeadName, penalty: float) -> Vector:
    """The probability of each label by a fit on all other persons, who choose the signals too."""
    x, y, persons = _matrix(labelled, name, features_of("fusion"))
    columns = features_of("fusion")
    foretold = np.full(len(y), np.nan)
    for person in np.unique(persons):
        own = persons == person
        chosen = set(features_of(best_ablation([one for one in labelled if one.person != person], name, penalty)))
        seen = x * np.array([column in chosen for column in columns])
        foretold[own] = foretell(seen, y, np.where(own, "own", "other"), penalty)[own]
    return foretold


def refit_intercepts(heads: Heads, labelled: Sequence[Labelled], *, planner: str, strategy: str) -> Heads:
    """Return `heads` with each intercept moved so that the mean probability equals the share that came true.

    For a planner or strategy that they were not fitted with. A head with too few labels stays as it is.

    Raises:
        LabelsError: If no head has enough labels.
    """
    moved: dict[str, Head] = {}
    for name in HEAD_NAMES:
        head: Head = getattr(heads, name)
        known = [one for one in labelled if name in one.labels]
        y = np.array([one.labels[name] for one in known], dtype=float)
        try:
            _check(name, y)
        except LabelsError:
            continue
        moved[name] = _moved(head, [one.signals for one in known], float(y.mean()))
    if not moved:
        raise LabelsError("every head had too few labels, or labels all alike")
    which = ", ".join(moved)
    provenance = f"{heads.provenance}; intercepts of {which} refitted with the {planner} planner and {strategy} memory"
    return heads.model_copy(update={**moved, "planner": planner, "strategy": strategy, "provenance": provenance})


def fit_or_shift(labelled: Sequence[Labelled], base: Heads, *, planner: str, strategy: str) -> Heads:
    """Return heads from a product's own log: fitted where labels allow it, else `base` with other intercepts.

    Weights need 50 labels of `p_calls`, and two persons, so that what is said of the fit is of persons it has not seen.

    Raises:
        LabelsError: If labels do not even suffice for an intercept.
        MissingExtraError: If scikit-learn is needed and not installed.
    """
    persons = sorted({one.person for one in labelled})
    if sum("p_calls" in one.labels for one in labelled) < LEAST_FOR_WEIGHTS or len(persons) < 2:
        return refit_intercepts(base, labelled, planner=planner, strategy=strategy)
    written = [[one.person, list(one.signals.items()), list(one.labels.items())] for one in labelled]
    data = hashlib.sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()
    split = f"calls of {len(persons)} persons that they accepted, corrected or undid"
    return fit_heads(labelled, planner=planner, strategy=strategy, data=data, split=split, keep=base)


def foretell(x: Matrix, y: Vector, persons: NDArray[np.str_], penalty: float = PENALTY) -> Vector:
    """Return the probability of each label by a fit on all other persons.

    Not a number where the others' labels are all alike, or there is nobody else.

    Args:
        x: Features, shape `(n, features)`.
        y: Labels, 0 or 1, shape `(n,)`.
        persons: Whose each is, shape `(n,)`.
        penalty: C of scikit-learn.
    """
    foretold = np.full(len(y), np.nan)
    for person in np.unique(persons):
        own = persons == person
        if len(np.unique(y[~own])) == 2:
            weights, intercept = _logistic(x[~own], y[~own], penalty)
            foretold[own] = _sigmoid(x[own] @ weights + intercept)
    return foretold


def scores_of(probability: Vector, y: Vector) -> HeadScores:
    """Return the scores of probabilities against labels; those that are not numbers are left out.

    ECE is `Σ_b n_b/n·|p̄_b − ȳ_b|` over at most ten bins of equal mass with ten labels or more, biased upwards by noise
    (a run's own metric takes the bias off).
    """
    known = ~np.isnan(probability)
    p, true = probability[known], y[known]
    if not len(true):
        raise LabelsError("nobody can be foretold from others: expected at least two persons with labels of both kinds")
    metrics = _sklearn("metrics")
    mixed = len(np.unique(true)) == 2
    return HeadScores(
        n=len(true),
        positive=int(true.sum()),
        brier=round(float(metrics.brier_score_loss(true, p)), 6),
        ece=round(_ece(p, true), 6),
        auroc=round(float(metrics.roc_auc_score(true, p)), 6) if mixed else None,
    )


def _ece(p: Vector, y: Vector) -> float:
    order = np.argsort(p, kind="stable")
    bins = np.array_split(order, min(MOST_BINS, max(1, len(order) // LEAST_PER_BIN)))
    return float(sum(len(one) * abs(p[one].mean() - y[one].mean()) for one in bins) / len(order))


def _matrix(
    labelled: Sequence[Labelled], name: HeadName, features: Sequence[str]
) -> tuple[Matrix, Vector, NDArray[np.str_]]:
    known = [one for one in labelled if name in one.labels]
    x = np.array([[one.signals.get(feature, _NEUTRAL[feature]) for feature in features] for one in known], dtype=float)
    y = np.array([one.labels[name] for one in known], dtype=float)
    return x.reshape(len(known), len(features)), y, np.array([one.person for one in known], dtype=np.str_)


def _check(name: HeadName, y: Vector) -> None:
    positive = int(y.sum())
    if len(y) < LEAST_LABELS or min(positive, len(y) - positive) < LEAST_OF_A_KIND:
        raise LabelsError(
            f"expected for {name} ({_MEANING[name]}) at least {LEAST_LABELS} labels and {LEAST_OF_A_KIND} of either "
            f"kind, got {len(y)}, of which {positive} true"
        )


def _fitted(x: Matrix, y: Vector, names: Sequence[str], penalty: float) -> Head:
    weights, intercept = _logistic(x, y, penalty)
    named = {name: round(float(weight), 6) for name, weight in zip(names, weights, strict=True)}
    return Head(intercept=round(intercept, 6), weights={name: weight for name, weight in named.items() if weight})


def _logistic(x: Matrix, y: Vector, penalty: float) -> tuple[Vector, float]:
    """Return the weights and the intercept, in units of the features themselves; one that never varies weighs 0."""
    mean, spread = x.mean(axis=0), x.std(axis=0)
    varies = spread > 1e-9
    weights = np.zeros(x.shape[1])
    if not varies.any():
        share = y.mean()
        return weights, float(np.log(share / (1 - share)))
    model = _sklearn("linear_model").LogisticRegression(C=penalty, max_iter=1000)
    model.fit((x[:, varies] - mean[varies]) / spread[varies], y)
    weights[varies] = model.coef_[0] / spread[varies]
    return weights, float(model.intercept_[0] - weights @ mean)


def _curve(name: HeadName, foretold: Vector, y: Vector) -> tuple[Knot, ...]:
    known = ~np.isnan(foretold)
    if known.sum() < LEAST_FOR_ISOTONIC:
        raise LabelsError(f"expected {LEAST_FOR_ISOTONIC} labels for an isotonic curve of {name}, got {known.sum()}")
    isotonic = _sklearn("isotonic").IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    isotonic.fit(foretold[known], y[known])
    said, true = isotonic.X_thresholds_, isotonic.y_thresholds_
    return tuple(Knot(float(p), float(q)) for p, q in zip(said, true, strict=True))


def _moved(head: Head, signals: Sequence[Mapping[str, float]], share: float) -> Head:
    """Return the head with the intercept at which its mean probability is `share`, found by bisection."""
    z = np.array(
        [sum(weight * one.get(name, _NEUTRAL[name]) for name, weight in head.weights.items()) for one in signals],
        dtype=float,
    )
    low, high = -60.0 - float(z.max(initial=0)), 60.0 - float(z.min(initial=0))
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _sigmoid(z + middle).mean() < share else (low, middle)
    return head.model_copy(update={"intercept": round((low + high) / 2, 6), "curve": ()})


def _sigmoid(z: Vector) -> Vector:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -500, 500))))


def _provenance(planner: str, strategy: str, split: str, scores: Mapping[HeadName, HeadScores]) -> str:
    counts = ", ".join(f"{name} {one.n}" for name, one in scores.items())
    return f"fitted on {split} with the {planner} planner and {strategy} memory; labels: {counts}"


def _sklearn(module: str) -> Any:
    from importlib import import_module

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return import_module(f"sklearn.{module}")
    except ImportError as exc:
        raise MissingExtraError from exc
