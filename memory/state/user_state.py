"""The user state: per slot the values a person has used, asked for or spoken of, as a pure fold over the turn log.

Nothing is kept between folds, so deleting a turn and folding again gives the state as if it had never been, and
folding the first n turns gives the state as of then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from operator import is_
from types import MappingProxyType
from typing import NamedTuple, TypeVar, cast

from pydantic import JsonValue

from memory.evidence import PERSON, Evidence, Kind, Slot
from memory.language.text import normalise
from memory.language.text_cache import text_cache
from memory.language.values.enum_mentions import enum_mention
from memory.language.values.value_forms import wall_time
from memory.records import Turn
from memory.state.candidates import Candidate as Candidate
from memory.state.candidates import ordered
from memory.state.concepts import SAME_NAME_SIMILARITY
from memory.state.concepts import concept as concept
from memory.state.concepts import context_similarity as context_similarity
from memory.state.conditions import is_met
from memory.state.extraction import Extractor, extract_all
from memory.state.slot_fold import SlotFold
from memory.state.slot_nouns import SlotNouns
from memory.state.things import topic_of
from memory.tools import Parameter, Tool, ValueType

_KEPT_LOOKUPS = 4096
"""Arguments for which it is kept what was looked up; more than any toolset has."""

Result = TypeVar("Result")
Retention = Mapping[Kind, float]
"""Days for which evidence of a kind is used, from 0; kinds that are not named are used for ever."""

_JSON_TYPES: Mapping[ValueType, tuple[type, ...]] = MappingProxyType(
    {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
        "any": (object,),
    }
)


@dataclass(frozen=True)
class SlotState:
    """The candidates of one slot: most similar context first, then current before others, then newest first."""

    slot: Slot
    candidates: tuple[Candidate, ...]
    _memos: dict[object, object] = field(default_factory=dict, compare=False, repr=False)
    _spoken: dict[Slot, tuple[Parameter, Sequence[Candidate]]] = field(default_factory=dict, compare=False, repr=False)

    def memo(self, function: Callable[[SlotState], Result]) -> Result:
        """Return `function` of this state, worked out once: most slots are as they were at the last recall."""
        if function not in self._memos:
            self._memos[function] = function(self)
        return cast(Result, self._memos[function])  # that function gave it

    def speaking_for(self, tool: Tool, parameter: Parameter) -> Sequence[Candidate]:
        """Return the candidates that `parameter` of `tool` could take, as seen from there; worked out once."""
        asked = Slot(tool.name, parameter.name)
        known = self._spoken.get(asked)
        if known is None or (known[0] is not parameter and known[0] != parameter):
            known = self._spoken[asked] = (parameter, list(self._speaking_for(tool, parameter)))
        return known[1]

    def _speaking_for(self, tool: Tool, parameter: Parameter) -> Iterator[Candidate]:
        similarity = context_similarity(self.slot, tool, parameter)
        is_of_choice = similarity == 0 and self.slot in _of_choices(parameter)
        for candidate in self.candidates if similarity or is_of_choice else ():
            if is_of_choice and not _is_choice(candidate.value, parameter):
                continue
            fitted = _fitted(candidate, parameter) if self.slot.tool == PERSON else candidate
            if accepts(parameter, fitted.value) and (similarity == 1 or not fitted.stays_in_slot):
                # Words that name an allowed value say more than the noun: "second class" means any `travel_class`.
                is_named = fitted is not candidate
                yield fitted.seen_from(max(similarity, SAME_NAME_SIMILARITY) if is_named else similarity)

    @property
    def bound(self) -> tuple[Candidate, ...]:
        """The candidates that hold, for or against a value, in one context only."""
        return tuple(one for one in self.candidates if one.status == "conditional")

    def in_context(self, told: Collection[str]) -> SlotState:
        """Return the state where these terms are told: what is bound to their context holds.

        It goes before all else of its own slot and of slots less like this one.
        """
        met = [one for one in self.bound if is_met(one.condition, told)]
        if not met:
            return self
        ruled = [replace(one, status="current", evidence=tuple(map(_as_rule, one.evidence))) for one in met]
        nearest = max((one.similarity for one in met if not one.is_negated), default=0.0)
        others = [
            replace(one, status="superseded") if one in self.current and one.similarity <= nearest else one
            for one in self.candidates
            if one not in met
        ]
        return SlotState(self.slot, ordered([*ruled, *others]))

    @property
    def current(self) -> tuple[Candidate, ...]:
        """The candidates that may fill the slot."""
        return tuple(one for one in self.candidates if one.status == "current" and not one.is_negated)

    @property
    def unwanted(self) -> tuple[Candidate, ...]:
        """The values that the person does not want, or has no more."""
        return tuple(one for one in self.candidates if one.status == "current" and one.is_negated)


class Found(NamedTuple):
    """What was looked up for an argument."""

    parameter: Parameter
    near: tuple[SlotState, ...]
    """Where it was looked for."""
    state: SlotState | None

    def is_of(self, parameter: Parameter, near: Sequence[SlotState]) -> bool:
        """Whether it is what is found there for `parameter`."""
        return len(near) == len(self.near) and all(map(is_, near, self.near)) and parameter == self.parameter


@dataclass(frozen=True)
class UserState:
    """What is known about every slot that any turn spoke for."""

    slots: Mapping[Slot, SlotState]
    """By slot, in order of first mention."""
    nouns: SlotNouns = field(default_factory=SlotNouns, compare=False, repr=False)
    """Finds among the slots, and may know more of them."""
    found: dict[Slot, Found] = field(default_factory=dict, compare=False, repr=False)
    """What was looked up, by the argument; perhaps in an earlier state."""

    def __post_init__(self) -> None:
        if not self.nouns:
            self.nouns.add(self.slots)

    def lookup(self, tool: Tool, parameter: Parameter) -> SlotState | None:
        """Return the candidates for an argument of a tool: its own, then those of like slots of other tools.

        Values that the parameter could not take (type, enum) are left out. `None` if nothing is known.

        Raises:
            TypeError: If these are no tool and no parameter of it, say their names.
        """
        if not isinstance(tool, Tool) or not isinstance(parameter, Parameter):
            raise TypeError(
                "lookup takes a Tool and a Parameter of it, say lookup(tool, tool.parameter('milk')); got "
                f"{tool!r:.80} and {parameter!r:.80}" + (", which it does not have" if parameter is None else "")
            )
        slot = Slot(tool.name, parameter.name)
        slots = dict.fromkeys((*self.nouns.near(slot), *_of_choices(parameter)))
        near = tuple(state for one in slots if (state := self.slots.get(one)) is not None)
        known = self.found.get(slot)
        if known is None or not known.is_of(parameter, near):
            if len(self.found) >= _KEPT_LOOKUPS:
                self.found.clear()
            known = self.found[slot] = Found(parameter, near, self._looked_up(tool, parameter, near))
        return known.state

    def _looked_up(self, tool: Tool, parameter: Parameter, near: Iterable[SlotState]) -> SlotState | None:
        found = [candidate for state in near for candidate in state.speaking_for(tool, parameter)]
        return SlotState(Slot(tool.name, parameter.name), ordered(_ruled(found, parameter))) if found else None


def _ruled(found: Sequence[Candidate], parameter: Parameter) -> Iterator[Candidate]:
    """Yield the candidates for `parameter`, closed where the person has given a rule since that names another choice.

    "From now on an aisle seat" is kept under what the person said; it ends the window seats of any tool, and the rule
    that was for a window seat.
    """
    said = (one for one in found if parameter.enum and one.evidence[-1].slot.tool == PERSON)
    rules = [one for one in said if one.is_standing and one.status == "current" and not one.is_negated]
    newest = max(rules, key=lambda one: one.last, default=None)
    for one in found:
        is_open = one.status == "current" and not one.is_negated and (not one.is_standing or one in rules)
        if newest is not None and is_open and one.last < newest.last and one.value != newest.value:
            yield replace(one, status="superseded", until=newest.last)
        else:
            yield one


def fold(
    turns: Sequence[Turn],
    *,
    as_of: int | datetime | None = None,
    now: datetime | None = None,
    retention: Retention = MappingProxyType({}),
    extractor: Extractor | None = None,
) -> UserState:
    """Return the state after `turns`, oldest first.

    Args:
        turns: The log.
        as_of: The state as it was after the turn at this position, or at this time (turns of unknown time belong with
            the one before); `None`: after all turns.
        now: When it is, for what ends by itself; by default `as_of` where that is a time, else the newest of a turn.
        retention: How long evidence is used, counted back from then.
        extractor: Adds evidence, and can take none away.
    """
    seen = _up_to(turns, as_of)
    evidence = extract_all(seen, extractor)
    moment = as_of if isinstance(as_of, datetime) else now or newest_time(seen)
    return fold_evidence(evidence, now=moment, retention=retention)


def fold_evidence(
    evidence: Iterable[Evidence], *, now: datetime | None = None, retention: Retention = MappingProxyType({})
) -> UserState:
    """Return the state that `evidence` amounts to; its order does not matter, positions do.

    Args:
        evidence: Of any slots.
        now: When it is, for what ends by itself; by default the newest time of the evidence.
        retention: How long evidence is used.
    """
    pieces = sorted(evidence, key=lambda piece: piece.position)
    times = [wall_time(piece.time) for piece in pieces if piece.time is not None]
    clock = wall_time(now) if now is not None else max(times, default=None)
    by_slot: dict[Slot, list[Evidence]] = defaultdict(list)
    for piece in pieces:
        if not has_lapsed(piece, clock, retention):
            by_slot[piece.slot].append(piece)
    return UserState({slot: SlotState(slot, SlotFold(held, clock).candidates()) for slot, held in by_slot.items()})


def _up_to(turns: Sequence[Turn], as_of: int | datetime | None) -> Sequence[Turn]:
    if as_of is None:
        return turns
    if isinstance(as_of, int):
        return turns[: max(0, as_of + 1)]
    moment = wall_time(as_of)
    later = (n for n, turn in enumerate(turns) if turn.time is not None and wall_time(turn.time) > moment)
    return turns[: next(later, len(turns))]


def newest_time(turns: Iterable[Turn]) -> datetime | None:
    """Return the newest time of `turns` as it stood on the clock, `None` where none is known."""
    return max((wall_time(turn.time) for turn in turns if turn.time is not None), default=None)


def has_lapsed(piece: Evidence, now: datetime | None, retention: Retention) -> bool:
    """Whether `retention` no longer lets `piece` be used at `now`; never where a time is unknown."""
    days = retention.get(piece.kind)
    if days is None or piece.time is None or now is None:
        return False
    return (wall_time(now) - wall_time(piece.time)).total_seconds() > days * 86_400  # time + days may be no date


def _as_rule(piece: Evidence) -> Evidence:
    """Return what is bound to a context as it speaks within it."""
    return replace(piece, kind="standing" if piece.kind == "conditional" else piece.kind, condition="")


def _fitted(candidate: Candidate, parameter: Parameter) -> Candidate:
    """Return what was said of a thing as a value that `parameter` takes ("window seats": `window`)."""
    if not parameter.enum or not isinstance(candidate.value, str):
        return candidate
    named = [mention.value for mention in enum_mention(candidate.value, parameter)]
    if len(set(map(str, named))) != 1:
        return candidate
    evidence = tuple(replace(piece, value=named[0]) for piece in candidate.evidence)
    return replace(candidate, value=named[0], evidence=evidence)


def _of_choices(parameter: Parameter) -> tuple[Slot, ...]:
    """Return the slots of what a person says of the very values that `parameter` allows ("I prefer the aisle")."""
    return _slots_of_choices(tuple(value for value in parameter.enum if isinstance(value, str) and value))


@lru_cache(maxsize=256)
def _slots_of_choices(values: tuple[str, ...]) -> tuple[Slot, ...]:
    return tuple(Slot(PERSON, _topic_of_choice(value)) for value in values)


def _is_choice(value: JsonValue, parameter: Parameter) -> bool:
    return isinstance(value, str) and _plain(value) in {_plain(one) for one in parameter.enum if isinstance(one, str)}


@text_cache(4096)
def _topic_of_choice(value: str) -> str:
    return topic_of(_plain(value))


def _plain(value: str) -> str:
    return normalise(value.replace("_", " "))


def accepts(parameter: Parameter, value: JsonValue) -> bool:
    """Whether `value` has the type that `parameter` takes and is in its enum, where it has one."""
    if isinstance(value, bool) and parameter.type not in {"boolean", "any"}:
        return False
    if not isinstance(value, _JSON_TYPES[parameter.type]):
        return False
    return not parameter.enum or parameter.type == "array" or value in parameter.enum
