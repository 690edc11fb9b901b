"""The exact score of a turn, from its replies alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.evaluator.arguments import CORRECT, compare_arguments, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Follower, PredictedCall, Step
from benchmark_adapter.evaluator.verdict import Label, argument_text, verdict
from benchmark_adapter.replay.environment import Reply
from benchmark_adapter.replay.past import arguments

_MODEL_NAME = "stead"
"""What tools are converted for: any name without `claude` in it (conformance notes, 5)."""


@dataclass(frozen=True)
class ExactScore:
    """The verdict on a turn."""

    label: Label
    reason: str | None
    """Why it is not correct."""
    right_arguments: frozenset[tuple[int, str]]
    """Reference arguments that a call gave right: index of the reference step, name of the argument."""


def score_turn(turn: ReferenceTurn, replies: Sequence[Reply], *, similarity: SimilarityMode) -> ExactScore:
    """Return the exact score of a turn; replies after its end play no part."""
    return score_followed(turn, follow(turn, replies), similarity=similarity)


def follow(turn: ReferenceTurn, replies: Sequence[Reply]) -> Follower:
    """Return the log of a turn; replies after its end play no part."""
    follower = Follower(turn.answer)
    for reply in replies:
        if follower.is_over:
            break
        if reply.calls:
            follower.calls([PredictedCall(call.id, call.name, call.arguments) for call in reply.calls])
        else:
            follower.text(reply.content)
    return follower


def score_followed(
    turn: ReferenceTurn, follower: Follower, *, similarity: SimilarityMode, model: str = _MODEL_NAME
) -> ExactScore:
    """Return the exact score of a turn that was followed to its end.

    Args:
        turn: The turn.
        follower: With the turn's log.
        similarity: Second similarity of texts.
        model: Decides the form of the tools.
    """
    tools = convert_tools(turn.tools, model)
    result = verdict(follower, tools, similarity=similarity)
    functions = functions_by_name(tools)
    right = [pair for step in follower.steps for pair in _right_arguments(turn, step, functions, similarity)]
    return ExactScore(result.label, result.reason, frozenset(right))


def _right_arguments(
    turn: ReferenceTurn, step: Step, functions: dict[str, Any], similarity: SimilarityMode
) -> Iterator[tuple[int, str]]:
    """Yield the reference arguments that an accepted step with calls gave right; calls are paired as in the verdict."""
    if step.kind != "calls" or not step.accepted:
        return
    predicted = sorted(step.calls, key=lambda call: (call.name, str(call.arguments)))
    nodes = sorted(
        step.matched, key=lambda node: (turn.answer[node].action.name, argument_text(turn.answer[node].action))
    )
    for call, node in zip(predicted, nodes, strict=True):
        parameters = functions.get(call.name, {}).get("parameters", {})
        given = _values(call.arguments)
        for name, value in arguments(turn.answer[node]).items():
            if (
                name in given
                and compare_arguments({name: given[name]}, {name: value}, parameters, similarity) == CORRECT
            ):
                yield node, name


def _values(written: Any) -> dict[str, Any]:
    """Return the arguments in a model's JSON text; text that holds no object gives none."""
    try:
        value = json.loads(written)
    except (TypeError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
