"""The parts of a request that may each want something: its clauses as they are read, cut finer where people run on."""

from __future__ import annotations

from dataclasses import dataclass

from agent.planners.rules.segments import clauses
from clarifier.decision import Situation
from memory.language.read import read
from memory.language.reading import Clause, Deed

UNSURE_SHARE = 0.5
"""Of the probability left over by a deed that wants nothing, how much is taken to want something."""


@dataclass(frozen=True)
class Unit:
    """A part of a request."""

    text: str
    start: int
    end: int
    clause: Clause
    """The clause as read that it is part of."""

    @property
    def wanted(self) -> float:
        """Probability that it wants something done or known now."""
        p = self.clause.p_deed
        return p if self.clause.deed in ("ordered", "asked") else UNSURE_SHARE * (1 - p)

    def p_of(self, deed: Deed) -> float:
        """Return the probability of a deed, as far as it is told."""
        if self.clause.deed == deed:
            return self.clause.p_deed
        return UNSURE_SHARE * (1 - self.clause.p_deed)

    @property
    def leans_back(self) -> float:
        """Probability that it leans on a habit, an earlier deed or what was just said."""
        return self.clause.p_back if self.clause.back != "none" else 1 - self.clause.p_back


def units_of(situation: Situation) -> tuple[Unit, ...]:
    """Return the parts of the request, in order."""
    turns = situation.recall.topic_turns
    reading = read(situation.request, before=(turns[-1].reply or "") if turns else "")
    units: list[Unit] = []
    for clause in reading.clauses:
        inner = [one for one in clauses(clause.text) if len(one.text) > 1] or list(clauses(clause.text))
        for part in inner:
            units.append(Unit(part.text, clause.start + part.start, clause.start + part.end, clause))
    return tuple(units)
