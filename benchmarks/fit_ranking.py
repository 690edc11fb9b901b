"""Fits the weights of `memory.ranking.ranker` on public suites, cross-validates them and writes `ranking_weights.json`.

    python benchmarks/fit_ranking.py ../shared/data --cache ~/.cache/stead-fit --write

One weight vector serves all suites. A query's loss is that of a softmax over its log: −mean log p(gold turn). Suites
weigh the same whatever their size. Every weight is bounded below by 0 (each feature is built so that more is never
worse) and drawn towards the same value in units of the feature's standard deviation (unit weighting, Dawes 1979): what
the data at hand say little about keeps a sensible weight, which is what carries over to logs of another kind.

Needs scipy (`pip install scipy`). No text is written anywhere but vectors and their hashes, in the cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import memory.ranking.ranker
from benchmark_adapter.suites.retrieval import Tally, judge
from benchmark_adapter.suites.retrieval_suites import Query, Suite, fold_value, load_suites
from memory.embedder import Embedder, Matrix
from memory.embedders.factory import open_embedder
from memory.ranking.ranker import FEATURES, Nearness, RankingLog
from memory.records import Turn
from memory.storage.embedding_text import embedding_text

Array = NDArray[np.float64]

RIDGE = 0.1
"""How strongly weights are drawn to `PRIOR`: over 0.01 to 0.2 the fit to the suites stays within a point."""
PRIOR = 0.7
"""The weight in standard deviations that ignorance gives; with 0 a suite left out of the fit loses up to 10 points."""
NEGATIVES = 90
"""Other turns of the log that stand for all of it in the softmax, drawn once."""
FOLDS = 5


class VectorCache:
    """Vectors by the hash of their text, in a file outside of the repository."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._path = folder / f"{hashlib.sha256(embedder.fingerprint.encode()).hexdigest()[:16]}.npz"
        folder.mkdir(parents=True, exist_ok=True)
        self._vectors: dict[str, NDArray[np.float32]] = {}
        if self._path.exists():
            with np.load(self._path) as stored:
                self._vectors = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit row a text."""
        keys = [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        rows = self._embedder.embed_documents(list(missing.values()))
        self._vectors.update(zip(missing, rows, strict=True))
        return np.array([self._vectors[key] for key in keys], dtype=np.float32).reshape(len(texts), -1)

    def save(self) -> None:
        """Write what was embedded."""
        np.savez(self._path, keys=np.array(list(self._vectors)), rows=np.array(list(self._vectors.values())))


@dataclass(frozen=True)
class Example:
    """A query with the features of every turn of its log."""

    suite: str
    user: str
    query: Query
    turns: tuple[Turn, ...]
    features: Array
    """Shape `(n, len(FEATURES))`."""
    is_gold: NDArray[np.bool_]


def examples_of(suites: Iterable[Suite], cache: VectorCache) -> list[Example]:
    """Return an example for each query."""
    examples = []
    for suite in suites:
        for log in suite.logs:
            ranking = RankingLog()
            ranking.follow(log.turns)
            rows = cache.embed([embedding_text(turn) for turn in log.turns])
            for query in log.queries:
                asked = ranking.query(query.text)
                nearness = Nearness(rows, cache.embed([asked.main_line])[0], cache.embed)
                features = ranking.features(asked, nearness)
                features = ranking.with_statements(features, asked, range(len(log.turns)), nearness)
                gold = np.array([_is_gold(query, turn) for turn in log.turns])
                examples.append(Example(suite.name, log.user, query, log.turns, features, gold))
        cache.save()
        print(f"{suite.name}: {suite.n} queries", flush=True)
    return examples


def _is_gold(query: Query, turn: Turn) -> bool:
    """Whether `turn` should be found: where values are looked for, if it is a gold turn and holds one."""
    holds = not query.gold_values or any(value in fold_value(turn.request) for value in query.gold_values)
    return turn.turn_id in query.gold_turns and holds


def fit(examples: Sequence[Example], names: Sequence[str], rng: np.random.Generator) -> Array:
    """Return the weight of each of `FEATURES`, 0 for those not in `names`."""
    columns = [FEATURES.index(name) for name in names]
    usable = [one for one in examples if one.is_gold.any()]
    sizes: dict[str, int] = defaultdict(int)
    for one in usable:
        sizes[one.suite] += 1
    share = np.array([1 / sizes[one.suite] for one in usable])
    share /= share.sum()
    drawn = [_drawn(one, rng) for one in usable]
    features = np.concatenate([one.features[rows][:, columns] for one, rows in zip(usable, drawn, strict=True)])
    gold = np.concatenate([one.is_gold[rows] for one, rows in zip(usable, drawn, strict=True)])
    starts = np.cumsum([0, *(len(rows) for rows in drawn[:-1])])
    owner = np.repeat(np.arange(len(drawn)), [len(rows) for rows in drawn])
    spread = features.std(axis=0)
    scaled = features / np.where(spread > 1e-3, spread, np.inf)  # what never varies has nothing to say
    golds = np.add.reduceat(gold.astype(np.float64), starts)

    def loss(weights: Array) -> tuple[float, Array]:
        scores = scaled @ weights
        scores -= np.maximum.reduceat(scores, starts)[owner]
        exponents = np.exp(scores)
        total = np.add.reduceat(exponents, starts)
        logs = np.add.reduceat(np.where(gold, scores - np.log(total)[owner], 0.0), starts) / golds
        gradient = (share[owner] * (gold / golds[owner] - exponents / total[owner])) @ scaled
        away = weights - PRIOR
        return float(-share @ logs + RIDGE / 2 * away @ away), -gradient + RIDGE * away

    start = np.full(len(columns), PRIOR)
    fitted = minimize(loss, start, jac=True, bounds=[(0, None)] * len(columns), method="L-BFGS-B")
    weights = np.zeros(len(FEATURES))
    weights[columns] = fitted.x / np.where(spread > 1e-3, spread, np.inf)
    return weights


def _drawn(example: Example, rng: np.random.Generator) -> NDArray[np.intp]:
    others = np.flatnonzero(~example.is_gold)
    if len(others) > NEGATIVES:
        others = rng.choice(others, NEGATIVES, replace=False)
    return np.concatenate([np.flatnonzero(example.is_gold), others])


Scorer = Callable[[Example], Array]


def report(examples: Sequence[Example], weights_for: Callable[[Example], Array]) -> dict[str, dict[str, float | None]]:
    """Return per suite `n`, recall@5, recall@10 and MRR of the ranking by `weights_for` each example.

    For suites with one gold turn a query, `first_of_own` is the share of queries whose gold turn stands first among the
    gold turns of all queries to that log.
    """
    tallies: dict[str, Tally] = defaultdict(Tally)
    firsts: dict[str, list[bool]] = defaultdict(list)
    own: dict[tuple[str, str], NDArray[np.bool_]] = {}
    for one in examples:
        key = (one.suite, one.user)
        own[key] = own.get(key, np.zeros(len(one.turns), dtype=np.bool_)) | one.is_gold
    for one in examples:
        scores = one.features @ weights_for(one)
        order = np.argsort(-scores, kind="stable")
        tallies[one.suite].found.append(judge(one.query, [one.turns[place] for place in order]))
        best = max(np.flatnonzero(own[one.suite, one.user]), key=lambda place: scores[place], default=None)
        firsts[one.suite].append(best is not None and bool(one.is_gold[best]))
    found = {}
    for suite, tally in tallies.items():
        figures = {key: value for key, value in tally.as_json().items() if key != "queries_per_second"}
        found[suite] = {**figures, "first_of_own": float(np.mean(firsts[suite]))}
    return found


def cross_validated(examples: Sequence[Example], names: Sequence[str], seed: int) -> dict[str, dict[str, float | None]]:
    """Return the report where each person's queries are scored by a fit without that person."""
    rng = np.random.default_rng(seed)
    fold: dict[tuple[str, str], int] = {}
    for suite in dict.fromkeys(one.suite for one in examples):
        users = sorted({one.user for one in examples if one.suite == suite})
        fold.update({(suite, str(user)): place % FOLDS for place, user in enumerate(rng.permutation(users))})
    fitted = [
        fit([one for one in examples if fold[one.suite, one.user] != left_out], names, np.random.default_rng(seed))
        for left_out in range(FOLDS)
    ]
    return report(examples, lambda one: fitted[fold[one.suite, one.user]])


def without_own_suite(
    examples: Sequence[Example], names: Sequence[str], seed: int
) -> dict[str, dict[str, float | None]]:
    """Return the report where each suite is scored by a fit on the others."""
    suites = dict.fromkeys(one.suite for one in examples)
    fitted = {
        suite: fit([one for one in examples if one.suite != suite], names, np.random.default_rng(seed))
        for suite in suites
    }
    return report(examples, lambda one: fitted[one.suite])


def _print(title: str, found: dict[str, dict[str, float | None]]) -> None:
    cells = [
        f"{suite} n={row['n']} r@5 {row['recall_at_5']:.3f} r@10 {row['recall_at_10']:.3f} mrr {row['mrr']:.3f}"
        f" first {row['first_of_own']:.3f}"
        for suite, row in found.items()
    ]
    print(f"{title}\n  " + "\n  ".join(cells), flush=True)


def main() -> None:
    """Fit, print what was measured, and write the weights where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors, outside of the repository")
    parser.add_argument("--embedder", default="use")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--ablate", action="store_true", help="also cross-validate without each feature")
    parser.add_argument("--write", action="store_true", help="write memory/ranking/ranking_weights.json")
    given = parser.parse_args()
    embedder = open_embedder(given.embedder)
    suites = load_suites(given.data)
    examples = examples_of(suites, VectorCache(given.cache, embedder))
    within = cross_validated(examples, FEATURES, given.seed)
    across = without_own_suite(examples, FEATURES, given.seed)
    _print("cross-validated by person", within)
    _print("fitted without the suite", across)
    if given.ablate:
        for name in FEATURES:
            others = [other for other in FEATURES if other != name]
            _print(f"without {name}", cross_validated(examples, others, given.seed))
    weights = fit(examples, FEATURES, np.random.default_rng(given.seed))
    _print("fitted on all", report(examples, lambda one: weights))
    provenance = {
        "fitted_by": "benchmarks/fit_ranking.py",
        "embedder": embedder.fingerprint,
        "suites": {suite.name: {"logs": len(suite.logs), "queries": suite.n} for suite in suites},
        "ridge": RIDGE,
        "prior": PRIOR,
        "negatives": NEGATIVES,
        "seed": given.seed,
        "cross_validated_by_person": _rounded(within),
        "fitted_without_the_suite": _rounded(across),
    }
    stored = {"weights": {name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)}}
    text = json.dumps({**stored, "provenance": provenance}, indent=2) + "\n"
    if given.write:
        Path(memory.ranking.ranker.__file__).with_name("ranking_weights.json").write_text(text, encoding="utf-8")
    print(json.dumps(stored, indent=2))


def _rounded(found: dict[str, dict[str, float | None]]) -> dict[str, dict[str, float | None]]:
    return {
        suite: {key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}
        for suite, row in found.items()
    }


if __name__ == "__main__":
    main()
