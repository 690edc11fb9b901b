"""Fitted heads as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmark_adapter.calibration.calibrate import Calibration
from clarifier.calibration.certificates import Certificate
from clarifier.calibration.fitting import HEAD_NAMES
from clarifier.calibration.heads import HeadName, HeadScores


def calibration_tables(calibration: Calibration) -> Group:
    """Return what was fitted, its scores beside ablations and the heads set by hand, and the certificates."""
    parts: list[RenderableType] = [Text(calibration.heads.provenance)]
    rows: dict[str, Mapping[HeadName, HeadScores]] = {"set by hand": calibration.hand_set}
    rows |= {f"fitted, signals: {name}": scores for name, scores in calibration.ablations.items()}
    for name in HEAD_NAMES:
        scored = {row: scores[name] for row, scores in rows.items() if name in scores}
        if scored:
            parts.append(_head_table(name, scored))
    for one in calibration.certificates:
        parts.append(Text(f"certificate: {one.words}" if isinstance(one, Certificate) else str(one)))
    return Group(*parts)


def _head_table(name: HeadName, scored: Mapping[str, HeadScores]) -> Table:
    first = next(iter(scored.values()))
    title = f"{name}: {first.n} labels, {first.positive} true; fitted rows are leave-one-persona-out"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in ("n", "Brier", "ECE", "AUROC"):
        table.add_column(heading, justify="right")
    for row, one in scored.items():
        auroc = "n/a" if one.auroc is None else f"{one.auroc:.3f}"
        table.add_row(row, str(one.n), f"{one.brier:.3f}", f"{one.ece:.3f}", auroc)
    return table
