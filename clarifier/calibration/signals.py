"""Signals: what the heads see of a proposal, as pure functions of its groundings (DESIGN §6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from clarifier.grounding.grounder import Grounding

FLOOR = 0.01
"""Least c_j within a logarithm: one hopeless argument shall not drown the rest."""
_FROM_MEMORY = ("standing", "habit")
_SAID = ("request", "answer", "derived")


@dataclass(frozen=True)
class Signals:
    """The features of one proposal. A later feature is a further field with a neutral default."""

    sum_log_c: float = 0.0
    """Σ log c_j over all arguments, at most 0."""
    min_c: float = 1.0
    """The least c_j; 1 without arguments."""
    min_c_required: float = 1.0
    """The least c_j of required arguments, the only ones a reference asks for; 1 without such."""
    min_margin: float = 1.0
    """The least margin, in [-1, 1]; 1 without arguments."""
    arguments: float = 0.0
    """Their number, open required ones included."""
    conflict_entropy: float = 0.0
    """The largest of the slots', nats."""
    evidence_age: float = 0.0
    """The largest age, in half-lives, among arguments that rest on long-term memory; 0 without such."""
    evidence_count: float = 0.0
    """The least number of pieces behind an argument that rests on long-term memory; 0 without such."""
    share_from_memory: float = 0.0
    """Share of arguments that rest on long-term memory."""
    share_ungrounded: float = 0.0
    """Share of arguments that nothing grounds, missing ones included."""
    share_open: float = 0.0
    """Share of arguments that are required and missing, or invented in an open domain."""
    recall_gap: float = 0.0
    """Share of required arguments that were not said in this turn and of whose slot nothing is recalled."""
    planner_confidence: float = 0.0
    """Planner-stated probability minus one half; 0 when not given."""
    request_uncertainty: float = 0.0
    """Planner-stated probability that the request leaves something open, minus one half; 0 when not given."""
    self_consistency: float = 0.0
    """Share of the sampled proposals that are this one, minus one half; 0 with one sample."""

    def features(self) -> dict[str, float]:
        """Return the features by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def rounded(self) -> dict[str, float]:
        """Return the features by name to 6 digits, as decisions keep them: the last bits vary with the machine."""
        return {name: round(value, 6) + 0.0 for name, value in self.features().items()}


FEATURES = frozenset(field.name for field in fields(Signals))
"""The names a head may weigh."""


class Stated(NamedTuple):
    """What a planner says of its own proposal, `None` where it says nothing."""

    confidence: float | None = None
    """That the proposal is right, in [0, 1]."""
    uncertainty: float | None = None
    """That the request leaves something open, in [0, 1]."""
    consistency: float | None = None
    """Share of the sampled proposals that are this one, in (0, 1]."""


STATED = frozenset(("planner_confidence", "request_uncertainty", "self_consistency"))
"""The features that are what the planner says of itself."""


def signals_of(groundings: Sequence[Grounding], *, stated: Stated | None = None) -> Signals:
    """Return the signals of a proposal with these arguments; none at all give the neutral signals.

    Args:
        groundings: Of every argument of every call that would be made, missing required ones included.
        stated: What the planner says of its proposal.
    """
    said = stated or Stated()
    of_planner = Signals(
        planner_confidence=_from_half(said.confidence),
        request_uncertainty=_from_half(said.uncertainty),
        self_consistency=_from_half(said.consistency),
    )
    if not groundings:
        return of_planner
    remembered = [one for one in groundings if one.grounds in _FROM_MEMORY]
    n = len(groundings)
    return replace(
        of_planner,
        sum_log_c=math.fsum(math.log(max(one.probability, FLOOR)) for one in groundings),
        min_c=min(one.probability for one in groundings),
        min_c_required=min((one.probability for one in groundings if one.is_required), default=1.0),
        min_margin=min(one.margin for one in groundings),
        arguments=float(n),
        conflict_entropy=max(one.conflict_entropy for one in groundings),
        evidence_age=max((one.evidence_age for one in remembered), default=0.0),
        evidence_count=float(min((one.evidence_count for one in remembered), default=0)),
        share_from_memory=len(remembered) / n,
        share_ungrounded=sum(one.grounds in ("none", "missing") for one in groundings) / n,
        share_open=sum(one.is_missing for one in groundings) / n,
        recall_gap=recall_gap(groundings),
    )


def recall_gap(groundings: Sequence[Grounding]) -> float:
    """Return for how many of the required arguments memory would have to speak and is silent, as a share of them.

    It would have to where the person did not say the value in this turn; 0 without required arguments.
    """
    required = [one for one in groundings if one.is_required]
    silent = [one for one in required if one.grounds not in _SAID and not one.is_recalled]
    return len(silent) / len(required) if required else 0.0


def _from_half(probability: float | None) -> float:
    return 0.0 if probability is None else probability - 0.5
