"""Scores of ask-or-act suites as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table

from benchmark_adapter.labelling.head import LABELS


def decide_tables(found: Mapping[str, Any]) -> Group:
    """Return what was decided and how sure it was, and the same of suites left out of the fit where there is that."""
    rows = {**found["suites"], **({"pooled": found["pooled"]} if found.get("pooled") else {})}
    kind = " (items left out of the fit)" if found.get("cross_validated") else ""
    tables = [_decided(f"Ask or act{kind}", rows), _stated("The probabilities and the likeliest label", rows)]
    if left_out := found.get("leave_one_suite_out"):
        tables.append(_decided("The whole suite left out of the fit", left_out))
    return Group(*tables)


def _decided(title: str, rows: Mapping[str, Mapping[str, Any]]) -> Table:
    table = _table(title, "n", "accu-\nracy", "macro-\nF1", "95 %", *(f"{label}\nF1" for label in LABELS))
    for name, row in rows.items():
        interval = row["ci95"].get("macro_f1")
        between = "n/a" if interval is None else f"{_cell(interval[0], 2)}–{_cell(interval[1], 2)}"
        f1 = (_cell(row["f1"].get(label)) for label in LABELS)
        table.add_row(name, str(row["n"]), _cell(row["accuracy"]), _cell(row["macro_f1"]), between, *f1)
    return table


def _stated(title: str, rows: Mapping[str, Mapping[str, Any]]) -> Table:
    table = _table(title, "ECE", "Brier", "skill", "AUROC", "argmax\nmacro-F1", "ask\nF1")
    for name, row in rows.items():
        calibration = (_cell(row["calibration"][key]) for key in ("ece", "brier", "brier_skill", "auroc"))
        table.add_row(name, *calibration, _cell(row["argmax"]["macro_f1"]), _cell(row["argmax"]["ask_f1"]))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("suite", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _cell(value: float | None, digits: int = 3) -> str:
    """Return a share as `.631`."""
    return "n/a" if value is None else f"{value:.{digits}f}".replace("0.", ".", 1)
