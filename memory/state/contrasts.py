"""What the clauses of a turn say of one another: exceptions beside what is usual, cues that reach their neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from memory.state.cues import Clause

_ASKS = re.compile(
    r"^(?:(?:so|and|but|then) )*(?:what|which|where|when|who|whose|how|why|is|are|do|does|did)\b"
    r"|[吗呢]$|什么|哪|几点|多少|怎么"
)
"""A question orders nothing otherwise."""
Naming = Callable[[Clause], bool]
"""Says whether a clause names a value of a call."""


def contrasted(parts: Sequence[Clause], is_naming: Naming) -> list[Clause]:
    """Give an exception to what is ordered beside what is usual, or for what is so just now, in one sentence.

    平时用顺丰，今天走京东; "I usually get the small one but I'm starving, large please"; "the lift is broken, so …".
    What is so just now has a clause of its own before that, which names no value.
    """
    usual = {clause.sentence for clause in parts if "usual" in clause.signs}
    ruled = {clause.sentence for clause in parts if "standing" in clause.cues}
    turned = {clause.sentence for clause in parts if "but" in clause.signs} & usual
    mended = {clause.sentence for clause in parts if {"correction", "undo"} & clause.signs}
    reasoned: set[int] = set()
    found = []
    for clause in parts:
        is_exception = clause.sentence in usual and "usual" not in clause.signs
        is_exception = is_exception and ("today" in clause.signs or clause.sentence in turned)
        is_exception |= clause.sentence in ruled and "standing" not in clause.cues and {"today", "but"} <= clause.signs
        if "circumstance" in clause.signs and clause.sentence not in mended and not is_naming(clause):
            reasoned.add(clause.sentence)
        elif clause.sentence in reasoned and "standing" not in clause.cues and not _ASKS.search(clause.text):
            is_exception = True
        found.append(replace(clause, cues=clause.cues | {"one_off"}) if is_exception else clause)
    return found


def spread(parts: Sequence[Clause], is_naming: Naming) -> tuple[Clause, ...]:
    """Give the cues of a clause without any value to its neighbours in the sentence; of a lone cue to any neighbour.

    "first class, that leg only": the exception is about the class. A hypothesis stays where it is.
    """
    found = list(parts)
    for index, clause in enumerate(parts):
        cues = clause.cues - {"hypothetical"}
        if not cues or is_naming(clause):
            continue
        for near in (index - 1, index + 1):
            if 0 <= near < len(parts) and (clause.is_lone_cue or parts[near].sentence == clause.sentence):
                found[near] = replace(found[near], cues=found[near].cues | cues)
    return tuple(found)
