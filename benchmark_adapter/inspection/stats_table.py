"""What a data set is made of and what is wrong with it, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from benchmark_adapter.inspection.faults import ValidationReport
from benchmark_adapter.inspection.stats import OFFICIAL

_STYLES = {"error": "bold red", "warning": "yellow"}
_FRACTIONS = ("ratio", "distance")
"""Last words of the keys whose values are shown as percentages."""


def statistics_tables(stats: Mapping[str, Any], official: Mapping[str, Any], *, title: str) -> Group:
    """Return the tables of a data set, the paper's figures beside its own where the keys agree.

    Args:
        stats: As `data_statistics` returns them.
        official: The paper's figures, as `paper_statistics` returns them.
        title: Names the data set.
    """
    diversity = {key: value for key, value in stats["same_toolset_diversity"].items() if key != "formula"}
    formula = Text(stats["same_toolset_diversity"]["formula"], style="dim")
    return Group(
        _figures(f"Scale: {title}", stats["scale"], official["scale"]),
        _counts("Task instances by type", stats["task_types"], official["task_types"]),
        Text(", ".join(f"{n} {name} turns" for name, n in stats["other_turns"].items()) + " besides\n"),
        _counts("Turns by subtype", stats["turn_subtypes"], official["turn_subtypes"]),
        _figures("Same toolset, different profiles", diversity, official["same_toolset_diversity"]),
        formula,
        Text(),
        _figures("Tools: candidates, and those in use", stats["tool_ecosystem"], official["tool_ecosystem"]),
    )


def print_report(console: Console, report: ValidationReport) -> None:
    """Print every fault on lines of its own, then how many there are."""
    for fault in report.faults:
        head = Text.assemble(f"{fault.place}: ", (fault.severity, _STYLES[fault.severity]), f" [{fault.kind}]")
        console.print(head, soft_wrap=True, highlight=False)
        console.print(Text(f"  {fault.problem}\n  mend: {fault.mend}"), soft_wrap=True, highlight=False)
    console.print(Text(_summary(report)), soft_wrap=True, highlight=False)


def _summary(report: ValidationReport) -> str:
    counted = ((report.files, "file"), (report.topics, "topic"), (report.turns, "turn"))
    faults = ((report.errors, "error"), (report.warnings, "warning"))
    return f"{_listed(counted)}: {_listed(faults)}"


def _listed(counts: Iterable[tuple[int, str]]) -> str:
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)


def _counts(title: str, rows: Mapping[str, Any], official: Mapping[str, Any]) -> Table:
    table = _table(title, "n", "%", f"n, {OFFICIAL}", f"%, {OFFICIAL}")
    for name, row in rows.items():
        paper = official.get(name, {})
        share, beside = _percent(row["share"]), _percent(paper["share"]) if paper else ""
        table.add_row(name, str(row["n"]), share, str(paper.get("n", "")), beside)
    return table


def _figures(title: str, rows: Mapping[str, Any], official: Mapping[str, Any]) -> Table:
    table = _table(title, "", OFFICIAL)
    for name, value in rows.items():
        beside = _shown(name, official[name]) if name in official else ""
        table.add_row(" ".join(_words(name)), _shown(name, value), beside)
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in headings:
        style = "dim" if OFFICIAL in heading else None
        table.add_column(heading, justify="right", style=style)
    return table


def _words(name: str) -> Iterator[str]:
    yield from name.split("_")
    if name.endswith(_FRACTIONS):
        yield "(%)"


def _shown(name: str, value: float | None) -> str:
    if name.endswith(_FRACTIONS):
        return _percent(value)
    if value is None:
        return "n/a"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}".rstrip("0").rstrip(".")


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.2f}"
