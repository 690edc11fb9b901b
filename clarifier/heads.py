"""The heads: logistic models from signals to the three probabilities a policy weighs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from clarifier.decision import Odds
from clarifier.errors import HeadFormatError
from clarifier.signals import FEATURES, Signals

FORMAT_VERSION = 1


class Head(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """P = σ(intercept + Σ weight·feature); a feature without a weight counts nothing."""

    intercept: float
    weights: dict[str, float] = Field(default_factory=dict)

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability, in [0, 1]."""
        z = self.intercept + math.fsum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


class Heads(BaseModel, frozen=True, extra="forbid"):
    """The three heads with where they come from."""

    version: Literal[1]
    provenance: str
    """How the weights came about; reports print it."""
    planner: str | None = None
    """The planner they were fitted with; `None` where they were not fitted."""
    strategy: str | None = None
    """The memory strategy, likewise."""
    p_act: Head
    p_calls: Head
    p_asked: Head

    def odds(self, signals: Signals) -> Odds:
        """Return the probabilities for one proposal."""
        features = signals.features()
        return Odds(
            p_act=self.p_act.probability(features),
            p_calls=self.p_calls.probability(features),
            p_asked=self.p_asked.probability(features),
        )


def load_heads(path: Path | None = None) -> Heads:
    """Return the heads in a JSON file, those set by hand where `path` is `None`.

    Raises:
        HeadFormatError: If the file is missing, is no such JSON, is of another version or weighs an unknown feature.
    """
    where = str(path) if path is not None else "clarifier/hand_set.json"
    try:
        if path is None:
            text = resources.files("clarifier").joinpath("hand_set.json").read_text(encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as exc:
        raise HeadFormatError(where, f"expected a JSON file, got {exc}") from exc
    version = data.get("version") if isinstance(data, dict) else None
    if version != FORMAT_VERSION:
        raise HeadFormatError(where, f"expected format version {FORMAT_VERSION}, got {version!r}")
    try:
        heads = Heads.model_validate(data)
    except ValidationError as exc:
        raise HeadFormatError(where, f"expected the fields of the format, got {exc}") from exc
    weighed = {name for head in (heads.p_act, heads.p_calls, heads.p_asked) for name in head.weights}
    if unknown := sorted(weighed - FEATURES):
        raise HeadFormatError(where, f"expected features out of {sorted(FEATURES)}, got {unknown}")
    return heads
