"""What strategies read of each turn of a log, once, as the log grows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from memory.known_turns import KnownTurns
from memory.recall import TurnShelf
from memory.records import Turn


class Growing(Protocol):
    """What was read of a log."""

    def append(self, turn: Turn) -> None:
        """Take in the next turn."""
        ...


Read = TypeVar("Read", bound=Growing)


class _Part(Generic[Read]):
    """The turns that were read, and what."""

    def __init__(self, read: Read) -> None:
        self.turns = KnownTurns()
        self.read = read

    def grow(self, turns: Sequence[Turn]) -> None:
        for turn in turns[len(self.turns) :]:
            self.read.append(turn)
            self.turns.append(turn)


class Followed(Generic[Read]):
    """Follows a shelf; as long as its turns are only added to, each is read once. Safe to share by threads.

    Args:
        start: Makes what is read of no turns.
    """

    def __init__(self, start: Callable[[], Read]) -> None:
        self._start = start
        self._reading = threading.RLock()
        self._log = _Part(start())
        self._other: _Part[Read] | None = None
        """Of other turns than all of the shelf: some may have lapsed."""

    def follow(self, shelf: TurnShelf, limit: int | None = None) -> bool:
        """Read up to `limit` turns that are new on `shelf`, and say whether there are more."""
        with self._reading:
            turns = shelf.turns()
            if not self._log.turns.begin(turns):
                self._log, self._other = _Part(self._start()), None  # nothing is kept of turns that are gone
            known = len(self._log.turns)
            self._log.grow(turns if limit is None else turns[: known + limit])
            return len(self._log.turns) < len(turns)

    @contextmanager
    def read(self, turns: Sequence[Turn]) -> Iterator[Read]:
        """Give what was read of `turns`, which nobody else uses meanwhile."""
        with self._reading:
            part = self._log
            if not part.turns.begin(turns):
                part = self._other if self._other is not None else _Part(self._start())
                self._other = part = part if part.turns.begin(turns) else _Part(self._start())
            part.grow(turns)
            yield part.read
