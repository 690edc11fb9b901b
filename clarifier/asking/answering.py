"""What a person's answer to a question is: a value, leave, a refusal, or no answer at all."""

from __future__ import annotations

from clarifier.grounding.replies import calls_off, leaves_open
from memory.language.read import read

_LEAST = 0.5
"""At which the reader's word on an answer counts."""


def agrees(answer: str, question: str) -> bool:
    """Say whether an answer to "shall I?" says yes, and nothing that speaks against it."""
    clauses = read(answer, before=question).clauses
    if not clauses or calls_off(answer) or leaves_open(answer):
        return False
    first = clauses[0]
    if first.act not in ("answer", "order", "talk") or first.polarity != "yes" or first.p_polarity < _LEAST:
        return False
    return not any(one.polarity == "no" or one.deed in ("forbidden", "deferred", "called_off") for one in clauses)
