"""The command `stead-bench decide`: how well asking is told from acting on public data sets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from benchmark_adapter.options import JsonFlag
from benchmark_adapter.printing import print_whole
from benchmark_adapter.reported import reported

if TYPE_CHECKING:
    from benchmark_adapter.labelling.head import LabelHead
    from benchmark_adapter.suites.decide_suites import DecideSuite

_out, _err = Console(), Console(stderr=True)


def decide(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="A folder with when2call, bfcl_single, bfcl_multi_turn or api_bank in it."),
    ],
    suite: Annotated[
        list[str] | None, typer.Option(help="A suite; may be given more than once.", show_default="all that are there")
    ] = None,
    cross_validated: Annotated[
        bool,
        typer.Option(
            "--cross-validated",
            help="Print the figures on items left out of the fit, as recorded with the head, and run nothing.",
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Measure how well call, ask, cannot and reply are told apart, by the `rules` planner, clarifier and label head.

    Exit status: 2 on bad input.
    """
    with reported("nothing was written"):
        from benchmark_adapter.labelling.head import shipped_label_head
        from benchmark_adapter.suites.decide_suites import load_decide_suites

        suites = load_decide_suites(data, suite)
        head = shipped_label_head()
        seen = fitted_on(head, suites)
        if cross_validated:
            found = recorded(head, [one.name for one in suites], seen)
        else:
            if seen:
                print_whole(_err, _IN_SAMPLE.format(", ".join(seen)))
            found = {**_measured(suites, head), "fitted_on": seen}
    if as_json:
        typer.echo(json.dumps(found, allow_nan=False))
        return
    from benchmark_adapter.suites.decide_table import decide_tables

    _out.print(decide_tables(found))


_IN_SAMPLE = (
    "Note: the label head was fitted on these very files ({}), so the figures flatter it; "
    "--cross-validated prints those on items left out of the fit."
)


def _measured(suites: Sequence[DecideSuite], head: LabelHead) -> dict[str, Any]:
    from benchmark_adapter.suites.decide import judge, report
    from memory.embedders.factory import open_embedder

    with Progress(console=_err, transient=True) as progress:
        task = progress.add_task("items decided", total=sum(len(one.items) for one in suites))
        judged = list(judge(suites, head, open_embedder("use"), lambda: progress.advance(task)))
    return report(judged)


def fitted_on(head: LabelHead, suites: Sequence[DecideSuite]) -> list[str]:
    """Return the suites whose very files the head was fitted on."""
    known: dict[str, str] = head.provenance.get("data_sha256", {})
    return [one.name for one in suites if known.get(one.name) == hashlib.sha256(one.path.read_bytes()).hexdigest()]


def recorded(head: LabelHead, names: Sequence[str], seen: Sequence[str]) -> dict[str, Any]:
    """Return the recorded figures of the suites, where the head was fitted on the files at hand.

    Raises:
        BenchmarkError: If it was fitted on others.
    """
    from benchmark_adapter.errors import BenchmarkError

    if other := [name for name in names if name not in seen]:
        raise BenchmarkError(
            f"cross-validated figures are recorded for the files the head was fitted on; {other[0]} here is another "
            "file, so no item of it was in the fit: run the command without --cross-validated"
        )
    known: dict[str, Any] = head.provenance["cross_validated"]
    every = set(known["suites"]) == set(names)
    return {
        "suites": {name: known["suites"][name] for name in names},
        "pooled": known["pooled"] if every else None,
        "leave_one_suite_out": {name: head.provenance["leave_one_suite_out"]["suites"][name] for name in names},
        "fitted_on": list(seen),
        "cross_validated": True,
    }
