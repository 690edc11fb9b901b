"""Which tools a request calls for: a logistic score a tool from words, meaning, deeds and the person's own past calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

from agent.planners.rules.arguments import Filler
from agent.planners.rules.segments import Segment, clauses, sentences
from agent.planners.rules.tool_text import content_terms, tool_texts
from agent.planners.rules.verbs import deeds_of, deeds_said, is_small_talk
from clarifier.decision import Situation
from memory.embedder import Embedder, Matrix
from memory.records import Turn
from memory.text import split_name
from memory.tools import Tool


@dataclass(frozen=True)
class Signals:
    """What speaks for one tool."""

    best_clause: float
    """Terms in common with the best clause, weighed by rarity among the tools on offer."""
    whole: float
    """Terms in common with the whole request."""
    meaning: float
    """Cosine of the best clause over the mean of the tools; 0 without an embedder."""
    deed: float
    """1 where the request says the deed of the tool's name, -1 where it says only others, else 0."""
    past: float
    """Nearness in words of the nearest past request that called the tool, in [0, 1]."""
    was_last: float
    """1 where the last turn of the topic called the tool."""
    was_used: float
    """1 where an earlier turn of the topic called it."""

    said: float
    """Values that the request says for its arguments, at most 3."""
    missing: float
    """Required arguments that nothing speaks for, at most 3."""
    chosen: float
    """1 where the request means an entry of an observation that the tool takes."""
    clause_won: float
    """Share of the clause that speaks most for this tool alone, in [0, 1]."""

    @property
    def row(self) -> tuple[float, ...]:
        """The signals in the order of the weights."""
        return tuple(float(getattr(self, entry.name)) for entry in fields(self))


def signals(situation: Situation, filler: Filler, embedder: Embedder | None) -> tuple[Signals, ...]:
    """Return one row of signals per tool on offer, in order."""
    tools = situation.tools
    texts = tool_texts(tools)
    parts = [part for part in clauses(situation.request) if not part.is_aside] or list(clauses(situation.request))
    by_clause = [[texts.overlap(content_terms(part.text), tool) for tool in range(len(tools))] for part in parts]
    whole = [texts.overlap(content_terms(situation.request), tool) for tool in range(len(tools))]
    meaning = _meaning(situation.request, tools, embedder)
    said = deeds_said(situation.request)
    past = _past(situation)
    topic = situation.recall.topic_turns
    last = {call.name for call in topic[-1].calls} if topic else set()
    used = {call.name for turn in topic for call in turn.calls}
    filled = [filler.fill(tool) for tool in tools]
    shares = _shares(by_clause)
    return tuple(
        Signals(
            best_clause=max((row[index] for row in by_clause), default=0.0),
            whole=whole[index],
            meaning=meaning[index],
            deed=_deed(tool, said),
            past=past.get(tool.name, 0.0),
            was_last=float(tool.name in last),
            was_used=float(tool.name in used),
            said=float(min(filled[index].said, 3)),
            missing=float(min(len(filled[index].missing), 3)),
            chosen=float(filled[index].chosen > 0),
            clause_won=max((row[index] for row in shares), default=0.0),
        )
        for index, tool in enumerate(tools)
    )


def _shares(by_clause: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return per clause how much of its weight falls to each tool; weak clauses count less."""
    return [[value * value / (sum(row) * (1 + value)) if value else 0.0 for value in row] for row in by_clause]


@dataclass(frozen=True)
class Choice:
    """A tool that the request calls for."""

    tool: Tool
    probability: float
    focus: tuple[Segment, ...]
    """The clauses that speak of it; empty for the whole request."""


def choose_tools(situation: Situation, filler: Filler, embedder: Embedder | None) -> list[Choice]:
    """Return the tools that the request calls for, in the order in which it speaks of them; none for small talk."""
    rows = signals(situation, filler, embedder)
    probabilities = [probability(row) for row in rows]
    if not rows:
        return []
    order = sorted(range(len(rows)), key=lambda index: -probabilities[index])
    best = order[0]
    if probabilities[best] < (SMALL_TALK_LEAST if is_small_talk(situation.request) else LEAST):
        return []
    picked = [best] + [index for index in order[1:] if probabilities[index] >= SECOND_LEAST]
    return [Choice(situation.tools[index], probabilities[index], ()) for index in picked]


LEAST, SMALL_TALK_LEAST, SECOND_LEAST = 0.1, 0.7, 0.45
# Fitted by L2 logistic regression (C = 1) on 157 turns of five persons, every tool on offer a row.
WEIGHTS: tuple[float, ...] = (0.08, 0.28, 2.06, 1.74, 2.33, -0.27, -0.13, 0.55, -0.27, 0.25, 1.45)
BIAS = -2.33


def probability(row: Signals) -> float:
    """Return the probability that the request calls for the tool."""
    return 1 / (1 + math.exp(-BIAS - sum(weight * value for weight, value in zip(WEIGHTS, row.row, strict=True))))


def _deed(tool: Tool, said: frozenset[str]) -> float:
    mine = deeds_of(tool)
    if mine & said:
        return 1.0
    return -1.0 if mine and said else 0.0


def _meaning(request: str, tools: Sequence[Tool], embedder: Embedder | None) -> list[float]:
    if embedder is None or not tools:
        return [0.0] * len(tools)
    described = _embedded(embedder, tuple(f"{' '.join(split_name(tool.name))}. {tool.description}" for tool in tools))
    parts = [part.text for part in sentences(request)] or [request]
    cosines = embedder.embed_documents(parts) @ described.T
    best = cosines.max(axis=0)
    return [float(value) for value in best - best.mean()]


@lru_cache(maxsize=64)
def _embedded(embedder: Embedder, texts: tuple[str, ...]) -> Matrix:
    return embedder.embed_documents(texts)


def _past(situation: Situation) -> dict[str, float]:
    """Return per tool the nearness of the past request most like this one that called it."""
    offered = {tool.name for tool in situation.tools}
    mine = set(content_terms(situation.request))
    best: dict[str, float] = {}
    for turn in situation.recall.turns:
        theirs = set(content_terms(turn.request))
        near = len(mine & theirs) / math.sqrt(len(mine) * len(theirs)) if mine and theirs else 0.0
        for call in turn.calls:
            if call.name in offered:
                best[call.name] = max(near, best.get(call.name, 0.0))
    return best
