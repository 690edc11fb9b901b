"""Turns whose results list what a request names: "the polytunnel" of a list of zones seen weeks ago."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from memory.ranking.lexical import LexicalIndex
from memory.records import CallStep, Turn
from memory.strategies._history import Snapshot

MAX_NAME_CHARACTERS = 48
"""Longer texts of a result tell something; they name nothing."""
MAX_NAMES = 200
"""Of one turn: more than a person picks from."""


class Entries:
    """The names in the results of a log's calls. Not safe for concurrent use; it follows the snapshots it is given."""

    def __init__(self) -> None:
        self._turns: tuple[Turn, ...] = ()
        self._index = LexicalIndex()

    def matches(self, snapshot: Snapshot, request: str) -> dict[int, float]:
        """Return the turns whose results name something in words of `request`, by position, with BM25 scores."""
        self._follow(snapshot.turns)
        return {snapshot.position[key]: score for key, score in self._index.search(request)}

    def _follow(self, turns: tuple[Turn, ...]) -> None:
        known = len(self._turns)
        if turns[:known] != self._turns:
            self._index, known = LexicalIndex(), 0
        for turn in turns[known:]:
            if names := " ".join(_names_of(turn)):
                self._index.add(turn.turn_id, names)
        self._turns = turns


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
