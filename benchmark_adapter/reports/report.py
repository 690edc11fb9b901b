"""The report of a run: one HTML file that needs nothing from elsewhere. Every text in it is escaped."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.errors import RunDirectoryError
from benchmark_adapter.evaluator.trajectory import NO_CANDIDATE
from benchmark_adapter.reports.report_data import (
    Bin,
    Confusion,
    WorstError,
    confusion,
    forecasts,
    reliability,
    risk_coverage,
    worst_errors,
)
from benchmark_adapter.reports.svg import UnitChart
from benchmark_adapter.runs.run_directory import RunDirectory
from benchmark_adapter.runs.run_scoring import JudgedTurn
from benchmark_adapter.scoring.calibration_metrics import Forecasts
from benchmark_adapter.scoring.metrics import ScoredTurn
from benchmark_adapter.scoring.run_metrics import compute_metrics
from clarifier.decision import Decision, Reason

REPORT = "report.html"
_MOST_TEXT = 1200
"""Characters of one text; a tool may return a book."""


def write_report(run: RunDirectory, turns: Sequence[JudgedTurn]) -> Path:
    """Write `report.html` into the run directory and return its path.

    Raises:
        RunDirectoryError: If it cannot be written.
    """
    path = run.path / REPORT
    text = report_html(run, turns)
    try:
        partial = path.with_suffix(".html.part")
        partial.write_text(text, "utf-8")
        partial.replace(path)
    except OSError as exc:
        raise RunDirectoryError(path, f"expected a folder that can be written to, got: {exc.strerror or exc}") from exc
    return path


def report_html(run: RunDirectory, turns: Sequence[JudgedTurn]) -> str:
    """Return the report of a run as HTML."""
    manifest, scored = run.manifest, [turn.scored for turn in turns]
    metrics = compute_metrics(scored, seed=manifest.seed)
    of, errors = forecasts(scored), worst_errors(turns)
    bins = reliability(of)
    wrong = sum(not turn.is_correct for turn in scored)
    template = resources.files("benchmark_adapter.reports").joinpath("templates/report.html").read_text("utf-8")
    return Template(template).substitute(
        title=_escaped(manifest.title),
        subtitle=_escaped(
            f"{len(scored)} turns, {metrics['failed']} failed · view {manifest.view} · data {manifest.data[:12]} · "
            f"heads {manifest.heads[:12]} · run {manifest.sha256[:12]} · commit {(manifest.commit or 'unknown')[:12]}"
        ),
        headline=_headline(metrics),
        reliability=reliability_chart(bins).render(),
        bins=_bins_table(bins),
        risk=risk_chart(of).render(),
        confusion=_confusion_table(confusion(scored)),
        errors_title=_escaped(f"The {len(errors)} worst of {wrong} errors" if wrong else "No errors"),
        errors="".join(_error(number, one) for number, one in enumerate(errors, start=1)),
    )


def reliability_chart(bins: Sequence[Bin]) -> UnitChart:
    """Return the reliability diagram with the count of each bin."""
    chart = UnitChart(
        "probability given to the calls",
        "share that were right",
        "Reliability diagram; its numbers follow",
    )
    chart.line([(0, 0), (1, 1)], color="#9aa5b1", dashes="4 4")
    chart.line([(one.probability, one.share_right) for one in bins])
    most = max((one.n for one in bins), default=1)
    for one in bins:
        chart.dot((one.probability, one.share_right), radius=3 + 6 * (one.n / most) ** 0.5, label=str(one.n))
    if not bins:
        chart.note("no turn acted")
    return chart


def risk_chart(of: Forecasts) -> UnitChart:
    """Return the risk-coverage curve."""
    chart = UnitChart("share of these turns that may act", "share wrong among them", "Risk-coverage curve")
    points = risk_coverage(of)
    if not points:
        chart.note("no turn acted")
        return chart
    chart.line([(0, points[-1][1]), (1, points[-1][1])], color="#9aa5b1", dashes="4 4")
    chart.line(points, color="#c2571a")
    for point in (points[0], points[-1]):
        chart.dot(point, radius=4, color="#c2571a", label=f"{point[1]:.2f}")
    return chart


def _headline(metrics: dict[str, Any]) -> str:
    exact, ask, calibration = metrics["exact"], metrics["ask"], metrics["calibration"]
    cells = {
        "exact, overall": _percent(exact["overall"]),
        "ST": _percent(exact["ST"]),
        "MT": _percent(exact["MT"]),
        "LOI": _percent(exact["LOI"]),
        "over-ask": _percent(ask["over_ask"]),
        "under-ask": _percent(ask["under_ask"]),
        "ECE": _number(calibration["ece"]),
        "Brier": _number(calibration["brier"]),
        "AUROC": _number(calibration["auroc"]),
        "AURC": _number(calibration["aurc"]),
        "cost of a turn": _number(metrics["expected_cost"]),
    }
    return _table([list(cells)], [list(cells.values())], numbers_from=0)


def _bins_table(bins: Sequence[Bin]) -> str:
    body = [[f"{one.probability:.3f}", f"{one.share_right:.3f}", str(one.n)] for one in bins]
    return _table([["given", "came right", "turns"]], body, numbers_from=0)


def _confusion_table(rows: Sequence[Confusion]) -> str:
    heading = ["hardest source", "turns", "both act", "over-asked", "under-asked", "both ask"]
    body = [
        [one.source, *map(str, (one.n, one.both_act, one.over_asked, one.under_asked, one.both_ask))] for one in rows
    ]
    return _table([heading], body, numbers_from=1)


def _error(number: int, error: WorstError) -> str:
    turn = error.turn
    reference = turn.reference
    decision = error.decision
    facts = {
        "the agent": _done(decision) if decision is not None else "failed before it decided anything",
        "the reference": "\n".join(map(_step, reference.answer)),
        "why it is wrong": _why(turn),
    }
    if decision is not None:
        odds = decision.odds
        facts["odds"] = (
            f"acting is wanted {odds.p_act:.2f}, the calls are right {odds.p_calls:.2f}, asking would help "
            f"{odds.p_asked:.2f}"
        )
    listed = "".join(f"<dt>{_escaped(name)}</dt><dd>{_escaped(value)}</dd>" for name, value in facts.items())
    reasons = "" if decision is None or not decision.reasons else _reasons(decision.reasons)
    return (
        f"<article><header><h3>{number}. {_escaped(reference.session)}, turn {reference.index + 1}</h3>"
        f'<span class="soft">{_escaped(reference.task_type or "")} · sure of it: '
        f'<span class="bad">{error.sureness:.2f}</span></span></header>'
        f"<blockquote>{_escaped(reference.request)}</blockquote><dl>{listed}</dl>{reasons}</article>"
    )


def _why(turn: ScoredTurn) -> str:
    if turn.line.failure is not None:
        return f"{turn.line.failure.type}: {turn.line.failure.message}"
    if turn.score.reason == NO_CANDIDATE:
        return f"no path of the reference goes on like this (in its words: {NO_CANDIDATE})"
    return turn.score.reason or "not finished"


def _reasons(reasons: Sequence[Reason]) -> str:
    heading = ["argument", "value", "grounds", "probability", "margin", "turns"]
    body = [
        [
            one.slot,
            _json(one.value),
            one.grounds,
            f"{one.probability:.2f}",
            f"{one.margin:.2f}",
            ", ".join(one.turn_ids),
        ]
        for one in reasons
    ]
    return (
        f"<details open><summary>{len(reasons)} reason{'' if len(reasons) == 1 else 's'}</summary>"
        f'<div class="scroll">{_table([heading], body, numbers_from=3, numbers_to=5)}</div></details>'
    )


def _done(decision: Decision) -> str:
    if decision.kind == "act":
        return "\n".join(f"{call.name}({_json(call.arguments)})" for call in decision.calls)
    if decision.kind == "ask":
        return f"asked: {decision.question}"
    if decision.kind == "answer":
        return f"replied: {decision.reply}"
    return "went back to planning: " + ", ".join(f"{hint.kind} {hint.slot}" for hint in decision.hints)


def _step(step: ReferenceStep) -> str:
    if step.is_tool_call:
        written = step.action.arguments
        return f"{step.action.name}({written if isinstance(written, str) else _json(written)})"
    return f"{step.action.name}: {step.observation if isinstance(step.observation, str) else _json(step.observation)}"


def _table(
    head: Iterable[Sequence[str]], body: Iterable[Sequence[str]], *, numbers_from: int, numbers_to: int = 99
) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        made = (
            f"<{tag}{' class=n' if numbers_from <= index < numbers_to else ''}>{_escaped(cell)}</{tag}>"
            for index, cell in enumerate(cells)
        )
        return f"<tr>{''.join(made)}</tr>"

    headings, rows = "".join(row(one, "th") for one in head), "".join(row(one, "td") for one in body)
    return f"<table><thead>{headings}</thead><tbody>{rows}</tbody></table>"


def _escaped(text: str) -> str:
    """Return a text of whatever origin as HTML, cut to what a person reads; half characters become question marks."""
    cut = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} … ({len(text):,} characters)"
    return html.escape(cut.encode("utf-8", "replace").decode())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
