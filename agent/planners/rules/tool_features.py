"""What speaks for each tool on offer, clause by clause and as a whole: one row of numbers a tool.

Most numbers are against the other tools on offer, so that none needs a scale of its own for a set of tools.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.planners.rules.arguments import Filled
from agent.planners.rules.clause_table import embedded, tool_vectors
from agent.planners.rules.entries import Group, field_for, groups_of_turns
from agent.planners.rules.tool_text import content_terms, tool_texts
from agent.planners.rules.units import Unit, units_of
from agent.planners.rules.verbs import deeds_of, deeds_said
from clarifier.decision import Situation
from clarifier.effects import effect_of
from memory.embedder import Embedder
from memory.language.text import split_name
from memory.language.values.values import canonical_key
from memory.tools import Parameter, Tool

Rows = NDArray[np.float64]
WORDS_WORTH, MOST_WORDS = 0.8, 4.0
"""What a weight of 1 of terms in common is worth in standard deviations of the cosine, and the most that counts."""
LEAST_DEVIATION = 0.03
"""Added to the standard deviation of the cosines: where all tools are alike in meaning, none stands out."""

NAMES = (
    "said_lead", "said", "missing", "deed", "other_deed", "own_deed", "past_nearest", "past", "was_last", "repeats",
    "follows", "whole", "whole_raw", "whole_top", "words_whole", "best_lead", "best_share", "shares", "best_raw",
    "best_words", "units_won", "parameters", "wanted", "is_write_ordered", "is_write_asked", "is_read_asked", "alone",
    "many", "back_last", "back_past", "unit_past",
)  # fmt: skip


@dataclass(frozen=True)
class Features:
    """What speaks for the tools on offer."""

    rows: Rows
    """Shape `(tools, len(NAMES))`."""
    units: tuple[Unit, ...]
    shares: Rows
    """Per unit and tool, how much of what the unit wants falls to the tool: shape `(units, tools)`, in [0, 1]."""


def tool_features(situation: Situation, filled: Sequence[Filled], embedder: Embedder | None) -> Features:
    """Return what speaks for each tool on offer, in their order.

    Args:
        situation: With at least one tool.
        filled: The arguments that each tool would have.
        embedder: For meaning; without one, words alone speak.
    """
    tools = situation.tools
    units = units_of(situation)
    parts = (situation.request, *(unit.text for unit in units))
    words = _words(parts, tools)
    raw, standing = _meaning(parts, tools, embedder)
    wanted = np.array([unit.wanted for unit in units])
    scores = standing[1:] + WORDS_WORTH * np.minimum(words[1:], MOST_WORDS)
    leads = np.array([[_lead(row, at) for at in range(len(tools))] for row in scores]).reshape(scores.shape)
    shares = _softmax(scores) * wanted[:, None]
    said = [float(min(one.said, 5)) for one in filled]
    past = _Past.of(situation, parts, embedder)
    ordered = max((unit.p_of("ordered") for unit in units), default=0.0)
    asked = max((unit.p_of("asked") for unit in units), default=0.0)
    back = max((unit.leans_back for unit in units), default=0.0)
    deeds = [deeds_of(tool) for tool in tools]
    told = deeds_said(situation.request)
    topic = situation.recall.topic_turns
    last = {call.name for call in topic[-1].calls} if topic else set()
    made = {(call.name, canonical_key(call.arguments)) for turn in topic for call in turn.calls}
    lists = [group for group in groups_of_turns(topic[-1:]) if len(group.entries) > 1]
    best = np.argmax(shares, axis=1) if len(units) else np.zeros(0, dtype=int)
    columns = _parameter_words(parts[1:], tools)
    rows = []
    for at, tool in enumerate(tools):
        is_write = effect_of(tool) != "read"
        own = deeds[at] & told
        rows.append(
            (
                _lead(said, at),
                said[at],
                float(min(len(filled[at].missing), 3)),
                float(bool(own)),
                float(bool(deeds[at] and told and not own)),
                float(bool(own) and sum(bool(own & mine) for mine in deeds) == 1),
                past.nearest[0].get(tool.name, 0.0),
                past.words.get(tool.name, 0.0),
                float(tool.name in last),
                float((tool.name, canonical_key(filled[at].arguments)) in made),
                float(any(_gives_out(group, needed) for needed in tool.required for group in lists)),
                standing[0, at],
                raw[0, at],
                float(standing[0, at] == standing[0].max()),
                _lead(list(np.minimum(words[0], MOST_WORDS)), at),
                float((leads[:, at] * wanted).max(initial=-3.0)),
                float(shares[:, at].max(initial=0.0)),
                float(min(shares[:, at].sum(), 4.0)),
                float((raw[1:, at] * wanted).max(initial=0.0)),
                float(min((words[1:, at] * wanted).max(initial=0.0), MOST_WORDS)),
                float(min((wanted * (best == at)).sum(), 3.0)),
                float(min((columns[:, at] * wanted).max(initial=0.0), MOST_WORDS)),
                float(wanted.max(initial=0.0)),
                is_write * ordered,
                is_write * asked * (1 - ordered),
                (not is_write) * asked,
                float(len(tools) == 1),
                math.log(len(tools)),
                back * (tool.name in last),
                back * past.nearest[0].get(tool.name, 0.0),
                max(
                    (
                        near.get(tool.name, 0.0) * unit.wanted
                        for near, unit in zip(past.nearest[1:], units, strict=True)
                    ),
                    default=0.0,
                ),
            )
        )
    return Features(np.array(rows, dtype=np.float64), units, shares)


def _words(parts: Sequence[str], tools: Sequence[Tool]) -> Rows:
    texts = tool_texts(tools)
    return np.array([[texts.overlap(content_terms(part), at) for at in range(len(tools))] for part in parts])


def _parameter_words(parts: Sequence[str], tools: Sequence[Tool]) -> Rows:
    """Return per part and tool how many of its terms the names of the tool's parameters and allowed values have."""
    terms = [_terms(tool) for tool in tools]
    found = [[float(len(mine & set(content_terms(part)))) for mine in terms] for part in parts]
    return np.array(found).reshape(len(parts), len(tools))


def _terms(tool: Tool) -> frozenset[str]:
    told = [text for one in tool.parameters for text in (" ".join(split_name(one.name)), *map(str, one.enum))]
    return frozenset(term for text in told for term in content_terms(text))


def _meaning(parts: tuple[str, ...], tools: Sequence[Tool], embedder: Embedder | None) -> tuple[Rows, Rows]:
    """Return the cosines of texts and tools, and by how many standard deviations each is above the tools' mean."""
    if embedder is None:
        zeros = np.zeros((len(parts), len(tools)))
        return zeros, zeros
    cosines = (embedded(embedder, parts) @ tool_vectors(embedder, tools).T).astype(np.float64)
    above = cosines - cosines.mean(axis=1, keepdims=True)
    return cosines, above / (np.std(cosines, axis=1, keepdims=True) + LEAST_DEVIATION)


def _softmax(scores: Rows) -> Rows:
    if not scores.size:
        return scores
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _lead(values: Sequence[float] | Rows, at: int) -> float:
    """Return a value less the greatest of the others, less 0 where there are none."""
    return float(values[at] - max((value for other, value in enumerate(values) if other != at), default=0.0))


def _gives_out(group: Group, parameter: Parameter) -> bool:
    """Whether the entries have values for an argument, other than those that they were asked for with."""
    key = field_for(parameter, group)
    return key is not None and key not in group.arguments


@dataclass(frozen=True)
class _Past:
    """What past requests like this one called."""

    words: dict[str, float]
    """By tool: nearness in words of the nearest past request that called it."""
    nearest: tuple[dict[str, float], ...]
    """Of the request and each unit, by tool: the cosine of the nearest past request where that called it."""

    @classmethod
    def of(cls, situation: Situation, parts: tuple[str, ...], embedder: Embedder | None) -> _Past:
        offered = {tool.name for tool in situation.tools}
        turns = [turn for turn in situation.recall.turns if any(call.name in offered for call in turn.calls)]
        called = [{call.name for call in turn.calls} & offered for turn in turns]
        mine = set(content_terms(situation.request))
        words: dict[str, float] = {}
        for turn, names in zip(turns, called, strict=True):
            theirs = set(content_terms(turn.request))
            near = len(mine & theirs) / math.sqrt(len(mine) * len(theirs)) if mine and theirs else 0.0
            words.update({name: max(near, words.get(name, 0.0)) for name in names})
        if embedder is None or not turns:
            return cls(words, tuple({} for _ in parts))
        cosines = embedded(embedder, parts) @ embedded(embedder, tuple(turn.request for turn in turns)).T
        best = cosines.argmax(axis=1)
        near_ones = tuple(
            {name: max(0.0, float(cosines[part, at])) for name in called[at]} for part, at in enumerate(best)
        )
        return cls(words, near_ones)
