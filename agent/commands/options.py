"""Options and choices that commands of both `stead` and `stead-bench` take, worded once."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated, Literal

import typer

PolicyName = Literal["product", "benchmark"]

MEMORY, PLANNER, ENDPOINT, DECIDING = "Memory", "Planner", "Endpoint of --planner chat", "Acting and asking"
"""Panels that options stand in."""

MemoryOption = Annotated[
    str,
    typer.Option(
        help="What the planner is shown of the past: `none`, `full` (all), `recent` (last turns), `lexical` (BM25), "
        "`dense` (vectors), `hybrid` (both), `state` (what is believed) or `stead` (state and the turns that matter).",
        rich_help_panel=MEMORY,
    ),
]
EmbedderOption = Annotated[
    str,
    typer.Option(
        metavar="use|KIND:MODEL",
        help="What makes vectors: `use` (packaged, English and Chinese) or `sentence-transformers:NAME_OR_PATH`.",
        rich_help_panel=MEMORY,
    ),
]
PolicyOption = Annotated[
    PolicyName,
    typer.Option(
        help="`product` weighs what a wrong call costs against a question; `benchmark` does what is most likely to be "
        "exactly right.",
        rich_help_panel=DECIDING,
    ),
]
ProviderOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE.toml:NAME",
        help="Profile of the endpoint, say `kimi-k2.6` (docs/models.md).",
        show_default="any OpenAI-compatible endpoint",
        rich_help_panel=ENDPOINT,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Model at the endpoint.",
        show_default="the profile's, or $STEAD_MODEL, else the endpoint's only one",
        rich_help_panel=ENDPOINT,
    ),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL|REGION",
        help="Address, or a region of the profile.",
        show_default="the profile's, or $OPENAI_BASE_URL",
        rich_help_panel=ENDPOINT,
    ),
]


def print_version(context: typer.Context, is_wanted: bool) -> None:
    """Print the version of the command and end, where it is asked for."""
    if is_wanted:
        typer.echo(f"{context.find_root().command.name} {metadata.version('stead')}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and end.")
]
