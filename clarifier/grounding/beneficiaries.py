"""For whom a request is: the speaker or somebody else."""

from __future__ import annotations

import re

from memory.language.text_cache import text_cache
from memory.records import Turn
from memory.state.beneficiaries import named
from memory.state.cues import clauses

_THEIRS = re.compile(r"\b(?:his|her)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b|[我咱]", re.IGNORECASE)


def speaks_of_self(request: str) -> bool:
    """Whether a request names the speaker."""
    return bool(_MINE.search(request))


@text_cache(4096)  # every decision asks it of every recalled turn
def is_for_other(request: str) -> bool:
    """Whether a request says that it is for somebody else, or speaks of their things and never of the speaker's."""
    if any("other_person" in part.cues for part in clauses(request)):
        return True
    return bool(_THEIRS.search(request)) and not speaks_of_self(request)


def was_for_other(turn: Turn) -> bool:
    """Whether a turn was for somebody else, be it by a name ("for Anna") that its calls took for no value."""
    if is_for_other(turn.request):
        return True
    return any(named(turn))
