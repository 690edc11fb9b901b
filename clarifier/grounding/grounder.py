"""Grounding: for every argument of a proposed call, the source that supports its value.

Scalars are looked up in `support.py`; here lists and objects are taken apart, and put together again: they are as good
as their worst element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from clarifier.decision import Grounds, Reason, Verdict
from clarifier.grounding.clocks import as_weekdays
from clarifier.grounding.measures import counts
from clarifier.grounding.needed import needed
from clarifier.grounding.sources import Sources
from clarifier.grounding.support import Place, Support, fallback, habit, scalar_support, topic_use
from clarifier.settings import Settings
from memory.evidence import Evidence, Slot
from memory.language.values.values import equal
from memory.language.values.weekdays import weekdays_in
from memory.records import ToolCall
from memory.tools import Parameter, Tool


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
    is_recalled: bool = False
    """Whether long-term memory has evidence for the slot, be it for this value or another."""
    is_guess: bool = False
    """Whether it is a member of an enum that nothing speaks for, though what was said could have."""
    is_outweighed: bool = False
    """Of a guess: whether another member is much more likely."""
    is_contradicted: bool = False
    """Whether something in sight speaks against the value."""
    stated: Verdict | None = None
    """What checking the source that the planner states came to; `None` where it states none."""
    rule: Evidence | None = None
    """The newer rule that contradicts the value."""

    @property
    def is_missing(self) -> bool:
        """Whether a required argument has no value, or one that is invented or guessed."""
        return self.is_required and (
            self.grounds == "missing" or (self.grounds == "none" and (self.is_open or self.is_guess))
        )

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
            stated=self.stated,
        )


def ground_call(
    call: ToolCall, tool: Tool, sources: Sources, settings: Settings, *, beside: Sequence[ToolCall] = ()
) -> tuple[Grounding, ...]:
    """Return one grounding per argument of `call` in its order, then one per required argument it lacks.

    Required is what the schema says and what the very call cannot do without (`needed`).
    A list or object is as well grounded as its worst element, unless the whole value was used before. A required
    argument that is null, blank or an empty list has no value. `beside` are the other calls of the proposal: their
    values for the same slot are no rivals.
    """
    found: list[Grounding] = []
    must_have = needed(tool, call.arguments, settings.effects)
    required = {parameter.name for parameter in must_have}
    for name, value in call.arguments.items():
        if is_blank(value) and name in required:
            continue
        parameter = tool.parameter(name)
        slot = Slot(tool.name, name)
        place = Place(sources, settings, tool, _values_of(slot, beside), is_required=name in required)
        support = _support(value, slot, parameter, place)
        one = _grounding(support, call.id, slot, parameter, value, is_required=name in required)
        is_standing = one.is_standing or _is_ruled(value, slot, parameter, sources)
        found.append(replace(one, is_recalled=bool(sources.of_slot(slot)), is_standing=is_standing))
    named = {one.slot.argument for one in found}
    for parameter in must_have:
        if parameter.name not in named:
            slot = Slot(tool.name, parameter.name)
            is_recalled = bool(sources.of_slot(slot))
            found.append(Grounding(call.id, slot, parameter, None, "missing", 0.0, is_recalled=is_recalled))
    return tuple(found)


def is_blank(value: JsonValue) -> bool:
    """Say whether a value is none at all: null, blank text, an empty list or object."""
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def _is_ruled(value: JsonValue, slot: Slot, parameter: Parameter | None, sources: Sources) -> bool:
    """Whether a standing rule gives the value, though a nearer source does so too."""
    rules = (said for said in sources.of_slot(slot) if any(piece.kind == "standing" for piece in said.evidence))
    return any(equal(said.value, value, parameter) for said in rules)


def _values_of(slot: Slot, calls: Sequence[ToolCall]) -> tuple[JsonValue, ...]:
    return tuple(
        call.arguments[slot.argument] for call in calls if call.name == slot.tool and slot.argument in call.arguments
    )


def _grounding(
    support: Support, call_id: str, slot: Slot, parameter: Parameter | None, value: JsonValue, *, is_required: bool
) -> Grounding:
    memory = support.remembered
    return Grounding(
        call_id=call_id,
        slot=slot,
        parameter=parameter,
        value=value,
        grounds=support.grounds,
        probability=support.probability,
        margin=support.probability if support.margin is None else support.margin,
        turn_ids=support.turn_ids,
        is_required=is_required,
        is_open=support.is_open,
        evidence_count=memory.count if memory else 0,
        evidence_age=memory.age if memory else 0.0,
        conflict_entropy=memory.posterior.conflict_entropy if memory else 0.0,
        is_standing=memory.is_standing if memory else False,
        is_guess=support.is_guess,
        is_outweighed=support.is_outweighed,
        is_contradicted=support.is_contradicted,
    )


def _support(value: JsonValue, slot: Slot, parameter: Parameter | None, place: Place) -> Support:
    if not isinstance(value, (list, dict)):
        return scalar_support(value, slot, parameter, place)
    if isinstance(value, list) and (days := _weekdays(value, parameter, place)):
        return days
    inner = list(_parts(value, slot, parameter))
    parts = [_support(item, inner_slot, field, place) for item, inner_slot, field in inner]
    if isinstance(value, dict):
        parts = _with_single_things(inner, parts, place)
    worst = min(parts, key=lambda part: (part.grounds != "none", part.probability), default=None)
    whole = topic_use(value, slot, parameter, place) or habit(value, slot, parameter, place)
    if whole is not None and (worst is None or whole.probability > worst.probability):
        return whole
    if worst is None:
        return fallback(value, slot, parameter, place)
    turn_ids = tuple(dict.fromkeys(turn_id for part in parts for turn_id in part.turn_ids))
    if worst.grounds == "none" and any(part.grounds in ("request", "answer") for part in parts):
        worst = replace(worst, is_open=True, is_guess=False)  # beside what was said, what was not is made up
    return replace(worst, turn_ids=turn_ids)


def _weekdays(value: list[JsonValue], parameter: Parameter | None, place: Place) -> Support | None:
    """A list of days of the week, where they are the ones the person named in this turn: "Monday to Thursday"."""
    days = as_weekdays(value, parameter) if parameter is not None else None
    if not days:
        return None
    said: tuple[tuple[str, Grounds], ...] = (
        (place.sources.own_request, "request"),
        (place.sources.answers, "answer"),
    )
    for text, grounds in said:
        if text and days in weekdays_in(text):
            return Support(grounds, 1.0)
    return None


def _with_single_things(
    inner: Sequence[tuple[JsonValue, Slot, Parameter | None]], parts: Sequence[Support], place: Place
) -> list[Support]:
    """The fields of an object, where a count of 1 goes without saying: "that wardrobe" is one wardrobe."""
    is_named = any(part.grounds in ("request", "answer", "topic", "derived") for part in parts)
    single = Support("derived", place.settings.grounding.derived_unnamed, margin=0.0, is_open=False)
    return [
        single if is_named and part.grounds == "none" and value == 1 and field is not None and counts(field) else part
        for (value, _, field), part in zip(inner, parts, strict=True)
    ]


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
