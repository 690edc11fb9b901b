"""Allowed values that are spans of time ("04:00-05:00"), as people say them."""

from __future__ import annotations

from collections.abc import Iterator

from agent.planners.rules.utterance import Said, Text
from memory.language.values.time_ranges import clock_range, time_ranges
from memory.tools import Parameter

HALF_A_DAY = 12 * 60


def spans_said(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield the one allowed span whose ends `text` says side by side, on the clock of 24 hours or of 12."""
    spans = {value: span for value in parameter.enum if (span := clock_range(str(value))) is not None}
    for said in time_ranges(text.text) if spans else ():
        told = (said.first, said.last)
        exact = [value for value, span in spans.items() if span == told]
        alike = [value for value, span in spans.items() if _on_the_dial(span) == _on_the_dial(told)]
        for value in exact or (alike if len(alike) == 1 else ()):
            yield Said(value, said.start, said.end, 0.95)


def _on_the_dial(span: tuple[int, int]) -> tuple[int, int]:
    return span[0] % HALF_A_DAY, span[1] % HALF_A_DAY
