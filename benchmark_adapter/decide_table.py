"""Scores of ask-or-act suites as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group
from rich.table import Table

_LABELS = ("call", "ask", "cannot", "reply")


def decide_tables(found: Mapping[str, Any]) -> Group:
    """Return the table of the decisions, and that of suites left out of the fit where there is one."""
    rows = {**found["suites"], **({"pooled": found["pooled"]} if found.get("pooled") else {})}
    kind = " (items left out of the fit)" if found.get("cross_validated") else ""
    tables = [_table(f"ask or act{kind}", rows)]
    if left_out := found.get("leave_one_suite_out"):
        tables.append(_table("the whole suite left out of the fit", left_out))
    return Group(*tables)


def _table(title: str, rows: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("suite")
    headings = ("n", "accuracy", "macro-F1", "[95 %]", "argmax", *(f"{label} F1" for label in _LABELS))
    for heading in (*headings, "ECE", "Brier", "skill"):
        table.add_column(heading, justify="right")
    for name, row in rows.items():
        low_high = row["ci95"].get("macro_f1")
        calibration = row["calibration"]
        table.add_row(
            name,
            str(row["n"]),
            _cell(row["accuracy"]),
            _cell(row["macro_f1"]),
            f"{low_high[0]:.2f}-{low_high[1]:.2f}" if low_high else "n/a",
            _cell(row["argmax"]["macro_f1"]),
            *(_cell(row["f1"].get(label)) for label in _LABELS),
            *(_cell(calibration[key]) for key in ("ece", "brier", "brier_skill")),
        )
    return table


def _cell(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
