"""A value for a slot with what speaks for it, and how it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from memory.evidence import Evidence
from memory.state.sensitive import stays_in_slot

Status = Literal["current", "conditional", "superseded", "one_off", "hypothetical", "other_person", "expired"]
"""`current`: speaks for its slot now, or against a value; `conditional`: in one context only; `superseded`: a newer
rule, or the opposite, closed its interval; `expired`: a rule that ended by itself; the rest never fill."""


@dataclass(frozen=True)
class Candidate:
    """A value for a slot with what speaks for it."""

    value: JsonValue = field(compare=False)
    evidence: tuple[Evidence, ...]
    """Oldest first, never empty, all of the same value and of kinds that either fill or share one kind."""
    status: Status
    until: int | None = None
    """Position of the first turn for which it no longer holds; `None` while it does, or where its end is a time."""
    similarity: float = 1.0
    """Of the context it was used in to the slot looked up, in (0, 1]; 1 is the very slot."""
    until_time: datetime | None = None
    """The time at which it ends or ended, where that is known."""

    @property
    def since(self) -> int:
        """Position of the turn that first spoke for it."""
        return self.evidence[0].position

    @property
    def last(self) -> int:
        """Position of the turn that last spoke for it."""
        return self.evidence[-1].position

    @property
    def since_time(self) -> datetime | None:
        """The time of that turn, where it is known."""
        return self.evidence[0].time

    @property
    def is_negated(self) -> bool:
        """Whether the person does not want this value, or has it no more."""
        return self.evidence[-1].kind == "negated"

    @property
    def condition(self) -> str:
        """The context it is bound to, in the person's words; empty where it holds in all."""
        return self.evidence[-1].condition

    @property
    def support(self) -> int:
        """How many turns speak for it of their own; echoes do not count."""
        return len({piece.origin for piece in self.evidence})

    @cached_property
    def is_standing(self) -> bool:
        """Whether a standing rule is among its evidence; such a candidate does not age."""
        return any(piece.kind == "standing" for piece in self.evidence)

    @cached_property
    def stays_in_slot(self) -> bool:
        """Whether it may speak for no slot but its own."""
        return any(stays_in_slot(piece) for piece in self.evidence)

    @cached_property
    def order(self) -> tuple[object, ...]:
        """What candidates of one slot are ordered by."""
        pieces = self.evidence
        return -self.similarity, self.status != "current", -self.last, -len(pieces), pieces[-1].value_key

    def seen_from(self, similarity: float) -> Candidate:
        """Return it for a slot of that similarity to its own."""
        if similarity == self.similarity:
            return self
        seen = self._seen
        if similarity not in seen:
            other = object.__new__(Candidate)  # `dataclasses.replace` takes ten times as long
            own = {"evidence": self.evidence, "is_standing": self.is_standing, "stays_in_slot": self.stays_in_slot}
            other.__dict__.update(
                own, value=self.value, status=self.status, until=self.until, until_time=self.until_time
            )
            other.__dict__["similarity"] = similarity
            seen[similarity] = other
        return seen[similarity]

    @cached_property
    def _seen(self) -> dict[float, Candidate]:
        """For slots of other similarities, of which there are few."""
        return {}

    @cached_property
    def turn_ids(self) -> tuple[str, ...]:
        """The turns that speak for it, oldest first, each once."""
        return tuple(dict.fromkeys(piece.turn_id for piece in self.evidence))


def ordered(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates of one slot in the order of `SlotState`."""
    return tuple(sorted(candidates, key=lambda candidate: candidate.order))
