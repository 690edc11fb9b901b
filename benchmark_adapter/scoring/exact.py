"""The exact score of a turn, from its replies alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import arguments
from benchmark_adapter.evaluator.arguments import CORRECT, compare_arguments
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Step
from benchmark_adapter.evaluator.verdict import Label, argument_text
from benchmark_adapter.replay.environment import Reply
from benchmark_adapter.scoring.turn_verdict import TurnVerdict, follow, judge


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
    return score_verdict(judge(turn, follow(turn, replies), similarity=similarity))


def score_verdict(judged: TurnVerdict) -> ExactScore:
    """Return the exact score of a judged turn."""
    right = (pair for step in judged.follower.steps for pair in _right_arguments(judged, step))
    return ExactScore(judged.verdict.label, judged.verdict.reason, frozenset(right))


def _right_arguments(judged: TurnVerdict, step: Step) -> Iterator[tuple[int, str]]:
    """Yield the reference arguments that an accepted step with calls gave right; calls are paired as in the verdict."""
    if step.kind != "calls" or not step.accepted:
        return
    answer = judged.turn.answer
    predicted = sorted(step.calls, key=lambda call: (call.name, str(call.arguments)))
    nodes = sorted(step.matched, key=lambda node: (answer[node].action.name, argument_text(answer[node].action)))
    for call, node in zip(predicted, nodes, strict=True):
        parameters = judged.functions.get(call.name, {}).get("parameters", {})
        given = _values(call.arguments)
        for name, value in arguments(answer[node]).items():
            if (
                name in given
                and compare_arguments({name: given[name]}, {name: value}, parameters, judged.similarity) == CORRECT
            ):
                yield node, name


def _values(written: Any) -> dict[str, Any]:
    """Return the arguments in a model's JSON text; text that holds no object gives none."""
    try:
        value = json.loads(written)
    except (TypeError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
