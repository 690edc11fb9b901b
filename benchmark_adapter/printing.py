"""Printing what is to be copied: paths and commands, each on a line of its own that no narrow terminal breaks."""

from __future__ import annotations

from rich.console import Console


def print_whole(console: Console, *lines: str) -> None:
    """Print lines as they are: no markup, no colour, no line breaks but their own."""
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
