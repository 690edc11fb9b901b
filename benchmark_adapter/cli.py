"""The command `stead-bench`."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agent.commands.options import (
    DECIDING,
    ENDPOINT,
    MEMORY,
    PLANNER,
    BaseUrlOption,
    EmbedderOption,
    MemoryOption,
    ModelOption,
    PolicyOption,
    ProviderOption,
    VersionOption,
)
from benchmark_adapter.calibration.commands import calibrate, report
from benchmark_adapter.data.commands import app as data_app
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.options import (
    DATA,
    DataOption,
    FullFlag,
    JsonFlag,
    RunDataOption,
    RunToolsetsOption,
    ToolsetsOption,
)
from benchmark_adapter.replay.past import View
from benchmark_adapter.reported import ReportingGroup, reported
from benchmark_adapter.runs.manifest import PlannerName
from benchmark_adapter.suites.decide_command import decide
from benchmark_adapter.suites.retrieve_command import retrieve

if TYPE_CHECKING:
    from benchmark_adapter.runs.manifest import Manifest

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
_out, _err = Console(), Console(stderr=True)

AGENT, PARTS, GROUND = "Measure an agent", "Measure and fit its parts", "Check the ground"
SCORING, RUN = "Scoring", "Run"
"""Panels of commands and of options."""
SimilarityOption = Annotated[
    SimilarityMode,
    typer.Option(
        help="How texts are compared: as the reference evaluator with jieba and rouge, or without them.",
        rich_help_panel=SCORING,
    ),
]


@app.callback()
def _stead_bench(version: VersionOption = False) -> None:
    """Take the options that stand before a command."""


@app.command(rich_help_panel=AGENT)
def run(
    data: DataOption = None,
    toolsets: ToolsetsOption = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Play only the first N turns of each person.", rich_help_panel=DATA),
    ] = None,
    planner: Annotated[
        PlannerName | None,
        typer.Option(
            help="Who proposes: `rules` needs no model; `chat` is a model behind an OpenAI-compatible endpoint; "
            "`oracle` reads perfectly what was recalled, and so measures memory alone (data with `gold`).",
            show_default="chat with --provider, else rules",
            rich_help_panel=PLANNER,
        ),
    ] = None,
    memory: MemoryOption = "stead",
    budget: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="TOKENS", help="Of recall a turn.", show_default="the strategy's own", rich_help_panel=MEMORY
        ),
    ] = None,
    embedder: EmbedderOption = "use",
    view: Annotated[
        View,
        typer.Option(
            help="What memory is told of past turns: `official` what the reference harness tells; `extended` also "
            "dates and topic boundaries, which is not comparable.",
            rich_help_panel=MEMORY,
        ),
    ] = "official",
    memory_of: Annotated[
        str | None,
        typer.Option(
            metavar="PERSONA",
            help="Control: everybody remembers the turns of PERSONA in place of their own, and PERSONA those of the "
            "next file. What is lost is what personalisation was worth.",
            rich_help_panel=MEMORY,
        ),
    ] = None,
    policy: PolicyOption = "benchmark",
    heads: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="What turns evidence into probabilities: `hand_set`, `persona`, or a file of `stead-bench calibrate`.",
            show_default="persona with the planner it was fitted with, else hand_set",
            rich_help_panel=DECIDING,
        ),
    ] = None,
    provider: ProviderOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of prompt files.", show_default="the bundled ones", rich_help_panel=ENDPOINT
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            min=1,
            max=64,
            metavar="K",
            help="Answers asked for each plan; what most agree on is proposed.",
            rich_help_panel=ENDPOINT,
        ),
    ] = 1,
    similarity: SimilarityOption = "rouge",
    relaxed: Annotated[
        bool,
        typer.Option(
            "--relaxed/--no-relaxed",
            help="Let turns go on after their first deviation, to judge whether the task came out right otherwise. "
            "Exact scores are the same without.",
            rich_help_panel=SCORING,
        ),
    ] = True,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Draws among topics of one time (official results use 42), and the intervals.",
            rich_help_panel=SCORING,
        ),
    ] = 42,
    concurrency: Annotated[
        int, typer.Option(min=1, metavar="N", help="Persons played at once; numbers are the same.", rich_help_panel=RUN)
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Run directory.", show_default="runs/<hash of the manifest>", rich_help_panel=RUN
        ),
    ] = None,
    full: FullFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Play every turn of a data set, score it and print the table.

    Interrupted, the same command goes on where it stopped; finished, it prints its table again. Exit status: 0 also if
    some turns failed (they are counted), 2 on bad input.
    """
    with reported("the turns that are done are kept; the same command goes on from there"):
        from benchmark_adapter.runs.launch import RunOptions, prepare

        options = RunOptions(
            data=data,
            toolsets=toolsets,
            planner=planner or ("rules" if provider is None else "chat"),
            memory=memory,
            memory_of=memory_of,
            budget=budget,
            embedder=embedder,
            policy=policy,
            heads=heads,
            view=view,
            similarity=similarity,
            model=model,
            base_url=base_url,
            provider=provider,
            prompt=prompt,
            samples=samples,
            seed=seed,
            limit=limit,
            relaxed=relaxed,
            concurrency=concurrency,
            out=out,
        )
        launch = prepare(options)
        for note in launch.notes:
            _err.print(note, highlight=False, markup=False, soft_wrap=True)
        with launch.open() as run_directory, _progress() as progress:
            task = progress.add_task(f"{options.planner} with {options.memory}", total=launch.n)
            finished = launch.finish(run_directory, on_turn=lambda line: progress.advance(task))
    _report(finished.metrics, as_json=as_json, full=full, manifest=finished.run.manifest)
    if not as_json:
        given = {
            "--data": data,
            "--toolsets": toolsets,
            "--planner": planner,
            "--provider": provider,
            "--model": model,
            "--base-url": base_url,
            "--prompt": prompt,
            "--samples": None if samples == 1 else samples,
            "--heads": heads,
            "--memory": "none" if memory != "none" else "full",
        }
        words = [str(word) for option in given.items() if option[1] is not None for word in option]
        _out.print(f"\nRun directory: {finished.run.path}", highlight=False, markup=False, soft_wrap=True)
        _out.print(
            f"Next, see what memory is worth: {shlex.join([_command(), 'run', *words])}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )


def _command() -> str:
    """Return how this command is called from here: its name if the search path has it, else its path."""
    return "stead-bench" if shutil.which("stead-bench") or not sys.argv[0].endswith("stead-bench") else sys.argv[0]


@app.command(rich_help_panel=AGENT)
def score(
    run_dir: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A run directory, or result files of another harness in the reference evaluator's layout.",
        ),
    ],
    data: RunDataOption = None,
    toolsets: RunToolsetsOption = None,
    full: FullFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Score a finished run, or the result files of another harness, again from the replies; nothing is written."""
    with reported("nothing was written"):
        from benchmark_adapter.scoring.result_scoring import holds_results, score_results
        from benchmark_adapter.scoring.run_scoring import score_run

        if holds_results(run_dir):
            metrics = score_results(run_dir, data=data, toolsets=toolsets)
            _report(metrics, as_json=as_json, full=full, manifest=None)
            return
        finished = score_run(run_dir, data=data, toolsets=toolsets)
    _report(finished.metrics, as_json=as_json, full=full, manifest=finished.run.manifest)


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
        from benchmark_adapter.scoring.audit import audit as audit_turns
        from benchmark_adapter.scoring.run_scoring import judged_turns, read_with_data

        finished, sessions = read_with_data(run_dir, data=data, toolsets=toolsets)
        found = audit_turns(judged_turns(finished, sessions))
    from benchmark_adapter.scoring.audit_table import audit_json, audit_tables

    if as_json:
        typer.echo(json.dumps({"run_dir": str(run_dir), **audit_json(found, examples)}, ensure_ascii=False))
    else:
        _out.print(audit_tables(found, examples, title=str(run_dir)))


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
        from benchmark_adapter.scoring.run_comparison import compare_runs
        from benchmark_adapter.scoring.run_comparison_plot import plot_comparison

        comparison = compare_runs(run_dirs, data=data, toolsets=toolsets)
        if plot is not None:
            plot_comparison(comparison, plot)
    if as_json:
        typer.echo(json.dumps(comparison.as_json(), ensure_ascii=False))
        return
    from benchmark_adapter.scoring.run_comparison_table import comparison_tables

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
        from benchmark_adapter.scoring.table import agreement_table

        _out.print(agreement_table(report))
    raise typer.Exit(0 if report.all_agree else 1)


app.command(rich_help_panel=AGENT)(report)
app.command(rich_help_panel=PARTS)(retrieve)
app.command(rich_help_panel=PARTS)(decide)
app.command(rich_help_panel=PARTS)(calibrate)
app.add_typer(data_app, name="data", rich_help_panel=GROUND)
app.command(rich_help_panel=GROUND)(verify)


def _report(metrics: dict[str, Any], *, as_json: bool, full: bool, manifest: Manifest | None) -> None:
    if as_json:
        typer.echo(json.dumps(metrics, ensure_ascii=False))
        return
    from benchmark_adapter.scoring.paper import standing
    from benchmark_adapter.scoring.table import run_tables, summary_table

    title = f"results in {Path(metrics['run_dir']).name}" if manifest is None else manifest.title
    tables = run_tables if full else summary_table
    _out.print(tables(metrics, title=title, standing=standing(manifest)))


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("turns"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=_err)
