"""What the turns before make of the evidence of each turn of a log.

Exceptions, echoes, rules that are changed, and refusals are marked as such.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.evidence import Evidence
from memory.records import Turn
from memory.state.amendments import Amendments
from memory.state.departures import Departures
from memory.state.echoes import Echoes
from memory.state.refusals import Refusals


class Marking:
    """Takes in the evidence of a log, turn after turn."""

    def __init__(self) -> None:
        self._departures = Departures()
        self._echoes = Echoes()
        self._amendments = Amendments()
        self._refusals = Refusals()

    def mark(self, turn: Turn, pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """Return the evidence of `turn`, the next one: echoes marked, rules in their new form, refusals spread."""
        return self._refusals.spread(
            self._amendments.apply(turn, self._echoes.mark(self._departures.mark(turn, pieces)))
        )

    def take_back(self) -> None:
        """Be as before the last `mark`; it can be done once."""
        self._departures.take_back()
        self._echoes.take_back()
        self._amendments.take_back()
        self._refusals.take_back()
