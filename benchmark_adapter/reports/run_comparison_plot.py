"""A comparison of runs as a figure (extra `plots`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmark_adapter.errors import BenchmarkError, MissingExtraError
from benchmark_adapter.reports.run_comparison import RunComparison
from benchmark_adapter.scoring.metrics import EXACT_KEYS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT_OF_ROW, _WIDTH = 0.32, 7.0
"""Inches."""


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as exc:
        raise MissingExtraError("matplotlib", "plots") from exc
    return Figure(figsize=(width, height), layout="constrained")


def plot_comparison(comparison: RunComparison, path: Path) -> None:
    """Draw the differences in exact accuracy from the first run, with their intervals, to an image file.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        BenchmarkError: If the file cannot be written, or its ending names no kind of image.
    """
    names = [key for key in EXACT_KEYS if comparison.metrics[f"exact.{key}"].values[0] is not None]
    figure = new_figure(_WIDTH, 1.2 + _HEIGHT_OF_ROW * max(len(names), 1) * len(comparison.runs[1:]))
    axes = figure.add_subplot()
    for index, run in enumerate(comparison.runs[1:]):
        _draw_run(axes, comparison, names, index, label=f"{run.path.name}: {run.manifest.title}")
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("difference in exact accuracy, percentage points, with 95 % interval")
    first = comparison.runs[0]
    axes.set_title(f"Against {first.path.name}: {first.manifest.title}", loc="left", fontsize="medium")
    figure.legend(loc="outside lower left", fontsize="small")
    try:
        figure.savefig(path, dpi=150)
    except OSError as exc:
        raise BenchmarkError(f"{path}: cannot write the figure ({exc.strerror or exc}); name another file") from exc
    except ValueError as exc:
        raise BenchmarkError(f"{path}: expected a name that ends in .png, .svg or .pdf ({exc})") from exc


def _draw_run(axes: Axes, comparison: RunComparison, names: list[str], index: int, *, label: str) -> None:
    others = len(comparison.runs) - 1
    shift = (index - (others - 1) / 2) * 0.6 / others
    rows: list[float] = []
    values: list[float] = []
    below: list[float] = []
    above: list[float] = []
    for row, name in enumerate(names):
        one = comparison.metrics[f"exact.{name}"].differences[index]
        if one.difference is None:
            continue
        low, high = one.ci95 or (one.difference, one.difference)
        rows.append(row + shift)
        values.append(100 * one.difference)
        below.append(100 * max(one.difference - low, 0.0))
        above.append(100 * max(high - one.difference, 0.0))
    axes.errorbar(values, rows, xerr=[below, above], fmt="o", capsize=3, label=label)
