"""Allowed values that are spans of time ("04:00-05:00"), as people say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from agent.planners.rules.utterance import Said, Text
from memory.tools import Parameter

_SPAN = re.compile(r"(\d{1,2}):(\d{2})\s?(?:-|–|~|至|到|to)\s?(\d{1,2}):(\d{2})")
_JOINED = re.compile(r"\s?(?:-|–|~|至|到|to|and|till|until)\s?")
HALF_A_DAY = 12 * 60


def spans_said(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield the one allowed span whose ends `text` says side by side, on the clock of 24 hours or of 12."""
    spans = {value: _minutes(match.groups()) for value in parameter.enum if (match := _SPAN.fullmatch(str(value)))}
    for first, last in pairwise(text.of_kind("time") if spans else ()):
        if first.end > last.start or not _JOINED.fullmatch(text.text[first.end : last.start]):
            continue
        told = _minutes((*str(first.value).split(":")[:2], *str(last.value).split(":")[:2]))
        exact = [value for value, span in spans.items() if span == told]
        alike = [value for value, span in spans.items() if _on_the_dial(span) == _on_the_dial(told)]
        for value in exact or (alike if len(alike) == 1 else ()):
            yield Said(value, first.start, last.end, 0.95)


def _minutes(ends: tuple[str, ...]) -> tuple[int, int]:
    first_hour, first_minute, last_hour, last_minute = (int(part) for part in ends)
    return first_hour * 60 + first_minute, last_hour * 60 + last_minute


def _on_the_dial(span: tuple[int, int]) -> tuple[int, int]:
    return span[0] % HALF_A_DAY, span[1] % HALF_A_DAY
