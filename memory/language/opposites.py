"""Deeds that undo one another (`tongues/opposites.toml`): which side a tool is on, and which side words are on."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from memory.language.text import split_name
from memory.language.text_cache import text_cache

_FILE = Path(__file__).with_name("tongues") / "opposites.toml"


class _Pair(NamedTuple):
    """The words of two deeds that undo one another, each longest first."""

    sides: tuple[re.Pattern[str], re.Pattern[str]]


@text_cache(4096)
def is_opposite(words: str, tool_name: str, description: str) -> bool:
    """Say whether `words` name the deed that undoes what the tool does, and not the tool's own.

    Args:
        words: A clause of a person.
        tool_name: Of the tool; its words decide, else the first ones of its description.
        description: Of the tool.
    """
    named = " ".join(split_name(tool_name))
    opening = " ".join(description.split()[:4])
    for pair in _pairs():
        side = _side(pair, named)
        if side is None:
            side = _side(pair, opening)
        if side is not None and _side(pair, words) == 1 - side:
            return True
    return False


def _side(pair: _Pair, text: str) -> int | None:
    """Return which side `text` is on; where it names both, the one whose longer words it names, else neither."""
    found = [max((len(match) for match in side.findall(text.casefold())), default=0) for side in pair.sides]
    if found[0] == found[1]:
        return None
    return 0 if found[0] > found[1] else 1


@cache
def _pairs() -> tuple[_Pair, ...]:
    told = tomllib.loads(_FILE.read_text(encoding="utf-8"))["pairs"]
    return tuple(_Pair((_pattern(one["en"][0], one["zh"][0]), _pattern(one["en"][1], one["zh"][1]))) for one in told)


def _pattern(english: list[str], chinese: list[str]) -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, english), key=len, reverse=True))
    signs = "|".join(sorted(map(re.escape, chinese), key=len, reverse=True))
    return re.compile(rf"\b(?:{words})\b|(?:{signs})")
