"""The terms of a log of turns: how well each turn, alone or with its neighbours, covers the terms of a query."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.ranking.lexical import K1, B

Array = NDArray[np.float64]

_CELLS = 1 << 16
"""Of counts weighed at once: half a megabyte stays near the processor."""


class Window(NamedTuple):
    """The turns that are read as one text with each turn."""

    before: int
    after: int


ALONE, WITH_PREVIOUS, AROUND = Window(0, 0), Window(1, 0), Window(3, 3)


class LogTerms:
    """Counts of terms by position in the log; only ever appended to."""

    def __init__(self) -> None:
        self._positions: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._lengths = array("d")

    def __len__(self) -> int:
        return len(self._lengths)

    def append(self, terms: Mapping[str, int]) -> None:
        """Take in the terms of the next turn, with how often each is in it."""
        for term, count in terms.items():
            if term not in self._positions:
                self._positions[term], self._counts[term] = array("i"), array("i")
            self._positions[term].append(len(self))
            self._counts[term].append(count)
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
        return self.coverages(query, (window,)).reshape(len(self))

    def coverages(self, query: Mapping[str, float], windows: Sequence[Window]) -> Array:
        """Return the `coverage` for each of `windows`, shape `(len(windows), n)`."""
        n = len(self)
        scores, most = np.zeros((len(windows), n)), np.zeros(len(windows))
        if not n:
            return scores
        lengths = np.array(self._lengths)
        discounts = [_discount(_summed(lengths, window)) for window in windows]
        for weights, counts in self._counted(query):
            for place, window in enumerate(windows):
                held = _summed(counts, window)
                found = np.count_nonzero(held, axis=1)
                rarity = weights * np.log(1 + (n - found + 0.5) / (found + 0.5))
                scores[place] += (rarity[:, None] * held / (held + discounts[place])).sum(axis=0)
                most[place] += rarity.sum()
        scores /= np.where(most > 0, most, 1.0)[:, None]
        return scores

    def _counted(self, query: Mapping[str, float]) -> Iterator[tuple[Array, Array]]:
        """Yield the weights of some terms, shape `(t,)`, and how often each is in each turn, shape `(t, n)`."""
        terms, at_once = list(query), max(1, _CELLS // len(self))
        for start in range(0, len(terms), at_once):
            some = terms[start : start + at_once]
            counts = np.zeros((len(some), len(self)))
            for row, term in zip(counts, some, strict=True):
                if term in self._positions:
                    row[np.array(self._positions[term])] = np.array(self._counts[term])
            yield np.array([query[term] for term in some]), counts


def _discount(lengths: Array) -> Array:
    return np.asarray(K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0)))


def _summed(values: Array, window: Window) -> Array:
    """Return the sums of `values`, shape `(…, n)`, over the window of each place."""
    width = window.before + window.after
    if not width:
        return values
    n = values.shape[-1]
    until = np.zeros((*values.shape[:-1], n + width + 1))  # sums up to each place, from `before + 1` before the first
    until[..., window.before + 1 : window.before + 1 + n] = np.cumsum(values, axis=-1)
    until[..., window.before + 1 + n :] = until[..., window.before + n, None]
    return until[..., width + 1 :] - until[..., :n]
