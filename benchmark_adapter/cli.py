"""The command `stead-bench`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agent.commands.options import VersionOption
from agent.printable import escape_what_streams_lack
from benchmark_adapter.calibration.commands import calibrate, report
from benchmark_adapter.inspection.commands import app as data_app
from benchmark_adapter.options import FullFlag, JsonFlag, RunDataOption, RunToolsetsOption, SimilarityOption
from benchmark_adapter.printing import print_whole
from benchmark_adapter.reported import ReportingGroup, reported
from benchmark_adapter.run_command import print_metrics, run
from benchmark_adapter.suites.decide_command import decide
from benchmark_adapter.suites.retrieve_command import retrieve
from benchmark_adapter.suites.state_command import state

app = typer.Typer(
    name="stead-bench",
    cls=ReportingGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Run a personal agent through UserToolBench and score it.\n\n"
    "Start with `stead-bench run`: it plays the bundled personas without a key or a network.",
)
_out = Console()

AGENT, PARTS, GROUND = "Measure an agent", "Measure and fit its parts", "Check the ground"
"""Panels of commands, in the order of the help."""


@app.callback()
def _stead_bench(version: VersionOption = False) -> None:
    """Take the options that stand before a command."""
    escape_what_streams_lack()


app.command(rich_help_panel=AGENT)(run)


@app.command(rich_help_panel=AGENT)
def score(
    run_dir: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A run directory, or result files of another harness in the reference evaluator's layout; of which "
            "data, --data says (else the bundled personas).",
        ),
    ],
    data: RunDataOption = None,
    toolsets: RunToolsetsOption = None,
    full: FullFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Score a finished run, or the result files of another harness, again from the replies; nothing is written."""
    with reported("nothing was written"):
        from benchmark_adapter.runs.result_scoring import holds_results, score_results
        from benchmark_adapter.runs.run_scoring import score_run

        if holds_results(run_dir):
            metrics = score_results(run_dir, data=data, toolsets=toolsets)
            print_metrics(metrics, as_json=as_json, full=full, manifest=None)
            return
        finished = score_run(run_dir, data=data, toolsets=toolsets)
    print_metrics(finished.metrics, as_json=as_json, full=full, manifest=finished.run.manifest)


@app.command(rich_help_panel=AGENT)
def audit(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run directory.")],
    data: RunDataOption = None,
    toolsets: RunToolsetsOption = None,
    examples: Annotated[int, typer.Option(min=0, help="Failed turns to show of each kind of fault.")] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Say what went wrong in the turns that are not exactly right; nothing is written."""
    with reported("nothing was written"):
        from benchmark_adapter.reports.audit import audit as audit_turns
        from benchmark_adapter.runs.run_scoring import judged_turns, read_with_data

        finished, sessions = read_with_data(run_dir, data=data, toolsets=toolsets)
        found = audit_turns(judged_turns(finished, sessions))
    from benchmark_adapter.reports.audit_table import audit_json, audit_tables

    if as_json:
        typer.echo(json.dumps({"run_dir": str(run_dir), **audit_json(found, examples)}, ensure_ascii=False))
    else:
        print_whole(_out, str(run_dir))
        _out.print(audit_tables(found, examples, title=run_dir.name))


@app.command(rich_help_panel=AGENT)
def compare(
    run_dirs: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN…", help="Finished run directories; the first is compared with.")
    ],
    data: RunDataOption = None,
    toolsets: RunToolsetsOption = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the differences to an image file (extra `plots`).", metavar="FILE.png")
    ] = None,
    full: FullFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Say what differs between runs over the same turns: settings, and numbers with intervals of the difference.

    Runs that differ in data, limit, scorer, similarity or view are refused, as are unfinished ones.
    """
    with reported("nothing was written"):
        from benchmark_adapter.reports.run_comparison import compare_runs
        from benchmark_adapter.reports.run_comparison_plot import plot_comparison

        comparison = compare_runs(run_dirs, data=data, toolsets=toolsets)
        if plot is not None:
            plot_comparison(comparison, plot)
    if as_json:
        typer.echo(json.dumps(comparison.as_json(), ensure_ascii=False))
        return
    from benchmark_adapter.reports.run_comparison_table import comparison_tables

    _out.print(f"{comparison.n} turns", highlight=False)
    for number, one in enumerate(comparison.runs, start=1):
        print_whole(_out, f"{number}: {one.manifest.title}", str(one.path))
    _out.print(comparison_tables(comparison, full=full), highlight=False, soft_wrap=False)


def verify(
    vectors: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of conformance vectors.")],
    similarity: SimilarityOption = "rouge",
    as_json: JsonFlag = False,
) -> None:
    """Compare the evaluator with recorded behaviour of the reference evaluator; exit status 1 unless all agree."""
    with reported("nothing was written"):
        from benchmark_adapter.evaluator.conformance import verify as verify_vectors

        report = verify_vectors(vectors, similarity=similarity)
    if as_json:
        typer.echo(json.dumps(report.as_json()))
    else:
        from benchmark_adapter.reports.table import agreement_table

        _out.print(agreement_table(report))
    raise typer.Exit(0 if report.all_agree else 1)


app.command(rich_help_panel=AGENT)(report)
app.command(rich_help_panel=PARTS)(retrieve)
app.command(rich_help_panel=PARTS)(decide)
app.command(rich_help_panel=PARTS)(state)
app.command(rich_help_panel=PARTS)(calibrate)
app.add_typer(data_app, name="data", rich_help_panel=GROUND)
app.command(rich_help_panel=GROUND)(verify)
