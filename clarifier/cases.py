"""Cases: proposed calls with what grounds each of their arguments, as a decision weighs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clarifier.asking.answering import gives_value
from clarifier.decision import Proposal, Situation
from clarifier.deeds import Judgement, judge
from clarifier.effects import effect_of, is_read_only
from clarifier.grounding.choices import speaks_for_another
from clarifier.grounding.grounder import Grounding, ground_call, is_blank
from clarifier.grounding.matching import paraphrases
from clarifier.grounding.replies import leaves_open
from clarifier.grounding.sources import Sources
from clarifier.grounding.stated import Backing, Checker
from clarifier.grounding.support import FULL
from clarifier.policy import Policy
from clarifier.settings import Settings
from memory.language.values.values import canonical_key
from memory.records import ToolCall
from memory.tools import Tool


@dataclass(frozen=True)
class Case:
    """A proposed call with its grounds, less the optional arguments that nothing supports."""

    call: ToolCall
    tool: Tool
    groundings: tuple[Grounding, ...]
    """Of the arguments that stay, missing required ones included."""
    dropped: tuple[Grounding, ...] = ()
    """Of the optional arguments left out: invented, or a repetition of the default."""
    deed: Judgement | None = None
    """What this turn's words mean for it; `None` for a call that changes nothing."""

    @property
    def all(self) -> tuple[Grounding, ...]:
        """Of the arguments that stay and of those left out."""
        return (*self.groundings, *self.dropped)

    @property
    def whole(self) -> Case:
        """The case with all its arguments."""
        left_out = {one.slot.argument: one.value for one in self.dropped}
        call = self.call.model_copy(update={"arguments": {**self.call.arguments, **left_out}})
        return replace(self, call=call, groundings=self.all, dropped=())

    @property
    def open(self) -> tuple[Grounding, ...]:
        """The required arguments that are missing or invented."""
        return tuple(one for one in self.groundings if one.is_missing)

    @property
    def unstated(self) -> tuple[Grounding, ...]:
        """The required arguments that the person did not say in this turn."""
        return tuple(one for one in self.groundings if one.is_required and not _is_stated(one))


def told_apart(cases: Sequence[Case]) -> list[Case]:
    """Return the cases, those whole again that what was left out has made alike: two calls are not one."""
    keys = [(case.call.name, canonical_key(case.call.arguments)) for case in cases]
    return [case.whole if keys.count(key) > 1 else case for case, key in zip(cases, keys, strict=True)]


def is_ruled(case: Case) -> bool:
    """Whether standing rules of the person settle all that they did not say, and something at least."""
    required = [one for one in case.groundings if one.is_required]
    return all(map(_is_covered, case.unstated)) and any(map(_is_covered, required))


@dataclass(frozen=True)
class CaseFile:
    """Makes the cases of one proposal."""

    situation: Situation
    proposal: Proposal
    policy: Policy
    settings: Settings
    sources: Sources

    @cached_property
    def answered_slots(self) -> frozenset[str]:
        steps, tools = self.situation.question_steps, self.situation.tools
        said = [step for step in steps if gives_value(step, tools) or leaves_open(step.answer or "")]
        return frozenset(slot for step in said for slot in step.slots)

    def case(self, call: ToolCall, tool: Tool, index: int) -> Case:
        """Ground the call number `index`, less the optional arguments that are left out.

        What was asked for and answered counts as answered, however the answer put it.
        """
        found = [
            self.as_chosen(self.as_stated(self.as_answered(one), tool, index), tool) for one in self.ground(call, tool)
        ]
        is_superfluous = _is_ruled_out if self.proposal.understands else _is_superfluous
        dropped = tuple(one for one in found if not one.is_required and is_superfluous(one, tool))
        deed = None if is_read_only(tool, self.settings.effects) else judge(call, tool, self.situation)
        if not dropped:
            return Case(call, tool, tuple(found), deed=deed)
        names = {one.slot.argument for one in dropped}
        kept = {name: value for name, value in call.arguments.items() if name not in names}
        groundings = tuple(one for one in found if one.slot.argument not in names)
        return Case(call.model_copy(update={"arguments": kept}), tool, groundings, dropped, deed)

    @cached_property
    def checker(self) -> Checker:
        return Checker(self.sources, self.settings)

    def as_stated(self, one: Grounding, tool: Tool, index: int) -> Grounding:
        """A value whose source the planner states is as good as that; of what nobody sees, the planner may know."""
        argument, known = one.slot.argument, self.settings.grounding
        if one.grounds == "missing" or not self.proposal.understands:
            return one
        stated = self.proposal.source(index, argument)
        if stated is not None:
            backing = self.checker.check(stated, one.value, one.slot, tool)
            one = replace(one, stated=backing.verdict)
            if backing.verdict == "contradicted" and not (backing.rule and one.slot in self.situation.hinted):
                return replace(_as_contradicted(one), rule=backing.rule)
            if backing.verdict != "refused":
                least = known.verified if backing.verdict == "verified" else known.plausible
                return _as_good_as(least, one, backing)
        theirs = self.checker.is_anothers(one.value, one.slot, one.parameter)
        if theirs or self.checker.is_told_by_tool_alone(one.value, one.slot, tool):
            return _as_contradicted(one)
        if one.is_required or one.grounds != "none" or one.is_contradicted:
            return one
        return replace(one, probability=max(one.probability, known.plausible), is_guess=False)

    def as_chosen(self, one: Grounding, tool: Tool) -> Grounding:
        """A choice is the planner's reading, unless another is much likelier or it costs too much to be wrong.

        Out of a list nothing has to speak for it; out of what memory has, how often the others were used says little.
        """
        known = self.settings.meaning
        is_likelier = one.is_outweighed or one.margin <= -known.outweighed_by
        if is_likelier or self.policy.doubts_choices(effect_of(tool, self.settings.effects)):
            return one
        if one.is_guess and not one.is_open:
            return replace(
                one, grounds="derived", probability=max(one.probability, known.least), margin=0.0, is_guess=False
            )
        if one.grounds == "habit" and one.conflict_entropy and one.probability < known.remembered:
            return replace(one, probability=known.remembered)
        return one

    def ground(self, call: ToolCall, tool: Tool) -> tuple[Grounding, ...]:
        beside = tuple(other for other in self.proposal.calls if other is not call)
        return ground_call(call, tool, self.sources, self.settings, beside=beside)

    def as_answered(self, one: Grounding) -> Grounding:
        """A slot that was asked for and answered has its text from the answer, though that puts it otherwise.

        The value has to be readable there: it shares a word with the answer, is the member of an enum which the answer
        states no other of, or is in another script, so that it cannot be compared. Numbers, dates, times and what has
        to be literal are read out of the answer or they are invented.
        """
        if one.grounds != "none" or str(one.slot) not in self.answered_slots:
            return one
        settings = self.settings.grounding
        if one.is_guess and not one.is_open and not self.answers_another(one):
            probability = settings.answer_paraphrase
        elif (reading := paraphrases(one.value, self.sources.answers, one.parameter)) is not None:
            probability = settings.answer_paraphrase if reading == "words" else settings.translated
        else:
            return one
        return replace(one, grounds="answer", probability=probability, margin=probability, is_guess=False)

    def answers_another(self, one: Grounding) -> bool:
        """Whether the answers of this turn speak for another member of the enum."""
        members = one.parameter.enum if one.parameter is not None else ()
        description = one.parameter.description if one.parameter is not None else ""
        return speaks_for_another(one.value, members, self.sources.answers, description, self.situation.now)


def _is_stated(one: Grounding) -> bool:
    """Whether the person said the value in this turn, or words it follows from."""
    return one.grounds in ("request", "answer", "derived") and one.probability >= FULL


def _is_covered(one: Grounding) -> bool:
    return one.grounds == "standing" or one.is_standing


def _as_contradicted(one: Grounding) -> Grounding:
    return replace(one, grounds="none", probability=0.0, margin=0.0, is_guess=True, is_contradicted=True)


def _as_good_as(least: float, one: Grounding, backing: Backing) -> Grounding:
    """Return the grounding with at least this probability, on the stated ground where there was no better one."""
    kept = replace(one, is_guess=False, is_contradicted=False)
    if one.grounds not in ("none", "default") and one.probability >= least:
        return kept
    turn_ids = backing.turn_ids or one.turn_ids
    return replace(kept, grounds=backing.grounds, probability=least, margin=least, turn_ids=turn_ids)


def _is_superfluous(one: Grounding, tool: Tool) -> bool:
    """Whether an optional argument that patterns read is left out.

    That is so where nothing supports it, the schema does not know it, or it only repeats the default. A flag or enum
    member that departs from the default stays: the planner read it from the request.
    """
    if one.parameter is None:
        return bool(tool.parameters)
    return one.grounds == "default" or is_blank(one.value) or (one.grounds == "none" and one.is_open)


def _is_ruled_out(one: Grounding, tool: Tool) -> bool:
    """Whether an optional argument is left out that a reader of words gives: on a positive sign alone.

    That is a contradiction, somebody else's value, an argument that the schema does not know, a repetition of its
    default. That no pattern sees what the planner saw is no sign.
    """
    if one.parameter is None:
        return bool(tool.parameters)
    return one.grounds == "default" or is_blank(one.value) or one.is_contradicted
