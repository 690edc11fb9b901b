"""The turns of a log that were taken in so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.records import Turn


class KnownTurns:
    """Turns, oldest first, only ever added to."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._begun: tuple[Turn, ...] | None = None
        """The log that they were last found to begin, where it cannot change."""

    def __len__(self) -> int:
        return len(self._turns)

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._turns)

    def append(self, turn: Turn) -> None:
        """Take in the next turn."""
        self._turns.append(turn)
        self._begun = None

    def begin(self, turns: Sequence[Turn]) -> bool:
        """Say whether `turns` are these and perhaps more."""
        if turns is not self._begun:
            if list(turns[: len(self)]) != self._turns:
                return False
            self._begun = turns if isinstance(turns, tuple) else None
        return True
