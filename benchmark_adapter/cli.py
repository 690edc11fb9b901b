"""The command `stead-bench`."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from benchmark_adapter.calibration.commands import calibrate, report
from benchmark_adapter.data.commands import app as data_app
from benchmark_adapter.reported import ReportingGroup, reported
from benchmark_adapter.suites.decide_command import decide
from benchmark_adapter.suites.retrieve_command import retrieve

if TYPE_CHECKING:
    from benchmark_adapter.runs.manifest import Manifest

app = typer.Typer(
    name="stead-bench",
    cls=ReportingGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Run a personal agent through UserToolBench and score it.\n\n"
    "Start with `stead-bench run`: it plays the bundled personas without a key or a network.",
)
app.add_typer(data_app, name="data")
app.command()(retrieve)
app.command()(decide)
app.command()(calibrate)
app.command()(report)
_out, _err = Console(), Console(stderr=True)


class PlannerName(StrEnum):
    """Who proposes the next step."""

    rules = "rules"
    chat = "chat"
    oracle = "oracle"


class PolicyName(StrEnum):
    """How acting and asking are weighed."""

    benchmark = "benchmark"
    product = "product"


class ViewName(StrEnum):
    """What memory is told of past turns."""

    official = "official"
    extended = "extended"


class SimilarityName(StrEnum):
    """How texts are compared."""

    rouge = "rouge"
    fallback = "fallback"


JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout instead of tables.")]
DataOption = Annotated[
    Path | None,
    typer.Option(
        help="A topic file, a folder of them, or `hf:OWNER/NAME@REVISION`.", show_default="the bundled personas"
    ),
]
ToolsetsOption = Annotated[
    Path | None,
    typer.Option(help="Folder that toolset numbers point to.", show_default="`toolsets` in or beside the data"),
]


@app.command()
def run(
    data: DataOption = None,
    toolsets: ToolsetsOption = None,
    planner: Annotated[
        PlannerName | None,
        typer.Option(
            help="`rules`: no model; `chat`: an OpenAI-compatible endpoint (OPENAI_API_KEY, OPENAI_BASE_URL); "
            "`oracle`: a perfect reader of what was recalled, for data with `gold`.",
            show_default="chat with --provider, else rules",
        ),
    ] = None,
    memory: Annotated[
        str, typer.Option(help="Memory strategy: none, full, recent, lexical, dense, hybrid, state or stead.")
    ] = "stead",
    budget: Annotated[
        int | None, typer.Option(min=0, help="Tokens of recall a turn.", show_default="the strategy's own")
    ] = None,
    memory_of: Annotated[
        str | None,
        typer.Option(
            metavar="PERSONA",
            help="Control: everybody remembers the turns of PERSONA in place of their own, and PERSONA those of the "
            "next file. What is lost is what personalisation was worth.",
        ),
    ] = None,
    embedder: Annotated[str, typer.Option(help="`use` (packaged) or `sentence-transformers:MODEL`.")] = "use",
    policy: Annotated[PolicyName, typer.Option(help="`benchmark` maximises exact accuracy.")] = PolicyName.benchmark,
    heads: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Calibration heads: `hand_set`, `persona`, or a file of `calibrate`.",
            show_default="`persona` with the planner it was fitted with, else `hand_set`",
        ),
    ] = None,
    view: Annotated[
        ViewName, typer.Option(help="`extended` adds past dates and topic boundaries: not comparable.")
    ] = ViewName.official,
    provider: Annotated[
        str | None,
        typer.Option(help="Profile of the endpoint, say `kimi-k2.6` or `FILE.toml:NAME` (docs/models.md)."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model id for `chat`.", show_default="the profile's, or $STEAD_MODEL")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Endpoint for `chat`, or a region of the profile.", show_default="the profile's, or its variable"
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of prompt files for `chat`.", show_default="the bundled ones"),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, max=64, help="Answers asked for each plan; what most agree on is proposed.")
    ] = 1,
    similarity: Annotated[
        SimilarityName, typer.Option(help="As the reference evaluator with jieba and rouge, or without them.")
    ] = SimilarityName.rouge,
    seed: Annotated[int, typer.Option(help="Of the draw among topics of one time; official results use 42.")] = 42,
    concurrency: Annotated[int, typer.Option(min=1, help="Persons played at once.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N turns of each person.")] = None,
    relaxed: Annotated[
        bool,
        typer.Option(
            "--relaxed/--no-relaxed",
            help="Let turns go on after their first deviation, to judge whether the task came out right otherwise; "
            "exact scores are the same without.",
        ),
    ] = True,
    out: Annotated[Path | None, typer.Option(help="Run directory.", show_default="runs/<hash of the manifest>")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Play every turn of a data set, score it and print the table.

    An interrupted run goes on where it stopped when the same command is given again; a finished one prints its table.
    Exit status: 0 also if some turns failed (they are counted), 2 on bad input.
    """
    chosen = planner or (PlannerName.rules if provider is None else PlannerName.chat)
    with reported("the turns that are done are kept; the same command goes on from there"):
        from benchmark_adapter.runs.launch import RunOptions, prepare

        options = RunOptions(
            data=data,
            toolsets=toolsets,
            planner=chosen.value,
            memory=memory,
            memory_of=memory_of,
            budget=budget,
            embedder=embedder,
            policy=policy.value,
            heads=heads,
            view=view.value,
            similarity=similarity.value,
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
    _report(finished.metrics, as_json=as_json, manifest=finished.run.manifest)
    if not as_json:
        given = {
            "--data": data,
            "--toolsets": toolsets,
            "--planner": planner and planner.value,
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


@app.command()
def score(
    run_dir: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A run directory, or result files of another harness in the reference evaluator's layout.",
        ),
    ],
    data: DataOption = None,
    toolsets: ToolsetsOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Score a finished run, or the result files of another harness, again from the replies; nothing is written."""
    with reported("nothing was written"):
        from benchmark_adapter.scoring.result_scoring import holds_results, score_results
        from benchmark_adapter.scoring.run_scoring import score_run

        if holds_results(run_dir):
            metrics = score_results(run_dir, data=data, toolsets=toolsets)
            _report(metrics, as_json=as_json, manifest=None)
            return
        finished = score_run(run_dir, data=data, toolsets=toolsets)
    _report(finished.metrics, as_json=as_json, manifest=finished.run.manifest)


@app.command()
def audit(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run directory.")],
    data: DataOption = None,
    toolsets: ToolsetsOption = None,
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


@app.command()
def compare(
    run_dirs: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN…", help="Finished run directories; the first is compared with.")
    ],
    data: DataOption = None,
    toolsets: ToolsetsOption = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the differences to an image file (extra `plots`).", metavar="FILE.png")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Give the paired differences of runs over the same turns, with intervals.

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

    _out.print(comparison_tables(comparison), highlight=False, soft_wrap=False)


@app.command()
def verify(
    vectors: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of conformance vectors.")],
    similarity: Annotated[
        SimilarityName, typer.Option(help="As the reference evaluator with jieba and rouge, or without them.")
    ] = SimilarityName.rouge,
    as_json: JsonFlag = False,
) -> None:
    """Compare the evaluator with recorded behaviour of the reference evaluator; exit status 1 unless all agree."""
    with reported("nothing was written"):
        from benchmark_adapter.evaluator.conformance import verify as verify_vectors

        report = verify_vectors(vectors, similarity=similarity.value)
    if as_json:
        typer.echo(json.dumps(report.as_json()))
    else:
        from benchmark_adapter.scoring.table import agreement_table

        _out.print(agreement_table(report))
    raise typer.Exit(0 if report.all_agree else 1)


def _report(metrics: dict[str, Any], *, as_json: bool, manifest: Manifest | None) -> None:
    if as_json:
        typer.echo(json.dumps(metrics, ensure_ascii=False))
        return
    from benchmark_adapter.scoring.paper import standing
    from benchmark_adapter.scoring.table import show

    title = f"results in {Path(metrics['run_dir']).name}" if manifest is None else manifest.title
    show(_out, metrics, title=title, standing=standing(manifest))


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
