"""Refusals: what a person no longer wants or has closes what they said of it before, under whatever topic they did.

"No more fries" ends "always add a side of fries to my lunch", whose topic is another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory.evidence import PERSON, Evidence, Slot
from memory.language.text import common_terms
from memory.language.text_cache import text_cache
from memory.language.values.scripts import simplified
from memory.ranking.lexical import without_function_words


class Refusals:
    """Spreads the refusals of a log to the topics that they are of, turn after turn."""

    def __init__(self) -> None:
        self._topics: dict[str, dict[Slot, None]] = {}
        """By term: the slots of what was said in it."""
        self._added: list[tuple[str, Slot]] = []
        """By the last turn."""

    def spread(self, pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence of the next turn with a twin of every refusal for each topic that it is of."""
        found: list[Evidence] = []
        self._added = []
        for piece in pieces:
            found.append(piece)
            if piece.slot.tool != PERSON or not isinstance(piece.value, str):
                continue
            terms = thing_terms(piece.value)
            if piece.kind == "negated":
                found.extend(replace(piece, slot=slot, is_twin=True) for slot in self._of(terms) if slot != piece.slot)
            elif piece.may_fill or piece.condition:
                self._add(terms, piece.slot)
        return tuple(found)

    def take_back(self) -> None:
        """Be as before the last `spread`; it can be done once."""
        for term, slot in self._added:
            del self._topics[term][slot]
        self._added = []

    def _add(self, terms: frozenset[str], slot: Slot) -> None:
        for term in terms:
            slots = self._topics.setdefault(term, {})
            if slot not in slots:
                slots[slot] = None
                self._added.append((term, slot))

    def _of(self, terms: frozenset[str]) -> list[Slot]:
        held = [self._topics.get(term, {}) for term in sorted(terms)]
        fewest = min(held, key=len, default={})
        return [slot for slot in fewest if all(slot in slots for slots in held)]


def is_kind_of(special: str, general: str) -> bool:
    """Whether one thing is another, or one of that kind: who no longer likes running does not like park running."""
    terms = thing_terms(general)
    return bool(terms) and terms <= thing_terms(special)


@text_cache(8192)
def thing_terms(text: str) -> frozenset[str]:
    """Return the terms that say what a thing is, in simplified Chinese."""
    return frozenset(without_function_words(sorted(common_terms(simplified(text)))))
