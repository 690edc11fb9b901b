"""The commands `stead-bench calibrate` and `stead-bench report`."""

from __future__ import annotations

import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark_adapter.options import JsonFlag, RunDataOption, RunToolsetsOption
from benchmark_adapter.printing import print_whole
from benchmark_adapter.reported import reported

_out = Console()

RunsArgument = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Finished run directories.")]


class AblationName(StrEnum):
    """What heads look at."""

    none = "none"
    stated = "stated"
    posterior = "posterior"
    fusion = "fusion"
    best = "best"


def calibrate(
    runs: RunsArgument,
    out: Annotated[Path, typer.Option(help="Where the heads go, as JSON; made anew.")],
    signals: Annotated[
        AblationName,
        typer.Option(
            help="What heads look at: `none` (base rates), `stated` (the planner's own confidence), `posterior` "
            "(evidence for the arguments), `fusion` (both), `best` (each head what foretells other persons best)."
        ),
    ] = AblationName.fusion,
    penalty: Annotated[float, typer.Option(min=1e-9, help="C of the L2 penalty, on standardised signals.")] = 0.1,
    isotonic: Annotated[
        bool, typer.Option("--isotonic", help="Recalibrate by an isotonic curve; needs 1,000 labels a head.")
    ] = False,
    base: Annotated[
        str | None,
        typer.Option(metavar="HEADS", help="Refit only the intercepts of these: `hand_set`, `persona`, a file."),
    ] = None,
    certify_on: Annotated[
        list[str] | None,
        typer.Option(metavar="PERSONA", help="Set this person aside for certificates; repeat for several."),
    ] = None,
    alpha: Annotated[float, typer.Option(min=0.001, max=0.999, help="Largest share that may go wrong.")] = 0.1,
    delta: Annotated[float, typer.Option(min=0.001, max=0.999, help="Risk that a selective promise fails.")] = 0.1,
    data: RunDataOption = None,
    toolsets: RunToolsetsOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Fit the heads p_act, p_calls and p_asked on runs with references.

    Scores are leave-one-persona-out. On bad input (too few labels, labels all alike, runs of different planners) one
    message, exit status 2, and nothing is written.
    """
    with reported("nothing was written"):
        from benchmark_adapter.calibration.calibrate import Plan, read_pool, require_labels, write_heads
        from benchmark_adapter.calibration.calibrate import calibrate as calibrate_pool

        pool = read_pool(runs, data=data, toolsets=toolsets)
        require_labels(pool)
        plan = Plan(signals.value, penalty, isotonic, base, tuple(certify_on or ()), alpha, delta)
        calibration = calibrate_pool(pool, plan)
        write_heads(out, calibration.heads)
    if as_json:
        typer.echo(json.dumps({"out": str(out), **calibration.as_json()}, ensure_ascii=False))
        return
    from benchmark_adapter.calibration.calibrate_table import calibration_tables

    _out.print(calibration_tables(calibration))
    print_whole(_out, "\nUse them:", shlex.join(["stead-bench", "run", "--heads", str(out)]))


def report(
    runs: RunsArgument,
    data: RunDataOption = None,
    toolsets: RunToolsetsOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write `report.html` into each run directory: calibration, risk against coverage, acting and asking, worst errors.

    The file needs nothing from elsewhere.
    """
    with reported("nothing was written"):
        from benchmark_adapter.reports.report import write_report
        from benchmark_adapter.runs.run_scoring import judged_turns, read_with_data

        read = [read_with_data(path, data=data, toolsets=toolsets) for path in runs]
        written = [write_report(run, judged_turns(run, sessions)) for run, sessions in read]
    if as_json:
        typer.echo(json.dumps({"reports": [str(path) for path in written]}, ensure_ascii=False))
    else:
        for path in written:
            print_whole(_out, str(path))
