"""The places of a text that were read already, so that nothing is read twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable


class Taken:
    """Spans that share no character, in order of their place.

    Args:
        spans: Start and end of each, no two of them overlapping.
    """

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]

    def overlaps(self, start: int, end: int) -> bool:
        """Say whether any span shares a character with `[start, end)`."""
        before = bisect_left(self._starts, end)  # of the spans that begin before `end`, the last ends last
        return before > 0 and self._ends[before - 1] > start

    def add(self, start: int, end: int) -> bool:
        """Take `[start, end)` unless it overlaps what is taken, and say whether it was free."""
        if self.overlaps(start, end):
            return False
        place = bisect_left(self._starts, start)
        self._starts.insert(place, start)
        self._ends.insert(place, end)
        return True
