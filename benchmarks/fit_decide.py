"""Fits the label head on public ask-or-act suites, cross-validates it by group and writes `head.decide.json`.

    python -m benchmarks.fit_decide ../shared/data/ask-or-act --cache ~/.cache/stead-fit --write

One multinomial logistic model for all suites, its softmax over the labels that are open in each. Every setting
(`benchmark_adapter.labelling.head.setting_of`) may depart from the shared weights, at the price of a penalty of its
own (partial pooling; Evgeniou & Pontil, 2004). The costs of missing a label are `share^-gamma` over the labels of a
setting; gamma is the only number of the decision that is fitted, on items left out of the fit of the probabilities.

Needs scipy and scikit-learn (`pip install scipy scikit-learn`). No text is written anywhere; the cache holds features.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedGroupKFold

import benchmark_adapter.labelling
from benchmark_adapter.labelling.head import LABELS, LIMIT, Label, LabelHead, Weights, setting_of
from benchmark_adapter.suites.decide import FeatureReader, Judged, report
from benchmark_adapter.suites.decide_suites import DecideSuite, load_decide_suites
from memory.embedders.factory import open_embedder

Array = NDArray[np.float64]
SEED = 0
FOLDS, INNER_FOLDS = 10, 4
RIDGE, RIDGE_OF_DEPARTURES = 120.0, 60.0
"""On weights in standard deviations, for the sum of losses; at half or twice both, Brier stays within 0.01."""
GAMMAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
MEASURED_PRECISION = 4
_ERR = Console(stderr=True)


@dataclass(frozen=True)
class Sample:
    """All items as arrays; `n` items, `d` features."""

    suite: NDArray[np.str_]
    group: NDArray[np.str_]
    setting: NDArray[np.str_]
    n_tools: NDArray[np.intp]
    right: NDArray[np.intp]
    """Index of the right label."""
    is_open: NDArray[np.bool_]
    """Whether a label is open, shape `(n, labels)`."""
    features: Array
    """Shape `(n, d)`."""
    names: tuple[str, ...]

    def part(self, rows: NDArray[np.intp]) -> Sample:
        """Return some of the items."""
        return Sample(
            self.suite[rows], self.group[rows], self.setting[rows], self.n_tools[rows], self.right[rows],
            self.is_open[rows], self.features[rows], self.names,
        )  # fmt: skip

    def without(self, names: Collection[str]) -> Sample:
        """Return the items without some features."""
        if unknown := set(names) - set(self.names):
            raise SystemExit(f"no feature is called {min(unknown)!r}; choose among {', '.join(self.names)}")
        kept = [place for place, name in enumerate(self.names) if name not in names]
        return replace(self, features=self.features[:, kept], names=tuple(self.names[place] for place in kept))


def read_sample(suites: Sequence[DecideSuite], cache: Path | None) -> Sample:
    """Return the items with their features; `cache` keeps those between runs of one version of the code."""
    reader = FeatureReader(open_embedder("use"))
    path = cache / f"decide-{_code_hash()}.pickle" if cache is not None else None
    known: dict[str, dict[str, float]] = {}
    if path is not None and path.exists():
        known = pickle.loads(path.read_bytes())
    items = [(suite, item) for suite in suites for item in suite.items]
    for _, item in track(
        [pair for pair in items if pair[1].item_id not in known], description="features", console=_ERR
    ):
        known[item.item_id] = reader.features(item)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(known))
    names = tuple(known[items[0][1].item_id])
    return Sample(
        suite=np.array([suite.name for suite, _ in items]),
        group=np.array([f"{suite.name}/{item.group}" for suite, item in items]),
        setting=np.array([setting_of(suite.labels, len(item.situation.tools)) for suite, item in items]),
        n_tools=np.array([len(item.situation.tools) for _, item in items]),
        right=np.array([LABELS.index(item.label) for _, item in items]),
        is_open=np.array([[label in suite.labels for label in LABELS] for suite, _ in items]),
        features=np.array([[known[item.item_id][name] for name in names] for _, item in items]),
        names=names,
    )


def _code_hash() -> str:
    """Return a hash of all that features are worked out by."""
    labelling = Path(benchmark_adapter.labelling.__file__).parent
    packages = [labelling.parent.parent / name for name in ("memory", "clarifier", "agent")]
    found = [path for package in (*packages, labelling) for path in sorted(package.rglob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in found)).hexdigest()[:16]


def fit_head(sample: Sample, gamma: float) -> LabelHead:
    """Return the head fitted on all items of `sample`."""
    mean, scale = sample.features.mean(axis=0), sample.features.std(axis=0)
    scale = np.where(scale < 1e-6, 1.0, scale)
    z = np.hstack([np.clip((sample.features - mean) / scale, -LIMIT, LIMIT), np.ones((len(sample.features), 1))])
    settings = sorted(set(sample.setting.tolist()))
    blocks = [z, *(z * (sample.setting == setting)[:, None] for setting in settings)]
    ridge = np.repeat([RIDGE, *(RIDGE_OF_DEPARTURES for _ in settings)], z.shape[1])
    weights = _minimised(np.hstack(blocks), sample.right, sample.is_open, ridge)
    parts = np.split(weights, len(blocks))
    return LabelHead(
        version=1,
        features=sample.names,
        mean=_rounded(mean),
        scale=_rounded(scale, least=1e-6),
        shared=_weights(parts[0], LABELS),
        settings={name: _weights(part, _labels_of(name)) for name, part in zip(settings, parts[1:], strict=True)},
        costs={name: _costs(sample, name, gamma) for name in settings},
    )


def _labels_of(setting: str) -> tuple[Label, ...]:
    return tuple(label for label in LABELS if label in setting.split(" ")[0].split("+"))


def _weights(part: Array, labels: Sequence[Label]) -> Weights:
    return Weights(by_label={label: _rounded(part[:, LABELS.index(label)]) for label in labels})


def _rounded(values: Array, least: float | None = None) -> tuple[float, ...]:
    rounded = (round(float(value), 5) + 0.0 for value in values)
    return tuple(rounded if least is None else (max(value, least) for value in rounded))


def _costs(sample: Sample, setting: str, gamma: float) -> dict[Label, float]:
    """Return `share^-gamma` of each label, in units of that of a call; shares smoothed by one item a label."""
    labels = _labels_of(setting)
    counts = Counter(sample.right[sample.setting == setting].tolist())
    shares = {label: counts[LABELS.index(label)] + 1 for label in labels}
    return {label: round((shares["call"] / shares[label]) ** gamma, 3) for label in labels}


def _minimised(z: Array, right: NDArray[np.intp], is_open: NDArray[np.bool_], ridge: Array) -> Array:
    """Return the weights, shape `(d, labels)`, of least log loss plus ridge, one number a column of `z`."""
    n, d, k = len(z), z.shape[1], len(LABELS)
    hot = np.eye(k)[right]

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(d, k)
        scores = np.where(is_open, z @ weights, -np.inf)
        scores = scores - scores.max(axis=1, keepdims=True)
        log_total = np.log(np.exp(scores).sum(axis=1))
        value = float((log_total - scores[np.arange(n), right]).sum() + (ridge[:, None] * weights**2).sum() / 2)
        gradient = z.T @ (np.exp(scores - log_total[:, None]) - hot) + ridge[:, None] * weights
        return value, gradient.ravel()

    found = minimize(loss, np.zeros(d * k), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    weights: Array = found.x.reshape(d, k)
    return weights


def judged_by(head: LabelHead, sample: Sample) -> list[Judged]:
    """Return every item with what `head` answers."""
    found = []
    for row in range(len(sample.right)):
        features = dict(zip(sample.names, sample.features[row].tolist(), strict=True))
        labels = [label for label, is_open in zip(LABELS, sample.is_open[row], strict=True) if is_open]
        n_tools = int(sample.n_tools[row])
        probabilities = head.probabilities(features, labels, n_tools)
        label = LABELS[sample.right[row]]
        suite, group = str(sample.suite[row]), str(sample.group[row])
        found.append(Judged(suite, group, label, head.choose(probabilities, n_tools), probabilities))
    return found


def splits(sample: Sample, folds: int, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return training and test rows of each fold; a group is never parted."""
    strata = [f"{suite}/{right}" for suite, right in zip(sample.suite, sample.right, strict=True)]
    folder = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return list(folder.split(sample.features, strata, sample.group))


def fitted(sample: Sample, seed: int) -> tuple[LabelHead, float]:
    """Return the head of `sample` and the gamma that is best over its inner folds."""
    heads = [(fit_head(sample.part(train), 0.0), train, test) for train, test in splits(sample, INNER_FOLDS, seed)]
    results: dict[float, list[Judged]] = {gamma: [] for gamma in GAMMAS}
    for head, train, test in heads:
        for gamma in GAMMAS:
            costs = {name: _costs(sample.part(train), name, gamma) for name in head.settings}
            results[gamma].extend(judged_by(head.model_copy(update={"costs": costs}), sample.part(test)))
    worth = {gamma: _mean_macro_f1(judged) for gamma, judged in results.items()}
    best = max(GAMMAS, key=lambda gamma: worth[gamma])
    return fit_head(sample, best), best


def _mean_macro_f1(judged: Sequence[Judged]) -> float:
    """Return the mean over suites of macro-F1."""
    values = []
    for suite in dict.fromkeys(one.suite for one in judged):
        mine = [one for one in judged if one.suite == suite]
        f1 = []
        for label in mine[0].probabilities:
            hit = sum(one.label == label == one.chosen for one in mine)
            both = sum((one.label == label) + (one.chosen == label) for one in mine)
            f1.append(2 * hit / both if both else 0.0)
        values.append(sum(f1) / len(f1))
    return sum(values) / len(values)


def main() -> None:
    """Fit, measure and, if asked, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE", help="leave these out; writes nothing")
    options = parser.parse_args()
    suites = load_decide_suites(options.data)
    sample = read_sample(suites, options.cache).without(options.without)
    left_out: list[Judged] = []
    for fold, (train, test) in enumerate(
        track(splits(sample, FOLDS, SEED), description="cross-validation", console=_ERR)
    ):
        left_out.extend(judged_by(fitted(sample.part(train), fold)[0], sample.part(test)))
    by_suite: list[Judged] = []
    for name in track(dict.fromkeys(sample.suite.tolist()), description="suites left out", console=_ERR):
        head, _ = fitted(sample.part(np.flatnonzero(sample.suite != name)), SEED)
        by_suite.extend(judged_by(head, sample.part(np.flatnonzero(sample.suite == name))))
    head, gamma = fitted(sample, SEED)
    cross_validated, suite_out = _short(report(left_out)), _short(report(by_suite))
    print(json.dumps({"gamma": gamma, "cross_validated": cross_validated, "suite_out": suite_out}, indent=1))
    provenance = {
        "data_sha256": {one.name: hashlib.sha256(one.path.read_bytes()).hexdigest() for one in suites},
        "planner": "rules",
        "embedder": open_embedder("use").fingerprint,
        "n": len(sample.right),
        "split": f"{FOLDS} folds by group, stratified by suite and label, seed {SEED}; gamma: {INNER_FOLDS} folds",
        "ridge": [RIDGE, RIDGE_OF_DEPARTURES],
        "gamma": gamma,
        **{key: cross_validated["pooled"]["calibration"][key] for key in ("brier", "ece", "auroc")},
        "cross_validated": cross_validated,
        "leave_one_suite_out": suite_out,
    }
    if options.write and not options.without:
        written = head.model_copy(update={"provenance": provenance}).model_dump_json()
        Path(benchmark_adapter.labelling.__file__).with_name("head.decide.json").write_text(
            written + "\n", encoding="utf-8"
        )


def _short(value: Any) -> Any:
    """Return a report with its numbers cut to what is told apart."""
    if isinstance(value, float):
        return round(value, MEASURED_PRECISION)
    if isinstance(value, list):
        return [_short(item) for item in value]
    return {key: _short(item) for key, item in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    main()
