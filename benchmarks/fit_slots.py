"""Fit the weights by which the `rules` planner weighs values: `python -m benchmarks.fit_slots FILE… [--write]`.

A file is JSON Lines of `{"messages", "tools", "gold_calls": [{function: {parameter: [accepted values]}}]}`, as public
function-calling sets are. Prints, with every fourth tool left out in turn, how many values are found and how many
wrong ones are taken.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import agent.planners.rules.slot_scores as slot_scores
from agent.planners.rules.slot_scores import Features, SlotScorer
from agent.planners.rules.spoken import LEAST_LIKELY
from agent.planners.rules.utterance import Text
from memory.errors import ToolSchemaError
from memory.language.values.values import equal
from memory.tools import parse_tool

FOLDS, LEAST_SEEN, RIDGE = 4, 14, 0.3
WEIGHTS = Path(slot_scores.__file__).with_name("slot_weights.json")


class Case(NamedTuple):
    """An argument of a call, with all that may be its value."""

    tool: str
    features: list[Features]
    is_right: list[bool]


def cases(path: Path) -> Iterator[Case]:
    """Yield the scalar arguments of the calls of a file for which anything may be a value."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        for call in row["gold_calls"] or ():
            ((name, accepted),) = call.items()
            try:
                tools = [parse_tool(one) for one in row["tools"]]
            except ToolSchemaError:
                continue
            for tool in (tool for tool in tools if tool.name == name):
                scorer = SlotScorer(tool, Text(row["messages"][-1]["content"], None), {})
                for parameter in tool.parameters:
                    if parameter.type in ("array", "object"):
                        continue
                    values = [value for value in accepted.get(parameter.name, ()) if value != ""]
                    weighed = list(scorer.weighed(parameter))
                    right = [any(equal(one.value, value, parameter) for value in values) for one, _ in weighed]
                    if weighed:
                        yield Case(name, [features for _, features in weighed], right)


def fit(chosen: Sequence[Case]) -> dict[str, float]:
    """Return the weights of a conditional logit: one of the stretches is the value, or none, whose score is 0."""
    seen = Counter(name for case in chosen for features in case.features for name in features)
    names = ["*", *sorted(name for name, count in seen.items() if count >= LEAST_SEEN)]
    at = {name: place for place, name in enumerate(names)}
    rows = [{"*": 1.0, **features} for case in chosen for features in case.features]
    entries = [(row, at[name], value) for row, one in enumerate(rows) for name, value in one.items() if name in at]
    row_of, column_of, values = zip(*entries, strict=True)
    matrix = csr_matrix((values, (row_of, column_of)), shape=(len(rows), len(names)))
    owner = np.repeat(np.arange(len(chosen)), [len(case.features) for case in chosen])
    right = np.array([is_right for case in chosen for is_right in case.is_right], dtype=float)
    is_said = np.bincount(owner, right) > 0

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        powers = np.exp(np.clip(matrix @ weights, -30, 30))
        every = 1 + np.bincount(owner, powers)
        good = np.where(is_said, np.bincount(owner, powers * right), 1.0)
        share = np.where(is_said[owner], powers * right / good[owner], 0.0)
        slope = matrix.T @ (powers / every[owner] - share) + 2 * RIDGE * weights
        return float(np.log(every / good).sum() + RIDGE * weights @ weights), slope

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    return {name: round(float(value), 3) for name, value in zip(names, found, strict=True) if abs(value) >= 0.02}


def judged(case: Case, weights: dict[str, float]) -> bool | None:
    """Return whether the likeliest value is right; `None` where none is likely enough."""
    scores = [sum(weights.get(n, 0.0) * v for n, v in {"*": 1.0, **one}.items()) for one in case.features]
    powers = np.exp(np.clip(scores, -30, 30))
    best = int(powers.argmax())
    return case.is_right[best] if powers[best] / (1 + powers.sum()) >= LEAST_LIKELY else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true", help="replace the packaged weights by those of all cases")
    options = parser.parse_args()
    every = [case for path in options.files for case in cases(path)]
    told: Counter[bool | None] = Counter()
    for fold in range(FOLDS):
        is_out = [crc32(case.tool.encode()) % FOLDS == fold for case in every]
        weights = fit([case for case, out in zip(every, is_out, strict=True) if not out])
        told.update(judged(case, weights) for case, out in zip(every, is_out, strict=True) if out)
    print(f"{len(every)} arguments of tools left out: {told[True]} right, {told[False]} wrong, {told[None]} left open")
    if options.write:
        WEIGHTS.write_text(json.dumps(fit(every), ensure_ascii=False, sort_keys=True, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
