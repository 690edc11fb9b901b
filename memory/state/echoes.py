"""Echoes: values that were used again without anybody having said them. They refresh their source and add no weight.

The log alone decides: neither the person's words in the turn name the value or its slot, nor did a tool bring it up
there, and an earlier turn has it for the same concept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from pydantic import JsonValue

from memory.evidence import Evidence
from memory.language.text import common_terms
from memory.language.text_cache import text_cache
from memory.language.values.values import canonical_key
from memory.records import CallStep, QuestionStep, Turn
from memory.state.concepts import concept
from memory.state.cues import clause_texts
from memory.state.wording import is_mentioned, names_slot

_Value = tuple[tuple[str, ...], str]
"""What a value is about, and the value in canonical form."""


class PersonsWords:
    """What was brought up in one turn: by the person's words, and by what tools returned.

    Args:
        turn: Its request, the answers, and the questions that were answered, since those suggest values.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._texts = [turn.request]
        for step in turn.steps:
            if isinstance(step, QuestionStep) and step.answer:
                self._texts += [step.answer, step.question]

    @cached_property
    def _clauses(self) -> str:
        """A line each: what one clause names, or its slot, these do."""
        return "\n".join(clause for text in self._texts for clause in clause_texts(text))

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset().union(*map(common_terms, self._texts))

    @cached_property
    def _observed(self) -> frozenset[str]:
        """The canonical forms of the scalars that tools returned."""
        observations = [one for step in self._turn.steps if isinstance(step, CallStep) for one in step.observations]
        return frozenset(canonical_key(leaf) for one in observations for leaf in _leaves(one.content))

    def say(self, path: str, value: JsonValue) -> bool:
        """Whether `value` or a part of it, or the argument `path` by its name, was brought up."""
        scalars = [leaf for leaf in _leaves(value) if not isinstance(leaf, bool)]
        if names_slot(path.rpartition(".")[2], self._clauses):
            return True
        return any(self._say_scalar(scalar) for scalar in scalars)

    def _say_scalar(self, value: str | float) -> bool:
        if is_mentioned(value, self._clauses) or canonical_key(value) in self._observed:
            return True
        return isinstance(value, str) and not self._terms.isdisjoint(_value_terms(value))


class Echoes:
    """Marks the evidence of a log, turn after turn."""

    def __init__(self) -> None:
        self._sources: dict[_Value, str] = {}
        """The turn that last said a value, or first used it."""
        self._before: dict[_Value, str | None] = {}
        """What the last turn replaced in the sources."""

    def mark(self, pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence of the next turn with every echo naming the turn whose value it repeats."""
        self._before = {}
        return tuple(self._marked(pieces))

    def take_back(self) -> None:
        """Be as before the last `mark`; it can be done once."""
        for key, source in self._before.items():
            if source is None:
                del self._sources[key]
            else:
                self._sources[key] = source
        self._before = {}

    def _marked(self, pieces: Iterable[Evidence]) -> Iterator[Evidence]:
        for piece in pieces:
            if not piece.may_fill:
                yield piece
                continue
            key = (concept(piece.slot.argument), piece.value_key)
            source = self._sources.get(key)
            if source is None or piece.is_said or piece.source != "accepted_call":
                self._before.setdefault(key, source)
                self._sources[key] = piece.turn_id
                yield piece
            else:
                yield replace(piece, echo_of=source) if source != piece.turn_id else piece


@text_cache(4096)
def _value_terms(value: str) -> frozenset[str]:
    return common_terms(value.replace("_", " "))


def _leaves(value: JsonValue) -> Iterator[str | float | bool]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value
