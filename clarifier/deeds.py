"""Whether the person wants the very deed that a call does: saying the words of a call is not wanting it.

The reading of this turn's words decides (`memory.language.reading.Deed`), and for each call the clauses that name its
values. What is forbidden, put off or called off is never done; what is only asked about, told or imagined is not done
without a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clarifier.decision import Situation, Wanted
from memory.language.opposites import is_opposite
from memory.language.read import read
from memory.language.reading import Clause, Deed
from memory.records import ToolCall
from memory.state.quotations import quotations
from memory.state.wording import is_named_in
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

    Of the clauses that name most of its values the one that says most firmly what is wanted decides. A later clause
    that calls off, forbids or puts off bears on it, unless it names things of its own.
    """
    clauses = list(_clauses(situation))
    named = [_values_named(call, clause) for clause in clauses]
    best, at = Judgement("unsaid", 1.0, ""), -1
    for place, (clause, count) in enumerate(zip(clauses, named, strict=True)):
        found = _judged(clause, tool)
        if found is not None and count == max(named) and _is_firmer(found, best):
            best, at = found, place
    for place in range(at + 1, len(clauses)):
        found = _judged(clauses[place], tool)
        if found is not None and found.wanted in BARRED and (named[place] or _points_back(clauses[place])):
            best = found._replace(p=max(found.p, _BEARS))
    return best


_BEARS = 0.6
"""The least that a clause which takes back what was just said counts for."""


def _points_back(clause: Clause) -> bool:
    return clause.back != "none" or not clause.of("value")


def _is_firmer(found: Judgement, best: Judgement) -> bool:
    """Whether `found`, of the later clause, says more surely than `best` what is to be done, or that it is not."""
    if best.wanted == "unsaid":
        return True
    is_telling = best.wanted in ("told", "asked") and found.wanted in ("ordered", *BARRED)
    is_aside = found.wanted in ("told", "asked") and best.wanted in ("ordered", *BARRED)
    return is_telling or (not is_aside and found.p >= best.p)


def _clauses(situation: Situation) -> Iterator[Clause]:
    """Yield the clauses of this turn that are the person's own words: what they quote is not said by them."""
    topic = situation.recall.topic_turns
    before = (topic[-1].reply or "") if topic else ""
    yield from _own(situation.request, before)
    for step in situation.question_steps:
        for clause in _own(step.answer or "", step.question):
            # "No" to "Anything else?" is about no deed: only a question for something of a call is about that call.
            if step.slots or clause.act != "answer" or clause.polarity != "no":
                yield clause


def _own(text: str, before: str) -> Sequence[Clause]:
    quoted = quotations(text)
    clauses = read(text, before=before).clauses
    return [one for one in clauses if not any(q.start <= one.start and one.end <= q.end for q in quoted)] or clauses


def _values_named(call: ToolCall, clause: Clause) -> int:
    return sum(is_named_in(value, clause.text) for value in call.arguments.values() if not isinstance(value, bool))


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
