"""What a person said, ready to be read for the values of arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from pydantic import JsonValue

from agent.planners.rules.segments import Segment, clauses, named
from memory.language.values.mentions import Mention

LOOK_AROUND = 200
"""Characters beside a mention that are read for how it is meant, a long clause."""


def before(text: str, mention: Mention) -> str:
    """Return what stands before `mention` in `text`, the last `LOOK_AROUND` characters of it."""
    return text[max(0, mention.start - LOOK_AROUND) : mention.start]


@dataclass(frozen=True)
class Said:
    """A value that a text says for a parameter."""

    value: JsonValue
    start: int
    end: int
    strength: float
    """1: it can hardly be meant for another parameter; 0.5: of the right kind only."""


@dataclass(frozen=True)
class Text:
    """A text to read values from, with its mentions."""

    text: str
    now: datetime | None
    is_answer: bool = False
    """Whether it answers a question, so that short forms suffice."""
    focus: tuple[Segment, ...] = field(default=())
    """The clauses that speak of the tool at hand; empty: all of them."""

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """What the text names, asides left out."""
        asides = [part for part in clauses(self.text) if part.is_aside]
        return tuple(
            mention
            for mention in named(self.text, self.now)
            if not any(aside.start <= mention.start < aside.end for aside in asides)
        )

    def of_kind(self, *kinds: str) -> list[Mention]:
        """Return the mentions of `kinds`, those in the focus first, else in order."""
        found = [mention for mention in self.mentions if mention.kind in kinds]
        return sorted(found, key=lambda mention: not self.in_focus(mention.start))

    def in_focus(self, position: int) -> bool:
        """Whether a place lies in the clauses that speak of the tool at hand."""
        return not self.focus or any(part.start <= position < part.end for part in self.focus)
