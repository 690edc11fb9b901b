"""A lexical index over turns: BM25 on the terms of `memory.language.text`."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memory.language.text import common_terms, tokenise

K1 = 1.2
"""How soon repeats of a term stop counting (Robertson & Zaragoza 2009, section 3.3: 1.2 to 2 in practice)."""
B = 0.75
"""How much long texts are discounted, in [0, 1] (Robertson & Zaragoza 2009: 0.5 to 0.8; Lucene's default)."""

_FUNCTION_WORDS = (
    "a about all also am an and any are as at be been being but by can could d did do does doing don down else for "
    "from had has have having he her here his how i if in into is it its just ll m may me might mine more most must my "
    "no not of off on or other our out over re s she should so some t than that the their them then there these they "
    "this those to too up us ve very was we were what when where which who whom whose why will with would you your "
    "的 了 吗 呢 吧 啊 呀 嘛 是 在 有 和 跟 与 也 都 就 还 又 很 把 被 给 让 对 从 到 我 你 您 他 她 它 们 我们 你们 "
    "这 那 这个 那个 一个 什么 怎么 怎样 如何 为什么 哪 哪个 哪些 哪里 哪儿 多少 可以 请 请问"
)
"""Words that say how a query is put and not what it is about; they never decide between texts."""


class LexicalIndex:
    """Texts by number, found by shared terms; only ever added to. Not safe for concurrent use."""

    def __init__(self) -> None:
        self._numbers: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._lengths = array("d")

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        """Take in the next text."""
        terms = Counter(tokenise(text))
        for term, times in terms.items():
            if term not in self._numbers:
                self._numbers[term], self._counts[term] = array("i"), array("i")
            self._numbers[term].append(len(self))
            self._counts[term].append(times)
        self._lengths.append(terms.total())

    def search(self, terms: Iterable[str]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the numbers of the texts that have one of `terms`, best first, and their scores; ties by number.

        The score is BM25, above 0, comparable within one search only, with the inverse document frequency
        ln(1 + (N - n + 0.5) / (n + 0.5)), which stays above 0 (Robertson & Zaragoza 2009, eq. 3.15, with Lucene's 1
        added).
        """
        scores = np.zeros(len(self))
        lengths = np.array(self._lengths)
        average = float(lengths.sum()) / len(self) if len(self) else 1.0
        for term in dict.fromkeys(terms):
            if term in self._numbers:
                numbers, times = np.array(self._numbers[term]), np.array(self._counts[term])
                rarity = math.log(1 + (len(self) - len(numbers) + 0.5) / (len(numbers) + 0.5))
                discount = K1 * (1 - B + B * lengths[numbers] / average)
                scores[numbers] += rarity * times * (K1 + 1) / (times + discount)
        found = np.flatnonzero(scores)
        order = found[np.argsort(-scores[found], kind="stable")]
        return order, scores[order]


def content_terms(query: str) -> list[str]:
    """Return the terms of `query` in order, without function words; all of them where nothing else is left."""
    return without_function_words(tokenise(query))


def without_function_words(terms: Sequence[str]) -> list[str]:
    """Return `terms` without those of function words; all of them where nothing else is left."""
    return [term for term in terms if term not in _function_terms()] or list(terms)


@lru_cache(maxsize=1)
def _function_terms() -> frozenset[str]:
    # The words stand segmented, so `common_terms` gives what `tokenise` would, without loading a dictionary for it.
    return frozenset(term for word in _FUNCTION_WORDS.split() for term in (word, *common_terms(word)))
