"""What in a text looks like a value and is not surely read, so that nobody acts on half of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from memory.language.text_cache import text_cache
from memory.language.values.dates import read_dates
from memory.language.values.figure_dates import Order
from memory.language.values.numbers import read_numbers
from memory.language.values.taken import Taken

DoubtKind = Literal["date", "amount", "recurrence", "past"]
"""`date`, `amount`: something like it that is none (31 April) or could be two ("3/4", "three fifty", "several
hundred"); `recurrence`: days that come again and again ("every other Wednesday"); `past`: a date that was read and has
gone by."""


class Doubt(NamedTuple):
    """A place of a text that a value should not be taken from without asking."""

    kind: DoubtKind
    start: int
    end: int
    text: str


@text_cache(1024)
def doubts(text: str, now: datetime | None, *, order: Order | None = None) -> tuple[Doubt, ...]:
    """Return what in the beginning of `text` is to be doubted, in order.

    Args:
        text: What was said.
        now: The clock that dates count from; `None` leaves out most of what is doubtful of them.
        order: Of day and month in figures, as this person writes them; `None`: unknown.
    """
    dates = read_dates(text, now, order=order)
    found: list[tuple[DoubtKind, int, int]] = [("date", *span) for span in dates.unread]
    found += [("recurrence", *span) for span in dates.recurring]
    if now is not None:
        found += [("past", span.start, span.end) for span in dates.spans if span.last < now.date()]
    dated = Taken(sorted({*dates.unread, *((span.start, span.end) for span in dates.spans)}))
    found += [("amount", *span) for span in read_numbers(text).unread if not dated.overlaps(*span)]
    return tuple(
        Doubt(kind, start, end, text[start:end]) for kind, start, end in sorted(found, key=lambda one: one[1:])
    )
