"""The audit of failed turns: what went wrong in a turn that is not exactly right (docs/scoring.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from pydantic import BaseModel, JsonValue

from benchmark_adapter.evaluator.trajectory import PredictedCall
from benchmark_adapter.replay.oracle import ancestors
from benchmark_adapter.replay.questions import missing_slots
from benchmark_adapter.runs.run_scoring import JudgedTurn
from benchmark_adapter.scoring.call_arguments import Difference
from benchmark_adapter.scoring.call_matching import MadeCall, Pair
from benchmark_adapter.scoring.metrics import ScoredTurn, ratio
from benchmark_adapter.scoring.relaxed import PlayedTurn
from benchmark_adapter.scoring.turn_verdict import follow
from benchmark_adapter.scoring.value_sources import is_written, written_observation
from memory.language.values.dates import normal_date, normal_datetime
from memory.language.values.times import normal_time
from memory.language.values.values import equal

Category = Literal[
    "order",
    "tool",
    "constraint",
    "format",
    "needless_question",
    "missing_question",
    "wrong_question",
    "invented",
    "chat_tool",
    "argument",
    "failure",
    "other",
]
CATEGORIES: tuple[Category, ...] = get_args(Category)
Severity = Literal["slight", "major"]
_PERSONAL = frozenset({"history", "preference"})


class Finding(BaseModel, frozen=True, extra="forbid"):
    """One thing that is wrong with a turn."""

    category: Category
    severity: Severity
    """`slight`: of form alone, or of no matter to the task; `major`: all else."""
    detail: str


@dataclass(frozen=True)
class AuditedTurn:
    """A failed turn with all that was found."""

    scored: ScoredTurn
    findings: tuple[Finding, ...]
    """At least one."""

    @property
    def categories(self) -> frozenset[Category]:
        """What kinds of faults it has."""
        return frozenset(finding.category for finding in self.findings)

    @property
    def severity(self) -> Severity:
        """`slight` if every finding is."""
        return "slight" if all(finding.severity == "slight" for finding in self.findings) else "major"


@dataclass(frozen=True)
class Audit:
    """The failed turns of a run."""

    n: int
    """All turns of the run."""
    turns: tuple[AuditedTurn, ...]
    """The failed ones, in playing order."""

    def of(self, category: Category) -> tuple[AuditedTurn, ...]:
        """Return the turns with a finding of this kind."""
        return tuple(turn for turn in self.turns if category in turn.categories)

    def share(self, turns: Sequence[AuditedTurn]) -> float | None:
        """Return what share of the failed turns these are, in [0, 1]; `None` if none failed."""
        return ratio(len(turns), len(self.turns))

    def with_severity(self, severity: Severity) -> tuple[AuditedTurn, ...]:
        """Return the turns of this severity."""
        return tuple(turn for turn in self.turns if turn.severity == severity)

    @property
    def right_after_all(self) -> tuple[AuditedTurn, ...] | None:
        """The turns whose relaxed verdict is correct; `None` where turns were not judged so."""
        if any(turn.scored.relaxed is None for turn in self.turns):
            return None
        return tuple(turn for turn in self.turns if turn.scored.relaxed and turn.scored.relaxed.label == "correct")


def audit(turns: Sequence[JudgedTurn]) -> Audit:
    """Return the audit of a run from all its turns in playing order."""
    failed = [turn for turn in turns if not turn.scored.is_correct]
    return Audit(len(turns), tuple(AuditedTurn(turn.scored, find_faults(turn.scored, turn.played)) for turn in failed))


def find_faults(scored: ScoredTurn, played: PlayedTurn) -> tuple[Finding, ...]:
    """Return all that is wrong with a failed turn, by category; `other` where nothing else is found."""
    found = tuple(dict.fromkeys(_Examination(scored, played).findings()))
    if found:
        return tuple(sorted(found, key=lambda one: CATEGORIES.index(one.category)))
    return (Finding(category="other", severity="major", detail=scored.score.reason or "no reason is known"),)


@dataclass(frozen=True)
class _Examination:
    scored: ScoredTurn
    played: PlayedTurn

    def findings(self) -> Iterator[Finding]:
        if (failure := self.scored.line.failure) is not None:
            yield _major("failure", f"{failure.type}: {failure.message}")
        yield from self._tools()
        yield from self._order()
        for pair in self.played.matching.pairs.values():
            yield from self._arguments(pair)
        for made in self.played.matching.extra:
            yield from self._form(made)
            for name, value in made.arguments.items():
                yield from self._invented(made.name, name, value)
        yield from self._questions()

    # Tools and their order

    @cached_property
    def _calls(self) -> frozenset[int]:
        return frozenset(node for node, step in enumerate(self.played.turn.answer) if step.is_tool_call)

    @cached_property
    def _undone(self) -> tuple[int, ...]:
        """Reference calls that were left out; none is held against a turn that was cut off at its deviation."""
        if not self.played.is_finished and self.scored.relaxed is None:
            return ()
        return tuple(node for node in self.played.matching.unmade if not self.played.is_spared_look_up(node))

    def _tools(self) -> Iterator[Finding]:
        is_chat = all(not step.is_tool_call and not missing_slots(step) for step in self.played.turn.answer)
        for made in self.played.matching.extra:
            if is_chat:
                yield _major("chat_tool", f"{made.name} was called where only a reply was due")
            else:
                yield _major("tool", f"{made.name} was called, which the reference does not call (again)")
        for node in self._undone:
            yield _major("tool", f"{self._name(node)} was not called")

    def _order(self) -> Iterator[Finding]:
        pairs = self.played.matching.pairs
        is_broken = False
        for after, pair in sorted(pairs.items()):
            for before in sorted(ancestors(self.played.turn.answer, after) & self._calls):
                first = pairs.get(before)
                if first is None or first.made.position >= pair.made.position:
                    is_broken = True
                    yield _major("order", f"{self._name(after)} came without or before {self._name(before)}")
        if self._undone and pairs and not is_broken:
            is_broken = True
            yield _major("order", f"broken off before {self._name(self._undone[0])}")
        if not is_broken and (refused := self._refused_calls) and self._has_all(refused):
            names = ", ".join(call.name for call in refused)
            yield _major("order", f"{names} came where the reference does not have it")

    @cached_property
    def _refused_calls(self) -> tuple[PredictedCall, ...]:
        follower = follow(self.played.turn, self.scored.line.official_replies)
        last = follower.steps[-1] if follower.steps else None
        return last.calls if last is not None and not last.accepted else ()

    def _has_all(self, calls: Sequence[PredictedCall]) -> bool:
        stand_for = {pair.made.call.id for pair in self.played.matching.pairs.values()}
        return all(call.id in stand_for for call in calls)

    # Arguments

    def _form(self, made: MadeCall) -> Iterator[Finding]:
        if made.problem is not None:
            yield _major("format" if made.name in self.played.judge.functions else "tool", made.problem)

    def _arguments(self, pair: Pair) -> Iterator[Finding]:
        yield from self._form(pair.made)
        for one in pair.differences:
            detail = f"{pair.made.name}.{one.argument}: {_told(one)}"
            if not one.matters:
                yield Finding(category="format", severity="slight", detail=detail)
                continue
            yield _major("constraint" if one.source in _PERSONAL else "argument", detail)
            if one.kind != "missing":
                yield from self._invented(pair.made.name, one.argument, one.given)

    def _invented(self, tool: str, argument: str, value: JsonValue) -> Iterator[Finding]:
        """Yield a value that nothing gave: no words, no turn before, no tool, no schema."""
        parts = value if isinstance(value, list) else [value]
        made_up = [part for part in parts if self._is_made_up(tool, argument, part)]
        if made_up:
            yield _major("invented", f"{tool}.{argument}: {made_up[0]!r} stands nowhere")

    def _is_made_up(self, tool: str, argument: str, value: JsonValue) -> bool:
        if not isinstance(value, str | int | float) or isinstance(value, bool) or value == "":
            return False
        if isinstance(value, str) and any(read(value) for read in (normal_date, normal_time, normal_datetime)):
            return False  # dates are worked out rightly or wrongly, not made up
        known = self.played.judge.tools.get(tool)
        parameter = known.parameter(argument) if known is not None else None
        if parameter is not None:
            items = parameter.items.enum if parameter.items is not None else ()
            listed = (*parameter.enum, *items, parameter.default)
            if any(equal(value, one) for one in listed) or is_written(value, parameter.description):
                return False
        earlier = self.played.earlier
        given = any(equal(value, one) for one in earlier.given(argument))
        return not (given or any(is_written(value, text) for text in self._texts))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        seen = [written_observation(step) for turn in self.played.earlier.turns for step in turn.answer]
        now = [written_observation(step) for step in self.played.turn.answer if step.is_tool_call]
        return (self.played.judge.heard, self.played.earlier.said, *now, *seen)

    # Questions

    def _questions(self) -> Iterator[Finding]:
        asked = [reply for reply in self.played.replies if reply.is_question]
        wanted = [node for node, step in enumerate(self.played.turn.answer) if missing_slots(step)]
        if asked and not wanted:
            about = ", ".join(asked[0].slots) or asked[0].content
            yield _major("needless_question", f"asked for {about}")
        for node in wanted:
            if self.played.asked_at(node) is not None:
                continue
            slots = ", ".join(sorted(missing_slots(self.played.turn.answer[node])))
            if asked:
                about = ", ".join(asked[0].slots) or asked[0].content
                yield _major("wrong_question", f"asked for {about} instead of {slots}")
            else:
                yield _major("missing_question", f"did not ask for {slots}")

    def _name(self, node: int) -> str:
        return self.played.turn.answer[node].action.name


def _major(category: Category, detail: str) -> Finding:
    return Finding(category=category, severity="major", detail=detail)


def _told(one: Difference) -> str:
    if one.kind == "missing":
        return f"missing, expected {one.expected!r} ({one.source})"
    if one.kind == "extra":
        return f"{one.given!r} is not called for"
    return f"{one.given!r}, expected {one.expected!r} ({one.source})"
