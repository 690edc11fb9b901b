"""How well call, ask, cannot and reply are told apart: the label head run over suites, and its scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.planners.rules import RulesPlanner
from benchmark_adapter.labelling.cues import Features
from benchmark_adapter.labelling.features import label_features
from benchmark_adapter.labelling.head import LABELS, Label, LabelHead
from benchmark_adapter.scoring.bootstrap import Draws, Values, divide, interval, mean_of_defined, point
from benchmark_adapter.scoring.calibration_metrics import Forecasts, auroc, ece
from benchmark_adapter.suites.decide_suites import DecideItem, DecideSuite
from clarifier.clarifier import decide
from clarifier.policy import open_policy
from memory.embedder import Embedder, Matrix, Vector

_SEED = 0


@dataclass(frozen=True)
class Judged:
    """An item with what was answered."""

    suite: str
    group: str
    label: Label
    """What is right."""
    chosen: Label
    probabilities: Mapping[Label, float]
    """Of the labels that the suite has."""

    @property
    def likeliest(self) -> Label:
        """The label of the greatest probability, whatever a mistake costs."""
        return max(self.probabilities, key=lambda label: (self.probabilities[label], -LABELS.index(label)))


class KeptEmbedder:
    """An embedder that works out the vector of a text once: the same tools are on offer again and again."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of `text`, shape `(d,)`."""
        return self._embedder.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return a unit row a text, shape `(n, d)`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed_documents(new), strict=True))
        rows = np.array([self._vectors[text] for text in texts], dtype=np.float32)
        return rows.reshape(len(texts), self.dimensions)


class FeatureReader:
    """Reads the features of items: the `rules` planner proposes, the clarifier grounds and decides.

    Args:
        embedder: For the meaning of requests and tools.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = KeptEmbedder(embedder) if embedder is not None else None
        self._planner = RulesPlanner(self._embedder)
        self._policy = open_policy("benchmark")

    def features(self, item: DecideItem) -> Features:
        """Return the features of one item by name."""
        proposal = self._planner.plan(item.situation)
        decision = decide(item.situation, proposal, policy=self._policy)
        return label_features(item.situation, proposal, decision, self._embedder)


def judge(
    suites: Sequence[DecideSuite], head: LabelHead, embedder: Embedder | None, on_item: Callable[[], object]
) -> Iterator[Judged]:
    """Yield every item with what the head answers."""
    reader = FeatureReader(embedder)
    for suite in suites:
        for item in suite.items:
            n_tools = len(item.situation.tools)
            probabilities = head.probabilities(reader.features(item), suite.labels, n_tools)
            yield Judged(suite.name, item.group, item.label, head.choose(probabilities, n_tools), probabilities)
            on_item()


def report(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the scores of each suite and of all items together, as DESIGN §9 has them."""
    names = dict.fromkeys(one.suite for one in judged)
    suites = {name: scores([one for one in judged if one.suite == name]) for name in names}
    return {"suites": suites, "pooled": scores(judged)}


def scores(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return accuracy, F1 and calibration with intervals, and what always taking the likeliest label gives.

    Intervals are from a bootstrap of groups within suites; undefined is `None`.
    """
    table = _Table.of(judged)
    once = Draws.once([(one.suite, one.group) for one in judged])
    draws = once.resampled(seed=_SEED)
    found = {name: point(values) for name, values in table.measures(once).items()}
    spread = table.measures(draws) if draws.can_vary else {}
    argmax = _Table.of(judged, by_likeliest=True).measures(once)
    return {
        "n": len(judged),
        "accuracy": found["accuracy"],
        "macro_f1": found["macro_f1"],
        "ask": {key: found[f"ask.{key}"] for key in ("precision", "recall", "f1")},
        "f1": {label: found[f"f1.{label}"] for label in table.labels},
        "calibration": {key: found[f"calibration.{key}"] for key in ("ece", "brier", "brier_skill", "auroc")},
        "argmax": {key: point(argmax[name]) for key, name in _ARGMAX.items()},
        "ci95": {name: interval(values) for name, values in spread.items()},
    }


_ARGMAX = {"accuracy": "accuracy", "macro_f1": "macro_f1", "ask_f1": "ask.f1"}


@dataclass(frozen=True)
class _Table:
    """Items as arrays: rows of 0 and 1 by label, shape `(labels, n)`."""

    labels: tuple[Label, ...]
    right: NDArray[np.float64]
    given: NDArray[np.float64]
    probability: NDArray[np.float64]

    @classmethod
    def of(cls, judged: Sequence[Judged], *, by_likeliest: bool = False) -> _Table:
        labels = tuple(label for label in LABELS if any(label in one.probabilities for one in judged))
        answers = [one.likeliest if by_likeliest else one.chosen for one in judged]
        shape = (len(labels), len(judged))
        return cls(
            labels,
            np.array([[one.label == label for one in judged] for label in labels], dtype=float).reshape(shape),
            np.array([[answer == label for answer in answers] for label in labels], dtype=float).reshape(shape),
            np.array([[one.probabilities.get(label, 0.0) for one in judged] for label in labels]).reshape(shape),
        )

    def measures(self, draws: Draws) -> dict[str, Values]:
        """Return each measure by name, one value a draw."""
        weights = draws.weights()
        n = weights.sum(axis=1)
        hit = weights @ (self.right * self.given).T  # (draws, labels)
        given, right = weights @ self.given.T, weights @ self.right.T
        f1 = divide(2 * hit, given + right)  # undefined where a label is neither right nor given
        found = {"accuracy": divide(hit.sum(axis=1), n), "macro_f1": mean_of_defined(f1)}
        nothing = np.full(len(weights), np.nan)
        ask = self.labels.index("ask") if "ask" in self.labels else None
        found["ask.precision"] = nothing if ask is None else divide(hit[:, ask], given[:, ask])
        found["ask.recall"] = nothing if ask is None else divide(hit[:, ask], right[:, ask])
        found["ask.f1"] = nothing if ask is None else f1[:, ask]
        found.update({f"f1.{label}": f1[:, index] for index, label in enumerate(self.labels)})
        found.update(self._calibration(weights, n, right, is_resampled=draws.is_resampled))
        return found

    def _calibration(self, weights: Values, n: Values, right: Values, *, is_resampled: bool) -> dict[str, Values]:
        """Return ECE and AUROC of the given label's probability, and Brier's score summed over labels.

        Its skill is measured against always stating the shares of the labels among these items (Murphy, 1973).
        """
        forecasts = Forecasts.of((self.probability * self.given).sum(axis=0), (self.right * self.given).sum(axis=0))
        brier = divide(weights @ ((self.probability - self.right) ** 2).sum(axis=0), n)
        shares = divide(right, n[:, None])
        return {
            "calibration.ece": ece(forecasts, weights, is_resampled=is_resampled) if len(forecasts) else brier,
            "calibration.brier": brier,
            "calibration.brier_skill": 1 - divide(brier, 1 - (shares**2).sum(axis=1)),
            "calibration.auroc": auroc(forecasts, weights),
        }
