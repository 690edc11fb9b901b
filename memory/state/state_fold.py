"""The user state of a log that grows: new turns are folded onto what there was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.evidence import Evidence, Slot
from memory.language.values.value_forms import wall_time
from memory.state.slot_fold import SlotFold
from memory.state.slot_nouns import SlotNouns
from memory.state.user_state import Found, SlotState, UserState


class _Slot:
    """The evidence of one slot, oldest first, as far as it is folded."""

    def __init__(self) -> None:
        self.pieces: list[Evidence] = []
        self.fold: SlotFold | None = None
        """Of the first `folded` pieces; `None` where they must be folded anew."""
        self.folded = 0
        self.ends = False
        """Whether a piece ends by itself, so that the clock decides about the others too."""


class StateFold:
    """The state of a log; the same as `fold` gives of its turns."""

    def __init__(self) -> None:
        self._slots: dict[Slot, _Slot] = {}
        self._states: dict[Slot, SlotState] = {}
        self._stale: set[Slot] = set()
        self._nouns = SlotNouns()
        self._found: dict[Slot, Found] = {}
        self._clocks: list[datetime | None] = []
        """The newest time up to each turn."""
        self._last: Sequence[Evidence] = ()

    def append(self, pieces: Sequence[Evidence], time: datetime | None) -> None:
        """Take in the evidence of the next turn, and its time."""
        clock = self.clock
        for piece in pieces:
            if piece.slot not in self._slots:
                self._slots[piece.slot] = _Slot()
                self._states[piece.slot] = SlotState(piece.slot, ())  # keeps the order of first mention
                self._nouns.add((piece.slot,))
            held = self._slots[piece.slot]
            held.pieces.append(piece)
            held.ends |= piece.until is not None
            self._stale.add(piece.slot)
        if time is not None:
            clock = wall_time(time) if clock is None else max(clock, wall_time(time))
        self._clocks.append(clock)
        self._last = pieces

    @property
    def clock(self) -> datetime | None:
        """The newest time of a turn so far."""
        return self._clocks[-1] if self._clocks else None

    def ending(self) -> tuple[Evidence, ...]:
        """Return the evidence that ends by itself."""
        return tuple(
            piece for held in self._slots.values() if held.ends for piece in held.pieces if piece.until is not None
        )

    def take_back(self) -> None:
        """Be as before the last `append`; it can be done once."""
        self._clocks.pop()
        for piece in reversed(self._last):
            held = self._slots[piece.slot]
            held.pieces.pop()
            held.fold = None
            self._stale.add(piece.slot)
            if not held.pieces:
                del self._slots[piece.slot]
                self._states.pop(piece.slot, None)
                self._nouns = SlotNouns()  # earlier states go on with theirs
        if not self._nouns:
            self._nouns.add(self._slots)
        self._last = ()

    def state(self) -> UserState:
        """Return the state after the turns so far."""
        clock = self.clock
        self._stale.update(slot for slot, held in self._slots.items() if held.ends)
        for slot in self._stale:
            if (held := self._slots.get(slot)) is not None:
                self._states[slot] = SlotState(slot, _folded(held, clock).candidates())
        self._stale.clear()
        return UserState(dict(self._states), self._nouns, self._found)


def _folded(held: _Slot, clock: datetime | None) -> SlotFold:
    if held.fold is None or held.ends:
        held.fold, held.folded = SlotFold((), clock), 0
    for piece in held.pieces[held.folded :]:
        held.fold.take(piece)
    held.folded = len(held.pieces)
    return held.fold
