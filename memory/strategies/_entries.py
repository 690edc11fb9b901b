"""Turns whose results list what a request names: "the polytunnel" of a list of zones seen weeks ago."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

import numpy as np
from pydantic import JsonValue

from memory.ranking.lexical import LexicalIndex
from memory.records import CallStep, Turn
from memory.strategies._followed import Followed

MAX_NAME_CHARACTERS = 48
"""Longer texts of a result tell something; they name nothing."""
MAX_NAMES = 200
"""Of one turn: more than a person picks from."""


class NamedEntries:
    """The names in the results of a log's calls."""

    def __init__(self) -> None:
        self._read = 0
        self._positions = array("l")
        """Of the turns that have names."""
        self._index = LexicalIndex()

    def append(self, turn: Turn) -> None:
        """Take in the next turn."""
        if names := " ".join(_names_of(turn)):
            self._positions.append(self._read)
            self._index.add(names)
        self._read += 1

    def matches(self, terms: Iterable[str]) -> dict[int, float]:
        """Return the positions of the turns whose results name something in these words, with BM25 scores."""
        numbers, scores = self._index.search(terms)
        return dict(zip(np.array(self._positions)[numbers].tolist(), scores.tolist(), strict=True))


class Entries(Followed[NamedEntries]):
    """Follows the entries of a shelf."""

    def __init__(self) -> None:
        super().__init__(NamedEntries)


def _names_of(turn: Turn) -> list[str]:
    found: dict[str, None] = {}
    for step in turn.steps:
        if isinstance(step, CallStep):
            for observation in step.observations:
                found.update(dict.fromkeys(_names(observation.content)))
    return list(found)[:MAX_NAMES]


def _names(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= MAX_NAME_CHARACTERS:
            yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _names(part)
