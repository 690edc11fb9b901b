"""What one recall holds, indexed once: every decision of a turn reads the same recall."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from clarifier.grounding.item_evidence import item_evidence
from clarifier.grounding.own_words import own_words
from clarifier.grounding.replies import leaves_open
from clarifier.posterior import Testimony, by_value
from memory.evidence import Evidence, Kind, Slot
from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.language.values.values import canonical_key
from memory.recall import Recall
from memory.records import CallStep, QuestionStep, Turn
from memory.state.sensitive import stays_in_slot

Found = TypeVar("Found")
_TURN: Callable[[Evidence], str] = attrgetter("turn_id")


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
    index = RecalledIndex(recall)
    _indexes[key] = (weakref.ref(recall, lambda _: _indexes.pop(key, None)), index)
    return index


class RecalledIndex:
    """Recalled evidence by slot and by value; each piece once. What no question needs is not built."""

    def __init__(self, recall: Recall) -> None:
        self._items = item_evidence(item.evidence for item in recall.items)
        self._by_slot: defaultdict[Slot, list[list[Evidence]]] = defaultdict(list)
        for item in self._items:
            for slot, pieces in item.by_slot.items():
                self._by_slot[slot].append(pieces)
        self._private: dict[Slot, bool] = {}
        self._found: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self._testimonies: dict[Slot, list[Testimony]] = {}
        self.last_position = max((item.last_position for item in self._items), default=-1)

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
        return {piece.turn_id: piece.position for item in self._items for piece in item.pieces}

    @cached_property
    def passing(self) -> dict[tuple[Slot, str, str], frozenset[Kind]]:
        """Slot, turn and canonical value of what no piece lets fill a slot, with how it was meant."""
        pieces = [piece for item in self._items if item.has_passing for piece in item.pieces]
        kinds: defaultdict[tuple[Slot, str, str], set[Kind]] = defaultdict(set)
        for piece in pieces:
            if not piece.may_fill:
                kinds[_place(piece)].add(piece.kind)
        lasting = {_place(piece) for slot, _, _ in kinds for piece in self._of(slot) if piece.may_fill}
        return {place: frozenset(found) for place, found in kinds.items() if place not in lasting}

    @cached_property
    def values(self) -> tuple[Evidence, ...]:
        """One piece of evidence for each value."""
        found = {key: pieces[0] for item in self._items for key, pieces in item.by_value.items()}
        return tuple(found.values())

    def of_value(self, value_key: str) -> list[Evidence]:
        """Return the evidence whose value has this canonical form."""
        return _each_once([pieces for item in self._items if (pieces := item.by_value.get(value_key))])

    def slots(self, name: tuple[str, ...]) -> list[Slot]:
        """Return the slots whose innermost name has these words, but those whose values speak for no other slot."""
        return [slot for slot in self.names.get(name, ()) if not self.is_private(slot)]

    def is_private(self, slot: Slot) -> bool:
        """Whether the values of a slot speak for no other slot."""
        if slot not in self._private:
            self._private[slot] = any(stays_in_slot(said.evidence[0]) for said in self.of_slot(slot))
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
            pieces: Collection[Evidence] = self._of(slot)
            if len(set(map(_TURN, pieces))) < len(pieces):
                told = {(piece.turn_id, piece.value_key, piece.source, piece.kind): piece for piece in pieces}
                pieces = told.values()
            self._testimonies[slot] = by_value(pieces) or self._within(slot)
        return self._testimonies[slot]

    def _of(self, slot: Slot) -> list[Evidence]:
        return _each_once(self._by_slot.get(slot, ()))

    def _within(self, slot: Slot) -> list[Testimony]:
        """The evidence for a field of objects in a list, which is kept for the list as a whole."""
        outer, _, field = slot.argument.rpartition(".")
        found: dict[str, tuple[JsonValue, list[Evidence]]] = {}
        for piece in self._of(Slot(slot.tool, outer)) if outer else ():
            for leaf in leaves(piece.value):
                if leaf.key == field:
                    found.setdefault(canonical_key(leaf.value), (leaf.value, []))[1].append(piece)
        return [Testimony(value, list(dict.fromkeys(pieces))) for value, pieces in found.values()]


def _place(piece: Evidence) -> tuple[Slot, str, str]:
    return piece.slot, piece.turn_id, piece.value_key


def _each_once(lists: Sequence[list[Evidence]]) -> list[Evidence]:
    """The pieces of several items, each object once: items share them, and comparing them by value takes long."""
    if len(lists) == 1:
        return lists[0]
    pieces = list(chain.from_iterable(lists))
    return list(dict(zip(map(id, pieces), pieces, strict=True)).values())


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
    yield Said(own_words(turn.request), turn.turn_id)
    for step in turn.steps:
        if isinstance(step, QuestionStep) and step.answer and not leaves_open(step.answer):
            yield Said(own_words(step.answer), turn.turn_id)


@text_cache(4096)
def name_key(argument: str) -> tuple[str, ...]:
    """The words of the innermost name of an argument."""
    return split_name(argument.rsplit(".", 1)[-1])
