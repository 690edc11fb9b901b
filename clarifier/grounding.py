"""Grounding: for every argument of a proposed call, the source that supports its value.

The order of sources is that of DESIGN §6: this request, an answer in this turn, a referent of the topic or an
observation, a standing rule, a habit; then what can be worked out, the schema's default, and the only value allowed.
The highest that supports the value decides; support by some of a text's words yields to full support further down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from clarifier.decision import Grounds, Reason
from clarifier.derivations import worked_out
from clarifier.effects import effect_of
from clarifier.matching import Match, contains, is_identifier, match
from clarifier.posterior import closed_domain
from clarifier.settings import Settings
from clarifier.sources import Leaf, Sources
from clarifier.witnesses import Remembered, remember
from memory.evidence import Slot
from memory.records import ToolCall
from memory.text import split_name
from memory.tools import Parameter, Tool
from memory.values import equal

FULL = 0.9
"""Support of at least this probability ends the search; weaker support is kept while better is looked for."""
_SMALL = 100
"""Whole numbers below it stand by chance in what was said and seen: they need the field's name, or count less."""


@dataclass(frozen=True)
class Grounding:
    """What supports one argument of one proposed call."""

    call_id: str | None
    slot: Slot
    parameter: Parameter | None
    value: JsonValue
    grounds: Grounds
    probability: float
    """c_j: that the value is the right one; 1 where the request states it."""
    margin: float = 0.0
    turn_ids: tuple[str, ...] = ()
    is_required: bool = True
    is_open: bool = True
    """Whether the value comes from an open domain: an id, a name, an amount; not a flag, an enum member or a code."""
    evidence_count: int = 0
    """Pieces of long-term evidence for the value."""
    evidence_age: float = 0.0
    """Age of the newest of them, in half-lives."""
    conflict_entropy: float = 0.0
    """Of the evidence for the slot, nats."""
    is_standing: bool = False
    """Whether a standing rule speaks for the value, whatever grounds it."""

    @property
    def is_missing(self) -> bool:
        """Whether a required argument has no value, or one that is invented."""
        return self.is_required and (self.grounds == "missing" or (self.grounds == "none" and self.is_open))

    @property
    def reason(self) -> Reason:
        """The grounding as a decision reports it."""
        return Reason(
            call_id=self.call_id,
            slot=str(self.slot),
            value=self.value,
            grounds=self.grounds,
            probability=self.probability,
            margin=self.margin,
            turn_ids=self.turn_ids,
            is_required=self.is_required,
        )


def ground_call(
    call: ToolCall, tool: Tool, sources: Sources, settings: Settings, *, beside: Sequence[ToolCall] = ()
) -> tuple[Grounding, ...]:
    """Return one grounding per argument of `call` in its order, then one per required argument it lacks.

    A list or object is as well grounded as its worst element, unless the whole value was used before. A required
    argument that is null, blank or an empty list has no value. `beside` are the other calls of the proposal: their
    values for the same slot are no rivals.
    """
    found: list[Grounding] = []
    required = {parameter.name for parameter in tool.required}
    for name, value in call.arguments.items():
        if is_blank(value) and name in required:
            continue
        parameter = tool.parameter(name)
        slot = Slot(tool.name, name)
        support = _support(value, slot, parameter, _Place(sources, settings, tool, _values_of(slot, beside)))
        found.append(support.grounding(call.id, slot, parameter, value, name in required))
    named = {one.slot.argument for one in found}
    for parameter in tool.required:
        if parameter.name not in named:
            found.append(Grounding(call.id, Slot(tool.name, parameter.name), parameter, None, "missing", 0.0))
    return tuple(found)


def is_blank(value: JsonValue) -> bool:
    """Say whether a value is none at all: null, blank text, an empty list or object."""
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


@dataclass(frozen=True)
class _Place:
    """Where one argument is grounded."""

    sources: Sources
    settings: Settings
    tool: Tool
    beside: tuple[JsonValue, ...] = ()
    """What other calls of the proposal have for the slot."""


def _values_of(slot: Slot, calls: Sequence[ToolCall]) -> tuple[JsonValue, ...]:
    return tuple(
        call.arguments[slot.argument] for call in calls if call.name == slot.tool and slot.argument in call.arguments
    )


@dataclass(frozen=True)
class _Support:
    """What one source says for a value."""

    grounds: Grounds
    probability: float
    turn_ids: tuple[str, ...] = ()
    margin: float | None = None
    """`None`: nothing else competes."""
    remembered: Remembered | None = None
    is_open: bool = True

    def grounding(
        self, call_id: str, slot: Slot, parameter: Parameter | None, value: JsonValue, is_required: bool
    ) -> Grounding:
        memory = self.remembered
        return Grounding(
            call_id=call_id,
            slot=slot,
            parameter=parameter,
            value=value,
            grounds=self.grounds,
            probability=self.probability,
            margin=self.probability if self.margin is None else self.margin,
            turn_ids=self.turn_ids,
            is_required=is_required,
            is_open=self.is_open,
            evidence_count=memory.count if memory else 0,
            evidence_age=memory.age if memory else 0.0,
            conflict_entropy=memory.posterior.conflict_entropy if memory else 0.0,
            is_standing=memory.is_standing if memory else False,
        )


def _support(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support:
    if not isinstance(value, (list, dict)):
        return _scalar_support(value, slot, parameter, place)
    parts = [_support(item, inner_slot, inner, place) for item, inner_slot, inner in _parts(value, slot, parameter)]
    worst = min(parts, key=lambda part: (part.grounds != "none", part.probability), default=None)
    whole = _topic_use(value, slot, parameter, place) or _habit(value, slot, parameter, place)
    if whole is not None and (worst is None or whole.probability > worst.probability):
        return whole
    if worst is None:
        return _fallback(value, slot, parameter, place)
    turn_ids = tuple(dict.fromkeys(turn_id for part in parts for turn_id in part.turn_ids))
    return replace(worst, turn_ids=turn_ids)


def _parts(
    value: list[JsonValue] | dict[str, JsonValue], slot: Slot, parameter: Parameter | None
) -> Iterator[tuple[JsonValue, Slot, Parameter | None]]:
    """Yield the elements or fields; a field the schema does not list takes its name and the parent's description."""
    if isinstance(value, list):
        inner = parameter.items if parameter is not None else None
        if inner is None and parameter is not None:
            inner = Parameter(name=parameter.name, type="any", description=parameter.description, enum=parameter.enum)
        yield from ((item, slot, inner) for item in value)
        return
    known = {field.name: field for field in parameter.properties} if parameter is not None else {}
    description = parameter.description if parameter is not None else ""
    for name, item in value.items():
        field = known.get(name) or Parameter(name=name, type="any", description=description)
        yield item, Slot(slot.tool, f"{slot.argument}.{name}"), field


def _scalar_support(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support:
    best: _Support | None = None
    for search in (_request, _answer, _topic_use, _topic_words, _observation, _habit, _past_observation, _worked_out):
        found = search(value, slot, parameter, place)
        if found is None:
            continue
        if found.probability >= FULL:
            return found
        if best is None or found.probability > best.probability:
            best = found
    return best or _fallback(value, slot, parameter, place)


def _request(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    return _by_words(value, parameter, place.sources.situation.request, "request", place)


def _answer(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    return _by_words(value, parameter, place.sources.answers, "answer", place)


def _by_words(
    value: JsonValue, parameter: Parameter | None, text: str, grounds: Grounds, place: _Place
) -> _Support | None:
    found = match(value, text, parameter, place.sources.situation.now, place.settings.grounding)
    if found is None:
        return None
    return _Support("derived" if found.how == "derived" else grounds, found.strength)


def _topic_use(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    """A call of the running topic used the value; contested where a later one used another for the slot."""
    settings = place.settings.grounding
    newest = next((used for used in place.sources.topic_used if used.slot == slot), None)
    is_telling = isinstance(value, str) and not (parameter is not None and parameter.enum)
    for used in place.sources.topic_used:
        is_same_argument = used.slot.argument == slot.argument.split(".")[0]
        if not (is_same_argument or is_telling):
            continue
        values = [used.value, *used.value] if isinstance(used.value, list) else [used.value]
        if any(equal(one, value, parameter) for one in values):
            is_contested = (
                newest is not None and newest.order > used.order and not equal(newest.value, value, parameter)
            )
            if is_contested:
                margin = settings.topic_contested - settings.topic
                return _Support("topic", settings.topic_contested, (used.turn_id,), margin)
            return _Support("topic", settings.topic, (used.turn_id,))
    return None


def _topic_words(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    """The person spoke of the value in the running topic, the latest turn first."""
    settings = place.settings.grounding
    best: _Support | None = None
    is_chance = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _SMALL
    trust = settings.topic_contested if is_chance else settings.topic
    for said in reversed(place.sources.topic_said):
        found: Match | None = match(value, said.text, parameter, place.sources.situation.now, settings)
        if found is not None and (best is None or found.strength * trust > best.probability):
            turn_ids = (said.turn_id,) if said.turn_id is not None else ()
            best = _Support("topic", found.strength * trust, turn_ids)
    return best


def _observation(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    """A tool returned the value in this turn, or in the running topic."""
    if isinstance(value, bool) or (parameter is not None and parameter.enum):
        return None
    turns: tuple[tuple[str | None, tuple[Leaf, ...]], ...] = (
        (None, place.sources.observed),
        *place.sources.topic_observed,
    )
    for turn_id, seen in turns:
        if hit := _find_leaf(value, slot, parameter, seen):
            rivals = {str(leaf.value) for leaf in seen if leaf.key == hit.key and hit.key}
            settings = place.settings.grounding
            probability = settings.observation if len(rivals) <= 1 else settings.observation_choice
            margin = probability if len(rivals) <= 1 else probability - (1 - probability)
            return _Support("observation", probability, (turn_id,) if turn_id is not None else (), margin)
    return None


def _habit(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    """Long-term memory speaks for the value."""
    memory = remember(value, slot, parameter, place.sources, place.settings, beside=place.beside)
    found = memory.posterior.find(value)
    if found is None or not found.count:
        return None
    return _Support(
        "standing" if found.is_standing else "habit",
        found.probability,
        found.turn_ids,
        memory.posterior.margin(value),
        memory,
    )


def _past_observation(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    """A tool gave out the identifier in an earlier topic. Other words of tools speak for nothing there."""
    if not is_identifier(value):
        return None
    for turn_id, seen in reversed(place.sources.past_observed):
        if _find_leaf(value, slot, parameter, seen):
            return _Support("observation", place.settings.grounding.past_observation, (turn_id,))
    return None


def _worked_out(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support | None:
    """A date, duration, year or code that can be worked out, though no word names it."""
    if parameter is None:
        return None
    sources = place.sources
    probability = worked_out(
        value,
        parameter,
        (sources.situation.request, sources.answers, *(said.text for said in sources.topic_said)),
        sources.situation.now,
        lambda: sources.known_days,
        is_recording=effect_of(place.tool, place.settings.effects) != "read",
        settings=place.settings.grounding,
    )
    return None if probability is None else _Support("derived", probability, margin=0.0, is_open=False)


def _fallback(value: JsonValue, slot: Slot, parameter: Parameter | None, place: _Place) -> _Support:
    """Nothing speaks for the value: the schema's default, its only value, a guess within a closed domain, or none."""
    domain = closed_domain(parameter)
    if parameter is not None and parameter.default is not None and equal(value, parameter.default, parameter):
        return _Support("default", place.settings.grounding.default, is_open=not domain)
    if len(domain) == 1 and equal(value, domain[0], parameter):
        return _Support("constant", 1.0, is_open=False)
    if not domain:
        return _Support("none", 0.0)
    posterior = remember(value, slot, parameter, place.sources, place.settings, beside=place.beside).posterior
    return _Support(
        "none", posterior.probability(value), margin=posterior.margin(value), is_open=posterior.find(value) is None
    )


def _find_leaf(value: JsonValue, slot: Slot, parameter: Parameter | None, seen: tuple[Leaf, ...]) -> Leaf | None:
    """Return the observed scalar that gives `value`: equal, or a text that holds it in one piece."""
    names = set(split_name(slot.argument.rsplit(".", 1)[-1]))
    for leaf in seen:
        if isinstance(leaf.value, bool):
            continue
        if isinstance(value, str):
            if equal(leaf.value, value, parameter) or (isinstance(leaf.value, str) and contains(leaf.value, value)):
                return leaf
        elif isinstance(value, (int, float)) and equal(leaf.value, value, parameter):
            is_small = float(value).is_integer() and abs(value) < _SMALL
            if not is_small or names & set(split_name(leaf.key)):
                return leaf
    return None
