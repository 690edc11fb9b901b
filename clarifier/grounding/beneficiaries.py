"""For whom a request is: the speaker or somebody else."""

from __future__ import annotations

import re
from datetime import datetime

from clarifier.grounding.recalled import leaves
from clarifier.grounding.spoken import mentions_in
from memory.records import Turn
from memory.state.cues import RELATION, clauses
from memory.text_cache import text_cache

_THEIRS = re.compile(r"\b(?:his|her)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b|[我咱]", re.IGNORECASE)
_FOR_THEM = re.compile(
    rf"\b(?:book|reserve|order|buy|get|find|hire|rent) (?:my|our|the) {RELATION} (?=(?:an?|the|some|one|two|\d)\b)"
    r"|[帮替](?!我|咱|自己|大家)(?:[\u4e00-\u9fff]{2,3}?)(?:再)?(?=[订买约租])",
    re.IGNORECASE,
)
"""Whom an order is for by its form: "book my wife a seat", "帮张伟订"."""
_NAMED = re.compile(r"\b(?i:book|reserve|order|buy|hire|rent)\b[^.;!?\n]{0,200}?\bfor ([A-Z][a-zé]+)\b")
_ANY_CLOCK = datetime(2000, 1, 1)
"""Where a day stands does not depend on the clock."""


def speaks_of_self(request: str) -> bool:
    """Whether a request names the speaker."""
    return bool(_MINE.search(request))


@text_cache(4096)  # every decision asks it of every recalled turn
def is_for_other(request: str) -> bool:
    """Whether a request says that it is for somebody else, or speaks of their things and never of the speaker's."""
    if any("other_person" in part.cues for part in clauses(request)) or _FOR_THEM.search(request):
        return True
    return bool(_THEIRS.search(request)) and not speaks_of_self(request)


def was_for_other(turn: Turn) -> bool:
    """Whether a turn was for somebody else, be it by a name ("for Anna") that its calls took for no value."""
    if is_for_other(turn.request):
        return True
    named = list(_NAMED.finditer(turn.request)) if turn.calls else []
    if not named:
        return False
    values = {str(leaf.value).casefold() for call in turn.calls for leaf in leaves(dict(call.arguments))}
    found = mentions_in(turn.request, turn.time or _ANY_CLOCK)
    days = [mention for mention in found if mention.kind in ("date", "date_range", "time")]
    return any(
        not any(match[1].casefold() in value for value in values)
        and not any(day.start <= match.start(1) < day.end for day in days)
        for match in named
    )
