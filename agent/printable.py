"""Text of others as a terminal may be given it."""

from __future__ import annotations

import io
import sys
import unicodedata

_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Classes of the characters that turn the direction of what follows (Unicode Standard Annex 9, table 4)."""


def printable(text: str) -> str:
    r"""Return `text` with what steers a terminal or turns the direction of writing as escapes (`\x1b`).

    A request, a reply and a tool's result may hold such sequences: they could hide a line, forge one, or name a window.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) if _steers(char) else char for char in text)


def counted(count: int, noun: str) -> str:
    """Return a number of things in words: `1 turn`, `2 turns`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def escape_what_streams_lack() -> None:
    """Let stdout and stderr write as an escape what their encoding lacks, where the locale has ASCII only, say."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _steers(char: str) -> bool:
    return (unicodedata.category(char) == "Cc" and char not in "\n\t") or unicodedata.bidirectional(char) in _TURNING


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
