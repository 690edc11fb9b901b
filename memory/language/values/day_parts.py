"""Parts of the day in words, and which half of the day they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Half = Literal["early", "late"]
_DECIDED = re.compile(
    r"[ap]\.?m\b|\b(?:morning|afternoon|evening|night|noon|midday|midnight)\b"
    r"|凌晨|早|清晨|上午|中午|下午|傍晚|晚|夜|正午",
    re.IGNORECASE,
)
_PART_OF_DAY = re.compile(
    r"(?:(?:in|at|by|during) (?:the )?|early |late )?"
    r"(?:day(?:time)?|night(?:time)?|mornings?|afternoons?|evenings?|noon|midday|midnight|dawn|dusk|sunrise|sunset)s?"
    r"|凌晨|清晨|早[上晨间]?|上午|中午|正午|下午|傍晚|黄昏|日落|日出|晚[上间]?|夜[里晚间]?|深夜|半夜|午夜|白天|[日夜]间",
    re.IGNORECASE,
)
_LATE = re.compile(r"\b(?:tonight|evening|night|dinner|supper|pm|afternoon)\b|晚|夜|下午", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:morning|dawn|breakfast|early|sunrise|am)\b|凌晨|早|清晨|上午", re.IGNORECASE)
_EVENING = re.compile(
    r"\b(?:tonight|evenings?|dinner|supper)\b|(?<![最太])晚(?!于|些|一点|点(?![钟半]))", re.IGNORECASE
)
_MORNING = re.compile(
    r"\b(?:mornings?|dawn|breakfast|sunrise)\b|凌晨|清晨|上午|(?<![最尽趁])早(?!就|已|于|些|一?点(?![钟半]))",
    re.IGNORECASE,
)
"""Words for the two ends of the day, not for earlier and later; a night is rather what one sleeps through."""


_VAGUE = re.compile(
    r"\b(?:a (?:bit|little|touch)|just|shortly|soon|right) (?:after|before|past)\b"
    r"|\b(?:around|about|roughly|ish|gone|approximately)\b|左右|前后|出头|不到|刚过|大概|差不多",
    re.IGNORECASE,
)


def is_vague(text: str) -> bool:
    """Say whether `text` names a time only roughly: "a bit after six", 八点左右."""
    return _VAGUE.search(text) is not None


def is_part_of_day(value: str) -> bool:
    """Say whether a whole value is a part of the day in words: "night", 白天."""
    return _PART_OF_DAY.fullmatch(value.strip()) is not None


def tells_half(words: str) -> bool:
    """Say whether the words of a time decide which half of the day it is in."""
    return _DECIDED.search(words) is not None


def speaks_of_half(text: str, half: Half) -> bool:
    """Say whether `text` has a word of that half of the day, a night and an afternoon included."""
    return (_LATE if half == "late" else _EARLY).search(text) is not None


def half_of_day(texts: Iterable[str]) -> Half | None:
    """Return the half of the day that the first text which speaks of one alone speaks of ("dinner"), or `None`."""
    for text in texts:
        is_late, is_early = bool(_EVENING.search(text)), bool(_MORNING.search(text))
        if is_late != is_early:
            return "late" if is_late else "early"
    return None
