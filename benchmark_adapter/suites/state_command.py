"""The command `stead-bench state`: what is believed of a person after dialogues that say what should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmark_adapter.options import JsonFlag
from benchmark_adapter.reported import reported

_out = Console()
SHOWN = 20
"""Failures that the table lists; `--json` has all."""


def state(
    dialogues: Annotated[
        Path,
        typer.Argument(metavar="FILE|DIR", help="Dialogues, one JSON object a line (docs/state-dialogues.md)."),
    ],
    as_json: JsonFlag = False,
) -> None:
    """Measure what is believed of a person after dialogues, against what should be.

    A dialogue is right where every expectation holds. Exit status: 2 on bad input.
    """
    with reported("nothing was written"):
        from benchmark_adapter.suites.dialogues import judged, read_dialogues

        found = judged(read_dialogues(dialogues))
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, allow_nan=False))
        return
    _out.print(
        f"{found['right']} of {found['total']} dialogues right; {found['missed']} expectations missed, "
        f"{found['false']} false beliefs",
        highlight=False,
        soft_wrap=True,
    )
    _out.print(_table(found))
    for one in found["failures"][:SHOWN]:
        _out.print(f"{one['dialogue']}: {one['is']}: {one['expected']}", highlight=False, markup=False, soft_wrap=True)


def _table(found: dict[str, Any]) -> Table:
    table = Table()
    table.add_column("kind")
    table.add_column("right", justify="right")
    table.add_column("of", justify="right")
    for name, cell in (*found["by_kind"].items(), *found["by_language"].items()):
        table.add_row(name or "(none)", str(cell["right"]), str(cell["total"]))
    return table
