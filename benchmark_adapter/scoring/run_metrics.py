"""All metrics of a run, as numbers and with their intervals (DESIGN §9; docs/metrics.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmark_adapter.data.dataset import DEFAULT_SEED
from benchmark_adapter.scoring.bootstrap import DIGITS, N_DRAWS, Draws, Values, interval, point
from benchmark_adapter.scoring.calibration_metrics import Forecasts, aurc, auroc, brier, ece
from benchmark_adapter.scoring.evidence_recall import evidence_recall
from benchmark_adapter.scoring.metrics import (
    ScoredTurn,
    ask_quality,
    draws_once,
    exact_accuracy,
    relaxed_accuracy,
    slot_counts,
)
from benchmark_adapter.scoring.reference_rates import reference_rates, session_rate
from benchmark_adapter.scoring.reply_kinds import reply_counts

Tree = Mapping[str, Any]
"""Values by name, nested; its leaves are `Values`, or `None` for what was not measured."""


def compute_metrics(turns: Sequence[ScoredTurn], *, seed: int = DEFAULT_SEED, n_draws: int = N_DRAWS) -> dict[str, Any]:
    """Return every metric of a run, but for its place and its time. Undefined is `None`.

    `ci95` has an interval by metric path, and is `None` where nobody has two topics, so that nothing can be resampled.

    Args:
        turns: All turns in playing order, person by person.
        seed: Of the bootstrap.
        n_draws: Of the bootstrap.
    """
    once = draws_once(turns)
    values = metric_values(turns, once)
    points: dict[str, Any] = _points(values)
    counts = {name: sum(every) for name, (_, every) in slot_counts(turns).items()}
    intervals = None
    if once.can_vary:
        intervals = _intervals(values, metric_values(turns, once.resampled(seed=seed, n=n_draws)))
    return {
        "n": len(turns),
        "failed": sum(turn.line.failure is not None for turn in turns),
        "exact": points["exact"],
        "relaxed": points["relaxed"],
        "slots": {name: {"n": counts[name], **accuracy} for name, accuracy in points["slots"].items()},
        "ask": points["ask"],
        "expected_cost": points["expected_cost"],
        "calibration": points["calibration"],
        "recall": points["recall"],
        "reference": {"sessions": session_rate(turns), **points["reference"]},
        "replies": reply_counts(turn.line for turn in turns),
        "tokens": {
            "prompt": sum(turn.line.usage.prompt for turn in turns),
            "completion": sum(turn.line.usage.completion for turn in turns),
            "recall": sum(turn.line.recall_tokens for turn in turns),
        },
        "ci95": intervals,
    }


def metric_values(turns: Sequence[ScoredTurn], draws: Draws) -> dict[str, Any]:
    """Return a tree of all metrics that have an interval, each with one value a draw."""
    return {
        "exact": exact_accuracy(turns, lambda turn: turn.is_correct, draws),
        "relaxed": relaxed_accuracy(turns, draws),
        "slots": {name: {"accuracy": draws.share(right, every)} for name, (right, every) in slot_counts(turns).items()},
        "ask": ask_quality(turns, draws),
        "expected_cost": draws.share([turn.cost for turn in turns], np.ones(len(turns))),
        "calibration": calibration(turns, draws),
        "recall": {"evidence": evidence_recall(turns, draws)},
        "reference": reference_rates(turns, draws),
    }


def calibration(turns: Sequence[ScoredTurn], draws: Draws) -> dict[str, Values]:
    """Return how well the last `p_calls` of a turn that acted agrees with whether its calls came out right."""
    acted = np.array([index for index, turn in enumerate(turns) if turn.p_calls is not None], dtype=np.intp)
    forecasts = Forecasts.of(
        [turns[index].p_calls or 0.0 for index in acted], [turns[index].outcome.calls_are_right for index in acted]
    )
    weights = draws.weights(acted)
    values = {
        "ece": ece(forecasts, weights, is_resampled=draws.is_resampled),
        "brier": brier(forecasts, weights),
        "auroc": auroc(forecasts, weights),
        "aurc": aurc(forecasts, weights),
    }
    return {name: np.round(value, DIGITS) for name, value in values.items()}


def leaves(tree: Tree, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a tree with their paths: names joined by dots."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}{name}.")
        elif value is not None:
            yield f"{path}{name}", value


def _points(tree: Tree) -> dict[str, Any]:
    return {
        name: _points(value) if isinstance(value, Mapping) else None if value is None else point(value)
        for name, value in tree.items()
    }


def _intervals(values: Tree, drawn: Tree) -> dict[str, list[float] | None]:
    """Return an interval by path, `None` where the metric itself is undefined."""
    measured = dict(leaves(values))
    return {path: None if point(measured[path]) is None else interval(draw) for path, draw in leaves(drawn)}
