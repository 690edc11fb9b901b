"""What one process knows of a user: their log at one version, and the vectors of its turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.embedder import Matrix
from memory.records import Turn
from memory.storage.turn_log import LogEntry, LogVersion
from memory.storage.user_vectors import Place, UserVectors


class UserView:
    """The turns of a scope as long as nothing is erased: it grows with the log, and any other change makes a new one.

    Args:
        version: Of the log.
        entries: Of the log, oldest first.
        dimensions: Length of a vector.
    """

    def __init__(self, version: LogVersion | None, entries: Iterable[LogEntry], dimensions: int) -> None:
        self.version = version
        self.vectors = UserVectors(dimensions)
        self._entries: dict[str, LogEntry] = {}
        self._turns: tuple[Turn, ...] | None = None
        self.unread: set[str] = set()
        """Turns that the index has not been asked for."""
        self.unembedded: dict[str, None] = {}
        """Turns without a vector here, oldest first."""
        self.unstored: set[str] = set()
        """Turns whose vectors the index lacks, as far as is known."""
        self.strangers = 0
        """Vectors in the index whose turns are not in the log."""
        self.is_unseen = True
        """Whether the index was never asked for all it has: an erasure that was cut off may have left vectors in it."""
        self.grow(version, entries)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn, oldest first."""
        if self._turns is None:
            self._turns = tuple(entry.turn for entry in self._entries.values())
        return self._turns

    @property
    def last_position(self) -> int:
        """The position of the last turn; -1 if there is none."""
        return next(reversed(self._entries.values())).position if self._entries else -1

    @property
    def is_behind(self) -> bool:
        """Whether the index, as far as is known, has something to store or to erase."""
        return bool(self.unstored or self.strangers or self.is_unseen)

    def entry(self, turn_id: str) -> LogEntry:
        """Return the turn with its position."""
        return self._entries[turn_id]

    def is_continued_by(self, version: LogVersion | None) -> bool:
        """Say whether the log at `version` is this one with nothing but new turns."""
        if version is None or self.version is None:
            return version is self.version
        return self.version.only_grew_to(version)

    def grow(self, version: LogVersion | None, entries: Iterable[LogEntry]) -> None:
        """Take in turns that were appended, by whomever."""
        for entry in entries:
            if entry.turn.turn_id not in self._entries:
                self._add(entry)
                self.unread.add(entry.turn.turn_id)
        self.version = version

    def note(self, entry: LogEntry) -> int:
        """Take in a turn that was just appended here, if it is the next one, and return how many wait for a vector."""
        version = self.version
        if version is not None and entry.position == version.appended:
            self._add(entry)  # the index cannot have it yet
            self.version = version._replace(appended=entry.position + 1)
        return len(self.unembedded) + (entry.turn.turn_id not in self._entries)

    def put(self, entries: Sequence[LogEntry], vectors: Matrix, *, is_stored: bool) -> None:
        """Take in the vectors of turns, one row a turn."""
        if entries:
            self.vectors.put([Place(entry.turn.turn_id, entry.position) for entry in entries], vectors)
        for entry in entries:
            self.unembedded.pop(entry.turn.turn_id, None)
            if not is_stored:
                self.unstored.add(entry.turn.turn_id)

    def _add(self, entry: LogEntry) -> None:
        self._entries[entry.turn.turn_id] = entry
        self.unembedded[entry.turn.turn_id] = None
        self._turns = None
