"""The commands `stead-bench data`: what a data set is made of, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from benchmark_adapter.options import JsonFlag, ToolsetsOption
from benchmark_adapter.printing import print_whole
from benchmark_adapter.reported import reported

app = typer.Typer(no_args_is_help=True, help="Look into a data set: what it is made of, and what is wrong with it.")
_FAULTY = 1
_out, _err = Console(), Console(stderr=True)

DataArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="PATH",
        help="A topic file, a folder of them, or `hf:OWNER/NAME@REVISION`.",
        show_default="the bundled personas",
    ),
]


@app.command()
def stats(data: DataArgument = None, toolsets: ToolsetsOption = None, as_json: JsonFlag = False) -> None:
    """Count task types, compare trajectories under the same toolset, measure the tools.

    The paper's figures stand beside those of the data, marked as of the official data.
    """
    with reported("nothing was written"):
        from benchmark_adapter.data.dataset import load_sessions
        from benchmark_adapter.data.source import located
        from benchmark_adapter.data.topic_files import find_topic_files, toolsets_of
        from benchmark_adapter.inspection.stats import candidate_toolsets, data_statistics, paper_statistics

        with located(data) as path:
            sessions = load_sessions(path, toolsets=toolsets)
            folder = toolsets or toolsets_of(find_topic_files(path).topics[0], path).folder
            found = data_statistics(sessions, candidate_toolsets(folder))
    if as_json:
        named = {"path": _name(data), **found, "official_data": paper_statistics()}
        typer.echo(json.dumps(named, ensure_ascii=False, allow_nan=False))
        return
    from benchmark_adapter.inspection.stats_table import statistics_tables

    print_whole(_out, _name(data))
    _out.print(statistics_tables(found, paper_statistics(), title=Path(_name(data)).name))


@app.command()
def validate(data: DataArgument = None, toolsets: ToolsetsOption = None, as_json: JsonFlag = False) -> None:
    """Report every fault with file, line and mend.

    Exit status: 0 without errors (warnings may be there), 1 with errors, 2 when there is nothing that can be read.
    """
    with reported("nothing was written"):
        from benchmark_adapter.data.source import located
        from benchmark_adapter.inspection.validation import validate_data

        with located(data) as path, Progress(console=_err, transient=True) as progress:
            task = progress.add_task("files", total=None)
            report = validate_data(
                path, toolsets=toolsets, on_file=lambda done, of: progress.update(task, completed=done, total=of)
            )
    if as_json:
        typer.echo(json.dumps({"path": _name(data), **report.as_json()}, ensure_ascii=False))
    else:
        from benchmark_adapter.inspection.stats_table import print_report

        print_report(_out, report)
    raise typer.Exit(_FAULTY if report.errors else 0)


def _name(data: Path | None) -> str:
    from benchmark_adapter.data.source import BUNDLED

    return BUNDLED if data is None else str(data)
