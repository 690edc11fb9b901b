"""What each part of a prompt costs in tokens, and recall cut so that a request fits its window."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from agent.planners.prompt import Style, item_line, system_blocks, topic_messages, turn_messages
from agent.providers import Profile
from clarifier.decision import Situation
from memory.recall import ItemKind, Recall
from memory.tokens import count_tokens

_LEAVES_FIRST: tuple[ItemKind, ...] = ("turn", "exemplar", "topic", "state")
"""In this order recall gives way, within each the oldest first: what is known of the person goes last."""


class Fitted(NamedTuple):
    """A situation that fits."""

    situation: Situation
    notes: tuple[str, ...]
    """What was left out, in words."""


def block_costs(situation: Situation, style: Style) -> dict[str, int]:
    """Return the tokens of every block by name, in reading order; a block that is not there costs nothing.

    `topic`: the running topic, `request`, `steps`: of this turn so far, `tools`: as they are sent.
    """
    costs = dict.fromkeys(("rules", "sources", "tools", "clock", "known", "examples", "earlier", "hints", "plain"), 0)
    costs.update({block.name: count_tokens(block.text) for block in system_blocks(situation, style)})
    request, *steps = turn_messages(situation, style)
    if not style.is_text and not style.without_tools:
        costs["tools"] = _tokens(style.tools.tools)
    return {
        **costs,
        "topic": sum(_tokens(message) for message in topic_messages(situation, style)),
        "request": count_tokens(request["content"]),
        "steps": sum(_tokens(message) for message in steps),
    }


def prompt_budget(profile: Profile, *, prompt_tokens: int | None, max_tokens: int | None) -> int | None:
    """Return the most tokens of a request, `None` without a limit.

    Args:
        profile: Says how large the window is.
        prompt_tokens: The user's limit, which goes before.
        max_tokens: Kept free for the answer; `None`: an eighth of the window.
    """
    window = profile.context_tokens
    if prompt_tokens is not None or window is None:
        return prompt_tokens
    return max(window - (max_tokens or window // 8), window // 4)


def fitted(situation: Situation, style: Style, budget: int | None) -> Fitted:
    """Return `situation` with as much recall as fits `budget` tokens; what was asked and done always stays."""
    if budget is None:
        return Fitted(situation, ())
    over = sum(block_costs(situation, style).values()) - budget
    if over <= 0:
        return Fitted(situation, ())
    kept = list(situation.recall.items)
    dropped: dict[str, int] = {}
    for item in sorted(kept, key=lambda item: _LEAVES_FIRST.index(item.kind)):
        if over <= 0:
            break
        kept = [one for one in kept if one is not item]
        over -= max(item.tokens, count_tokens(item_line(item)))
        dropped[item.kind] = dropped.get(item.kind, 0) + 1
    words = ", ".join(f"{count} of {kind}" for kind, count in dropped.items())
    still = f"; it is still {over} tokens over" if over > 0 else ""
    note = f"recall was cut by {words or 'nothing'} so that the request fits {budget} tokens{still}"
    return Fitted(replace(situation, recall=Recall(tuple(kept))), (note,))


def cost_lines(costs: Mapping[str, int]) -> list[str]:
    """Return the costs as lines of a table, with the sum."""
    rows = [(name, tokens) for name, tokens in costs.items() if tokens] + [("all", sum(costs.values()))]
    return [f"{name:<9}{tokens:>8}" for name, tokens in rows]


def _tokens(value: object) -> int:
    return count_tokens(json.dumps(value, ensure_ascii=False))
