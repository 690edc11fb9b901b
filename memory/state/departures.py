"""What the shape of a log says before any word does: values replaced by the very next turn, exceptions, other people.

- The next turn makes the same call with one argument changed to what it says: the earlier value was replaced.
- A value that departs from what was used before, beside news that explains it ("the company is paying"), is an
  exception; said again within a few turns it still is.
- What is done for a person who is named in an argument of the call ("patient") is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from memory.evidence import PERSON, Evidence, Slot
from memory.language.schema import tool_effect
from memory.language.text import split_name
from memory.language.values.values import canonical_key
from memory.records import ToolCall, Turn
from memory.state.weighing import Said, said_in
from memory.state.wording import is_calendar_date, is_named_in

_KEPT_TURNS = 4
"""Turns for which an exception that is said again still is one."""
_EXPLAINS = 0.6
"""How sure the reader must be that a clause beside an order only tells."""
_ROLES = frozenset({"recipient", "patient", "passenger", "traveller", "traveler", "student", "pupil", "beneficiary"})
"""Words of arguments that say for whom a call is made."""


class _Held(NamedTuple):
    """What a slot had before."""

    value_key: str
    position: int
    is_exception: bool


class Departures:
    """Marks the evidence of a log, turn after turn."""

    def __init__(self) -> None:
        self._last: dict[Slot, list[_Held]] = {}
        self._added: list[Slot] = []

    def mark(self, turn: Turn, pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence of `turn`, the next one, with exceptions and what is other people's marked."""
        self._added = []
        told = tuple(pieces)
        said = said_in(turn) if any(piece.kind == "plain" and piece.slot.tool != PERSON for piece in told) else ()
        theirs = {call.name for call in turn.calls if self._is_for_named(call)}
        explains = any(_explains(text) for text in said)
        found = []
        for piece in told:
            if piece.slot.tool != PERSON and piece.kind == "plain":
                if piece.slot.tool in theirs and not _names_role(piece.slot.argument):
                    piece = replace(piece, kind="other_person")
                elif self._departs(piece, explains=explains):
                    piece = replace(piece, kind="one_off")
            found.append(piece)
            if piece.slot.tool != PERSON and piece.kind in ("plain", "standing", "one_off"):
                held = _Held(piece.value_key, piece.position, piece.kind == "one_off")
                self._last.setdefault(piece.slot, []).append(held)
                self._added.append(piece.slot)
        return tuple(found)

    def take_back(self) -> None:
        """Be as before the last `mark`; it can be done once."""
        for slot in self._added:
            self._last[slot].pop()
        self._added = []

    def _departs(self, piece: Evidence, *, explains: bool) -> bool:
        held = self._last.get(piece.slot)
        if not held or is_calendar_date(piece.value):
            return False
        habit = next((one for one in reversed(held) if not one.is_exception), None)
        if habit is None or habit.value_key == piece.value_key:
            return False
        last = held[-1]
        if last.is_exception and last.value_key == piece.value_key and piece.position - last.position <= _KEPT_TURNS:
            return True
        if not (explains and piece.is_said):  # which is rare, so that a long history is seldom gone through
            return False
        return all(one.value_key != piece.value_key or one.is_exception for one in held)

    def _is_for_named(self, call: ToolCall) -> bool:
        """Whether an argument names for whom the call is made, who is not whom calls are mostly made for."""
        if tool_effect(call.name) == "message":
            return False  # how one writes to others is one's own
        for name, value in call.arguments.items():
            if not isinstance(value, str) or not _names_role(name):
                continue
            before = [one.value_key for one in self._last.get(Slot(call.name, name), ())]
            if before.count(canonical_key(value)) <= len(before) / 2:
                return True
        return False


def _names_role(argument: str) -> bool:
    return not _ROLES.isdisjoint(split_name(argument.partition(".")[0]))


def _explains(text: Said) -> bool:
    """Whether one clause orders and another beside it tells what is so on this occasion."""
    orders = any(clause.deed == "ordered" for clause in text.clauses)
    told = (one for one in text.clauses if one.act == "tell" and one.p_act >= _EXPLAINS)
    return orders and any(one.claim in ("passing", "over", "others", "none") for one in told)


def replaced_by(before: Turn, after: Turn, earlier: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return what is left of the evidence of `before` once `after` makes its call again with one argument changed.

    That is so for calls that change something, where the request of `after` says the new value and none of those that
    stayed, and where there are such.
    """
    gone = set()
    for later in after.calls:
        if tool_effect(later.name) == "read":
            continue
        for call in before.calls:
            if call.name != later.name or call.arguments.keys() != later.arguments.keys():
                continue
            changed = [
                name
                for name, value in call.arguments.items()
                if canonical_key(value) != canonical_key(later.arguments[name])
            ]
            stayed = [value for name, value in later.arguments.items() if name not in changed]
            if len(changed) != 1 or not stayed or any(is_named_in(value, after.request) for value in stayed):
                continue
            if is_named_in(later.arguments[changed[0]], after.request):
                gone.add((Slot(call.name, changed[0]), canonical_key(call.arguments[changed[0]])))
    return tuple(piece for piece in earlier if (piece.slot, piece.value_key) not in gone)
