"""A lexical index over turns: BM25 on the terms of `memory.text`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from memory.text import tokenise

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


class LexicalHit(NamedTuple):
    """A text that shares a term with the query."""

    key: str
    score: float
    """BM25, above 0; higher is more relevant, comparable within one search only."""


class LexicalIndex:
    """Texts by key, found by shared terms. Not safe for concurrent use; one recall owns it at a time."""

    def __init__(self) -> None:
        self._postings: dict[str, dict[str, int]] = defaultdict(dict)
        self._lengths: dict[str, int] = {}
        self._total = 0
        self._counter = count()
        self._numbers: dict[str, int] = {}
        """In the order of adding."""

    def __contains__(self, key: str) -> bool:
        return key in self._lengths

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all texts, in the order they were added."""
        return tuple(self._lengths)

    def add(self, key: str, text: str) -> None:
        """Take in `text`; a text with this key is replaced and keeps no trace."""
        self.discard(key)
        terms = Counter(tokenise(text))
        self._lengths[key] = terms.total()
        self._total += terms.total()
        self._numbers[key] = next(self._counter)
        for term, times in terms.items():
            self._postings[term][key] = times

    def discard(self, key: str) -> None:
        """Forget the text with this key, if there is one."""
        if key not in self._lengths:
            return
        self._total -= self._lengths.pop(key)
        del self._numbers[key]
        for term in [term for term, counts in self._postings.items() if key in counts]:
            del self._postings[term][key]
            if not self._postings[term]:
                del self._postings[term]

    def search(self, query: str, k: int | None = None) -> list[LexicalHit]:
        """Return the `k` texts (all if `None`) most relevant to `query`, best first; ties keep the order of adding.

        A text that shares no term with the query is never returned; function words of the query count only where it has
        nothing else. The score is BM25 with the inverse document frequency ln(1 + (N - n + 0.5) / (n + 0.5)), which
        stays above 0 (Robertson & Zaragoza 2009, eq. 3.15, with Lucene's 1 added).
        """
        scores: dict[str, float] = defaultdict(float)
        average = self._total / len(self._lengths) if self._lengths else 1.0
        for term in dict.fromkeys(content_terms(query)):
            counts = self._postings.get(term, {})
            rarity = math.log(1 + (len(self._lengths) - len(counts) + 0.5) / (len(counts) + 0.5))
            for key, times in counts.items():
                discount = K1 * (1 - B + B * self._lengths[key] / average)
                scores[key] += rarity * times * (K1 + 1) / (times + discount)
        ranked = sorted(scores, key=lambda key: (-scores[key], self._numbers[key]))
        return [LexicalHit(key, scores[key]) for key in (ranked if k is None else ranked[:k])]


def content_terms(query: str) -> list[str]:
    """Return the terms of `query` in order, without function words; all of them where nothing else is left."""
    terms = tokenise(query)
    return [term for term in terms if term not in _function_terms()] or terms


@lru_cache(maxsize=1)
def _function_terms() -> frozenset[str]:
    return frozenset(term for word in _FUNCTION_WORDS.split() for term in (word, *tokenise(word)))
