"""The slot posterior: how probable each value of a slot is, given the evidence of long-term memory (DESIGN §6)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import compress
from operator import attrgetter
from typing import NamedTuple

from pydantic import JsonValue

from clarifier.settings import PosteriorSettings
from memory.evidence import FILLING_KINDS, Evidence
from memory.language.values.values import bare_text, canonical_key, equal
from memory.tools import Parameter

DEFAULTS = PosteriorSettings()
_KIND, _SOURCE, _ECHO_OF = attrgetter("kind"), attrgetter("source"), attrgetter("echo_of")
_TURN_ID, _POSITION = attrgetter("turn_id"), attrgetter("position")
_UTC_S, _WALL_S = attrgetter("utc_s"), attrgetter("wall_s")
_DAY_S = 86_400
_MOST_FORMS = 64
"""Values that each other one is compared with; a slot with more has no habit to speak of."""


class Moment(NamedTuple):
    """The turn that ages are counted from."""

    position: int
    """Of the turn in the user's log."""
    now: datetime | None = None


class Testimony(NamedTuple):
    """Evidence for one value, all of it from contexts equally like the slot at hand."""

    value: JsonValue
    evidence: Sequence[Evidence]
    similarity: float = 1.0
    """In [0, 1]."""


@dataclass(frozen=True)
class Candidate:
    """A value that evidence speaks for, or that the schema allows."""

    value: JsonValue
    probability: float
    weight: float = 0.0
    """Σ w_e of its evidence, of an echo and its source only the greater."""
    count: int = 0
    """Pieces of evidence that weigh something; an echo and its source are one."""
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
        key = canonical_key(value)
        exact = next((one for one in self.candidates if canonical_key(one.value) == key), None)
        return exact or next((one for one in self.candidates if equal(one.value, value, self.parameter)), None)

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
    then, now = evidence.time, moment.now
    if then is None or now is None:
        return float(max(0, moment.position - evidence.position)), False
    try:
        length = now - then
    except TypeError:
        length = now.replace(tzinfo=None) - then.replace(tzinfo=None)
    return max(0.0, length.total_seconds() / _DAY_S), True


def weights(
    evidence: Sequence[Evidence], similarity: float, moment: Moment, settings: PosteriorSettings = DEFAULTS
) -> list[float]:
    """Return w_e = similarity · 2^(−age/H) · trust(source) of each piece.

    H is infinite for standing rules; evidence that may not fill a slot weighs 0.
    """
    if (found := _plain_weights(evidence, similarity, moment, settings)) is not None:
        return found
    found = []
    for piece in evidence:
        trust = settings.trust[piece.source]
        if piece.kind == "standing":
            found.append(similarity * trust)
        elif piece.kind not in FILLING_KINDS:
            found.append(0.0)
        else:
            length, is_days = age(piece, moment)
            half_life = settings.half_life_days if is_days else settings.half_life_turns
            found.append(similarity * trust * math.exp2(-length / half_life))
    return found


def _plain_weights(
    evidence: Sequence[Evidence], similarity: float, moment: Moment, settings: PosteriorSettings
) -> list[float] | None:
    """The weights of plain evidence of known times, in a fifth of the time; else `None`."""
    now = moment.now
    if now is None or set(map(_KIND, evidence)) != {"plain"}:
        return None
    then = list(map(_WALL_S, evidence) if now.tzinfo is None else map(_UTC_S, evidence))
    if None in then:
        return None
    now_s = (now.replace(tzinfo=UTC) if now.tzinfo is None else now).timestamp()
    half_life_s, exp2 = settings.half_life_days * _DAY_S, math.exp2
    sources = set(map(_SOURCE, evidence))
    if len(sources) == 1:
        most = similarity * settings.trust[sources.pop()]
        return [most * exp2((one - now_s) / half_life_s) if one < now_s else most for one in then]
    most_of = {source: similarity * settings.trust[source] for source in sources}
    return [
        most_of[source] * exp2(min(0.0, one - now_s) / half_life_s)
        for source, one in zip(map(_SOURCE, evidence), then, strict=True)
    ]


def by_value(evidence: Iterable[Evidence], *, similarity: float = 1.0) -> list[Testimony]:
    """Return one testimony per canonical value of `evidence`, in order of first appearance."""
    groups: defaultdict[str, list[Evidence]] = defaultdict(list)
    for piece in evidence:
        groups[piece.value_key].append(piece)
    return [Testimony(pieces[0].value, pieces, similarity) for pieces in groups.values()]


def posterior(
    testimonies: Iterable[Testimony],
    moment: Moment,
    *,
    parameter: Parameter | None = None,
    settings: PosteriorSettings = DEFAULTS,
) -> Posterior:
    """Return P_j(v) = (Σ_e w_e·[v_e = v] + a·π_j(v)) / (Σ_e w_e + a) for every value named (DESIGN §6).

    Args:
        testimonies: Evidence for the slot; its order changes nothing but ties.
        moment: The turn that is being decided.
        parameter: The slot's parameter: types the equality of values; its enum (true and false of a boolean) is the
            support of the uniform prior π_j, without one all prior mass is on "unknown".
        settings: a, H and trust.
    """
    groups = _Groups(parameter)
    for testimony in testimonies:
        pieces, found = _weighed(testimony, moment, settings)
        if pieces:
            groups.of(testimony.value).extend(pieces, found)
    domain = closed_domain(parameter)
    for value in domain:
        groups.of(value, is_listed=True).is_allowed = True
    total = math.fsum(group.weight for group in groups.all) + settings.prior_strength
    prior = settings.prior_strength / len(domain) if domain else 0.0
    candidates = [group.candidate(total, prior) for group in groups.all]
    candidates.sort(key=lambda one: -one.probability)
    return Posterior(tuple(candidates), 0.0 if domain else settings.prior_strength / total, parameter)


def _weighed(
    testimony: Testimony, moment: Moment, settings: PosteriorSettings
) -> tuple[Sequence[Evidence], Sequence[float]]:
    """The evidence that weighs something, with its weights."""
    pieces = testimony.evidence
    found = weights(pieces, testimony.similarity, moment, settings)
    if min(found, default=1.0) > 0:
        return pieces, found
    kept = [w > 0 for w in found]
    return list(compress(pieces, kept)), list(compress(found, kept))


def closed_domain(parameter: Parameter | None) -> Sequence[JsonValue]:
    """Return the values a parameter allows, empty where they are not listed."""
    if parameter is None:
        return ()
    if parameter.enum:
        return parameter.enum
    return (True, False) if parameter.type == "boolean" else ()


@dataclass
class _Group:
    """The evidence for one value."""

    value: JsonValue
    pieces: list[Evidence] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    """Of the pieces."""
    is_allowed: bool = False

    def extend(self, pieces: Iterable[Evidence], found: Iterable[float]) -> None:
        """Add evidence with its weights."""
        self.pieces.extend(pieces)
        self.weights.extend(found)

    @cached_property
    def weight(self) -> float:
        """Σ w_e. A value used again unsaid (an echo) refreshes its source's age and adds nothing (DESIGN §5)."""
        if not self._echoed:
            return math.fsum(self.weights)
        return math.fsum(w for index, w in enumerate(self.weights) if index not in self._echoed)

    @cached_property
    def _echoed(self) -> set[int]:
        """Return the indices of the pieces that another one of the same origin and slot outweighs."""
        if not any(map(_ECHO_OF, self.pieces)):
            return set()
        best: dict[str, int] = {}
        for index, piece in enumerate(self.pieces):
            if piece.origin not in best or self.weights[index] > self.weights[best[piece.origin]]:
                best[piece.origin] = index
        is_echoing = {piece.origin for piece in self.pieces if piece.echo_of is not None}
        return {
            index
            for index, piece in enumerate(self.pieces)
            if piece.origin in is_echoing and best[piece.origin] != index
        }

    def candidate(self, total: float, prior: float) -> Candidate:
        """Close the group: `total` is Σ w_e + a, `prior` is a·π_j of an allowed value."""
        own = self.weight
        return Candidate(
            value=self.value,
            probability=min(1.0, (own + (prior if self.is_allowed else 0.0)) / total),
            weight=own,
            count=len(self.pieces) - len(self._echoed),
            turn_ids=tuple(dict.fromkeys(map(_TURN_ID, sorted(self.pieces, key=_POSITION)))),
            is_standing="standing" in set(map(_KIND, self.pieces)),
        )


class _Groups:
    """Values gathered by typed equality. Texts without digits are equal by their canonical form alone."""

    def __init__(self, parameter: Parameter | None) -> None:
        self.parameter = parameter
        self.all: list[_Group] = []
        self._by_key: dict[str, _Group] = {}
        self._formed: list[_Group] = []
        """Groups whose value may be written in several forms: dates, times, numbers, members of an enum."""

    def of(self, value: JsonValue, *, is_listed: bool = False) -> _Group:
        """Return the group of `value`, a new one where there is none.

        What is listed comes after all that was told, and is compared with that alone: members of a list differ.
        """
        key = canonical_key(value)
        if key in self._by_key:
            return self._by_key[key]
        is_enum = self.parameter is not None and bool(self.parameter.enum)
        bare = canonical_key(bare_text(value)) if is_enum and isinstance(value, str) else key
        has_forms = not isinstance(value, str) or any(char.isdigit() for char in value)
        group = self._by_key.get(bare)
        if group is None and has_forms:
            group = next((one for one in self._formed if equal(one.value, value, self.parameter)), None)
        if group is None:
            group = _Group(value)
            self.all.append(group)
            if has_forms and not is_listed and len(self._formed) < _MOST_FORMS:
                self._formed.append(group)
        self._by_key[key] = self._by_key[bare] = group
        return group
