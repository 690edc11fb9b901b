"""Where the support for a value is looked up: this request and turn, the running topic, and what memory recalls."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from pydantic import JsonValue

from clarifier.decision import Situation
from clarifier.posterior import Moment, Testimony, by_value
from clarifier.spoken import mentions_in
from memory.dates import normal_date
from memory.evidence import Evidence, Slot
from memory.recall import Recall
from memory.records import CallStep, QuestionStep, Turn
from memory.sensitive import stays_in_slot
from memory.text import split_name
from memory.values import canonical_key


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


@dataclass(frozen=True)
class Sources:
    """A situation, indexed for the questions that grounding asks. Every part is read at first use only."""

    situation: Situation

    @cached_property
    def answers(self) -> str:
        """What the person answered in this turn, one answer a line."""
        return "\n".join(step.answer for step in self.situation.question_steps if step.answer)

    @cached_property
    def observed(self) -> tuple[Leaf, ...]:
        """What tools returned in this turn."""
        return tuple(_observed(self.situation.call_steps))

    @cached_property
    def topic_said(self) -> tuple[Said, ...]:
        """The person's words in the running topic, oldest first."""
        return tuple(said for turn in self.situation.recall.topic_turns for said in _said(turn))

    @cached_property
    def topic_used(self) -> tuple[Used, ...]:
        """The arguments of the calls made in the running topic, newest first."""
        used = [
            Used(Slot(call.name, name), value, turn.turn_id, order)
            for order, turn in enumerate(self.situation.recall.topic_turns)
            for call in turn.calls
            for name, value in call.arguments.items()
        ]
        return tuple(reversed(used))

    def may_recur(self, used: Used) -> bool:
        """Whether a value used in the topic was not meant for that once, or for another person."""
        pieces = self._index.by_value.get(canonical_key(used.value), ())
        own = [piece for piece in pieces if piece.slot == used.slot and piece.turn_id == used.turn_id]
        return not own or any(piece.may_fill for piece in own)

    @cached_property
    def topic_observed(self) -> tuple[tuple[str, tuple[Leaf, ...]], ...]:
        """What tools returned in the running topic, with its turn; newest first."""
        return tuple(
            (turn.turn_id, tuple(_observed(step for step in turn.steps if isinstance(step, CallStep))))
            for turn in reversed(self.situation.recall.topic_turns)
        )

    @cached_property
    def past(self) -> tuple[Turn, ...]:
        """Recalled turns of earlier topics."""
        topic = {turn.turn_id for turn in self.situation.recall.topic_turns}
        return tuple(turn for turn in self.situation.recall.turns if turn.turn_id not in topic)

    @cached_property
    def past_said(self) -> tuple[Said, ...]:
        """The person's words in recalled turns of earlier topics, and recalled text that renders no turn."""
        words = [said for turn in self.past for said in _said(turn)]
        for item in self.situation.recall.items:
            if item.turn is None and not item.evidence and item.turn_ids:
                words.append(Said(item.text, item.turn_ids[-1]))
        return tuple(words)

    @cached_property
    def past_observed(self) -> tuple[tuple[str, tuple[Leaf, ...]], ...]:
        """What tools returned in recalled turns of earlier topics, with its turn."""
        return tuple(
            (turn.turn_id, tuple(_observed(step for step in turn.steps if isinstance(step, CallStep))))
            for turn in self.past
        )

    @cached_property
    def moment(self) -> Moment:
        """This turn: its clock, and the position after the newest one that evidence knows."""
        return Moment(max(0, self._index.last_position) + 1, self.situation.now)

    @cached_property
    def known_days(self) -> frozenset[str]:
        """Dates named in this turn or used before, as far as recalled: what a span of days may count from."""
        named = [
            day
            for text in (self.situation.request, self.answers)
            for one in mentions_in(text, self.situation.now)
            for day in (one.value if isinstance(one.value, list) else [one.value])
            if one.kind in ("date", "date_range")
        ]
        used = (pieces[0].value for pieces in self._index.by_value.values())
        return frozenset(
            day for value in (*named, *used) if isinstance(value, str) and (day := normal_date(value)) is not None
        )

    def position(self, turn_id: str) -> int:
        """Return the position of a recalled turn as far as evidence tells, else that of the newest turn."""
        return self._index.positions.get(turn_id, max(0, self._index.last_position))

    def of_slot(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for `slot` itself, by value."""
        return self._index.of_slot(slot)

    def of_argument(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for arguments of the same name in other tools, by slot and value."""
        return [said for kin in self._index.slots(_key(slot.argument)) if kin != slot for said in self.of_slot(kin)]

    def of_relatives(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for arguments whose name has the same head word but is another, by slot and value."""
        own = _key(slot.argument)
        names = [name for name in self._index.names if name[-1:] == own[-1:] and name != own]
        return [said for name in names for kin in self._index.slots(name) for said in self.of_slot(kin)]

    def of_value(self, value_key: str) -> list[Evidence]:
        """Return the evidence, of any slot, whose value has the canonical form `value_key`."""
        return self._index.by_value.get(value_key, [])

    @cached_property
    def _index(self) -> _Index:
        return _index_of(self.situation.recall)


_indexes: dict[int, tuple[weakref.ref[Recall], _Index]] = {}
"""The indexes of recalls that are alive, by object: all decisions of a turn read the same recall."""


def _index_of(recall: Recall) -> _Index:
    key = id(recall)
    kept = _indexes.get(key)
    if kept is not None and kept[0]() is recall:
        return kept[1]
    pieces = list(chain.from_iterable(item.evidence for item in recall.items))
    # Items share pieces by the thousand; telling the objects apart costs a tenth of comparing them.
    index = _Index(dict(zip(map(id, pieces), pieces, strict=True)).values())
    _indexes[key] = (weakref.ref(recall, lambda _: _indexes.pop(key, None)), index)
    return index


class _Index:
    """Recalled evidence by slot and by value; each piece once. What no question needs is not built."""

    def __init__(self, evidence: Collection[Evidence]) -> None:
        self._evidence = evidence
        self._by_slot: dict[Slot, list[Evidence]] = {}
        for piece in evidence:
            self._by_slot.setdefault(piece.slot, []).append(piece)
        self._private = {slot for slot, pieces in self._by_slot.items() if any(map(stays_in_slot, pieces))}
        self._testimonies: dict[Slot, list[Testimony]] = {}
        self.last_position = max((piece.position for piece in evidence), default=-1)

    @cached_property
    def names(self) -> dict[tuple[str, ...], list[Slot]]:
        """The slots by the words of their innermost name, but those whose values speak for no other slot."""
        names: dict[tuple[str, ...], list[Slot]] = {}
        for slot in (slot for slot in self._by_slot if slot not in self._private):
            names.setdefault(_key(slot.argument), []).append(slot)
        return names

    @cached_property
    def positions(self) -> dict[str, int]:
        """The positions of turns by id."""
        return {piece.turn_id: piece.position for piece in self._evidence}

    @cached_property
    def by_value(self) -> dict[str, list[Evidence]]:
        """The evidence by canonical value, without what speaks for no slot but its own."""
        found: dict[str, list[Evidence]] = {}
        for piece in self._evidence:
            if piece.slot in self._private:
                continue
            found.setdefault(piece.value_key, []).append(piece)
        return found

    def slots(self, name: tuple[str, ...]) -> list[Slot]:
        """Return the slots whose innermost name has these words."""
        return self.names.get(name, [])

    def of_slot(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for a slot by value, each piece once."""
        if slot not in self._testimonies:
            pieces = {
                (piece.turn_id, piece.value_key, piece.source, piece.kind): piece
                for piece in self._by_slot.get(slot, ())
            }
            self._testimonies[slot] = by_value(pieces.values()) or self._within(slot)
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


def _observed(steps: Iterable[CallStep]) -> Iterator[Leaf]:
    for step in steps:
        for observation in step.observations:
            if observation.error is None:
                yield from leaves(observation.content)


def _said(turn: Turn) -> Iterator[Said]:
    yield Said(turn.request, turn.turn_id)
    for step in turn.steps:
        if isinstance(step, QuestionStep) and step.answer:
            yield Said(step.answer, turn.turn_id)


@lru_cache(maxsize=4096)
def _key(argument: str) -> tuple[str, ...]:
    """The words of the innermost name of an argument."""
    return split_name(argument.rsplit(".", 1)[-1])
