"""An audit as tables for the terminal and as JSON, beside the shares that the paper reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmark_adapter.reports.audit import CATEGORIES, Audit, AuditedTurn, Category


class Range(NamedTuple):
    """Shares of failed trajectories over the paper's models, in [0, 1]."""

    low: float
    high: float


PAPER_SHARES: dict[Category, Range] = {
    "order": Range(0.821, 0.965),
    "tool": Range(0.482, 0.903),
    "constraint": Range(0.409, 0.535),
}
"""UserToolBench, arXiv 2608.10042v1, over its nine models; it gives no figures for our other categories."""
PAPER_SLIGHT = Range(0.0, 0.021)
"""The same: at most 2.1 % of the failures are slight. What it calls slight is not said."""
PAPER_NOTE = (
    "The paper's shares are of its own categories on official data (UserToolBench, arXiv 2608.10042v1); the "
    "definitions here are ours (docs/scoring.md). A turn may have several faults."
)

_NAMES: dict[Category, str] = {
    "order": "order or data dependency broken",
    "tool": "wrong tool, or one left out",
    "constraint": "the person's constraint violated",
    "format": "argument format",
    "needless_question": "needless question",
    "missing_question": "missing question",
    "wrong_question": "question about the wrong thing",
    "invented": "invented value",
    "chat_tool": "tool called in a chat turn",
    "argument": "another argument wrong",
    "failure": "error of ours or the endpoint's",
    "other": "other",
}


def audit_json(audit: Audit, examples: int) -> dict[str, Any]:
    """Return the audit as JSON; shares are of the failed turns, `None` if there are none."""
    right = audit.right_after_all
    return {
        "n": audit.n,
        "failed_turns": len(audit.turns),
        "categories": {
            name: {
                "n": len(audit.of(name)),
                "share": audit.share(audit.of(name)),
                "paper": list(PAPER_SHARES[name]) if name in PAPER_SHARES else None,
                "examples": [_example(turn, name) for turn in audit.of(name)[:examples]],
            }
            for name in CATEGORIES
        },
        "severity": {
            "slight": {**_counted(audit, audit.with_severity("slight")), "paper": list(PAPER_SLIGHT)},
            "major": {**_counted(audit, audit.with_severity("major")), "paper": None},
        },
        "relaxed_correct": None if right is None else _counted(audit, right),
    }


def audit_tables(audit: Audit, examples: int, *, title: str) -> Group:
    """Return the table of an audit, and examples of each category below it."""
    table = Table(title=f"What went wrong, {title}", title_justify="left", caption=PAPER_NOTE, caption_justify="left")
    table.add_column(f"{len(audit.turns)} of {audit.n} turns failed")
    table.add_column("turns", justify="right")
    table.add_column("share (%)", justify="right")
    table.add_column("the paper's (%)", justify="right")
    for name in CATEGORIES:
        _add_row(table, audit, _NAMES[name], audit.of(name), PAPER_SHARES.get(name))
    table.add_section()
    _add_row(table, audit, "slight: of form alone", audit.with_severity("slight"), PAPER_SLIGHT)
    _add_row(table, audit, "major", audit.with_severity("major"), None)
    if audit.right_after_all is not None:
        _add_row(table, audit, "right by the relaxed rules", audit.right_after_all, None)
    parts: list[RenderableType] = [table]
    for name in CATEGORIES:
        shown = audit.of(name)[:examples]
        if shown:
            parts.append(Text(f"\n{_NAMES[name]}", style="bold"))
            parts.extend(_shown(turn, name) for turn in shown)
    return Group(*parts)


def _add_row(table: Table, audit: Audit, name: str, turns: Sequence[AuditedTurn], paper: Range | None) -> None:
    share = audit.share(turns)
    reported = ""
    if paper is not None:
        reported = (f"{100 * paper.low:.1f} to " if paper.low else "at most ") + f"{100 * paper.high:.1f}"
    table.add_row(name, str(len(turns)), "n/a" if share is None else f"{100 * share:.1f}", reported)


def _counted(audit: Audit, turns: Sequence[AuditedTurn]) -> dict[str, Any]:
    return {"n": len(turns), "share": audit.share(turns)}


def _details(turn: AuditedTurn, name: Category) -> list[str]:
    return [finding.detail for finding in turn.findings if finding.category == name]


def _example(turn: AuditedTurn, name: Category) -> dict[str, Any]:
    reference = turn.scored.reference
    return {
        "session": reference.session,
        "turn": reference.index,
        "request": reference.request,
        "severity": turn.severity,
        "details": _details(turn, name),
    }


def _shown(turn: AuditedTurn, name: Category) -> Text:
    reference = turn.scored.reference
    lines = [f"{reference.session} turn {reference.index}: {reference.request}"]
    return Text("\n".join([*lines, *(f"    {detail}" for detail in _details(turn, name))]))
