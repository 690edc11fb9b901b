"""Which of the slots that are known somebody may mean by a name that none of them has."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAMED = 4


def meant_slots(name: str, known: Iterable[str]) -> list[str]:
    """Return the names of slots of which `name` is a part ("seat" of `book_train.seat`), else those spelt most alike.

    Args:
        name: What was typed.
        known: Names as `TOOL.ARGUMENT`.
    """
    wanted, names = name.casefold(), list(known)
    holding = [one for one in names if wanted in one.casefold()]
    spelt = get_close_matches(name, names, MAX_NAMED, cutoff=0.7)
    arguments = {one.rpartition(".")[2]: one for one in names}
    near = [arguments[argument] for argument in get_close_matches(wanted, list(arguments), MAX_NAMED, cutoff=0.7)]
    return (holding or list(dict.fromkeys([*spelt, *near])))[:MAX_NAMED]
