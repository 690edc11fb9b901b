"""The slot posterior: how probable each value of a slot is, given the evidence of long-term memory (DESIGN §6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from clarifier.settings import PosteriorSettings
from memory.evidence import Evidence
from memory.tools import Parameter
from memory.values import equal

DEFAULTS = PosteriorSettings()


class Moment(NamedTuple):
    """The turn that ages are counted from."""

    position: int
    """Of the turn in the user's log."""
    now: datetime | None = None


class Witness(NamedTuple):
    """A piece of evidence with the likeness of its context to the slot at hand."""

    evidence: Evidence
    similarity: float
    """In [0, 1]."""


@dataclass(frozen=True)
class Candidate:
    """A value that evidence speaks for, or that the schema allows."""

    value: JsonValue
    probability: float
    weight: float = 0.0
    """Σ w_e of its evidence."""
    count: int = 0
    """Pieces of evidence that weigh something."""
    turn_ids: tuple[str, ...] = ()
    is_standing: bool = False
    """Whether a standing rule is among its evidence."""


@dataclass(frozen=True)
class Posterior:
    """The probabilities of a slot's values; with `unknown` they sum to 1."""

    candidates: tuple[Candidate, ...]
    """Likeliest first; ties keep the order of evidence, then of the schema."""
    unknown: float
    """Mass on a value that nobody named."""
    parameter: Parameter | None = None

    @property
    def best(self) -> Candidate | None:
        """The likeliest value, `None` where there is none at all."""
        return self.candidates[0] if self.candidates else None

    def find(self, value: JsonValue) -> Candidate | None:
        """Return the candidate equal to `value`."""
        return next((one for one in self.candidates if equal(one.value, value, self.parameter)), None)

    def probability(self, value: JsonValue) -> float:
        """Return P_j(value); 0 for a value that neither evidence nor the schema names."""
        found = self.find(value)
        return found.probability if found is not None else 0.0

    def margin(self, value: JsonValue) -> float:
        """Return P_j(value) minus the probability of the best other value, in [-1, 1]."""
        found = self.find(value)
        others = (one.probability for one in self.candidates if one is not found)
        return (found.probability if found is not None else 0.0) - max(others, default=0.0)

    @property
    def conflict_entropy(self) -> float:
        """Entropy (nats) of the evidence over the values it speaks for; 0 where it agrees or there is none."""
        total = sum(one.weight for one in self.candidates)
        if total <= 0:
            return 0.0
        shares = [one.weight / total for one in self.candidates if one.weight > 0]
        return max(0.0, -sum(share * math.log(share) for share in shares))


def age(evidence: Evidence, moment: Moment) -> tuple[float, bool]:
    """Return the age of `evidence`, never negative, and whether it is in days (else in turns).

    Days where both times are known, turns by position otherwise. Of a time with a zone and one without, both are read
    as wall-clock times.
    """
    if evidence.time is None or moment.now is None:
        return max(0.0, float(moment.position - evidence.position)), False
    then, now = evidence.time, moment.now
    if (then.tzinfo is None) != (now.tzinfo is None):
        then, now = then.replace(tzinfo=None), now.replace(tzinfo=None)
    return max(0.0, (now - then).total_seconds() / 86_400), True


def weight(witness: Witness, moment: Moment, settings: PosteriorSettings = DEFAULTS) -> float:
    """Return w_e = similarity · 2^(−age/H) · trust(source).

    H is infinite for standing rules; evidence that may not fill a slot weighs 0.
    """
    evidence = witness.evidence
    if not evidence.may_fill:
        return 0.0
    decay = 1.0
    if evidence.kind != "standing":
        length, is_days = age(evidence, moment)
        decay = 2.0 ** (-length / (settings.half_life_days if is_days else settings.half_life_turns))
    return witness.similarity * decay * settings.trust[evidence.source]


def posterior(
    witnesses: Iterable[Witness],
    moment: Moment,
    *,
    parameter: Parameter | None = None,
    settings: PosteriorSettings = DEFAULTS,
) -> Posterior:
    """Return P_j(v) = (Σ_e w_e·[v_e = v] + a·π_j(v)) / (Σ_e w_e + a) for every value named (DESIGN §6).

    Args:
        witnesses: Evidence for the slot; its order changes nothing but ties.
        moment: The turn that is being decided.
        parameter: The slot's parameter: types the equality of values; its enum (true and false of a boolean) is the
            support of the uniform prior π_j, without one all prior mass is on "unknown".
        settings: a, H and trust.
    """
    groups: list[_Group] = []
    by_key: dict[str, _Group] = {}
    domain = closed_domain(parameter)
    for witness in witnesses:
        w = weight(witness, moment, settings)
        if w <= 0:
            continue
        key = witness.evidence.value_key
        group = by_key.get(key) or _group_of(witness.evidence.value, groups, parameter)
        by_key[key] = group
        group.add(witness.evidence, w)
    for value in domain:
        _group_of(value, groups, parameter).is_allowed = True
    total = math.fsum(w for group in groups for w in group.weights) + settings.prior_strength
    prior = settings.prior_strength / len(domain) if domain else 0.0
    candidates = [group.candidate(total, prior) for group in groups]
    candidates.sort(key=lambda one: -one.probability)
    return Posterior(tuple(candidates), 0.0 if domain else settings.prior_strength / total, parameter)


def closed_domain(parameter: Parameter | None) -> Sequence[JsonValue]:
    """Return the values a parameter allows, empty where they are not listed."""
    if parameter is None:
        return ()
    if parameter.enum:
        return parameter.enum
    return (True, False) if parameter.type == "boolean" else ()


class _Group:
    """The evidence for one value."""

    def __init__(self, value: JsonValue) -> None:
        self.value = value
        self.weights: list[float] = []
        self.evidence: list[Evidence] = []
        self.is_allowed = False

    def add(self, evidence: Evidence, w: float) -> None:
        self.weights.append(w)
        self.evidence.append(evidence)

    def candidate(self, total: float, prior: float) -> Candidate:
        """Close the group: `total` is Σ w_e + a, `prior` is a·π_j of an allowed value."""
        own = math.fsum(self.weights)
        ordered = sorted(self.evidence, key=lambda piece: piece.position)
        return Candidate(
            value=self.value,
            probability=min(1.0, (own + (prior if self.is_allowed else 0.0)) / total),
            weight=own,
            count=len(self.evidence),
            turn_ids=tuple(dict.fromkeys(piece.turn_id for piece in ordered)),
            is_standing=any(piece.kind == "standing" for piece in ordered),
        )


def _group_of(value: JsonValue, groups: list[_Group], parameter: Parameter | None) -> _Group:
    for group in groups:
        if equal(group.value, value, parameter):
            return group
    groups.append(_Group(value))
    return groups[-1]
