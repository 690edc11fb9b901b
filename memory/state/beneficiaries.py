"""For whom a turn was made where only a name says so: "order a latte for Anna"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from memory.language.text_cache import text_cache
from memory.language.values.mentions import Mention, mentions
from memory.records import Turn

_ORDERS = r"(?:book|reserve|order|buy|hire|rent)"
_NAMED = re.compile(rf"\b(?i:{_ORDERS})\b[^.;!?\n]{{0,200}}?\bfor (?P<name>[A-Z][a-zé]+)\b")
_FEASTS = frozenset(
    {"Easter", "Christmas", "Halloween", "Thanksgiving", "Diwali", "Eid", "Ramadan", "Hanukkah", "Passover"}
)
_TO_A_PLACE = re.compile(
    r"\b(?:flights?|trains?|bus(?:es)?|hotels?|rooms?|trips?|tours?|tickets?|visas?) $", re.IGNORECASE
)
"""Before "for Rome", which a call may have taken for a code."""
_ANY_CLOCK = datetime(2000, 1, 1)
"""Where a day stands does not depend on the clock."""


def is_for_named(turn: Turn) -> bool:
    """Whether a turn was for somebody named, whom its calls took for no value.

    A name after what is ordered of a trip may be its place, and says nothing here.
    """
    return any(not _TO_A_PLACE.search(turn.request[: match.start("name") - len("for ")]) for match in named(turn))


def named(turn: Turn) -> Iterator[re.Match[str]]:
    """Yield where the request of a turn with calls names (as `name`) for whom, or for what, an order is.

    A value of a call is not meant, nor a day, nor a feast.
    """
    found = list(_NAMED.finditer(turn.request)) if turn.calls else []
    if not found:
        return
    taken = " ".join(str(value).casefold() for call in turn.calls for value in call.arguments.values())
    for match in found:
        name = match["name"]
        if name.casefold() in taken or name in _FEASTS:
            continue
        if not any(day.start <= match.start("name") < day.end for day in _days(turn.request)):
            yield match


@text_cache(1024)  # every decision asks it of every recalled turn
def _days(text: str) -> tuple[Mention, ...]:
    """Return where `text` speaks of days and times."""
    return tuple(one for one in mentions(text, _ANY_CLOCK) if one.kind in ("date", "date_range", "time"))
