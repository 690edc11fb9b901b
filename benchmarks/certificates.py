"""Where the promises of certificates hold, and where they do not: by simulation, and on persons of finished runs.

    python -m benchmarks.certificates [--draws 1000] [--alpha 0.1] [--delta 0.1] [RUN...] [--json]

Simulated are turns whose truth is known: `independent`, or `clustered` in persons of 30 turns each, who differ in how
often the agent gets them right by more than the score can tell. Each draw is a calibration set; the threshold that
comes of it is judged on the whole population. A refused certificate never acts. With run directories, every person is
tested in turn, and the others are split in all ways into those that heads are fitted on and those that the certificate
is calibrated on. Exit status 1 if a promise that has to hold does not, by more than three standard errors.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmark_adapter.calibration.calibrate import FIRST_SHARE, Pool, acting, fit, read_pool
from clarifier.calibration.certificates import Outcomes, Promise, Unit, certify, sequence_of
from clarifier.calibration.heads import load_heads
from clarifier.errors import CertificateRefusedError, LabelsError

SIZES = (60, 150, 300, 800)
TURNS_A_PERSON = 30
SHAPES = ("independent", "clustered")
POPULATION = 300_000
_CHANCE = 3.0
"""Standard errors."""
_SPREAD = {"independent": 0.0, "clustered": 1.5}
"""Standard deviation of the persons, in logits; the score does not know of it."""
_LEVEL, _SLOPE, _NOISE = 2.0, 1.5, 0.5
OWN_ALPHAS = (0.1, 0.2, 0.3)

Vector = NDArray[np.float64]
Method = Callable[[Outcomes, Sequence[float]], float]
"""From a calibration set and a sequence of thresholds to a threshold."""


@dataclass(frozen=True)
class Cell:
    """What became of one way to a threshold under one condition."""

    shape: str
    n: int
    method: str
    refused: float
    """Share of draws."""
    act_share: float
    """Mean over draws, a refusal counting as 0."""
    mean_joint: float
    """Mean over draws of the share of turns that act and are wrong."""
    violated: float
    """Share of draws whose threshold lets more than α of what acts be wrong."""
    promise: Promise | None
    excess: float | None
    """How far the promised quantity lies above its bound, in standard errors; `None` where nothing is promised."""

    @property
    def is_broken(self) -> bool:
        """Whether the promise fails by more than chance would have it."""
        return self.excess is not None and self.excess > _CHANCE


def draw(shape: str, n: int, rng: np.random.Generator, *, persons: int | None = None) -> tuple[Outcomes, Vector]:
    """Return n turns, and the probability that each is wrong."""
    person = np.arange(n) if shape == "independent" else np.arange(n) // TURNS_A_PERSON
    effect = rng.normal(0, _SPREAD[shape], size=persons or int(person.max()) + 1)
    ease = rng.normal(size=n)
    wrong = 1 / (1 + np.exp(_LEVEL + _SLOPE * ease + effect[person]))
    score = 1 / (1 + np.exp(-_LEVEL - _SLOPE * (ease + rng.normal(0, _NOISE, size=n))))
    return Outcomes(score, rng.random(n) < wrong, person), wrong


@dataclass(frozen=True)
class Population:
    """Turns enough to know the risks of every threshold."""

    scores: Vector
    """Falling."""
    wrong: Vector
    """Expected number of wrong turns among the first k + 1."""

    @classmethod
    def of(cls, shape: str, rng: np.random.Generator) -> Population:
        """Return the population of a shape."""
        outcomes, wrong = draw(shape, POPULATION, rng)
        order = np.argsort(-outcomes.score)
        return cls(outcomes.score[order], np.cumsum(wrong[order]))

    def risks(self, threshold: float) -> tuple[float, float, float]:
        """Return the share that acts, the share that acts and is wrong, and the share wrong of what acts."""
        acting = int(np.searchsorted(-self.scores, -threshold, side="right"))
        if not acting:
            return 0.0, 0.0, 0.0
        wrong = float(self.wrong[acting - 1])
        return acting / len(self.scores), wrong / len(self.scores), wrong / acting


def methods(alpha: float, delta: float) -> dict[str, tuple[Promise | None, Unit, Method]]:
    """Return the ways to a threshold, the naive one last."""

    def by(promise: Promise, unit: Unit) -> tuple[Promise, Unit, Method]:
        def threshold(outcomes: Outcomes, thresholds: Sequence[float]) -> float:
            try:
                found = certify(outcomes, promise, alpha=alpha, delta=delta, thresholds=thresholds, unit=unit)
            except CertificateRefusedError:
                return math.inf
            return found.threshold

        return promise, unit, threshold

    return {
        "joint, turns": by("joint", "turns"),
        "joint, persons": by("joint", "persons"),
        "selective, turns": by("selective", "turns"),
        "selective, persons": by("selective", "persons"),
        "naive": (None, "turns", lambda outcomes, thresholds: naive_threshold(outcomes, alpha)),
    }


def naive_threshold(outcomes: Outcomes, alpha: float) -> float:
    """Return the smallest score at which at most α of what acts was wrong in this very set, as one would tune it."""
    order = np.argsort(-outcomes.score, kind="stable")
    risk = np.cumsum(outcomes.is_wrong[order]) / np.arange(1, len(outcomes) + 1)
    kept = np.flatnonzero(risk <= alpha)
    return float(outcomes.score[order][kept[-1]]) if len(kept) else math.inf


def simulate(alpha: float, delta: float, draws: int, seed: int) -> Iterator[Cell]:
    """Yield every cell: shapes by sizes by methods."""
    for shape in SHAPES:
        rng = np.random.default_rng(seed)
        population = Population.of(shape, rng)
        for n in SIZES:
            found: dict[str, list[float]] = {name: [] for name in methods(alpha, delta)}
            for _ in range(draws):
                others, _ = draw(shape, n, rng)
                thresholds = sequence_of(others.score, first_share=FIRST_SHARE)
                outcomes, _ = draw(shape, n, rng)
                for name, (_, unit, method) in methods(alpha, delta).items():
                    if unit == "turns" or shape == "clustered":
                        found[name].append(method(outcomes, thresholds))
            for name, (promise, _, _) in methods(alpha, delta).items():
                if found[name]:
                    risks = [population.risks(one) for one in found[name]]
                    yield _cell(shape, n, name, promise, risks, alpha, delta)


def _cell(
    shape: str,
    n: int,
    method: str,
    promise: Promise | None,
    risks: Sequence[tuple[float, float, float]],
    alpha: float,
    delta: float,
) -> Cell:
    acts, joint, selective = (np.array(column) for column in zip(*risks, strict=True))
    violated = selective > alpha
    excess: float | None = None
    if promise == "joint":
        excess = float((joint.mean() - alpha) / max(joint.std() / math.sqrt(len(joint)), 1e-12))
    elif promise == "selective":
        excess = float((violated.mean() - delta) / math.sqrt(delta * (1 - delta) / len(violated)))
    return Cell(
        shape,
        n,
        method,
        refused=float((acts == 0).mean()),
        act_share=float(acts.mean()),
        mean_joint=float(joint.mean()),
        violated=float(violated.mean()),
        promise=promise,
        excess=excess,
    )


def must_hold(cell: Cell) -> bool:
    """Whether theory says that the promise of a cell holds: of turns where they are independent, of persons always."""
    return cell.promise is not None and (cell.shape == "independent" or cell.method.endswith("persons"))


@dataclass(frozen=True)
class Own:
    """What became of certificates on the persons of runs, each tested on one person and made on others."""

    promise: Promise
    unit: Unit
    alpha: float
    trials: int
    refused: int
    violated: int
    """Of those that were given: the promised risk of the tested person lay above α."""
    mean_risk: float | None
    """Mean of that risk over those that were given, `None` where none was."""

    @property
    def violation_rate(self) -> float | None:
        """Share violated of those that were given, `None` where none was."""
        given = self.trials - self.refused
        return self.violated / given if given else None


def leave_one_person_out(pool: Pool, delta: float) -> Iterator[Own]:
    """Yield, by promise, unit and target, how often a certificate was refused, and how often it failed a new person."""
    trials: list[tuple[Outcomes, Outcomes, Outcomes]] = []
    for tested in pool.persons:
        others = [person for person in pool.persons if person != tested]
        for chosen in combinations(others, len(others) // 2):
            fitted = pool.of(chosen)
            try:
                heads = fit(fitted, "best", keep=load_heads())
            except LabelsError:
                continue
            rest = pool.of(set(others) - set(chosen))
            trials.append((acting(heads, fitted), acting(heads, rest), acting(heads, pool.of([tested]))))
    promises: tuple[Promise, ...] = ("joint", "selective")
    units: tuple[Unit, ...] = ("turns", "persons")
    for promise in promises:
        for unit in units:
            for alpha in OWN_ALPHAS:
                yield _own(trials, promise, unit, alpha, delta)


def _own(
    trials: Sequence[tuple[Outcomes, Outcomes, Outcomes]], promise: Promise, unit: Unit, alpha: float, delta: float
) -> Own:
    refused, risks = 0, list[float]()
    for fitted, calibration, test in trials:
        thresholds = sequence_of(fitted.score, first_share=FIRST_SHARE)
        try:
            made = certify(calibration, promise, alpha=alpha, delta=delta, thresholds=thresholds, unit=unit)
        except CertificateRefusedError:
            refused += 1
            continue
        acts = test.score >= made.threshold
        wrong = float((acts & test.is_wrong).sum())
        risks.append(wrong / len(test) if promise == "joint" else wrong / max(1, int(acts.sum())))
    mean = float(np.mean(risks)) if risks else None
    return Own(promise, unit, alpha, len(trials), refused, sum(risk > alpha for risk in risks), mean)


def _tables(cells: Sequence[Cell], own: Sequence[Own], alpha: float, delta: float) -> Iterator[Table]:
    table = Table(title=f"Simulated calibration sets, α = {alpha:g}, δ = {delta:g}", title_justify="left")
    for heading in ("turns are", "n", "method", "refused", "acts", "wrong and acts", "P(risk > α)", "promise"):
        table.add_column(heading, justify="left" if heading in ("turns are", "method", "promise") else "right")
    for cell in cells:
        kept = "none" if cell.excess is None else "BROKEN" if cell.is_broken else "holds"
        shares = (cell.refused, cell.act_share, cell.mean_joint, cell.violated)
        table.add_row(cell.shape, str(cell.n), cell.method, *(f"{share:.3f}" for share in shares), kept)
    yield table
    if own:
        table = Table(title=f"Leave one person out, δ = {delta:g}", title_justify="left")
        for heading in ("promise", "unit", "α", "trials", "refused", "given", "violated", "rate", "mean risk"):
            table.add_column(heading, justify="left" if heading in ("promise", "unit") else "right")
        for one in own:
            counts = (one.trials, one.refused, one.trials - one.refused, one.violated)
            rate = "n/a" if one.violation_rate is None else f"{one.violation_rate:.2f}"
            mean = "n/a" if one.mean_risk is None else f"{one.mean_risk:.3f}"
            table.add_row(one.promise, one.unit, f"{one.alpha:g}", *map(str, counts), rate, mean)
        yield table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulation, and the trials on runs where they are named; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--delta", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    cells = list(simulate(given.alpha, given.delta, given.draws, given.seed))
    own = list(leave_one_person_out(read_pool(given.runs), given.delta)) if given.runs else []
    if given.json:
        found: dict[str, Any] = {"alpha": given.alpha, "delta": given.delta, "draws": given.draws, "seed": given.seed}
        print(
            json.dumps(
                {
                    **found,
                    "cells": [asdict(one) for one in cells],
                    "own": [{**asdict(one), "violation_rate": one.violation_rate} for one in own],
                }
            )
        )
    else:
        console = Console(width=110)
        for table in _tables(cells, own, given.alpha, given.delta):
            console.print(table)
    return 1 if any(must_hold(cell) and cell.is_broken for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
