"""Evidence: a piece of a turn that speaks for the value of a slot."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from pydantic import JsonValue

from memory.language.values.values import canonical_key

Source = Literal["request", "answer", "accepted_call", "correction", "assistant", "tool"]
Kind = Literal["plain", "standing", "conditional", "one_off", "hypothetical", "other_person", "negated"]
"""`conditional`: a rule or habit that holds in one context only; `negated`: the person does not want this value, or has
it no more."""
FILLING_KINDS: frozenset[Kind] = frozenset({"plain", "standing"})
"""Only these may fill a slot (DESIGN §5)."""
PERSON = "@person"
"""Stands for the tool in slots that no tool has: what a person says of themselves in passing, by topic. No function
may have such a name, so that it cannot be taken for a tool's."""


class Slot(NamedTuple):
    """An argument in the context of its tool; nested ones are named by a dotted path."""

    tool: str
    argument: str

    def __str__(self) -> str:
        return f"{self.tool}.{self.argument}"


@dataclass(frozen=True)
class Evidence:
    """What one turn says about one slot."""

    slot: Slot
    value: JsonValue = field(compare=False)
    source: Source
    kind: Kind
    turn_id: str
    position: int
    """Of the turn in the user's log, from 0; ages in turns are differences of positions."""
    time: datetime | None = None
    until: datetime | None = None
    """When it ends by itself ("until Friday"), in the zone of `time`; `None`: it does not."""
    echo_of: str | None = None
    """The turn whose value was used again without being said: refreshes that turn's evidence, adds no weight."""
    is_said: bool = field(default=True, compare=False)
    """Whether the person's words in this turn name the value or its slot, or a tool brought it up there."""
    is_added: bool = False
    """Whether it comes on top of what holds ("HR too"): it closes nothing, be it a rule or the opposite."""
    is_twin: bool = False
    """Whether it says what a negated statement means under another topic: who sold the car does not drive it. It only
    closes what was said there."""
    condition: str = ""
    """The context it is bound to, in the person's words ("for work trips"); empty: it holds in all."""
    value_key: str = field(init=False, repr=False)
    """The value in canonical form: makes evidence hashable and equal by value."""
    utc_s: float | None = field(init=False, repr=False, compare=False)
    """`time` in seconds since 1970, `None` where it or its zone is unknown: ages are then plain differences."""
    wall_s: float | None = field(init=False, repr=False, compare=False)
    """The same of what the clock on the wall showed, `None` where `time` is unknown."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value_key", canonical_key(self.value))
        then = self.time
        object.__setattr__(self, "utc_s", then.timestamp() if then is not None and then.tzinfo is not None else None)
        object.__setattr__(self, "wall_s", then.replace(tzinfo=UTC).timestamp() if then is not None else None)

    @property
    def origin(self) -> str:
        """The turn whose weight this evidence carries; all evidence of one origin weighs as the strongest piece."""
        return self.echo_of or self.turn_id

    @property
    def may_fill(self) -> bool:
        """Whether the kind lets this evidence fill a slot."""
        return self.kind in FILLING_KINDS
