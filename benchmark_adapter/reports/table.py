"""A run's metrics as tables for the terminal: the summary, and all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmark_adapter.evaluator.conformance import Report
from benchmark_adapter.reports.kept_back import MADE_WITH, KeptBack
from benchmark_adapter.reports.paper import NOT_COMPARABLE, paper_tables
from benchmark_adapter.scoring.metrics import SOURCES

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
_MEASURES = {
    "slots.decision_relevant.accuracy": "decision-relevant\narguments right",
    "expected_cost": "cost of\na turn",
    "calibration.ece": "ECE",
    "calibration.brier": "Brier",
    "calibration.auroc": "AUROC",
    "calibration.aurc": "AURC",
}
"""Metric path to heading."""
_KINDS = "ST one tool, MT several tools, LOI lack of information."
INTERVALS = "95 %: bootstrap over topics within persons, so of these persons."


def run_tables(
    metrics: Mapping[str, Any], *, title: str, standing: str = NOT_COMPARABLE, beside: KeptBack | None = None
) -> Group:
    """Return the tables of one run, the paper's models below as context.

    Args:
        metrics: As in `metrics.json`.
        title: Names the run above its table.
        standing: Whether the paper's figures can be compared with these.
        beside: What is got for kept-back persons, where the run's are those it was made with.
    """
    title = _said_to_be_seen(title, beside)
    parts: list[RenderableType] = [_accuracy_table("exact", metrics, title, standing, beside)]
    if metrics["relaxed"] is not None:
        parts.append(_accuracy_table("relaxed", metrics, title, standing))
    parts.append(_further_table(metrics["exact"], metrics["relaxed"]))
    if any(metrics["slots"][source]["n"] for source in SOURCES):
        parts.append(_slots_table(metrics["slots"]))
    if metrics["ask"] is not None:
        parts.append(_ask_table(metrics["ask"]))
    parts.append(_measures_table(metrics))
    if metrics.get("replies") is not None:  # runs of before have none
        parts.append(_replies_table(metrics["replies"]))
    parts.append(Text(_reference_rates(metrics["reference"])))
    parts.append(Text(_totals(metrics)))
    return Group(*parts)


def summary_table(
    metrics: Mapping[str, Any], *, title: str, standing: str = NOT_COMPARABLE, beside: KeptBack | None = None
) -> Group:
    """Return what to read first: one table of accuracies with two rows of the paper, and a line on questions and cost.

    Arguments as for `run_tables`.
    """
    table = _table_of_accuracies(f"Exact accuracy (%), {_said_to_be_seen(title, beside)}")
    table.add_row("this run", *_percentages(_row(metrics["exact"])), style="bold")
    if metrics["ci95"] is not None:
        intervals = [metrics["ci95"].get(f"exact.{key}") for key in _EXACT_COLUMNS]
        table.add_row("  95 %", *(_span(one) for one in intervals))
    if metrics["relaxed"] is not None:
        table.add_row("  relaxed", *_percentages(_row(metrics["relaxed"])))
    _add_kept_back(table, beside)
    table.add_section()
    tables = paper_tables()
    best = tables.best("exact")
    table.add_row("paper best", *_percentages(_row(tables.rows("exact")[best]), missing=""), style="dim")
    table.add_row("paper mean", *_percentages(_row(tables.mean("exact")), missing=""), style="dim")
    _explain(table, metrics, f"The paper's best of {len(tables.exact)} models is {best}; {standing}.", beside)
    asked = [] if metrics["ask"] is None else [Text(_asked(metrics["ask"]))]
    return Group(table, *asked, Text(_totals(metrics)), Text("Every number: --full, or --json"))


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


def _accuracy_table(
    kind: Literal["exact", "relaxed"],
    metrics: Mapping[str, Any],
    title: str,
    standing: str,
    beside: KeptBack | None = None,
) -> Table:
    table = _table_of_accuracies(f"{kind.capitalize()} accuracy (%), {title}")
    table.add_row("this run", *_percentages(_row(metrics[kind])), style="bold")
    for end, bounds in _bounds(metrics["ci95"], [f"{kind}.{key}" for key in _EXACT_COLUMNS]):
        table.add_row(end, *_percentages(bounds))
    _add_kept_back(table, beside)
    table.add_section()
    tables = paper_tables()
    for model, row in tables.rows(kind).items():
        table.add_row(model, *_percentages(_row(row), missing=""), style="dim")
    _explain(table, metrics, f"Below the line: {tables.source.split(';')[0]}: {standing}.", beside)
    return table


def _table_of_accuracies(title: str) -> Table:
    table = Table(title=Text(title), title_justify="left")
    table.add_column("")
    for heading in _EXACT_COLUMNS.values():
        table.add_column(heading, justify="right")
    return table


def _row(accuracies: Mapping[str, float | None]) -> list[float | None]:
    return [accuracies.get(key) for key in _EXACT_COLUMNS]


def _said_to_be_seen(title: str, beside: KeptBack | None) -> str:
    return title if beside is None else f"{title}, {MADE_WITH}"


def _add_kept_back(table: Table, beside: KeptBack | None) -> None:
    if beside is not None:
        table.add_row("kept back", *_percentages([beside.overall]))


def _explain(table: Table, metrics: Mapping[str, Any], paper: str, beside: KeptBack | None) -> None:
    intervals = [] if metrics["ci95"] is None else [INTERVALS]
    unseen = [] if beside is None else [beside.note]
    table.caption = "\n".join([*intervals, _KINDS, *unseen, paper])
    table.caption_justify = "left"


def _bounds(
    ci95: Mapping[str, Sequence[float] | None] | None, paths: Sequence[str]
) -> Iterator[tuple[str, list[float | None]]]:
    """Yield a row of lower and one of upper ends, nothing where there are no intervals."""
    if ci95 is None:
        return
    intervals = [ci95.get(path) for path in paths]
    for index, heading in enumerate(("  95 % from", "  95 % to")):
        yield heading, [one and one[index] for one in intervals]  # type: ignore[misc]  # no interval is empty


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


def _measures_table(metrics: Mapping[str, Any]) -> Table:
    table = Table(title="Cost and calibration", title_justify="left")
    table.add_column("")
    for heading in _MEASURES.values():
        table.add_column(heading, justify="right")
    table.add_row("this run", *map(_number, (_at(metrics, path) for path in _MEASURES)))
    for end, bounds in _bounds(metrics["ci95"], list(_MEASURES)):
        table.add_row(end, *map(_number, bounds))
    return table


def _at(metrics: Mapping[str, Any], path: str) -> float | None:
    part, _, rest = path.partition(".")
    if rest and metrics[part] is not None:
        return _at(metrics[part], rest)
    value: float | None = metrics[part]
    return value


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _reference_rates(rates: Mapping[str, Mapping[str, float | None]]) -> str:
    shown = []
    for name, wording in (("sessions", "whole sessions"), ("optimal", "optimal paths"), ("progress", "progress")):
        macro, micro = (_share(rates[name][key]) for key in ("macro", "micro"))
        shown.append(f"{wording} {macro} over persons, {micro} over all")
    return "As the reference evaluator counts: " + "; ".join(shown)


def _share(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f} %"


def _span(interval: Sequence[float] | None) -> str:
    """Return an interval in whole per cents, narrow enough for a row of seven; one end where both come out alike."""
    if interval is None:
        return "n/a"
    low, high = (f"{100 * end:.0f}" for end in interval)
    return low if low == high else f"{low}–{high}"


def _asked(ask: Mapping[str, float | None]) -> str:
    per_turn = ask["questions_per_turn"]
    number = "n/a" if per_turn is None else f"{per_turn:.2f}"
    return (
        f"Questions: {number} a turn; right where a turn asks: {_share(ask['precision'])}, "
        f"where it must ask: {_share(ask['recall'])} (F1 {_share(ask['f1'])})"
    )


def _replies_table(replies: Mapping[str, int]) -> Table:
    table = Table(title="Replies by kind", title_justify="left")
    for kind in replies:
        table.add_column(kind, justify="right")
    table.add_row(*(f"{count:,}" for count in replies.values()))
    return table


def _totals(metrics: Mapping[str, Any]) -> str:
    tokens = metrics["tokens"]
    recalled = [] if tokens["recall"] is None else [f"{tokens['recall']:,} recalled"]
    of_model = [f"{tokens[kind]:,} {kind}" for kind in ("prompt", "completion") if tokens[kind]]
    if (evidence := (metrics.get("recall") or {}).get("evidence")) is not None:
        recalled.append(f"{100 * evidence:.1f} % of the turns they rest on among them")
    cost = metrics.get("cost_usd")
    money = "" if cost is None else f"US$ {cost:,.4f}; "
    return (
        f"{metrics['n']} turns, {metrics['failed']} failed; "
        f"tokens: {', '.join(recalled + of_model) or 'n/a'}; {money}"
        f"{metrics['seconds']:.1f} s in turns ({metrics['turns_per_second'] or 0:.1f} turns a second)"
    )


def _percentages(values: Iterable[float | None], missing: str = "n/a") -> list[str]:
    return [missing if value is None else f"{100 * value:.1f}" for value in values]
