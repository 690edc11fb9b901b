"""The evidence of one slot, folded: which values hold, which did, and until when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from memory.evidence import PERSON, Evidence, Kind
from memory.language.text import normalise
from memory.language.values.value_forms import form_key, wall_time
from memory.state.candidates import Candidate, Status, ordered
from memory.state.refusals import is_kind_of

_EXCEPTIONS: Mapping[Kind, Status] = MappingProxyType(
    {"one_off": "one_off", "hypothetical": "hypothetical", "other_person": "other_person"}
)


class SlotFold:
    """The evidence of one slot, folded oldest first.

    A standing rule closes the interval of every other value that was current, and being against a value that of the
    value; a value used again after that starts a new interval. Plain values stand side by side: which one holds is for
    the clarifier to weigh. A rule that has ended by itself has closed nothing.

    Args:
        pieces: To take first.
        now: When it is, for what ends by itself.
    """

    def __init__(self, pieces: Iterable[Evidence], now: datetime | None) -> None:
        self._now = now
        self._open = _Open()
        self._others: dict[tuple[Status, str], list[Evidence]] = defaultdict(list)
        for piece in pieces:
            self.take(piece)

    def take(self, piece: Evidence) -> None:
        """Take in the next piece."""
        if piece.until is not None and self._now is not None and wall_time(piece.until) <= self._now:
            self._others["expired", form_key(piece.value)].append(piece)
        elif (status := _EXCEPTIONS.get(piece.kind)) is not None:
            self._others[status, form_key(piece.value)].append(piece)
        else:
            self._open.take(piece)

    def candidates(self) -> tuple[Candidate, ...]:
        """Return what the pieces amount to, in the order of `SlotState`."""
        past = (_past(status, held) for (status, _), held in self._others.items())
        return ordered([*self._open.candidates(), *past])


class _Key(NamedTuple):
    """What evidence of one slot has in common that speaks for, or against, one value in one context."""

    is_negated: bool
    form: str
    condition: str


class _Open:
    """The values of a slot that hold, for or against, and those that did."""

    def __init__(self) -> None:
        self._held: dict[_Key, list[Evidence]] = {}
        self._closed: list[Candidate] = []

    def take(self, piece: Evidence) -> None:
        key = _Key(piece.kind == "negated", form_key(piece.value), normalise(piece.condition))
        closed = self._closed_by(piece, key)
        for other in closed:
            held = self._held.pop(other)
            self._closed.append(
                Candidate(held[0].value, tuple(held), "superseded", until=piece.position, until_time=piece.time)
            )
        if closed or not piece.is_twin:
            self._held.setdefault(key, []).append(piece)

    def _closed_by(self, piece: Evidence, key: _Key) -> list[_Key]:
        if piece.is_added:
            return []
        opposite = key._replace(is_negated=not key.is_negated)
        if piece.kind == "negated" and not piece.condition:
            return [other for other, held in self._held.items() if _is_refused(held[-1], other, piece, key)]
        if piece.kind not in ("standing", "conditional"):
            return [opposite] if opposite in self._held else []
        return [
            other
            for other, held in self._held.items()
            if other == opposite
            # Several values in one rule ("always A and B", two calls) do not close one another.
            or (
                other.form != key.form
                and other.condition == key.condition
                and not other.is_negated
                and not _is_same_rule(held[-1], piece)
            )
        ]

    def candidates(self) -> list[Candidate]:
        current = [
            Candidate(
                held[-1].value,
                tuple(held),
                "conditional" if held[-1].condition else "current",
                until_time=held[-1].until,
            )
            for held in self._held.values()
        ]
        return [*current, *self._closed]


def _past(status: Status, held: Sequence[Evidence]) -> Candidate:
    """An exception, which ends with its turn, or a rule that has ended."""
    until = held[-1].position + 1 if status == "one_off" else None
    return Candidate(held[-1].value, tuple(held), status, until=until, until_time=held[-1].until)


def _is_refused(held: Evidence, other: _Key, piece: Evidence, key: _Key) -> bool:
    """Whether who is against the one has no more of the other: the same in any context, or a thing of that kind."""
    if other.is_negated or other.form == key.form:
        return not other.is_negated
    if piece.slot.tool != PERSON or not isinstance(piece.value, str) or not isinstance(held.value, str):
        return False
    return is_kind_of(held.value, piece.value)


def _is_same_rule(held: Evidence, piece: Evidence) -> bool:
    return held.kind == piece.kind and held.position == piece.position
