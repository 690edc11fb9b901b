"""A comparison of runs as one table for the terminal: a row for a setting or a number, a column for a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from benchmark_adapter.provenance import digest
from benchmark_adapter.reports.run_comparison import ComparedMetric, RunComparison

_NOT_PERCENT = ("ask.questions_per_turn", "expected_cost", "calibration.")
"""Beginnings of the paths whose values are no shares."""
_ALWAYS_SHOWN = (
    *(f"exact.{key}" for key in ("overall", "ST", "MT", "LOI", "first_third", "last_third")),
    "relaxed.overall",
    *(f"slots.{key}.accuracy" for key in ("history", "decision_relevant")),
    *(f"ask.{key}" for key in ("f1", "over_ask", "under_ask")),
    "expected_cost",
    "calibration.ece",
)
"""What most readers want to see; other numbers are shown where a run differs from the first beyond chance."""
_MOST_CHARACTERS = 9
"""Of a setting."""
CAPTION = (
    "Bold and *: the 95 % interval of the difference leaves 0 out (paired bootstrap over topics within persons, so of "
    "these persons)."
)


def comparison_tables(comparison: RunComparison, *, full: bool = False) -> Group:
    """Return one table of the settings and the numbers in which the runs differ.

    Args:
        comparison: The runs; the others stand beside the first, called 1.
        full: Show every number, not only what matters most and what differs beyond chance.
    """
    known = {
        path: metric for path, metric in comparison.metrics.items() if any(value is not None for value in metric.values)
    }
    shown = {path: metric for path, metric in known.items() if full or path in _ALWAYS_SHOWN or _is_sure(metric)}
    with_intervals = full or len(comparison.runs) == 2  # more do not fit into 80 characters
    left_out = [] if with_intervals else ["the intervals"]
    if rest := len(known) - len(shown):
        left_out.append(f"{rest} numbers that do not differ beyond chance")
    notes = [CAPTION, *([f"Left out: {' and '.join(left_out)}; --full shows them."] if left_out else [])]
    return Group(_table(comparison, shown, with_intervals=with_intervals), Text("\n".join(notes)))


def _is_sure(metric: ComparedMetric) -> bool:
    return any(one.excludes_zero for one in metric.differences)


def _table(comparison: RunComparison, shown: dict[str, ComparedMetric], *, with_intervals: bool) -> Table:
    table = Table()
    table.add_column("", no_wrap=True)
    table.add_column("1", justify="right")
    for number in range(2, len(comparison.runs) + 1):
        table.add_column(f"{number}", justify="right")
        table.add_column(f"{number} less 1", justify="right")
        if with_intervals:
            table.add_column("95 %", justify="right", no_wrap=True)
    blank = [""] * (1 + with_intervals)
    for setting, values in _settings(comparison).items():
        first, *others = map(_short, values)
        table.add_row(setting, first, *(cell for other in others for cell in (other, *blank)))
    table.add_section()
    for _, paths in groupby(shown, key=lambda path: path.partition(".")[0]):
        for path in paths:
            cells = _cells(path, shown[path], with_intervals=with_intervals)
            table.add_row(path.removesuffix(".accuracy"), *cells, style="bold" if _is_sure(shown[path]) else None)
        table.add_section()
    return table


def _settings(comparison: RunComparison) -> dict[str, Sequence[Any]]:
    """Return the manifest fields in which any run differs from the first, with the value of each run."""
    differing = dict.fromkeys(field for run in comparison.runs for field in comparison.changes(run))
    manifests = [run.manifest.model_dump(mode="json") for run in comparison.runs]
    return {field: [manifest[field] for manifest in manifests] for field in differing}


def _short(value: Any) -> str:
    """Return a setting as a cell holds it: of hashes and of what is nested, the first digits of the hash."""
    if value is None:
        return "none"
    if isinstance(value, dict | list):
        return digest(value)[:8]
    text = str(value)
    if digits := re.match("([0-9a-f]{8})[0-9a-f]{32,}(.*)", text):
        return f"{digits[1]}+" if digits[2] else digits[1]
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"


def _cells(path: str, metric: ComparedMetric, *, with_intervals: bool) -> list[str]:
    is_percent = not path.startswith(_NOT_PERCENT)
    first, *others = metric.values
    cells = [_number(first, is_percent)]
    for value, one in zip(others, metric.differences, strict=True):
        mark = "*" if one.excludes_zero else ""
        cells += [_number(value, is_percent), _number(one.difference, is_percent, sign="+") + mark]
        if with_intervals:
            ends = [_number(end, is_percent, sign="+") for end in one.ci95 or ()]
            cells.append("…".join(ends) or "n/a")
    return cells


def _number(value: float | None, is_percent: bool, *, sign: str = "") -> str:
    if value is None:
        return "n/a"
    return f"{100 * value:{sign}.1f}" if is_percent else f"{value:{sign}.3f}"
