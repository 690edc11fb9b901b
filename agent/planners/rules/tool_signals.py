"""What speaks for each tool on offer: words, meaning, deeds, the values that the request says, and past calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from agent.planners.rules.arguments import Filled, Filler
from agent.planners.rules.clause_table import clause_table, embedded, tool_vectors
from agent.planners.rules.entries import Group, field_for, groups_of_turns
from agent.planners.rules.segments import asking_sentences
from agent.planners.rules.tool_text import content_terms, tool_texts
from agent.planners.rules.verbs import deeds_of, deeds_said
from clarifier.decision import Situation
from memory.embedder import Embedder
from memory.language.values.values import canonical_key
from memory.tools import Parameter, Tool

WORDS_WORTH, MOST_WORDS = 0.8, 4.0
"""What a weight of 1 of terms in common is worth in standard deviations of the cosine, and the most that counts."""
LEAST_DEVIATION = 0.03
"""Added to the standard deviation of the cosines: where all tools are alike in meaning, none stands out."""


@dataclass(frozen=True)
class Signals:
    """What speaks for one tool, most of it against the others on offer, so that it needs no scale per toolset."""

    said_lead: float
    """Values that the request says for its arguments (at most 5) less the most of the other tools."""
    deed: float
    """1 where the request says the deed of the tool's name, -1 where it says only others, else 0."""
    past_nearest: float
    """1 where the past request nearest in meaning, of those that called a tool on offer, called this one."""
    sentence_lead: float
    """Words and meaning in the sentence that speaks most for the tool, less those of the best other tool there."""
    clause_won: float
    """Share in words of the clause that speaks most for this tool alone, in [0, 1]."""
    repeats: float
    """1 where a call of the topic had the very arguments that it would have."""
    missing: float
    """Required arguments that nothing speaks for, at most 3."""
    meaning: float
    """Cosine of the whole request in standard deviations above the tools' mean; 0 without an embedder."""
    follows: float
    """1 where the last turn returned a list with values for one of its required arguments."""
    past: float
    """Nearness in words of the nearest past request that called the tool, in [0, 1]."""
    was_last: float
    """1 where the last turn of the topic called the tool."""

    @property
    def row(self) -> tuple[float, ...]:
        """The signals in the order of the weights."""
        return tuple(float(getattr(self, entry.name)) for entry in fields(self))


def signals(
    situation: Situation, filler: Filler, embedder: Embedder | None
) -> tuple[tuple[Signals, ...], tuple[Filled, ...]]:
    """Return one row of signals per tool on offer, in order, and the arguments that each would have."""
    tools = situation.tools
    said = deeds_said(situation.request)
    past = _past(situation)
    nearest = _nearest(situation, embedder)
    topic = situation.recall.topic_turns
    last = {call.name for call in topic[-1].calls} if topic else set()
    made = {(call.name, canonical_key(call.arguments)) for turn in topic for call in turn.calls}
    lists = [group for group in groups_of_turns(topic[-1:]) if len(group.entries) > 1]
    filled = [filler.fill(tool) for tool in tools]
    values = [float(min(one.said, 5)) for one in filled]
    shares = _shares(clause_table(situation, embedder).words)
    by_sentence = _by_sentence(situation.request, tools, embedder)
    meaning = _standing((situation.request,), tools, embedder)[0]
    return tuple(
        Signals(
            said_lead=_lead(values, index),
            deed=_deed(tool, said),
            past_nearest=float(tool.name in nearest),
            sentence_lead=max(_lead(row, index) for row in by_sentence),
            clause_won=max((row[index] for row in shares), default=0.0),
            repeats=float((tool.name, canonical_key(filled[index].arguments)) in made),
            missing=float(min(len(filled[index].missing), 3)),
            meaning=meaning[index],
            follows=float(any(_gives_out(group, needed) for needed in tool.required for group in lists)),
            past=past.get(tool.name, 0.0),
            was_last=float(tool.name in last),
        )
        for index, tool in enumerate(tools)
    ), tuple(filled)


def _gives_out(group: Group, parameter: Parameter) -> bool:
    """Whether the entries have values for an argument, other than those that they were asked for with."""
    key = field_for(parameter, group)
    return key is not None and key not in group.arguments


def _lead(values: Sequence[float], index: int) -> float:
    """Return a value less the greatest of the others, less 0 where there are none."""
    return values[index] - max((value for other, value in enumerate(values) if other != index), default=0.0)


def _shares(by_clause: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return per clause how much of its weight falls to each tool; weak clauses count less."""
    return [[value * value / (sum(row) * (1 + value)) if value else 0.0 for value in row] for row in by_clause]


def _by_sentence(request: str, tools: Sequence[Tool], embedder: Embedder | None) -> list[list[float]]:
    """Return how much each sentence that asks for something speaks of each tool, in words and meaning together."""
    texts = tool_texts(tools)
    parts = tuple(part.text for part in asking_sentences(request)) or (request,)
    standing = _standing(parts, tools, embedder)
    return [
        [
            standing[place][tool] + WORDS_WORTH * min(texts.overlap(content_terms(part), tool), MOST_WORDS)
            for tool in range(len(tools))
        ]
        for place, part in enumerate(parts)
    ]


def _standing(parts: tuple[str, ...], tools: Sequence[Tool], embedder: Embedder | None) -> list[list[float]]:
    """Return per text and tool by how many standard deviations its cosine is above the mean of the tools."""
    if embedder is None or not tools:
        return [[0.0] * len(tools) for _ in parts]
    cosines = embedded(embedder, parts) @ tool_vectors(embedder, tools).T
    above = cosines - cosines.mean(axis=1, keepdims=True)
    return [
        [float(value) for value in row] for row in above / (np.std(cosines, axis=1, keepdims=True) + LEAST_DEVIATION)
    ]


def _deed(tool: Tool, said: frozenset[str]) -> float:
    mine = deeds_of(tool)
    if mine & said:
        return 1.0
    return -1.0 if mine and said else 0.0


def _nearest(situation: Situation, embedder: Embedder | None) -> frozenset[str]:
    """Return what the past request nearest in meaning called, of those that called a tool on offer."""
    offered = {tool.name for tool in situation.tools}
    turns = [turn for turn in situation.recall.turns if any(call.name in offered for call in turn.calls)]
    if embedder is None or not turns:
        return frozenset()
    request = embedded(embedder, (situation.request,))[0]
    cosines = [float(embedded(embedder, (turn.request,))[0] @ request) for turn in turns]
    best = max(cosines)
    near = (turn for turn, cosine in zip(turns, cosines, strict=True) if cosine == best)
    return frozenset(call.name for turn in near for call in turn.calls)


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
