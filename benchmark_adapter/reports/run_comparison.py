"""Paired differences between runs over the same turns, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmark_adapter.errors import BenchmarkError, ManifestMismatchError, RunDirectoryError
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import METRICS, RunDirectory, read_run
from benchmark_adapter.runs.run_scoring import judged_turns, read_with_data
from benchmark_adapter.scoring.bootstrap import Values, interval, point
from benchmark_adapter.scoring.metrics import draws_once
from benchmark_adapter.scoring.run_metrics import leaves, metric_values

MUST_AGREE = ("data", "limit", "scorer", "similarity", "view")
"""Manifest fields that say what was measured, on which turns, and what memory was told."""


@dataclass(frozen=True)
class Difference:
    """How a metric of one run differs from that of the first, on the same turns."""

    difference: float | None
    """This run's less the first's; `None` where either is undefined."""
    ci95: list[float] | None
    """Of the difference; `None` too where nobody has two topics to resample."""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval has one sign."""
        return self.ci95 is not None and (self.ci95[0] > 0 or self.ci95[1] < 0)


@dataclass(frozen=True)
class ComparedMetric:
    """One metric of all runs."""

    values: tuple[float | None, ...]
    differences: tuple[Difference, ...]
    """Of the second and every further run."""


@dataclass(frozen=True)
class RunComparison:
    """Runs side by side; the first is what the others are compared with."""

    n: int
    """Turns, the same in all runs."""
    runs: tuple[RunDirectory, ...]
    metrics: dict[str, ComparedMetric]
    """By metric path, as in `ci95`."""

    def changes(self, run: RunDirectory) -> dict[str, tuple[Any, Any]]:
        """Return the manifest fields in which a run differs from the first, with the first's value and its own."""
        return self.runs[0].manifest.differences(run.manifest)

    def as_json(self) -> dict[str, Any]:
        """Return it as the command prints it."""
        return {
            "n": self.n,
            "runs": [
                {
                    "run_dir": str(run.path),
                    "title": run.manifest.title,
                    "changes": {field: list(values) for field, values in self.changes(run).items()},
                }
                for run in self.runs
            ],
            "metrics": {
                path: {
                    "values": list(metric.values),
                    "differences": [{"difference": one.difference, "ci95": one.ci95} for one in metric.differences],
                }
                for path, metric in self.metrics.items()
            },
        }


def compare_runs(paths: Sequence[Path], *, data: Path | None = None, toolsets: Path | None = None) -> RunComparison:
    """Compare finished runs over the same turns with the first of them.

    Args:
        paths: At least two run directories.
        data: Where the data lie now; `None`: where the first run found them.
        toolsets: Likewise.

    Raises:
        BenchmarkError: If there are fewer than two runs, one is not finished, or the data are not those of the runs.
        RunDirectoryError: If there is no run.
        ManifestMismatchError: If the runs did not measure the same.
    """
    if len(paths) < 2:
        raise BenchmarkError(f"expected at least two runs to compare, got {len(paths)}; give the run directories")
    runs = [read_run(path) for path in paths]
    for run in runs[1:]:
        _require_comparable(runs[0].manifest, run)
    _, sessions = read_with_data(paths[0], data=data, toolsets=toolsets)
    scored = [[judged.scored for judged in judged_turns(run, sessions)] for run in runs]
    once = draws_once(scored[0])
    resampled = once.resampled(seed=runs[0].manifest.seed) if once.can_vary else None
    points = [dict(leaves(metric_values(turns, once))) for turns in scored]
    drawn = [dict(leaves(metric_values(turns, resampled))) if resampled else {} for turns in scored]
    shared = [path for path in points[0] if all(path in one for one in points)]
    return RunComparison(
        n=len(scored[0]),
        runs=tuple(runs),
        metrics={
            path: ComparedMetric(
                values=tuple(point(one[path]) for one in points),
                differences=tuple(
                    _difference(points[0][path], points[index][path], drawn[0].get(path), drawn[index].get(path))
                    for index in range(1, len(runs))
                ),
            )
            for path in shared
        },
    )


def comparable_run(run: RunDirectory) -> Path | None:
    """Return the run beside `run` that was finished last and can be compared with it, `None` where there is none."""
    finished = [path.parent for path in run.path.parent.glob(f"*/{METRICS}") if path.parent != run.path]
    for path in sorted(finished, key=lambda path: -(path / METRICS).stat().st_mtime):
        try:
            if not _forbidden(run.manifest, read_run(path)):
                return path
        except RunDirectoryError:  # of another version, or damaged: none to propose
            continue
    return None


def _require_comparable(first: Manifest, run: RunDirectory) -> None:
    if forbidden := _forbidden(first, run):
        raise ManifestMismatchError(forbidden, path=run.path)


def _forbidden(first: Manifest, run: RunDirectory) -> dict[str, tuple[Any, Any]]:
    differences = first.differences(run.manifest)
    return {field: differences[field] for field in MUST_AGREE if field in differences}


def _difference(first: Values, other: Values, first_drawn: Values | None, other_drawn: Values | None) -> Difference:
    difference = point(other - first)
    if difference is None or first_drawn is None or other_drawn is None:
        return Difference(difference, None)
    return Difference(difference, interval(np.subtract(other_drawn, first_drawn)))
