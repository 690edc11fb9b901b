"""Which tools a request calls for: a logistic score per tool from what speaks for it, few weights for all toolsets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.planners.rules.arguments import Filler
from agent.planners.rules.clause_table import OWN_CLAUSE_MARGIN, ClauseTable, clause_table
from agent.planners.rules.past_values import means_the_same
from agent.planners.rules.segments import Segment
from agent.planners.rules.tool_signals import Signals, signals
from agent.planners.rules.verbs import deeds_forbidden, deeds_of, deeds_said, is_small_talk
from clarifier.decision import Situation
from clarifier.effects import effect_of
from memory.embedder import Embedder
from memory.tools import Tool

LEAST, SMALL_TALK_LEAST, SECOND_LEAST = 0.1, 0.8, 0.6
# Fitted by L2 logistic regression (C = 1) on 261 turns of eight persons that call a tool, every tool on offer a row;
# with each person left out in turn the likeliest tool is a right one in 205 of them.
WEIGHTS: tuple[float, ...] = (0.68, 1.36, 0.92, 0.36, 2.26, -1.42, -0.7, 0.72, 1.26, 1.67, -0.6)
BIAS = -0.9


@dataclass(frozen=True)
class Choice:
    """A tool that the request calls for."""

    tool: Tool
    probability: float
    focus: tuple[Segment, ...]
    """The clauses that speak of it; empty for the whole request."""


class Choices(NamedTuple):
    """The tools chosen for a request."""

    tools: tuple[Choice, ...] = ()
    """In the order in which the request speaks of them; none for small talk."""
    certainty: float = 0.0
    """Probability that it calls for these tools and for no other on offer, each taken for itself."""


def choose_tools(situation: Situation, filler: Filler, embedder: Embedder | None) -> Choices:
    """Return the tools that the request calls for, and how sure that is."""
    rows, filled = signals(situation, filler, embedder)
    forbidden = deeds_forbidden(situation.request)
    probabilities = [
        0.0 if effect_of(tool) != "read" and deeds_of(tool) & forbidden else probability(row)
        for tool, row in zip(situation.tools, rows, strict=True)
    ]
    if not rows:
        return Choices()
    # What waits for a value and of which the request says none gives way to what is likely too and waits for none.
    waiting = {index for index, row in enumerate(rows) if row.missing > 0 and not filled[index].said}
    is_ready = any(p >= SECOND_LEAST and index not in waiting for index, p in enumerate(probabilities))
    order = sorted(range(len(rows)), key=lambda index: (is_ready and index in waiting, -probabilities[index]))
    best = rows[order[0]]
    said = filled[order[0]].said
    is_stated = said >= 2 or (said > 0 and not best.missing)
    least = SMALL_TALK_LEAST if is_small_talk(situation.request) else 0.0 if is_stated else LEAST
    if probabilities[order[0]] < least:
        return Choices()
    table = clause_table(situation, embedder)
    picked = order[:1]
    for index in order[1:]:
        likelier = [other for other, p in enumerate(probabilities) if p > probabilities[index] and other not in picked]
        is_apart = table.has_own_clause(index, picked, rivals=likelier) and not rows[index].repeats
        is_open = index in waiting and not filled[index].chosen
        is_as_before = bool(rows[index].past_nearest) and filler.refers_back and not rows[index].repeats
        is_likely = probabilities[index] >= SECOND_LEAST and (is_apart or is_as_before) and not is_open
        is_told = probabilities[index] >= LEAST and not rows[index].missing and _has_own_deed(situation, index, picked)
        is_ready_too = probabilities[index] >= LEAST and not rows[index].missing and not rows[index].repeats
        is_again = is_ready_too and _once_more(rows, index, picked, table)
        if is_likely or is_told or is_again:
            picked.append(index)
    places = {index: table.first_clause(index, picked) for index in picked}
    chosen = tuple(
        Choice(situation.tools[index], probabilities[index], table.focus(index, picked))
        for index in sorted(picked, key=lambda index: places[index])
    )
    return Choices(chosen, math.prod(p if index in picked else 1 - p for index, p in enumerate(probabilities)))


def _has_own_deed(situation: Situation, tool: int, others: Sequence[int]) -> bool:
    """Whether the request says a deed that `tool` alone of those on offer does, and that none of `others` did."""
    deeds = [deeds_of(one) for one in situation.tools]
    own = (deeds[tool] & deeds_said(situation.request)).difference(*(deeds[other] for other in others))
    return bool(own) and sum(bool(own & mine) for mine in deeds) == 1


def _once_more(rows: Sequence[Signals], tool: int, picked: Sequence[int], table: ClauseTable) -> bool:
    """Whether a clause wants what `tool` did last once more, and the tools picked are spoken of in other clauses."""
    if not rows[tool].was_last or any(rows[other].was_last for other in picked):
        return False
    best = [max(table.score(clause, other) for other in picked) for clause in range(len(table.parts))]
    same = [clause for clause, part in enumerate(table.parts) if means_the_same(part.text)]
    return any(best[clause] < max(best) - OWN_CLAUSE_MARGIN for clause in same)


def probability(row: Signals) -> float:
    """Return the probability that the request calls for the tool."""
    return 1 / (1 + math.exp(-BIAS - sum(weight * value for weight, value in zip(WEIGHTS, row.row, strict=True))))
