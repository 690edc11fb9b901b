"""A comparison of runs as tables for the terminal."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmark_adapter.scoring.run_comparison import ComparedMetric, RunComparison

_NOT_PERCENT = ("ask.questions_per_turn", "expected_cost", "calibration.")
"""Beginnings of the paths whose values are no shares."""
CAPTION = "95 %: paired bootstrap over topics within persons, so of these persons. *: the interval leaves 0 out."


def comparison_tables(comparison: RunComparison) -> Group:
    """Return a table for each run but the first, against the first."""
    first = comparison.runs[0]
    parts: list[RenderableType] = [Text(f"{comparison.n} turns; compared with {first.path}: {first.manifest.title}")]
    for index, run in enumerate(comparison.runs[1:]):
        title = f"{run.path}: {run.manifest.title}"
        changed = ", ".join(comparison.changes(run)) or "nothing"
        parts += [_table(comparison, index, title), Text(f"Differs in: {changed}. {CAPTION}")]
    return Group(*parts)


def _table(comparison: RunComparison, index: int, title: str) -> Table:
    table = Table(title=Text(title), title_justify="left")
    table.add_column("", overflow="fold")
    for heading in ("first", "this", "difference", "95 % from", "95 % to"):
        table.add_column(heading, justify="right")
    known = {
        path: metric
        for path, metric in comparison.metrics.items()
        if metric.values[0] is not None or metric.values[index + 1] is not None
    }
    for _, paths in groupby(known, key=lambda path: path.partition(".")[0]):
        for path in paths:
            metric = known[path]
            style = "bold" if metric.differences[index].excludes_zero else None
            table.add_row(path.removesuffix(".accuracy"), *_cells(path, metric, index), style=style)
        table.add_section()
    return table


def _cells(path: str, metric: ComparedMetric, index: int) -> list[str]:
    shown = _number if path.startswith(_NOT_PERCENT) else _percentage
    one = metric.differences[index]
    low, high = one.ci95 or (None, None)
    mark = "*" if one.excludes_zero else ""
    return [
        _cell(metric.values[0], shown),
        _cell(metric.values[index + 1], shown),
        _cell(one.difference, shown, sign="+") + mark,
        _cell(low, shown, sign="+"),
        _cell(high, shown, sign="+"),
    ]


def _cell(value: float | None, shown: Callable[[float, str], str], *, sign: str = "") -> str:
    return "n/a" if value is None else shown(value, sign)


def _number(value: float, sign: str) -> str:
    return f"{value:{sign}.3f}"


def _percentage(value: float, sign: str) -> str:
    return f"{100 * value:{sign}.1f}"
