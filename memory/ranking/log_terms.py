"""The terms of a log of turns: how well each turn, alone or with its neighbours, covers the terms of a query."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.ranking.lexical import K1, B

Array = NDArray[np.float64]


class Window(NamedTuple):
    """The turns that are read as one text with each turn."""

    before: int
    after: int


ALONE, WITH_PREVIOUS, AROUND = Window(0, 0), Window(1, 0), Window(3, 3)


class LogTerms:
    """Counts of terms by position in the log; only ever appended to."""

    def __init__(self) -> None:
        self._positions: dict[str, list[int]] = {}
        self._counts: dict[str, list[int]] = {}
        self._lengths: list[int] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def append(self, terms: Mapping[str, int]) -> None:
        """Take in the terms of the next turn, with how often each is in it."""
        for term, count in terms.items():
            self._positions.setdefault(term, []).append(len(self))
            self._counts.setdefault(term, []).append(count)
        self._lengths.append(sum(terms.values()))

    def coverage(self, query: Mapping[str, float], window: Window) -> Array:
        """Return for each turn how much of `query` its window covers, shape `(n,)`, in [0, 1].

        It is BM25 (Robertson & Zaragoza 2009, with the constants of `memory.ranking.lexical`) over the windows as
        documents, divided by what a document of endless repeats of every term would get: a scale that is the same for
        short and long queries and for small and large logs.

        Args:
            query: Terms and how much each counts, above 0.
            window: Around each turn.
        """
        n = len(self)
        lengths = _summed(np.asarray(self._lengths, dtype=np.float64), window)
        discount = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0)) if n else lengths
        score, most = np.zeros(n), 0.0
        for term, weight in query.items():
            counts = np.zeros(n)
            if term in self._positions:
                counts[self._positions[term]] = self._counts[term]
                counts = _summed(counts, window)
            found = int(np.count_nonzero(counts))
            rarity = weight * math.log(1 + (n - found + 0.5) / (found + 0.5))
            score += rarity * counts / (counts + discount)
            most += rarity
        return score / most if most else score


def _summed(values: Array, window: Window) -> Array:
    """Return the sums of `values`, shape `(n,)`, over the window of each place."""
    total = values.copy()
    for step in range(1, window.before + 1):
        total[step:] += values[:-step]
    for step in range(1, window.after + 1):
        total[:-step] += values[step:]
    return total
