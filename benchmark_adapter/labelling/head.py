"""The label head: a multinomial logistic model from typed features to call, ask, cannot or reply."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field, ValidationError, model_validator

from clarifier.errors import HeadFormatError

FORMAT_VERSION = 1
Label = Literal["call", "ask", "cannot", "reply"]
LABELS: tuple[Label, ...] = get_args(Label)
"""`call`: act or look up; `ask`: a value is missing; `cannot`: no tool does it; `reply`: nothing is to be done."""
MANY_TOOLS = 12
"""More tools than this are an application's whole set, of which most have nothing to do with a request."""
LIMIT = 5.0
"""Standard deviations from the mean beyond which a feature counts no more: rare ones would outweigh all others."""
_SHIPPED = "head.decide.json"


def setting_of(labels: Collection[Label], n_tools: int) -> str:
    """Return the name of a setting: the answers that are open, and whether the tools are an application's whole set."""
    return "+".join(label for label in LABELS if label in labels) + (" many" if n_tools > MANY_TOOLS else "")


class Weights(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Per label the weights of the features in their order, then the intercept."""

    by_label: dict[Label, tuple[float, ...]]


class LabelHead(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """P(label) ∝ exp(w_label·z + b_label) over the labels that are open.

    z are the features in standard deviations, at most `LIMIT` of them. Weights are those all settings share plus what a
    setting departs from them.
    """

    version: Literal[1]
    features: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    shared: Weights
    settings: dict[str, Weights]
    """Departures by setting (`setting_of`); a setting that is not listed has none."""
    costs: dict[str, dict[Label, float]]
    """By setting and right label: what it costs to give another answer; 1 where it is not listed."""
    provenance: dict[str, Any] = Field(default_factory=dict)
    """Data hashes, split, n, scores: how the weights came about, and what they are worth on items left out."""

    @model_validator(mode="after")
    def _of_one_length(self) -> LabelHead:
        n = len(self.features)
        rows = [row for part in (self.shared, *self.settings.values()) for row in part.by_label.values()]
        if len(self.mean) != n or len(self.scale) != n or any(len(row) != n + 1 for row in rows):
            raise ValueError(f"{n} features need as many means and scales, and weights of {n + 1} numbers")
        if any(value <= 0 for value in self.scale) or any(
            cost <= 0 for row in self.costs.values() for cost in row.values()
        ):
            raise ValueError("scales and costs must be positive")
        return self

    def probabilities(
        self, features: Mapping[str, float], labels: Collection[Label], n_tools: int
    ) -> dict[Label, float]:
        """Return the probability of each open label, in [0, 1], summing to 1.

        Args:
            features: By name; one that is absent counts as its mean.
            labels: The answers that are open, at least one.
            n_tools: Tools on offer.

        Raises:
            ValueError: If no label is open.
        """
        if not labels:
            raise ValueError("expected at least one open label; got none")
        known = zip(self.features, self.mean, self.scale, strict=True)
        z = [max(-LIMIT, min(LIMIT, (features.get(name, mean) - mean) / scale)) for name, mean, scale in known]
        parts = [self.shared]
        if departure := self.settings.get(setting_of(labels, n_tools)):
            parts.append(departure)
        scores: dict[Label, float] = {}
        for label in LABELS:
            if label in labels:
                rows = [row for part in parts if (row := part.by_label.get(label)) is not None]
                scores[label] = math.fsum(w * x for row in rows for w, x in zip(row, (*z, 1.0), strict=True))
        top = max(scores.values())
        raised = {label: math.exp(score - top) for label, score in scores.items()}
        total = math.fsum(raised.values())
        return {label: value / total for label, value in raised.items()}

    def choose(self, probabilities: Mapping[Label, float], n_tools: int) -> Label:
        """Return the answer of least expected cost; ties go to the earlier of `LABELS`.

        An answer costs nothing where it is right, else the cost of the label that was right, so the answer of least
        expected cost is that of the greatest cost·probability (Elkan, 2001).
        """
        costs = self.costs.get(setting_of(frozenset(probabilities), n_tools), {})
        return max(
            (label for label in LABELS if label in probabilities),
            key=lambda label: costs.get(label, 1.0) * probabilities[label],
        )


@lru_cache(maxsize=1)
def shipped_label_head() -> LabelHead:
    """Return the head that comes with the package."""
    return load_label_head()


def load_label_head(path: Path | None = None) -> LabelHead:
    """Return the head in a JSON file, the shipped one where `path` is `None`.

    Raises:
        HeadFormatError: If the file is missing, is no such JSON, or is of another version.
    """
    where = str(path) if path is not None else f"benchmark_adapter/labelling/{_SHIPPED}"
    try:
        if path is None:
            text = resources.files("benchmark_adapter.labelling").joinpath(_SHIPPED).read_text(encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as exc:
        raise HeadFormatError(where, f"expected a JSON file, got {exc}") from exc
    version = data.get("version") if isinstance(data, dict) else None
    if version != FORMAT_VERSION:
        raise HeadFormatError(where, f"expected format version {FORMAT_VERSION}, got {version!r}")
    try:
        return LabelHead.model_validate(data)
    except ValidationError as exc:
        raise HeadFormatError(where, f"expected the fields of the format, got {exc}") from exc
