"""The evidence of a log that grows: each turn is read once, and only what a new turn changes is settled anew."""

from __future__ import annotations

from memory.evidence import Evidence
from memory.records import Turn
from memory.state.extraction import Reading, read, revised
from memory.state.marking import Marking


class LogEvidence:
    """What the turns of a log say, by turn; the same as `memory.state.extraction.settle` gives of all readings."""

    def __init__(self) -> None:
        self.pieces: list[tuple[Evidence, ...]] = []
        """Of each turn, less what the turn after it took back or put right, echoes marked."""
        self._last: Turn | None = None
        self._unmarked: tuple[Evidence, ...] = ()
        """Of the last turn, echoes unmarked."""
        self._marking = Marking()

    def append(self, turn: Turn) -> bool:
        """Take in the next turn, and say whether it changed what the turn before it says."""
        position = len(self.pieces)
        reading = read(turn, position)
        if self._last is None:
            (now,), has_changed = revised([turn], [reading]), False
        else:
            earlier = Reading(self._unmarked, None)
            before, now = revised([self._last, turn], [earlier, reading], position - 1)
            has_changed = before != self._unmarked
            if has_changed:
                self._marking.take_back()
                self.pieces[-1] = self._marking.mark(self._last, before)
        self.pieces.append(self._marking.mark(turn, now))
        self._last, self._unmarked = turn, now
        return has_changed
