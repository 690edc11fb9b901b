"""What one recall holds, indexed once: every decision of a turn reads the same recall."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from clarifier.posterior import Testimony, by_value
from memory.evidence import Evidence, Slot
from memory.recall import Recall
from memory.records import CallStep, QuestionStep, Turn
from memory.state.sensitive import stays_in_slot
from memory.text import split_name
from memory.typed.values import canonical_key

Found = TypeVar("Found")
Key = TypeVar("Key", bound=Hashable)
_SLOT: Callable[[Evidence], Slot] = attrgetter("slot")
_VALUE: Callable[[Evidence], str] = attrgetter("value_key")
_TURN: Callable[[Evidence], str] = attrgetter("turn_id")
_POSITION: Callable[[Evidence], int] = attrgetter("position")


class Leaf(NamedTuple):
    """A scalar within an observation or an argument."""

    key: str
    """The innermost field name, empty where there is none."""
    value: str | float | bool


class Said(NamedTuple):
    """Words of the person."""

    text: str
    turn_id: str | None
    """`None`: in this turn."""


class Used(NamedTuple):
    """An argument of a call that was made in the running topic."""

    slot: Slot
    value: JsonValue
    turn_id: str
    order: int
    """Of the topic's turn, from 0, oldest first."""


_indexes: dict[int, tuple[weakref.ref[Recall], RecalledIndex]] = {}
"""The indexes of recalls that are alive, by object: all decisions of a turn read the same recall."""


def index_of(recall: Recall) -> RecalledIndex:
    key = id(recall)
    kept = _indexes.get(key)
    if kept is not None and kept[0]() is recall:
        return kept[1]
    pieces = list(chain.from_iterable(item.evidence for item in recall.items))
    # Items share pieces by the thousand; telling the objects apart costs a tenth of comparing them.
    index = RecalledIndex(dict(zip(map(id, pieces), pieces, strict=True)).values())
    _indexes[key] = (weakref.ref(recall, lambda _: _indexes.pop(key, None)), index)
    return index


class RecalledIndex:
    """Recalled evidence by slot and by value; each piece once. What no question needs is not built."""

    def __init__(self, evidence: Collection[Evidence]) -> None:
        self._evidence = evidence
        self._by_slot = _grouped(evidence, _SLOT)
        self._private: dict[Slot, bool] = {}
        self._found: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self._testimonies: dict[Slot, list[Testimony]] = {}
        self.last_position = max(map(_POSITION, evidence), default=-1)

    @cached_property
    def names(self) -> dict[tuple[str, ...], list[Slot]]:
        """The slots by the words of their innermost name."""
        names: dict[tuple[str, ...], list[Slot]] = {}
        for slot in self._by_slot:
            names.setdefault(name_key(slot.argument), []).append(slot)
        return names

    @cached_property
    def positions(self) -> dict[str, int]:
        """The positions of turns by id."""
        return {piece.turn_id: piece.position for piece in self._evidence}

    @cached_property
    def by_value(self) -> dict[str, list[Evidence]]:
        """The evidence by canonical value."""
        return _grouped(self._evidence, _VALUE)

    def slots(self, name: tuple[str, ...]) -> list[Slot]:
        """Return the slots whose innermost name has these words, but those whose values speak for no other slot."""
        return [slot for slot in self.names.get(name, ()) if not self.is_private(slot)]

    def is_private(self, slot: Slot) -> bool:
        """Whether the values of a slot speak for no other slot."""
        if slot not in self._private:
            values = {piece.value_key: piece for piece in self._by_slot.get(slot, ())}
            self._private[slot] = any(map(stays_in_slot, values.values()))
        return self._private[slot]

    def once(self, key: Hashable, held: tuple[object, ...], find: Callable[[], Found]) -> Found:
        """Return what `find` gives, found once per key; `held` are the objects that the key tells by identity."""
        kept = self._found.get((key, *map(id, held)))
        if kept is None:
            kept = self._found[(key, *map(id, held))] = (held, find())
        found: Found = kept[1]  # type: ignore[assignment]  # the key belongs to one kind of finding
        return found

    def of_slot(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for a slot by value, each piece once."""
        if slot not in self._testimonies:
            pieces: Collection[Evidence] = self._by_slot.get(slot, ())
            if len(set(map(_TURN, pieces))) < len(pieces):
                told = {(piece.turn_id, piece.value_key, piece.source, piece.kind): piece for piece in pieces}
                pieces = told.values()
            self._testimonies[slot] = by_value(pieces) or self._within(slot)
        return self._testimonies[slot]

    def _within(self, slot: Slot) -> list[Testimony]:
        """The evidence for a field of objects in a list, which is kept for the list as a whole."""
        outer, _, field = slot.argument.rpartition(".")
        found: dict[str, tuple[JsonValue, list[Evidence]]] = {}
        for piece in self._by_slot.get(Slot(slot.tool, outer), ()) if outer else ():
            for leaf in leaves(piece.value):
                if leaf.key == field:
                    found.setdefault(canonical_key(leaf.value), (leaf.value, []))[1].append(piece)
        return [Testimony(value, list(dict.fromkeys(pieces))) for value, pieces in found.values()]


def _grouped(evidence: Collection[Evidence], key_of: Callable[[Evidence], Key]) -> dict[Key, list[Evidence]]:
    groups: defaultdict[Key, list[Evidence]] = defaultdict(list)
    for key, piece in zip(map(key_of, evidence), evidence, strict=True):
        groups[key].append(piece)
    return dict(groups)


def leaves(value: JsonValue, key: str = "") -> Iterator[Leaf]:
    """Yield the scalars within `value` with their field names, in order; null gives nothing."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)
    elif value is not None:
        yield Leaf(key, value)


def observed(steps: Iterable[CallStep]) -> Iterator[Leaf]:
    for step in steps:
        for observation in step.observations:
            if observation.error is None:
                yield from leaves(observation.content)


def said_in(turn: Turn) -> Iterator[Said]:
    yield Said(turn.request, turn.turn_id)
    for step in turn.steps:
        if isinstance(step, QuestionStep) and step.answer:
            yield Said(step.answer, turn.turn_id)


@lru_cache(maxsize=4096)
def name_key(argument: str) -> tuple[str, ...]:
    """The words of the innermost name of an argument."""
    return split_name(argument.rsplit(".", 1)[-1])
