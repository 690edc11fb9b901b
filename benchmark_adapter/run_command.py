"""The command `stead-bench run`."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Sequence
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
)
from benchmark_adapter.options import DATA, SCORING, DataOption, FullFlag, JsonFlag, SimilarityOption, ToolsetsOption
from benchmark_adapter.printing import print_whole
from benchmark_adapter.replay.past import View
from benchmark_adapter.reported import BAD_INPUT, reported
from benchmark_adapter.runs.manifest import PlannerName

if TYPE_CHECKING:
    from benchmark_adapter.replay.turn_result import TurnLine
    from benchmark_adapter.runs.manifest import Manifest

RUN = "Run"
"""The panel of options that decide no number."""
_out, _err = Console(), Console(stderr=True)


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
    stated_sources: Annotated[
        bool,
        typer.Option(
            "--stated-sources",
            help="Have the oracle say where each value comes from, by `gold`, as a model does.",
            rich_help_panel=PLANNER,
        ),
    ] = False,
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
    some turns failed (they are counted), 2 if all did and on bad input.
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
            stated_sources=stated_sources,
            seed=seed,
            limit=limit,
            relaxed=relaxed,
            concurrency=concurrency,
            out=out,
        )
        launch = prepare(options)
        for note in launch.notes:
            print_whole(_err, note)
        with launch.open() as run_directory, _progress() as progress:
            task = progress.add_task(f"{options.planner} with {options.memory}", total=launch.n)
            finished = launch.finish(run_directory, on_turn=lambda line: progress.advance(task))
    print_metrics(finished.metrics, as_json=as_json, full=full, manifest=finished.run.manifest)
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
        words = ["run", *(str(word) for option in given.items() if option[1] is not None for word in option)]
        hint = "see what memory is worth"
        from benchmark_adapter.reports.run_comparison import comparable_run

        if (other := comparable_run(finished.run)) is not None:
            hint, words = "see what differs from the last such run", ["compare", str(other), str(finished.run.path)]
        print_whole(_out, "\nRun directory:", str(finished.run.path))
        print_whole(_out, f"Next, {hint}:", shlex.join([_command(), *words]))
    _tell_failures(finished.run.lines)


def print_metrics(metrics: dict[str, Any], *, as_json: bool, full: bool, manifest: Manifest | None) -> None:
    """Print the numbers of a run, or of result files where `manifest` is `None`."""
    if as_json:
        typer.echo(json.dumps(metrics, ensure_ascii=False))
        return
    from benchmark_adapter.reports.kept_back import kept_back
    from benchmark_adapter.reports.paper import standing
    from benchmark_adapter.reports.table import run_tables, summary_table

    title = f"results in {Path(metrics['run_dir']).name}" if manifest is None else manifest.title
    tables = run_tables if full else summary_table
    _out.print(tables(metrics, title=title, standing=standing(manifest), beside=kept_back(manifest)))
    if full and manifest is not None and manifest.heads_saw:
        _out.print(
            f"The heads were fitted on {', '.join(manifest.heads_saw)}: the calibration figures flatter them; "
            "docs/results.md has those of persons they had not seen.",
            highlight=False,
            markup=False,
        )


def _tell_failures(lines: Sequence[TurnLine]) -> None:
    """Say what ended the first turn that failed; exit with status 2 where all did."""
    failed = [(line, line.failure) for line in lines if line.failure is not None]
    if not failed:
        return
    line, failure = failed[0]
    print_whole(
        _err,
        f"stead-bench: {len(failed)} of {len(lines)} turns failed; first turn {line.turn} of {line.session}:",
        f"{failure.type}: {failure.message}",
        *([failure.place] if failure.place else []),
    )
    if len(failed) == len(lines):
        raise typer.Exit(BAD_INPUT)


def _command() -> str:
    """Return how this command is called from here: its name if the search path has it, else its path."""
    return "stead-bench" if shutil.which("stead-bench") or not sys.argv[0].endswith("stead-bench") else sys.argv[0]


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
