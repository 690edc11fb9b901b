"""Heads from finished runs: labels, fit, leave-one-persona-out scores, certificates on persons set aside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmark_adapter.calibration.labels import DecisionPoint, decision_points, labelled
from benchmark_adapter.errors import BenchmarkError, ManifestMismatchError
from benchmark_adapter.provenance import digest
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_scoring import judged_turns, read_with_data
from clarifier.calibration.certificates import Certificate, Outcomes, Promise, Unit, certify, sequence_of
from clarifier.calibration.fitting import HEAD_NAMES, PENALTY, Labelled, fit_heads, refit_intercepts, scores_of
from clarifier.calibration.heads import Ablation, HeadName, Heads, HeadScores, load_heads
from clarifier.calibration.signals import Signals
from clarifier.errors import CertificateRefusedError, LabelsError

_ALIKE = ("planner", "model", "memory", "memory_of", "budget", "view")
"""Fields of the manifest in which runs that are pooled agree."""
ABLATIONS: tuple[Ablation, ...] = ("none", "stated", "posterior", "fusion", "best")
FIRST_SHARE = 0.3
"""Share of the fitted persons' turns that act at the first threshold of a sequence."""


@dataclass(frozen=True)
class Pool:
    """The decisions of several runs under the same conditions."""

    points: tuple[DecisionPoint, ...]
    manifest: Manifest
    """Of the first run."""
    data: str
    """SHA-256 of the data sets, in order of their hashes."""

    @property
    def persons(self) -> tuple[str, ...]:
        """Whose decisions they are, by name."""
        return tuple(sorted({point.person for point in self.points}))

    def of(self, persons: Iterable[str]) -> Pool:
        """Return the decisions of these persons alone."""
        chosen = frozenset(persons)
        return Pool(tuple(one for one in self.points if one.person in chosen), self.manifest, self.data)

    def without(self, persons: Iterable[str]) -> Pool:
        """Return the decisions of all others."""
        return self.of(set(self.persons) - set(persons))


@dataclass(frozen=True)
class Plan:
    """What `stead-bench calibrate` is told beside its runs."""

    ablation: Ablation = "fusion"
    penalty: float = PENALTY
    isotonic: bool = False
    base: str | None = None
    """Heads whose intercepts alone are refitted, by name or file; `None`: all weights are fitted."""
    set_aside: tuple[str, ...] = ()
    """Persons that are not fitted on, but that the certificates are calibrated on."""
    alpha: float = 0.1
    delta: float = 0.1


@dataclass(frozen=True)
class Calibration:
    """Fitted heads with what is known of them."""

    heads: Heads
    ablations: dict[Ablation, dict[HeadName, HeadScores]]
    """Leave-one-persona-out."""
    hand_set: dict[HeadName, HeadScores]
    """Of the heads set by hand, which were fitted on nobody, on the same labels."""
    certificates: tuple[Certificate | CertificateRefusedError, ...] = ()
    """On the persons set aside, each or its refusal."""

    def as_json(self) -> dict[str, Any]:
        """Return it for `--json`."""
        fit = self.heads.fit
        return {
            "planner": self.heads.planner,
            "strategy": self.heads.strategy,
            "provenance": self.heads.provenance,
            "data": fit and fit.data,
            "split": fit and fit.split,
            "persons": fit and list(fit.persons),
            "heads": {name: one.model_dump() for name, one in fit.scores.items()} if fit else {},
            "ablations": {
                ablation: {name: one.model_dump() for name, one in scores.items()}
                for ablation, scores in self.ablations.items()
            },
            "hand_set": {name: one.model_dump() for name, one in self.hand_set.items()},
            "certificates": [
                one.as_json() if isinstance(one, Certificate) else {"refused": one.reason} for one in self.certificates
            ],
        }


def read_pool(runs: Sequence[Path], *, data: Path | None = None, toolsets: Path | None = None) -> Pool:
    """Return the decisions of finished runs.

    Args:
        runs: Run directories.
        data: Where the data lie now; `None`: where the runs found them.
        toolsets: Likewise.

    Raises:
        BenchmarkError: If a run or its data cannot be read, turns are missing, or two runs hold the same person.
        ManifestMismatchError: If the runs were made with different planners, memories or views.
    """
    points: list[DecisionPoint] = []
    manifests: list[Manifest] = []
    seen: set[str] = set()
    for path in runs:
        run, sessions = read_with_data(path, data=data, toolsets=toolsets)
        names = {session.name for session in sessions}
        if twice := sorted(seen & names):
            raise BenchmarkError(
                f"{path}: expected persons of its own, got {', '.join(twice)} again; give each run once"
            )
        seen |= names
        manifests.append(run.manifest)
        differences = {
            field: (getattr(manifests[0], field), getattr(run.manifest, field))
            for field in _ALIKE
            if getattr(manifests[0], field) != getattr(run.manifest, field)
        }
        if differences:
            raise ManifestMismatchError(differences, path=path)
        turns = [turn.scored for turn in judged_turns(run, sessions)]
        points += decision_points(turns, similarity=run.manifest.similarity)
    if not manifests:
        raise BenchmarkError("expected at least one run directory, got none; make one with `stead-bench run`")
    hashes = sorted(manifest.data for manifest in manifests)
    return Pool(tuple(points), manifests[0], hashes[0] if len(hashes) == 1 else digest(hashes))


def calibrate(pool: Pool, plan: Plan) -> Calibration:
    """Return heads fitted on the decisions of runs.

    Raises:
        BenchmarkError: If a person set aside is not in the runs.
        LabelsError: If there are too few labels, or labels all alike.
        MissingExtraError: If scikit-learn is not installed.
    """
    if unknown := sorted(set(plan.set_aside) - set(pool.persons)):
        raise BenchmarkError(f"expected persons out of {', '.join(pool.persons) or 'nobody'}, got {', '.join(unknown)}")
    own = pool.without(plan.set_aside)
    by_hand = {name: scores_with(load_heads(), name, own) for name in HEAD_NAMES}
    hand_set = {name: scores for name, scores in by_hand.items() if scores is not None}
    ablations: dict[Ablation, dict[HeadName, HeadScores]] = {}
    if plan.base is not None:
        manifest = own.manifest
        base = load_heads(plan.base)
        heads = refit_intercepts(base, labelled(own.points), planner=manifest.planner, strategy=manifest.memory)
    else:
        heads = fit(own, plan.ablation, penalty=plan.penalty, isotonic=plan.isotonic)
        fits = {one: fit(own, one, penalty=plan.penalty).fit for one in ABLATIONS}
        ablations = {one: found.scores for one, found in fits.items() if found is not None}
    return Calibration(heads, ablations, hand_set, certificates(heads, own, pool.of(plan.set_aside), plan))


def fit(
    pool: Pool,
    ablation: Ablation = "fusion",
    *,
    penalty: float = PENALTY,
    isotonic: bool = False,
    keep: Heads | None = None,
) -> Heads:
    """Return heads fitted on all decisions of a pool; arguments and errors as for `clarifier.fit_heads`."""
    manifest = pool.manifest
    return fit_heads(
        labelled(pool.points),
        planner=manifest.planner,
        strategy=manifest.memory,
        data=pool.data,
        split=f"the persons {', '.join(pool.persons)}",
        ablation=ablation,
        penalty=penalty,
        isotonic=isotonic,
        keep=keep,
    )


def scores_with(heads: Heads, name: HeadName, pool: Pool) -> HeadScores | None:
    """Return how well one head foretells the labels of a pool; `None` where there are none."""
    known: list[Labelled] = [one for one in labelled(pool.points) if name in one.labels]
    if not known:
        return None
    head = {"p_act": heads.p_act, "p_calls": heads.p_calls, "p_asked": heads.p_asked}[name]
    stated = np.array([head.probability({**Signals().features(), **one.signals}) for one in known])
    return scores_of(stated, np.array([one.labels[name] for one in known], dtype=float))


def acting(heads: Heads, pool: Pool) -> Outcomes:
    """Return the calls that the agent made, with p_act·p_calls under these heads, and whether they were wrong."""
    made = [point for point in pool.points if point.calls_are_right is not None]
    odds = [heads.odds(Signals(**{**Signals().features(), **point.decision.signals})) for point in made]
    return Outcomes.of(
        [one.p_act * one.p_calls for one in odds],
        [not point.calls_are_right for point in made],
        [point.person for point in made],
    )


def certificates(
    heads: Heads, fitted: Pool, own: Pool, plan: Plan
) -> tuple[Certificate | CertificateRefusedError, ...]:
    """Return both promises over turns and over persons, each or its refusal; nothing where nobody was set aside."""
    if not own.points:
        return ()
    thresholds = sequence_of(acting(heads, fitted).score, first_share=FIRST_SHARE)
    calibration = acting(heads, own)
    found: list[Certificate | CertificateRefusedError] = []
    wanted: tuple[tuple[Promise, Unit], ...] = (
        ("joint", "turns"),
        ("selective", "turns"),
        ("joint", "persons"),
        ("selective", "persons"),
    )
    for promise, unit in wanted:
        try:
            found.append(
                certify(calibration, promise, alpha=plan.alpha, delta=plan.delta, thresholds=thresholds, unit=unit)
            )
        except CertificateRefusedError as refused:
            found.append(refused)
    return tuple(found)


def write_heads(path: Path, heads: Heads) -> None:
    """Write heads as a JSON file, as a whole or not at all.

    Raises:
        BenchmarkError: If it cannot be written.
    """
    partial = path.with_name(f"{path.name}.part")
    try:
        partial.write_text(json.dumps(heads.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n", "utf-8")
        partial.replace(path)
    except OSError as exc:
        partial.unlink(missing_ok=True)
        reason = exc.strerror or str(exc)
        raise BenchmarkError(f"{path}: expected a file that can be written, got: {reason}; give another --out") from exc


def require_labels(pool: Pool) -> None:
    """Check that the runs kept what the heads are fitted on.

    Raises:
        LabelsError: If no decision has signals.
    """
    if not pool.points:
        raise LabelsError("expected decisions with their signals, got none: the runs are of an older version, or empty")
