"""What a turn costs under the product policy: a unit a question, and a wrong act by what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clarifier.effects import effect_of
from clarifier.policy import ProductPolicy
from memory.tools import parse_tools

_POLICY = ProductPolicy()


def turn_cost(
    questions: int, wrong_calls: Iterable[str], tools: Iterable[Mapping[str, Any]], *, policy: ProductPolicy = _POLICY
) -> float:
    """Return the cost of a turn, in questions: those asked, and the worst of its wrong calls.

    One wrong act is paid once: the person stops the agent there. A wrong call of a tool that is not on offer does
    nothing, and costs what a wrong read costs.

    Args:
        questions: How many were asked.
        wrong_calls: Names of the tools that were called wrongly; repeats change nothing.
        tools: The schemas on offer; of two with one name the last counts.
        policy: Has the costs.
    """
    cost = questions * policy.cost_ask
    names = set(wrong_calls)
    if not names:
        return cost
    effects = {tool.name: effect_of(tool) for tool in parse_tools(tools, strict=False)}
    return cost + max(policy.cost_wrong[effects.get(name, "read")] for name in names)
