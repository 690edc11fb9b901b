"""What a text says: the glossary of the project.

A `Reading` is what a reader makes of one text of a person, so that state, recall, grounding and planning can be folds
and scores over readings and need not look at the words again. Every judged field carries its probability: "unsure" is a
value, never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel, Field

Act = Literal["order", "ask", "tell", "rule", "correct", "answer", "refuse", "memory", "talk", "unsure"]
"""What a clause does.

`order`: wants something done ("book it", "don't send it yet"); `ask`: wants to know, or something looked up ("what's
on tonight?", "show me trains"); `tell`: says how something is, was or would be, of oneself or others; `rule`: lays down
how things are to be done again and again, or ends that; `correct`: puts right what was said, understood or done before;
`answer`: answers what the assistant asked or suggested; `refuse`: calls off what was under way; `memory`: speaks of
remembering itself; `talk`: asks and tells nothing; `unsure`: not read.
"""
ActTime = Literal["now", "always", "from", "until", "once", "past", "imagined", "later"]
"""When what a clause says holds.

`now`: this occasion; `always`: in general, likes, habits and facts included; `from`: new from now or a day on; `until`:
for a stretch that ends; `once`: said to be only this time; `past`: was so, was done; `imagined`: not real; `later`: put
off, not to be done now.
"""
Polarity = Literal["yes", "no", "maybe"]
"""Whether the values are wanted or true, unwanted or denied or over, or left open."""
Whom = Literal["me", "other", "all"]
"""Whose wish, taste or fact it is: the person's (or nobody's in particular), another's, everybody's."""
Back = Literal["none", "usual", "same", "that"]
"""What a clause leans on: nothing, a habit ("the usual"), one earlier deed ("again"), what was just said or shown."""
Role = Literal["value", "set_aside", "subject", "condition", "who"]
"""What a span is to its clause.

`value`: what is wanted, liked, ruled, told, denied or asked about; `set_aside`: a value given up for another ("ten, not
twelve"); `subject`: the noun that says what the value is of ("my shoe size"); `condition`: the context it holds in;
`who`: the other person or group.
"""


Deed = Literal["ordered", "ruled", "asked", "told", "imagined", "deferred", "forbidden", "called_off", "none"]
"""What a clause means for a deed that its words name: whether it is to be done now, or why not. Follows from act, time
and polarity (`deed_of`), and is judged as a whole, so that its probability is that of the question that matters."""
Claim = Literal["holds", "denied", "others", "unreal", "over", "passing", "none"]
"""What a clause says of the person beyond this occasion: that its values hold, that they do not, that they are
another's, imagined, or were so once; `passing`: only of this occasion. Follows from all fields (`claim_of`)."""


def deed_of(act: Act, time: ActTime, polarity: Polarity) -> Deed:
    """Return what the judged fields together mean for a deed."""
    if act in ("memory", "talk", "unsure"):
        return "none"
    if act == "refuse":
        return "called_off"
    if act == "ask":
        return "asked"
    if time == "imagined":
        return "imagined"
    if time == "later":
        return "deferred"
    if act == "tell" or time == "past":
        return "told"
    if polarity == "no":
        return "forbidden"
    return "ruled" if act == "rule" else "ordered"


def claim_of(act: Act, time: ActTime, polarity: Polarity, whom: Whom) -> Claim:
    """Return what the judged fields together say of the person."""
    if act in ("talk", "unsure", "refuse"):
        return "none"
    if whom == "other":
        return "others"
    if time == "imagined":
        return "unreal"
    if time == "past":
        return "over"
    if act == "ask" or polarity == "maybe" or (time in ("now", "once", "later") and act not in ("rule", "memory")):
        return "passing"
    return "denied" if polarity == "no" else "holds"


class Span(BaseModel, frozen=True, extra="forbid"):
    """A stretch of the text with its role."""

    role: Role
    start: int = Field(ge=0)
    """In characters of the text."""
    end: int
    """Past its last character."""
    text: str
    """As it stands there."""
    p: float = Field(default=1.0, ge=0, le=1)
    """That the span is right, role and borders together."""


class Clause(BaseModel, frozen=True, extra="forbid"):
    """The smallest stretch of a text that does one thing."""

    start: int = Field(ge=0)
    end: int
    text: str
    """As it stands, blanks around it left out."""
    act: Act = "unsure"
    time: ActTime = "now"
    polarity: Polarity = "yes"
    whom: Whom = "me"
    back: Back = "none"
    deed: Deed = "none"
    claim: Claim = "none"
    spans: tuple[Span, ...] = ()
    """In order, apart from one another."""
    p_act: float = Field(default=0.0, ge=0, le=1)
    p_time: float = Field(default=0.0, ge=0, le=1)
    p_polarity: float = Field(default=0.0, ge=0, le=1)
    p_whom: float = Field(default=0.0, ge=0, le=1)
    p_back: float = Field(default=0.0, ge=0, le=1)
    p_deed: float = Field(default=0.0, ge=0, le=1)
    p_claim: float = Field(default=0.0, ge=0, le=1)

    def of(self, role: Role) -> tuple[Span, ...]:
        """Return the spans of one role, in order."""
        return tuple(span for span in self.spans if span.role == role)

    @property
    def p(self) -> float:
        """That act, time, polarity and person are all right, each judged by itself."""
        return self.p_act * self.p_time * self.p_polarity * self.p_whom


class Reading(BaseModel, frozen=True, extra="forbid"):
    """What one text says, clause by clause; no clauses: an empty text."""

    text: str
    clauses: tuple[Clause, ...] = ()
    reader: str = ""
    """Who read it: the name and version of the reader; empty for a text that was not read."""

    def at(self, position: int) -> Clause | None:
        """Return the clause that the character at `position` stands in."""
        return next((clause for clause in self.clauses if clause.start <= position < clause.end), None)


class ReadRequest(NamedTuple):
    """A text to read, with what was said before it."""

    text: str
    before: str = ""
    """What the assistant last said to the person, a question or a report; empty: nothing."""
    now: datetime | None = None
    """The clock when it was said, for what a reader may date."""


class Reader(Protocol):
    """Reads texts; the same text in the same context gives the same reading."""

    @property
    def name(self) -> str:
        """The name and version that its readings carry, for manifests and caches."""
        ...

    def read_many(self, requests: Sequence[ReadRequest]) -> list[Reading]:
        """Return a reading a request, in their order; never raises for a text, however odd (it is then unsure)."""
        ...
