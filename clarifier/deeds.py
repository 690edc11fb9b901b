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
from memory.language.reading import Clause
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
    told = {place: one for place, clause in enumerate(clauses) if (one := _judged(clause, tool)) is not None}
    named = [_values_named(call, clause) for clause in clauses]
    most = max(named, default=0)
    naming = [place for place in told if named[place] == most]
    if not naming:
        return Judgement("unsaid", 1.0, "")
    ordering = [place for place in naming if told[place].wanted == "ordered" and told[place].p >= _EVEN]
    at = max(ordering or naming, key=lambda place: told[place].p)
    best = told[at]
    for place, one in told.items():
        if place > at and one.wanted in BARRED and (named[place] or _takes_back(clauses[place])):
            best = one._replace(p=max(one.p, _BEARS))
    return best


_EVEN = 0.5
_BEARS = 0.6
"""The least that a clause which takes back what was just said counts for."""


def _takes_back(clause: Clause) -> bool:
    """Whether a clause speaks of what was said before it, and not of things of its own."""
    return clause.act == "refuse" or clause.back != "none" or not clause.of("value")


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


_SURELY = 0.8
"""Below this a clause is read once more by itself: a rule beside an order makes it look like one."""


def _alone(clause: Clause) -> Clause:
    """Return the clause as it reads by itself, where that is surely an order, else as it was read."""
    by_itself = read(clause.text).clauses
    is_order = len(by_itself) == 1 and by_itself[0].deed == "ordered" and by_itself[0].p_deed >= _SURELY
    return by_itself[0] if is_order and clause.deed in ("ruled", "told", "ordered") else clause


def _judged(clause: Clause, tool: Tool) -> Judgement | None:
    clause = _alone(clause) if clause.p_deed < _SURELY else clause
    deed = clause.deed
    if deed == "none":
        return None
    is_other = deed in ("ordered", "called_off") and is_opposite(clause.text, tool.name, tool.description)
    return Judgement("other" if is_other else deed, clause.p_deed, clause.text)
