"""Finds the slots whose values may speak for an argument, without looking at all of them."""

from __future__ import annotations

from collections.abc import Iterable

from memory.evidence import Slot
from memory.state.concepts import meant


class SlotNouns:
    """Slots by what their argument is, its noun: no others are similar to one another (`context_similarity`)."""

    def __init__(self) -> None:
        self._by_noun: dict[str, list[Slot]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_noun)

    def add(self, slots: Iterable[Slot]) -> None:
        """Take in slots that it does not have yet."""
        for slot in slots:
            self._by_noun.setdefault(_noun(slot), []).append(slot)

    def near(self, slot: Slot) -> tuple[Slot, ...]:
        """Return the slots with the noun of `slot`, itself among them if it is known, in the order they were added."""
        return tuple(self._by_noun.get(_noun(slot), ()))


def _noun(slot: Slot) -> str:
    words = meant(slot)
    return words[-1] if words else slot.argument
