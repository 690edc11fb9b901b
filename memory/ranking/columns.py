"""What the ranking reads from each turn of a log, a column a feature."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from datetime import date
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.ranking.turn_features import TurnFeatures

Array = NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)


class _Codes(Generic[Key]):
    """A column of values of which there are few: what is computed of each is computed once."""

    def __init__(self) -> None:
        self.code_of: dict[Key, int] = {}
        self._codes = array("i")

    def append(self, value: Key) -> None:
        self._codes.append(self.code_of.setdefault(value, len(self.code_of)))

    def map(self, function: Callable[[Key], float]) -> Array:
        """Return `function` of the value of each turn, shape `(n,)`."""
        results = np.array([function(value) for value in self.code_of], dtype=np.float64)
        return results[np.array(self._codes, dtype=np.intp)]


class Columns:
    """The features of each turn of a log, only ever appended to."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, ...]] = []
        self.is_one_statement: list[bool] = []
        self.states = array("d")
        """1.0 where the person says something of themselves."""
        self.dated = array("d")
        """1.0 where it says when something was or will be."""
        self.stance_shares = array("d")
        self.asking_shares = array("d")
        self._speakers: _Codes[str | None] = _Codes()
        self._days: _Codes[date | None] = _Codes()

    def __len__(self) -> int:
        return len(self.statements)

    def append(self, read: TurnFeatures) -> None:
        """Take in the features of the next turn."""
        self.statements.append(read.statements)
        self.is_one_statement.append(read.is_one_statement)
        self.states.append(bool(read.statements))
        self.dated.append(read.is_dated)
        self.stance_shares.append(read.stance_share)
        self.asking_shares.append(read.asking_share)
        self._speakers.append(read.speaker)
        self._days.append(read.day)

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who speaks in the log, in order of appearance."""
        return tuple(filter(None, self._speakers.code_of))

    def by_speaker(self, function: Callable[[str | None], float]) -> Array:
        """Return `function` of who speaks in each turn, shape `(n,)`."""
        return self._speakers.map(function)

    def by_day(self, function: Callable[[date | None], float]) -> Array:
        """Return `function` of the day of each turn, shape `(n,)`."""
        return self._days.map(function)
