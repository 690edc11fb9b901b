"""Stretches of the day from one time to another: "04:00-05:00", "from nine to half eleven"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from memory.language.values.plain import plain
from memory.language.values.times import find_times

_CLOCKS = re.compile(r"(\d{1,2}):(\d{2})\s?(?:-|–|~|至|到|to)\s?(\d{1,2}):(\d{2})")
_JOINED = re.compile(r"\s?(?:-|–|~|至|到|to|and|till|until)\s?")


class TimeRange(NamedTuple):
    """A stretch of the day named in a text."""

    start: int
    end: int
    first: int
    """Minutes of the day."""
    last: int


def clock_range(value: str) -> tuple[int, int] | None:
    """Return the minutes of the day that a whole text like "04:00-05:00" goes from and to, or `None`."""
    match = _CLOCKS.fullmatch(plain(value))
    if match is None:
        return None
    ends = [int(part) for part in match.groups()]
    return ends[0] * 60 + ends[1], ends[2] * 60 + ends[3]


def time_ranges(text: str) -> Iterator[TimeRange]:
    """Yield the stretches whose two ends stand side by side in `text`."""
    for match in _CLOCKS.finditer(plain(text)):
        if bounds := clock_range(match.group()):
            yield TimeRange(match.start(), match.end(), *bounds)
    for first, last in pairwise(find_times(text)):
        if first.end <= last.start and _JOINED.fullmatch(text, first.end, last.start):
            yield TimeRange(first.start, last.end, _minutes(first.value), _minutes(last.value))


def _minutes(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])
