"""Options that several commands of `stead-bench` take, worded once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmark_adapter.evaluator.similarity import SimilarityMode

DATA, SCORING = "Data", "Scoring"
"""Panels that options stand in."""

DataOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH|hf:ID@REV",
        help="A topic file, a folder of them, or `hf:OWNER/NAME@REVISION` (docs/data.md).",
        show_default="the bundled personas",
        rich_help_panel=DATA,
    ),
]
ToolsetsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder that toolset numbers point to.",
        show_default="toolsets in or beside the data",
        rich_help_panel=DATA,
    ),
]
RunDataOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH|hf:ID@REV",
        help="Where the data of the run lie now.",
        show_default="where the run found them",
        rich_help_panel=DATA,
    ),
]
RunToolsetsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where their toolsets lie now.",
        show_default="where the run found them",
        rich_help_panel=DATA,
    ),
]
SimilarityOption = Annotated[
    SimilarityMode,
    typer.Option(
        help="How texts are compared: as the reference evaluator with jieba and rouge, or without them.",
        rich_help_panel=SCORING,
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout instead of tables.")]
FullFlag = Annotated[bool, typer.Option("--full", help="Print every number, not only those to read first.")]
