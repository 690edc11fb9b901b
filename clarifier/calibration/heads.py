"""The heads: logistic models from signals to the three probabilities a policy weighs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field, ValidationError, model_validator

from clarifier.calibration.signals import FEATURES, Signals
from clarifier.decision import Odds
from clarifier.errors import HeadFormatError

FORMAT_VERSION = 2
"""2 may weigh `recall_gap`, `request_uncertainty` and `self_consistency`; heads of 1 know none of them and hold."""
READABLE = (1, FORMAT_VERSION)
HAND_SET, PERSONA = "hand_set", "persona"
SHIPPED: Mapping[str, str] = {HAND_SET: "hand_set.json", PERSONA: "head.persona.json"}
"""The heads that come with the package, by name."""

Ablation = Literal["none", "stated", "posterior", "fusion", "best"]
"""What heads look at: base rates alone, what the planner says of itself, the slot posterior, or both; `best`: each head
at whichever of these foretells other persons best."""
HeadName = Literal["p_act", "p_calls", "p_asked"]


class Knot(NamedTuple):
    """A point of a recalibration curve: what the logistic model says, and what came true of it."""

    said: float
    came_true: float


class Head(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """P = σ(intercept + Σ weight·feature); a feature without a weight counts nothing."""

    intercept: float
    weights: dict[str, float] = Field(default_factory=dict)
    curve: tuple[Knot, ...] = ()
    """Isotonic recalibration of P, rising, linear between its knots and level beyond them; none where empty."""

    @model_validator(mode="after")
    def _rises(self) -> Head:
        said, true = [knot.said for knot in self.curve], [knot.came_true for knot in self.curve]
        if said != sorted(set(said)) or true != sorted(true) or any(not 0 <= p <= 1 for p in (*said, *true)):
            raise ValueError("a curve needs knots in [0, 1] that rise")
        return self

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability, in [0, 1]."""
        z = self.intercept + math.fsum(weight * features[name] for name, weight in self.weights.items())
        p = 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
        return self._recalibrated(p) if self.curve else p

    def _recalibrated(self, p: float) -> float:
        if p <= self.curve[0].said:
            return self.curve[0].came_true
        for low, high in zip(self.curve, self.curve[1:], strict=False):
            if p <= high.said:
                return low.came_true + (high.came_true - low.came_true) * (p - low.said) / (high.said - low.said)
        return self.curve[-1].came_true


class HeadScores(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """How well a head foretells persons it has not seen (each person by a fit on the others)."""

    n: int
    """Labels."""
    positive: int
    """Of them true."""
    brier: float
    ece: float
    auroc: float | None
    """`None` where all labels of the persons that could be foretold are alike."""


class Fit(BaseModel, frozen=True, extra="forbid"):
    """What heads were fitted on."""

    data: str
    """SHA-256 of the data sets."""
    split: str
    """Which persons of them, in words."""
    persons: tuple[str, ...]
    """Whoever of them plays in a test is foretold by heads that were fitted on him: such a test proves nothing."""
    signals: Ablation
    penalty: float
    """C of the L2 penalty, on standardised features."""
    scores: dict[HeadName, HeadScores]
    """Leave-one-persona-out."""


class Heads(BaseModel, frozen=True, extra="forbid"):
    """The three heads with where they come from."""

    version: Literal[1, 2]
    provenance: str
    """How the weights came about; reports print it."""
    planner: str | None = None
    """The planner they were fitted with; `None` where they were not fitted."""
    strategy: str | None = None
    """The memory strategy, likewise."""
    fit: Fit | None = None
    """`None` where they were not fitted."""
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

    def misfit(self, *, planner: str, strategy: str) -> str | None:
        """Return a warning where the heads were fitted with another planner or memory strategy, else `None`."""
        fitted, used = (self.planner, self.strategy), (planner, strategy)
        differing = [
            f"{name} {of!r}, not {with_!r}"
            for name, of, with_ in zip(_WITH, fitted, used, strict=True)
            if of is not None and of != with_
        ]
        if not differing:
            return None
        return (
            f"the heads were fitted with {' and '.join(differing)}: their probabilities may be off; "
            "`stead-bench calibrate RUN --base HEADS` (`stead calibrate` for a log) refits the intercepts"
        )


_WITH = ("planner", "strategy")


def default_heads(planner: str) -> str:
    """Return the name of the heads to use where none are named: the fitted ones with the planner they know.

    The memory strategy plays no part, so that strategies are compared under the same heads.
    """
    return PERSONA if load_heads(PERSONA).planner == planner else HAND_SET


def load_heads(source: str | Path | None = None) -> Heads:
    """Return heads that come with the package (`hand_set`, `persona`), or those in a JSON file.

    Args:
        source: A name or a file; `None`: those set by hand.

    Raises:
        HeadFormatError: If the file is missing, is no such JSON, is of another version or weighs an unknown feature.
    """
    source = HAND_SET if source is None else source
    shipped = SHIPPED.get(str(source))
    where = f"clarifier/{shipped}" if shipped else str(source)
    try:
        if shipped:
            text = resources.files("clarifier.calibration").joinpath(shipped).read_text(encoding="utf-8")
        else:
            text = Path(source).read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as exc:
        problem = f"expected a JSON file, or one of the names {', '.join(SHIPPED)}, got {exc}"
        raise HeadFormatError(where, problem) from exc
    version = data.get("version") if isinstance(data, dict) else None
    if version not in READABLE:
        raise HeadFormatError(where, f"expected format version {' or '.join(map(str, READABLE))}, got {version!r}")
    try:
        heads = Heads.model_validate(data)
    except ValidationError as exc:
        raise HeadFormatError(where, f"expected the fields of the format, got {exc}") from exc
    weighed = {name for head in (heads.p_act, heads.p_calls, heads.p_asked) for name in head.weights}
    if unknown := sorted(weighed - FEATURES):
        raise HeadFormatError(where, f"expected features out of {sorted(FEATURES)}, got {unknown}")
    return heads
