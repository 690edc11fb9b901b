"""What a person says in passing of how things are to be from then on, found for the tools on offer.

"Log this run too. School moved the bell, so I can catch trains from eight now." The turn is about the run; the second
sentence changes what a later turn about trains needs, and neither its calls nor its vector tell so.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.ranking.lexical import content_terms
from memory.ranking.sentences import sentences
from memory.records import QuestionStep, Turn
from memory.rendering import ELLIPSIS
from memory.strategies._followed import Followed
from memory.tools import Tool

MAX_REMARK_CHARACTERS = 280
"""Of one remark; what is longer is a story."""
LENGTH_DISCOUNT = 0.4
"""How much long remarks are discounted, in [0, 1] (`B` of BM25; remarks are all short)."""
DESCRIPTION_WEIGHT = 0.5
"""Of a word that only the description of a tool or argument has, against 1 for names and values."""
RECENCY_WEIGHT = 0.5
"""By how much the newest remark counts more than the first of the log: a later one may take the earlier back."""

_LASTING = re.compile(
    r"\bfrom (?:\w+ ){1,2}on(?:wards?)?\b|\bno (?:more|longer)\b|\bany ?(?:more|longer)\b|\bnever again\b"
    r"|\b(?:always|never|only|every time|each time|whenever|by default|as a rule|in future|going forward|henceforth|"
    r"these days|nowadays|for good|usual(?:ly)?|prefer\w*|stick (?:to|with)|anything else)\b"
    r"|\b(?:i|we|i'm|we're|i've|we've|it's|they|they've)\b.*\bnow\b|\bnow that\b|,? not [^,;.!?]{1,20}[.!]?$"
    r"|\b(?:instead of|rather than|used to)\b|\b(?:by the way|while (?:i'm|we're|it's|i)|for the record)\b"
    r"|\bfrom (?:january|february|march|april|may|june|july|august|september|october|november|december|next \w+)\b"
    r"|\b(?:changed|moved|switched|swapped|replaced|quit|stopped|sold|joined|gave up|given up|let \w+(?: \w+)? go)\b"
    r"|\b(?:needn't|don't|no need to) ask\b|\bas (?:ever|always|usual)\b"
    r"|以后|往后|今后|从此|从今|从现在|不再|再也不|再不|戒了|[改换]成|[改换]了|改[吃喝用坐走去到]|换到|搬[到去了家]|现在[都只改不]|已经不|"
    r"顺便说|记[住得]|每次|每回|一直|从来|老规矩|老样子|[啥么]都|[只就][收要看吃喝用坐买走选]|都是|[莫别不]再|不[吃喝用坐买看穿要]|习惯|默认|一律",
    re.IGNORECASE,
)
"""A cue that what is said is to last, or ends what lasted."""
_SHORT = 40
"""Characters; a cue in a sentence shorter than this leans on the sentence before."""


class Remark(NamedTuple):
    """Words of a person that are to last."""

    position: int
    """Of the turn in the log."""
    text: str
    is_answer: bool
    """Whether it stands in an answer to a question, and not in the request."""

    def cut(self, turn: Turn) -> Turn:
        """Return `turn` with nothing left but this remark."""
        if not self.is_answer:
            return turn.model_copy(update={"request": self.text, "steps": (), "reply": None})
        answer = QuestionStep(question="", answer=self.text)
        return turn.model_copy(update={"request": ELLIPSIS, "steps": (answer,), "reply": None})


class Scored(NamedTuple):
    """A remark with how well it fits."""

    remark: Remark
    score: float


def remarks_of(turn: Turn, position: int) -> Iterator[Remark]:
    """Yield the remarks of `turn`, request first, each as the sentences that belong together."""
    answers = [step.answer for step in turn.steps if isinstance(step, QuestionStep) and step.answer]
    for text, is_answer in [(turn.request, False), *((answer, True) for answer in answers)]:
        for run in _runs([sentence.text if sentence.kind != "question" else "" for sentence in sentences(text)]):
            if len(run) <= MAX_REMARK_CHARACTERS:
                yield Remark(position, run, is_answer)


def _runs(parts: Sequence[str]) -> Iterator[str]:
    """Yield the sentences with a cue, neighbours together, a short one with the sentence before it; "" ends a run."""
    kept: list[str] = []
    for number, part in enumerate(parts):
        if _LASTING.search(part):
            if not kept and number and parts[number - 1] and len(part) < _SHORT:
                kept.append(parts[number - 1])
            kept.append(part)
        elif kept:
            yield " ".join(kept)
            kept = []
    if kept:
        yield " ".join(kept)


class LogRemarks:
    """The remarks of a log, found by words."""

    def __init__(self) -> None:
        self._read = 0
        self._remarks: list[Remark] = []
        self._positions, self._lengths = array("d"), array("d")
        """Of the turn in the log, and in terms, by remark."""
        self._postings: dict[str, array[int]] = {}

    def append(self, turn: Turn) -> None:
        """Take in the next turn."""
        for remark in remarks_of(turn, self._read):
            terms = dict.fromkeys(content_terms(remark.text))
            for term in terms:
                self._postings.setdefault(term, array("i")).append(len(self._remarks))
            self._lengths.append(len(terms))
            self._positions.append(remark.position)
            self._remarks.append(remark)
        self._read += 1

    def rank(self, terms: Iterable[str], tools: Sequence[Tool], end: int, count: int) -> list[Scored]:
        """Return remarks that share words with the tools on offer or the request, best first; none without tools.

        A remark scores the sum of weight and inverse document frequency of the words it shares, less for long ones.

        Args:
            terms: Of the request, as `memory.ranking.lexical.content_terms` gives them.
            tools: On offer.
            end: Only remarks of turns before this position.
            count: Most to return.
        """
        if not tools or not self._remarks:
            return []
        weights = dict(_tool_terms(tools))
        weights.update(dict.fromkeys(terms, 1.0))
        scores = np.zeros(len(self._remarks))
        for term, weight in weights.items():
            if term in self._postings:
                found = np.array(self._postings[term])
                scores[found] += weight * math.log(1 + (len(scores) - len(found) + 0.5) / (len(found) + 0.5))
        positions, lengths = np.array(self._positions), np.array(self._lengths)
        recency = 1 + RECENCY_WEIGHT * positions / self._read
        scores *= recency
        scores /= 1 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * lengths / (float(lengths.sum()) / len(lengths))
        usable = np.flatnonzero((scores > 0) & (positions < end))
        order = usable[np.lexsort((usable, -positions[usable], -scores[usable]))[:count]]
        return [Scored(self._remarks[number], float(scores[number])) for number in order.tolist()]


class Remarks(Followed[LogRemarks]):
    """Follows the remarks of a shelf."""

    def __init__(self) -> None:
        super().__init__(LogRemarks)


def _tool_terms(tools: Sequence[Tool]) -> Mapping[str, float]:
    """Return the terms of names, values and descriptions of `tools` with their weights."""
    weights: dict[str, float] = {}
    for tool in tools:
        parts = [tool.name, *(parameter.name for parameter in tool.parameters)]
        values = [str(value) for parameter in tool.parameters for value in parameter.enum]
        texts = [tool.description, *(parameter.description for parameter in tool.parameters)]
        for term in _terms(" ".join([*(" ".join(split_name(part)) for part in parts), *values])):
            weights[term] = 1.0
        for term in _terms(" ".join(texts)):
            weights.setdefault(term, DESCRIPTION_WEIGHT)
    return weights


@text_cache(2048)
def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))
