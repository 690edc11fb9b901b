"""Which pieces of long-term memory bear on a slot, and how near their context is to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pydantic import JsonValue

from clarifier.derivations import names_hour
from clarifier.matching import contains, match
from clarifier.posterior import Posterior, Witness, age, posterior
from clarifier.settings import Settings
from clarifier.sources import Sources
from memory.evidence import Evidence, Slot
from memory.tools import Parameter
from memory.values import canonical_key, equal

_VAGUE_TEXT = "id type name title query text value key keyword count number limit page format method date"
_VAGUE = frozenset(_VAGUE_TEXT.split())


@dataclass(frozen=True)
class Remembered:
    """What long-term memory says about one slot, with a value in view."""

    posterior: Posterior
    count: int = 0
    """Pieces of evidence for the value in view."""
    age: float = 0.0
    """Age of the newest of them, in half-lives; 0 for none."""
    is_standing: bool = False
    """Whether one of them is a standing rule."""


def remember(
    value: JsonValue, slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings
) -> Remembered:
    """Return the posterior of `slot` and what in it speaks for `value`.

    All evidence for the slot itself competes. Other evidence only supports: arguments of the same or a related name
    in other tools; where none of it names the value, the same value in any other slot, and then the person's own
    words in recalled turns.
    """
    near = [_seen_as(witness, value, parameter) for witness in _own(slot, sources, settings)]
    kin = (one for one in _kin(value, slot, parameter, sources, settings) if _equals(one, value, parameter))
    near.extend(_of_other_turns(kin, near))
    if not any(one.evidence.may_fill and _equals(one, value, parameter) for one in near) and isinstance(value, str):
        elsewhere = [Witness(one, settings.similarity.same_words) for one in _elsewhere(value, slot, sources)]
        near.extend(elsewhere or _in_words(value, slot, parameter, sources, settings))
    found = posterior(near, sources.moment, parameter=parameter, settings=settings.posterior)
    candidate = found.find(value)
    if candidate is None or not candidate.count:
        return Remembered(found)
    own = [one.evidence for one in near if one.evidence.may_fill and _equals(one, value, parameter)]
    ages = [_half_lives(piece, sources, settings) for piece in own]
    return Remembered(found, candidate.count, min(ages, default=0.0), candidate.is_standing)


def remember_slot(slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings) -> Posterior:
    """Return the posterior of `slot` with no value in view.

    Evidence for the slot itself counts, and for arguments of the same name in other tools unless the name says nothing
    (`type` here and there are two things).
    """
    near = list(_own(slot, sources, settings))
    if slot.argument.rsplit(".", 1)[-1].casefold() not in _VAGUE:
        kin = [Witness(one, settings.similarity.same_argument) for one in sources.evidence_of_argument(slot)]
        near.extend(_of_other_turns(kin, near))
    return posterior(near, sources.moment, parameter=parameter, settings=settings.posterior)


def _of_other_turns(kin: Iterable[Witness], own: Iterable[Witness]) -> Iterator[Witness]:
    """The kin whose turns say nothing for the slot itself: calls made together are one choice, not two."""
    turns = {one.evidence.turn_id for one in own}
    for witness in kin:
        if witness.evidence.turn_id not in turns:
            turns.add(witness.evidence.turn_id)
            yield witness


def _own(slot: Slot, sources: Sources, settings: Settings) -> Iterator[Witness]:
    return (Witness(piece, settings.similarity.same_slot) for piece in sources.evidence_of_slot(slot))


def _kin(
    value: JsonValue, slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings
) -> Iterator[Witness]:
    """Evidence for arguments of the same name, then of the same head word, as it bears on `value`."""
    near = settings.similarity
    for pieces, similarity in (
        (sources.evidence_of_argument(slot), near.same_argument),
        (sources.evidence_of_relatives(slot), near.related_argument),
    ):
        for piece in pieces:
            yield _seen_as(Witness(piece, similarity), value, parameter)


def _elsewhere(value: str, slot: Slot, sources: Sources) -> Iterator[Evidence]:
    """The same text in a slot of another name; flags and numbers are equal by chance and do not come here."""
    own = slot.argument.rsplit(".", 1)[-1]
    return (one for one in sources.evidence_of_value(canonical_key(value)) if one.slot.argument != own and one.may_fill)


def _in_words(
    value: str, slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings
) -> Iterator[Witness]:
    """The person's words in recalled turns, unless what they said there was not meant to last.

    Dates relative to those turns are not read: their clock may be unknown.
    """
    key = canonical_key(value)
    barred = {piece.turn_id for piece in sources.evidence_of_value(key) if not piece.may_fill}
    for said in sources.past_said:
        if said.turn_id is None or said.turn_id in barred:
            continue
        found = match(value, said.text, parameter, None, settings.grounding)
        if (found is not None and found.how != "words") or names_hour(said.text, value, None):
            position = sources.position(said.turn_id)
            piece = Evidence(slot, value, "request", "plain", said.turn_id, position)
            yield Witness(piece, settings.similarity.same_words)


def _seen_as(witness: Witness, value: JsonValue, parameter: Parameter | None) -> Witness:
    """The witness as it bears on `value`: a list speaks for its elements, a longer name for the shorter within it."""
    evidence = witness.evidence
    said = evidence.value
    if isinstance(said, list) and not isinstance(value, list):
        if any(equal(item, value, parameter) for item in said):
            return Witness(replace(evidence, value=value), witness.similarity)
    elif (
        isinstance(said, str)
        and isinstance(value, str)
        and not (parameter is not None and parameter.enum)
        and evidence.value_key != canonical_key(value)
        and (contains(said, value) or contains(value, said))
    ):
        return Witness(replace(evidence, value=value), witness.similarity * 0.8)
    return witness


def _equals(witness: Witness, value: JsonValue, parameter: Parameter | None) -> bool:
    return equal(witness.evidence.value, value, parameter)


def _half_lives(evidence: Evidence, sources: Sources, settings: Settings) -> float:
    if evidence.kind == "standing":
        return 0.0
    length, is_days = age(evidence, sources.moment)
    return length / (settings.posterior.half_life_days if is_days else settings.posterior.half_life_turns)
