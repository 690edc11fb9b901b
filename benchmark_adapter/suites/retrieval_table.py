"""What strategies found of public data sets, as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group
from rich.table import Table

_COLUMNS = {
    "recall_at_5": "recall@5",
    "recall_at_10": "recall@10",
    "mrr": "MRR",
    "queries_per_second": "queries/s",
}


def retrieval_tables(suites: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Group:
    """Return a table for each suite, a row for each strategy; `n/a` is undefined."""
    return Group(*(_table(name, rows) for name, rows in suites.items()))


def _table(name: str, rows: Mapping[str, Mapping[str, Any]]) -> Table:
    n = next((row["n"] for row in rows.values()), 0)
    table = Table(title=f"{name}: {n} queries", title_justify="left")
    table.add_column("memory")
    for heading in _COLUMNS.values():
        table.add_column(heading, justify="right")
    for strategy, row in rows.items():
        table.add_row(strategy, *(_cell(key, row[key]) for key in _COLUMNS))
    return table


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:.0f}" if key == "queries_per_second" else f"{value:.3f}"
