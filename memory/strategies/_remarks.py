"""What a person says in passing of how things are to be from then on, found for the tools on offer.

"Log this run too. School moved the bell, so I can catch trains from eight now." The turn is about the run; the second
sentence changes what a later turn about trains needs, and neither its calls nor its vector tell so.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from memory.ranking.lexical import content_terms
from memory.ranking.sentences import sentences
from memory.records import QuestionStep, Turn
from memory.rendering import ELLIPSIS
from memory.strategies._history import Snapshot
from memory.text import split_name
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


class Remarks:
    """The remarks of a log, found by words. Not safe for concurrent use; it follows the snapshots it is given."""

    def __init__(self) -> None:
        self._turns: tuple[Turn, ...] = ()
        self._remarks: list[Remark] = []
        self._lengths: list[int] = []
        self._postings: dict[str, list[int]] = defaultdict(list)

    def rank(self, snapshot: Snapshot, request: str, tools: Sequence[Tool]) -> list[Scored]:
        """Return the remarks that share words with the tools on offer or the request, best first; none without tools.

        A remark scores the sum of weight and inverse document frequency of the words it shares, less for long ones.
        """
        if not tools:
            return []
        self._follow(snapshot.turns)
        weights = dict(_tool_terms(tools))
        for term in content_terms(request):
            weights[term] = max(weights.get(term, 0.0), 1.0)
        scores: dict[int, float] = defaultdict(float)
        for term, weight in weights.items():
            found = self._postings.get(term, ())
            rarity = math.log(1 + (len(self._remarks) - len(found) + 0.5) / (len(found) + 0.5))
            for number in found:
                scores[number] += weight * rarity
        last = len(snapshot.turns) or 1
        average = sum(self._lengths) / (len(self._lengths) or 1)
        scored = []
        for number, score in scores.items():
            remark = self._remarks[number]
            recency = 1 + RECENCY_WEIGHT * remark.position / last
            length = 1 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * self._lengths[number] / average
            scored.append(Scored(remark, score * recency / length))
        return sorted(scored, key=lambda one: (-one.score, -one.remark.position))

    def _follow(self, turns: tuple[Turn, ...]) -> None:
        known = len(self._turns)
        if turns[:known] != self._turns:
            self._remarks, self._lengths, self._postings, known = [], [], defaultdict(list), 0
        for position, turn in enumerate(turns[known:], start=known):
            for remark in remarks_of(turn, position):
                terms = dict.fromkeys(content_terms(remark.text))
                self._lengths.append(len(terms))
                for term in terms:
                    self._postings[term].append(len(self._remarks))
                self._remarks.append(remark)
        self._turns = turns


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


@lru_cache(maxsize=2048)
def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))
