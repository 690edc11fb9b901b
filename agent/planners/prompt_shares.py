"""Cuts what may be of any size to its share of a prompt: results of tools, the running topic, the tools on offer. Pure.

Each cut is seen by the model: a result says how much of it is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from agent.planners.prompt import observed
from agent.planners.rules.tool_text import content_terms, tool_texts
from clarifier.decision import Situation
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, Step
from memory.tokens import count_tokens
from memory.tools import Tool

RESULTS_SHARE = 0.4
"""Most of the budget that results of this turn take."""
TOPIC_SHARE = 0.25
"""Most of the budget that the running topic takes; half of it its results."""
TOOLS_SHARE = 0.3
"""Most of the budget that the tools on offer take."""
LEAST_TOOLS = 8
"""As many are offered whatever they cost."""
_PAST_WORTH = 4.0
"""What it is worth, in words that request and tool have in common, that a tool was called in a recalled turn."""


class Shared(NamedTuple):
    """A situation with its parts cut."""

    situation: Situation
    notes: tuple[str, ...]


def within_shares(situation: Situation, budget: int | None) -> Shared:
    """Return `situation` with results and topic cut to their shares of `budget` tokens."""
    if budget is None:
        return Shared(situation, ())
    steps, of_steps = _cut_steps(situation.steps, int(budget * RESULTS_SHARE))
    topic = [item for item in situation.recall.items if item.kind == "topic" and item.turn is not None]
    cut, of_topic = _cut_topic(topic, int(budget * TOPIC_SHARE / 2))
    items = tuple(cut.get(id(item), item) for item in situation.recall.items)
    notes = [
        f"{count} results of {where} were cut to their share of {budget} tokens"
        for where, count in (("this turn", of_steps), ("the topic", of_topic))
        if count
    ]
    if not notes:
        return Shared(situation, ())
    return Shared(replace(situation, steps=steps, recall=Recall(items)), tuple(notes))


def fitting_tools(situation: Situation, *, most: int | None, tokens: int | None) -> tuple[Tool, ...]:
    """Return the tools to offer, in their order: all, or those that fit the request best and were used before.

    Args:
        situation: With what was called in this turn, in the topic and in recalled turns.
        most: Tools that the endpoint takes; `None`: any number.
        tokens: Most that they may cost together; LEAST_TOOLS are offered all the same.
    """
    costs = [count_tokens(str(tool.definition)) for tool in situation.tools]
    if (most is None or len(costs) <= most) and (tokens is None or sum(costs) <= tokens):
        return situation.tools
    kept: set[int] = set()
    spent = 0
    for index in _by_fitness(situation):
        if most is not None and len(kept) >= most:
            break
        if tokens is not None and len(kept) >= LEAST_TOOLS and spent + costs[index] > tokens:
            continue
        kept.add(index)
        spent += costs[index]
    return tuple(tool for index, tool in enumerate(situation.tools) if index in kept)


def _by_fitness(situation: Situation) -> list[int]:
    texts = tool_texts(situation.tools)
    said = [situation.request, *(step.answer or "" for step in situation.question_steps)]
    words = content_terms(" ".join(said))
    now = {call.name for step in situation.call_steps for call in step.calls}
    past = {call.name for item in situation.recall.items if item.turn is not None for call in item.turn.calls}
    hinted = {hint.slot.tool for hint in situation.hints}

    def fitness(index: int) -> float:
        name = situation.tools[index].name
        wanted = name in now or name in hinted
        return texts.overlap(words, index) + _PAST_WORTH * (name in past) + (1e6 if wanted else 0.0)

    return sorted(range(len(situation.tools)), key=lambda index: -fitness(index))


def _cut_topic(topic: Sequence[RecallItem], tokens: int) -> tuple[dict[int, RecallItem], int]:
    steps = [step for item in topic if item.turn is not None for step in item.turn.steps]
    made, count = _cut_steps(steps, tokens)
    cut: dict[int, RecallItem] = {}
    start = 0
    for item in topic if count else ():
        if item.turn is not None:
            end = start + len(item.turn.steps)
            cut[id(item)] = _with_steps(item, made[start:end])
            start = end
    return cut, count


def _with_steps(item: RecallItem, steps: Sequence[Step]) -> RecallItem:
    """Return a recalled item whose turn has other steps."""
    turn = item.turn.model_copy(update={"steps": tuple(steps)}) if item.turn is not None else None
    return replace(item, turn=turn)


def _cut_steps(steps: Sequence[Step], tokens: int) -> tuple[tuple[Step, ...], int]:
    """Return the steps with their results cut to `tokens` together, and how many were cut."""
    texts = [observed(one) for step in steps if isinstance(step, CallStep) for one in step.observations]
    allowed = _level([count_tokens(text) for text in texts], tokens)
    if allowed is None:
        return tuple(steps), 0
    made: list[Step] = []
    count = 0
    for step in steps:
        if isinstance(step, CallStep):
            shown = [_cut(one, allowed) for one in step.observations]
            count += sum(new is not old for new, old in zip(shown, step.observations, strict=True))
            step = step.model_copy(update={"observations": tuple(shown)})
        made.append(step)
    return tuple(made), count


def _level(costs: Sequence[int], tokens: int) -> int | None:
    """Return the most that each may cost so that all cost `tokens`, small ones whole; `None`: they fit as they are."""
    if sum(costs) <= tokens:
        return None
    left, ordered = tokens, sorted(costs)
    for place, cost in enumerate(ordered):
        level = left // (len(ordered) - place)
        if cost > level:
            return max(level, 1)
        left -= cost
    return None


def _cut(observation: Observation, tokens: int) -> Observation:
    text = observed(observation)
    cost = count_tokens(text)
    if cost <= tokens:
        return observation
    kept = text[: max(1, len(text) * tokens // cost)]
    while count_tokens(kept) > tokens and len(kept) > 1:
        kept = kept[: len(kept) * 9 // 10]
    mark = f"… [cut: the first {len(kept):,} of {len(text):,} characters]"
    return Observation(content=kept + mark)


_TOO_MANY = re.compile(
    r"\btools?\b.{0,160}?(?:max|at most|limit|more than|exceed|up to|too (?:many|long)).{0,60}?(\d+)", re.I | re.S
)
"""How endpoints say how many tools they take."""


def tools_taken(refusal: str, offered: int) -> int | None:
    """Return how many tools an endpoint takes that refused `offered`, `None` where it refused something else."""
    found = _TOO_MANY.search(refusal)
    most = int(found[1]) if found else 0
    return most if 0 < most < offered else None
