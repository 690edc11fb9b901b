"""What a text says, read once: its normal form, its typed mentions, its words."""

from __future__ import annotations

import re
from datetime import datetime

from memory.language.text import normalise, stem
from memory.language.text_cache import text_cache
from memory.language.values.mentions import Mention, mentions

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
IS_CJK = re.compile(f"[{CJK}]")
_TERM = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")


@text_cache(4096)
def normalised(text: str) -> str:
    """Return `memory.language.text.normalise(text)`; one decision reads the same few texts for many values."""
    return normalise(text)


@text_cache(1024)
def mentions_in(text: str, now: datetime | None) -> tuple[Mention, ...]:
    """Return `memory.language.values.mentions.mentions(text, now)`, remembered."""
    return tuple(mentions(text, now))


@text_cache(4096)
def terms(normal: str) -> frozenset[str]:
    """Return the stems of the words of a normal text, bigrams of CJK runs (single characters where a run is one)."""
    found: set[str] = set()
    for run in _TERM.findall(normal):
        if IS_CJK.match(run):
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            found.add(stem(run))
    return frozenset(found)


def holds(source: str, wanted: str) -> bool:
    """Say whether a normal text has another in one piece.

    A boundary is needed where `wanted` begins or ends with a letter or digit of an alphabet.
    """
    start = source.find(wanted)
    while wanted and start >= 0:
        end = start + len(wanted)
        if not (_joined(source, start) or _joined(source, end)):
            return True
        start = source.find(wanted, start + 1)
    return False


def _joined(source: str, at: int) -> bool:
    """Whether the characters on both sides of position `at` belong to one word."""
    if at <= 0 or at >= len(source):
        return False
    left, right = source[at - 1], source[at]
    if not (_is_letter(left) and _is_letter(right)):
        return False
    return not (IS_CJK.match(left) or IS_CJK.match(right))


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"
