"""A run's metrics as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmark_adapter.conformance import Report
from benchmark_adapter.metrics import SOURCES
from benchmark_adapter.paper import NOT_COMPARABLE, paper_tables

_EXACT_COLUMNS = {
    "overall": "overall",
    "ST": "ST",
    "MT": "MT",
    "LOI": "LOI",
    "first_third": "1st\nthird",
    "middle_third": "2nd\nthird",
    "last_third": "3rd\nthird",
}
"""Metric key to heading: what the paper reports too. Line breaks keep every table within 80 characters."""
_FURTHER_COLUMNS = {
    "LOI_recoverable": "LOI, settled\nby history",
    "LOI_unrecoverable": "LOI, must\nbe asked",
    "Chat": "Chat",
    "micro": "all turns\n(micro)",
}


def run_tables(metrics: Mapping[str, Any], *, title: str) -> Group:
    """Return the tables of one run, the paper's models below as context.

    Args:
        metrics: As in `metrics.json`.
        title: Names the run above its table.
    """
    exact, relaxed = metrics["exact"], metrics["relaxed"]
    parts: list[RenderableType] = [_accuracy_table(exact, relaxed, title), _further_table(exact, relaxed)]
    if any(metrics["slots"][source]["n"] for source in SOURCES):
        parts.append(_slots_table(metrics["slots"]))
    if metrics["ask"] is not None:
        parts.append(_ask_table(metrics["ask"]))
    parts.append(Text(_totals(metrics)))
    return Group(*parts)


def show(console: Console, metrics: Mapping[str, Any], *, title: str) -> None:
    """Print the tables of one run."""
    console.print(run_tables(metrics, title=title))


def agreement_table(report: Report) -> Group:
    """Return how many vectors of each family agree, and the first that do not."""
    table = Table(title="Agreement with the reference evaluator", title_justify="left")
    for heading in ("family", "agree", "of"):
        table.add_column(heading, justify="left" if heading == "family" else "right")
    for name, family in report.families.items():
        table.add_row(name, str(family.agree), str(family.total))
    table.add_section()
    table.add_row("all", str(report.agree), str(report.total), style="bold")
    differing = [
        Text(f"{name} {one.case_id} (line {one.line}): {one.difference}")
        for name, family in report.families.items()
        for one in family.disagreements
    ]
    return Group(table, *differing)


def _accuracy_table(exact: Mapping[str, float | None], relaxed: Mapping[str, float | None] | None, title: str) -> Table:
    tables = paper_tables()
    table = Table(title=f"Exact accuracy (%), {title}", title_justify="left")
    table.add_column("")
    for heading in _EXACT_COLUMNS.values():
        table.add_column(heading, justify="right")
    table.add_row("this run", *_percentages(exact.get(key) for key in _EXACT_COLUMNS), style="bold")
    if relaxed is not None:
        table.add_row("  relaxed", *_percentages(relaxed.get(key) for key in _EXACT_COLUMNS))
    table.add_section()
    for model, row in tables.rows("exact").items():
        table.add_row(model, *_percentages((row.get(key) for key in _EXACT_COLUMNS), missing=""), style="dim")
    table.caption = f"Below the line: {tables.source.split(';')[0]}: {NOT_COMPARABLE}."
    table.caption_justify = "left"
    return table


def _further_table(exact: Mapping[str, float | None], relaxed: Mapping[str, float | None] | None) -> Table:
    table = Table(title="Accuracy (%), further parts", title_justify="left")
    table.add_column("")
    for heading in _FURTHER_COLUMNS.values():
        table.add_column(heading, justify="right")
    table.add_row("exact", *_percentages(exact.get(key) for key in _FURTHER_COLUMNS))
    if relaxed is not None:
        table.add_row("relaxed", *_percentages(relaxed.get(key) for key in _FURTHER_COLUMNS))
    return table


def _slots_table(slots: Mapping[str, Mapping[str, Any] | None]) -> Table:
    table = Table(title="Arguments given right, by where the reference has the value from (%)", title_justify="left")
    table.add_column("")
    for source in SOURCES:
        table.add_column(source, justify="right")
    cells = [slots[source] or {} for source in SOURCES]
    table.add_row("right", *_percentages(cell.get("accuracy") for cell in cells))
    table.add_row("of", *(str(cell.get("n", 0)) for cell in cells))
    return table


def _ask_table(ask: Mapping[str, float | None]) -> Table:
    table = Table(title="Questions (%)", title_justify="left")
    shown = [key for key in ask if key != "questions_per_turn"]
    for key in shown:
        table.add_column(key.replace("_", "\n"), justify="right")
    table.add_column("questions\na turn", justify="right")
    per_turn = ask["questions_per_turn"]
    table.add_row(*_percentages(ask[key] for key in shown), "n/a" if per_turn is None else f"{per_turn:.2f}")
    return table


def _totals(metrics: Mapping[str, Any]) -> str:
    tokens = metrics["tokens"]
    recalled = "n/a" if tokens["recall"] is None else f"{tokens['recall']:,}"
    return (
        f"{metrics['n']} turns, {metrics['failed']} failed; tokens: {recalled} recalled, "
        f"{tokens['prompt']:,} prompt, {tokens['completion']:,} completion; "
        f"{metrics['seconds']:.1f} s in turns ({metrics['turns_per_second'] or 0:.1f} turns a second)"
    )


def _percentages(values: Iterable[float | None], missing: str = "n/a") -> list[str]:
    return [missing if value is None else f"{100 * value:.1f}" for value in values]
