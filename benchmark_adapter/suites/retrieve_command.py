"""The command `stead-bench retrieve`: how well memory strategies find turns of public data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from agent.commands.options import EmbedderOption
from benchmark_adapter.options import JsonFlag
from benchmark_adapter.reported import reported

_out, _err = Console(), Console(stderr=True)


def retrieve(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A folder with locomo, prefeval, bfcl-memory or personalens in it.")
    ],
    memory: Annotated[
        list[str] | None,
        typer.Option(help="A memory strategy; may be given more than once.", show_default="every strategy"),
    ] = None,
    suite: Annotated[
        list[str] | None, typer.Option(help="A suite; may be given more than once.", show_default="all that are there")
    ] = None,
    split: Annotated[
        str, typer.Option(help="`K/N`: the K-th of N parts of the people, by a fixed hash of their names.")
    ] = "1/1",
    embedder: EmbedderOption = "use",
    as_json: JsonFlag = False,
) -> None:
    """Measure recall@5, recall@10 and MRR of memory strategies on public data sets.

    Every log is remembered in a temporary memory and recalled from it as an application does; no tools are on offer.
    Exit status: 2 on bad input.
    """
    with reported("nothing was written"):
        from benchmark_adapter.suites.retrieval import evaluate, steps_of
        from benchmark_adapter.suites.retrieval_suites import load_suites, part_of
        from memory.strategies import STRATEGIES

        strategies = list(dict.fromkeys(memory or STRATEGIES))
        suites = part_of(load_suites(data, suite), split)
        with Progress(console=_err, transient=True) as progress:
            task = progress.add_task("turns remembered, queries put", total=steps_of(suites, strategies))
            tallies = evaluate(suites, strategies, embedder=embedder, on_step=lambda n: progress.advance(task, n))
    found = {name: {strategy: tally.as_json() for strategy, tally in row.items()} for name, row in tallies.items()}
    if as_json:
        typer.echo(json.dumps({"suites": found}, allow_nan=False))
        return
    from benchmark_adapter.suites.retrieval_table import retrieval_tables

    _out.print(retrieval_tables(found))
