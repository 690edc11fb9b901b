"""Which tools a request calls for beside the likeliest one: a logistic score of each of the others against that."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from agent.planners.rules.tool_features import NAMES, Features, Rows

LEAST_FURTHER = 0.7
"""Probability from which a further tool is called: a call too many costs as much as one too few, and there are more
requests for one thing than for several."""
_OF_THE_TOOL = (
    "said", "missing", "own_deed", "repeats", "follows", "was_last", "units_won", "shares", "said_lead", "back_past",
)  # fmt: skip


class _Logistic(NamedTuple):
    weights: tuple[float, ...]
    bias: float

    def log_odds(self, row: Sequence[float] | Rows) -> float:
        return self.bias + float(np.dot(self.weights, row))


def further(features: Features, picked: Sequence[int]) -> dict[int, float]:
    """Return the other tools that the request is likely to call for too, each with its probability.

    Args:
        features: Of the tools on offer.
        picked: Tools that are called already, at least one; the likeliest of them is what the others are held against.
    """
    wanted, beside = _weights()
    odds = [min(max(wanted.log_odds(row), -11.5), 11.5) for row in features.rows]
    best = max(picked, key=lambda at: odds[at])
    found: dict[int, float] = {}
    for at in range(len(odds)):
        if at not in picked:
            p = 1 / (1 + math.exp(-beside.log_odds(beside_row(features, odds, at, best))))
            if p >= LEAST_FURTHER:
                found[at] = p
    return found


def beside_row(features: Features, odds: Sequence[float], at: int, best: int) -> list[float]:
    """Return what speaks for a tool beside the best one: its odds, clauses of its own, and what is said for it."""
    shares = features.shares
    own = apart = elsewhere = 0.0
    if len(shares):
        mine = shares[:, at]
        own = float((mine - np.delete(shares, at, axis=1).max(axis=1)).max())
        apart = float((mine - shares[:, best]).max())
        elsewhere = float(mine.argmax() != shares[:, best].argmax())
    is_next = float(sum(other > odds[at] for other in odds) == 1)
    said = [float(features.rows[at, NAMES.index(name)]) for name in _OF_THE_TOOL]
    of_best = [float(features.rows[best, NAMES.index(name)]) for name in ("missing", "said")]
    clauses = [float(len(shares) > 1), float(min(len(shares), 6))]
    return [
        odds[at], odds[at] - odds[best], odds[best], own, apart, elsewhere, elsewhere * own, is_next, *clauses, *said,
        *of_best,
    ]  # fmt: skip


@cache
def _weights() -> tuple[_Logistic, _Logistic]:
    told = json.loads(files(__package__).joinpath("tool_weights.json").read_text("utf-8"))
    wanted, beside = (_Logistic(tuple(told[name]["weights"]), told[name]["bias"]) for name in ("tool", "further"))
    return wanted, beside
