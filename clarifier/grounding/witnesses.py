"""Which pieces of long-term memory bear on a slot, and how near their context is to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from clarifier.grounding.clocks import names_hour
from clarifier.grounding.matching import contains, match
from clarifier.grounding.measures import speaks_of
from clarifier.grounding.sources import Sources
from clarifier.posterior import Posterior, Testimony, age, posterior
from clarifier.settings import Settings, SimilaritySettings
from memory.evidence import Evidence, Slot
from memory.language.values.values import canonical_key, equal
from memory.state.sensitive import is_sensitive_value
from memory.tools import Parameter

_VAGUE_TEXT = "id type name title query text value key keyword count number limit page format method date"
_VAGUE = frozenset(_VAGUE_TEXT.split())
_PART_OF_NAME = 0.8
"""Of a longer name, or a shorter one, for the name in view."""


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
    value: JsonValue,
    slot: Slot,
    parameter: Parameter | None,
    sources: Sources,
    settings: Settings,
    *,
    beside: Sequence[JsonValue] = (),
) -> Remembered:
    """Return the posterior of `slot` and what in it speaks for `value`.

    Where the request names the person the value was last used for, what was used for that person competes, else all
    evidence for the slot itself, but for values that are proposed `beside` this one, in other calls of the
    tool: who asks for three cities at once does not choose between them. Other evidence only supports: arguments of
    the same or a related name in other tools, one piece a turn, unless the slot has a long record of its own; where
    none of it names the value, the same value in any other slot, and then the person's own words in recalled turns.
    """
    view = _View(value, parameter)
    others = frozenset(canonical_key(other) for other in beside) - {view.key}
    return sources.once(
        ("remember", slot, view.key, type(value), others, sources.for_the_named),
        (parameter, settings),
        lambda: _remember(view, slot, others, sources, settings),
    )


def _remember(view: _View, slot: Slot, others: Collection[str], sources: Sources, settings: Settings) -> Remembered:
    value, parameter, near = view.value, view.parameter, settings.similarity
    heard = [view.of(said) for said in sources.of_slot(slot) if canonical_key(said.value) not in others]
    theirs = _of_the_named(heard, sources)
    if any(map(view.holds, theirs)):
        heard = theirs
    elif not _speaks_for_itself(heard, near):
        heard += view.supporting(sources.of_argument(slot), near.same_argument, heard)
        heard += view.supporting(sources.of_relatives(slot), near.related_argument, heard)
    if (
        isinstance(value, (str, int, float))
        and not isinstance(value, bool)
        and not any(view.holds(said) and _may_fill(said) for said in heard)
    ):
        is_text = isinstance(value, str)
        elsewhere = [piece for piece in sources.of_value(view.key) if piece.slot != slot and piece.may_fill]
        words = (is_text and elsewhere) or list(_in_words(value, slot, parameter, sources, settings))
        heard.append(Testimony(value, words, near.same_words))
    found = posterior(heard, sources.moment, parameter=parameter, settings=settings.posterior)
    candidate = found.find(value)
    if candidate is None or not candidate.count:
        return Remembered(found)
    own = [piece for said in heard if view.holds(said) for piece in said.evidence if piece.may_fill]
    newest = max(own, key=lambda piece: piece.position)
    return Remembered(found, candidate.count, _half_lives(newest, sources, settings), candidate.is_standing)


def remember_slot(slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings) -> Posterior:
    """Return the posterior of `slot` with no value in view.

    Evidence for the slot itself counts, and for arguments of the same name in other tools, unless the name says nothing
    (`type` here and there are two things); where the slot has values of its own, it only supports those.
    """
    return sources.once(
        ("remember_slot", slot), (parameter, settings), lambda: _remember_slot(slot, parameter, sources, settings)
    )


def _remember_slot(slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings) -> Posterior:
    heard = list(sources.of_slot(slot))
    is_vague = slot.argument.rsplit(".", 1)[-1].casefold() in _VAGUE
    if not is_vague and not _speaks_for_itself(heard, settings.similarity):
        own = {canonical_key(said.value) for said in heard if _may_fill(said)}
        kin = [said for said in sources.of_argument(slot) if not own or canonical_key(said.value) in own]
        heard += _of_other_turns(kin, settings.similarity.same_argument, heard)
    return posterior(heard, sources.moment, parameter=parameter, settings=settings.posterior)


def choices(slot: Slot, sources: Sources) -> frozenset[str]:
    """Return the canonical forms of the past values that a question for `slot` may offer.

    Values of the slot itself, and those that at least two other tools took for an argument of the name: what only one
    took may be a thing of that tool (the `location` of fish in a game, when a `location` for jobs is asked for).
    """
    return sources.once(("choices", slot, sources.of_others), (), lambda: _choices(slot, sources))


def _choices(slot: Slot, sources: Sources) -> frozenset[str]:
    tools: defaultdict[str, set[str]] = defaultdict(set)
    for said in (*sources.of_slot(slot), *sources.of_argument(slot)):
        tools[canonical_key(said.value)].update(piece.slot.tool for piece in said.evidence if piece.may_fill)
    return frozenset(key for key, named in tools.items() if slot.tool in named or len(named) > 1)


def _of_the_named(heard: Sequence[Testimony], sources: Sources) -> list[Testimony]:
    """What was used for the person whom this request names, as good evidence for another call for that person."""
    if not sources.for_the_named:
        return []
    theirs = ((said, list(filter(sources.is_of_the_named, said.evidence))) for said in heard)
    return [said._replace(evidence=[replace(one, kind="plain") for one in pieces]) for said, pieces in theirs if pieces]


def _speaks_for_itself(own: Sequence[Testimony], near: SimilaritySettings) -> bool:
    """Whether a slot has evidence enough of its own to be judged by it alone."""
    return sum(piece.may_fill for said in own for piece in said.evidence[: near.enough_own]) >= near.enough_own


class _View:
    """A value in view, and how evidence of other values bears on it."""

    def __init__(self, value: JsonValue, parameter: Parameter | None) -> None:
        self.value = value
        self.key = canonical_key(value)
        self.parameter = parameter
        self.is_text = isinstance(value, str) and not (parameter is not None and parameter.enum)

    def holds(self, said: Testimony) -> bool:
        """Whether evidence speaks for the value; `of` has put its form right."""
        return said.value is self.value

    def of(self, said: Testimony) -> Testimony:
        """Return evidence as it bears on the value.

        A list speaks for its elements, a longer name for the shorter within it and the other way round, a little less.
        """
        if not said.evidence:
            return said
        if said.evidence[0].value_key == self.key or self._equals(said.value):
            return said._replace(value=self.value)
        if isinstance(said.value, list) and not isinstance(self.value, list):
            return said._replace(value=self.value) if any(map(self._equals, said.value)) else said
        if (
            self.is_text
            and isinstance(said.value, str)
            and isinstance(self.value, str)
            and (contains(said.value, self.value) or contains(self.value, said.value))
        ):
            return said._replace(value=self.value, similarity=said.similarity * _PART_OF_NAME)
        return said

    def supporting(self, kin: Sequence[Testimony], similarity: float, own: Sequence[Testimony]) -> list[Testimony]:
        """Return what of the kin speaks for the value, in turns that said nothing for the slot so far."""
        return _of_other_turns([said for one in kin if self.holds(said := self.of(one))], similarity, own)

    def _equals(self, other: JsonValue) -> bool:
        if self.is_text and isinstance(other, str) and not any(char.isdigit() for char in other):
            return False  # without digits two texts are equal by their canonical form alone, compared before
        if isinstance(other, (int, float)) and isinstance(self.value, (int, float)):
            return False  # two numbers too
        return equal(other, self.value, self.parameter)


def _of_other_turns(kin: Sequence[Testimony], similarity: float, own: Sequence[Testimony]) -> list[Testimony]:
    """The kin of turns that say nothing for the slot: calls made together are one choice, not two."""
    turns = {piece.turn_id for said in own for piece in said.evidence} if kin else set()
    found = []
    for said in kin:
        fresh = [piece for piece in said.evidence if piece.turn_id not in turns]
        turns.update(piece.turn_id for piece in fresh)
        found.append(Testimony(said.value, fresh, similarity * said.similarity))
    return found


def _may_fill(said: Testimony) -> bool:
    return any(piece.may_fill for piece in said.evidence)


def _in_words(
    value: str | float, slot: Slot, parameter: Parameter | None, sources: Sources, settings: Settings
) -> Iterator[Evidence]:
    """The person's words in recalled turns, unless what they said there was not meant to last.

    A number needs its unit beside it, or what it counts. Dates relative to those turns are not read: their
    clock may be unknown. What tells of health, belief and the like was said for another slot.
    """
    if is_sensitive_value(value):
        return
    barred = {piece.turn_id for piece in sources.of_value(canonical_key(value)) if not piece.may_fill}
    for said in sources.past_said:
        if said.turn_id is None or said.turn_id in barred:
            continue
        if isinstance(value, str):
            found = match(value, said.text, parameter, None, settings.grounding)
            is_told = (found is not None and found.how != "words") or names_hour(said.text, value, None)
        else:
            is_told = parameter is not None and speaks_of(value, said.text, parameter)
        if is_told:
            yield Evidence(slot, value, "request", "plain", said.turn_id, sources.position(said.turn_id))


def _half_lives(evidence: Evidence, sources: Sources, settings: Settings) -> float:
    if evidence.kind == "standing":
        return 0.0
    length, is_days = age(evidence, sources.moment)
    return length / (settings.posterior.half_life_days if is_days else settings.posterior.half_life_turns)
