"""Whether the person wants the very deed that a call does: saying the words of a call is not wanting it.

The reading of this turn's words decides (`memory.language.reading.Deed`), and for each call the clauses that name its
values. What is forbidden, put off or called off is never done; what is only asked about, told or imagined is not done
without a question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from clarifier.decision import Situation, Wanted
from memory.language.opposites import is_opposite
from memory.language.read import read
from memory.language.reading import Clause, Deed
from memory.records import ToolCall
from memory.state.wording import is_mentioned
from memory.tools import Tool

BARRED: frozenset[Wanted] = frozenset({"deferred", "forbidden", "called_off", "other"})
"""With these a deed is never done."""


class Judgement(NamedTuple):
    """What the person's words of this turn mean for one call."""

    wanted: Wanted
    p: float
    """That it is this, in [0, 1]."""
    words: str
    """The clause it was read in; empty: none."""

    @property
    def p_ordered(self) -> float:
        """That the deed is to be done now."""
        if self.wanted == "unsaid":
            return 0.5
        return self.p if self.wanted == "ordered" else min(0.5, 1 - self.p)


def judge(call: ToolCall, tool: Tool, situation: Situation) -> Judgement:
    """Return what this turn's words mean for `call`.

    The clauses that name most of its values speak for it, the later ones before the earlier; a later clause that calls
    off, forbids or puts off bears on what was ordered before it unless it names other values.
    """
    clauses = list(_clauses(situation))
    if not clauses:
        return Judgement("unsaid", 1.0, "")
    named = [_values_named(call, clause) for clause in clauses]
    most = max(named)
    best: Judgement | None = None
    for clause, count in zip(clauses, named, strict=True):
        found = _judged(clause, tool)
        if found is None:
            continue
        if best is None or (count == most and (count > 0 or _is_firmer(found, best))):
            best = found if best is None or not _is_weaker(found, best) else best
        elif found.wanted in BARRED and (count > 0 or clause.back == "that" or not clause.of("value")):
            best = found if found.p >= best.p or best.wanted != "ordered" else best
    return best or Judgement("unsaid", 1.0, "")


def _clauses(situation: Situation) -> Iterator[Clause]:
    topic = situation.recall.topic_turns
    before = (topic[-1].reply or "") if topic else ""
    yield from read(situation.request, before=before).clauses
    for step in situation.question_steps:
        if step.answer:
            yield from read(step.answer, before=step.question).clauses


def _values_named(call: ToolCall, clause: Clause) -> int:
    return sum(is_mentioned(value, clause.text) for value in call.arguments.values() if not isinstance(value, bool))


_WANTED: dict[Deed, Wanted] = {
    "ordered": "ordered",
    "ruled": "ruled",
    "asked": "asked",
    "told": "told",
    "imagined": "imagined",
    "deferred": "deferred",
    "forbidden": "forbidden",
    "called_off": "called_off",
}


def _judged(clause: Clause, tool: Tool) -> Judgement | None:
    wanted = _WANTED.get(clause.deed)
    if wanted is None:
        return None
    if wanted in ("ordered", "called_off") and is_opposite(clause.text, tool.name, tool.description):
        return Judgement("other", clause.p_deed, clause.text)
    return Judgement(wanted, clause.p_deed, clause.text)


def _is_firmer(found: Judgement, best: Judgement) -> bool:
    return found.wanted == "ordered" or best.wanted in ("told", "unsaid")


def _is_weaker(found: Judgement, best: Judgement) -> bool:
    """Whether a clause that only tells or asks follows one that orders or bars."""
    return found.wanted in ("told", "asked") and best.wanted in ("ordered", *BARRED)
