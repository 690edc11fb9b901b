"""The decision: ground a proposal, weigh it, then act, look up, ask or answer.

It is pure. It ends: a slot is hinted at most once and asked at most once in a turn, questions have a budget, and what
is still open after that is either acted on or given up with an honest reply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypedDict

from pydantic import JsonValue

from clarifier.asking.answering import calls_all_off
from clarifier.asking.consent import consent
from clarifier.asking.deeds import Deed, account, deed_words
from clarifier.asking.question import OpenSlot, Question, ask_for, confirm, still_missing
from clarifier.asking.repeating import answer_to, doubtful_calls, repeat_question
from clarifier.calibration.heads import Heads, load_heads
from clarifier.calibration.signals import Signals, Stated, signals_of
from clarifier.cases import Case, CaseFile, is_ruled, told_apart
from clarifier.decision import (
    Act,
    Answer,
    Ask,
    Decision,
    DeedReason,
    Hint,
    Odds,
    PlanAgain,
    Proposal,
    Reason,
    Situation,
)
from clarifier.deeds import BARRED, Judgement
from clarifier.effects import effect_of, is_read_only, is_sensitive
from clarifier.grounding.choices import speaks_for_another
from clarifier.grounding.grounder import Grounding
from clarifier.grounding.listed import listed_for
from clarifier.grounding.look_up import suppliers
from clarifier.grounding.measures import speaks_of_another
from clarifier.grounding.sources import Sources
from clarifier.grounding.stated import said_of_type
from clarifier.grounding.support import FULL
from clarifier.grounding.witnesses import choices, remember_slot
from clarifier.policy import SURELY_ORDERED, Policy, Stakes
from clarifier.posterior import Posterior
from clarifier.repeats import is_spent, last_result, most_at_once
from clarifier.reply_check import DEED_TOLD, FIGURE_TOLD, honest, unbacked, ungiven_figures, with_doubt
from clarifier.schema_check import faults_of
from clarifier.settings import Settings
from memory.evidence import Slot
from memory.journal import is_unknown
from memory.language.schema import Effect
from memory.language.text import Language, language
from memory.language.values.dates import normal_date
from memory.language.values.values import canonical_key, equal
from memory.records import CallStep, ToolCall
from memory.tools import Parameter, Tool

_NOTHING = {
    "en": "I do not know how to go on with this. Could you put it differently?",
    "zh": "这件事我不知道怎么继续，能换个说法吗？",
}
_NO_TOOL = {
    "en": "I have no tool that can do this, so I have not done it.",
    "zh": "我没有能做这件事的工具，所以没有做。",
}
_DONE = {"en": "That is done already; I am not doing it twice.", "zh": "这一步已经做过了，我不再重复。"}
_FAILED = {"en": "I have not tried it again.", "zh": "我没有再试。"}
_UNKNOWN = {
    "en": "I am not doing it again on my own.",
    "zh": "我不会自己再办一次。",
}
_REFUSED = {"en": "All right, I have not done it.", "zh": "好的，我没有做。"}
_PUT_OFF = {"en": "All right, I leave it for now.", "zh": "好的，先不做。"}
_OTHERWISE = {
    "en": "What I could do here is not what you asked for, so I have not done it.",
    "zh": "我能做的和你说的不是一回事，所以没有做。",
}
_UNSURE = {
    "en": "I am not certain enough about this to do it on my own, so I have not done it.",
    "zh": "这件事我没有把握，所以没有做。",
}
_DEFAULTS = Settings()
_BY_WEIGHT: tuple[Effect, ...] = ("read", "write", "message", "pay")


def decide(
    situation: Situation,
    proposal: Proposal,
    *,
    policy: Policy,
    heads: Heads | None = None,
    settings: Settings | None = None,
) -> Decision:
    """Return what to do with `proposal` in `situation`, with the reasons.

    Args:
        situation: All that is known.
        proposal: What the planner wants to do. Calls come before a question, a question before a reply.
        policy: The decision rule.
        heads: The models of the odds; those set by hand where `None`.
        settings: The constants; the defaults where `None`.
    """
    desk = _Desk(situation, proposal, policy, heads or _hand_set(), settings or _DEFAULTS)
    if desk.is_called_off and (proposal.calls or proposal.question):
        return desk.answer(_REFUSED[desk.language])
    if proposal.calls:
        return desk.on_calls()
    if proposal.question:
        return desk.on_question()
    return desk.on_reply(proposal.reply or _NOTHING[desk.language])


@lru_cache(maxsize=1)
def _hand_set() -> Heads:
    return load_heads()


@dataclass(frozen=True)
class _Desk:
    """One proposal on the desk: the steps of the decision share its parts."""

    situation: Situation
    proposal: Proposal
    policy: Policy
    heads: Heads
    settings: Settings

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.situation)

    @cached_property
    def file(self) -> CaseFile:
        return CaseFile(self.situation, self.proposal, self.policy, self.settings, self.sources)

    @cached_property
    def language(self) -> Language:
        return language(self.situation.request)

    @cached_property
    def is_called_off(self) -> bool:
        """Whether the person, when last asked, called the whole thing off."""
        asked = self.situation.question_steps
        return bool(asked) and calls_all_off(asked[-1])

    @cached_property
    def may_ask(self) -> bool:
        return len(self.situation.question_steps) < self.settings.max_questions

    # Proposed calls

    def on_calls(self) -> Decision:
        calls = [(call, self.situation.tool(call.name), index) for index, call in enumerate(self.proposal.calls)]
        known = [(call, tool, index) for call, tool, index in calls if tool is not None]
        if not known:
            return self.on_unknown_tools()
        cases = [
            self.file.case(call, tool, index)
            for call, tool, index in self.each_once(known)
            if not self.is_repeat(call, tool)
        ]
        cases = [case for case in told_apart(cases) if not self.is_repeat(case.call, case.tool)]
        if not cases and self.proposal.question:
            return self.on_question()
        if not cases:
            return self.answer(self.proposal.reply or self.why_not_again([call for call, _, _ in known]))
        wanted = [case for case in cases if not self.is_barred(case)]
        if not wanted:
            return self.answer(self.why_not([case.deed for case in cases if case.deed is not None]), cases)
        cases = wanted
        if hints := [hint for case in cases for one in case.all if (hint := self.overruled(one)) is not None]:
            return self.plan_again(hints, cases)
        return self.on_open(cases) if any(case.open for case in cases) else self.on_ready(cases)

    def is_barred(self, case: Case) -> bool:
        """Whether the person's words forbid the deed, put it off or call it off."""
        deed = case.deed
        return deed is not None and deed.wanted in BARRED and deed.p >= self.policy.heeds_from

    def why_not(self, judged: Sequence[Judgement]) -> str:
        """Say that nothing was done, and why where that is not plain from the words."""
        if self.proposal.reply and not self.proposal.calls:
            return self.proposal.reply
        kinds = {one.wanted for one in judged}
        if "deferred" in kinds:
            return _PUT_OFF[self.language]
        return (_OTHERWISE if "other" in kinds else _REFUSED)[self.language]

    def overruled(self, one: Grounding) -> Hint | None:
        """Tell the planner, once, of the newer rule that speaks against a value; one that insists has read it."""
        if one.rule is None or one.slot in self.situation.hinted:
            return None
        return Hint("settled", one.slot, value=one.rule.value, turn_ids=(one.rule.turn_id,))

    def on_unknown_tools(self) -> Decision:
        slots = dict.fromkeys(Slot(call.name, "") for call in self.proposal.calls)
        if hints := [Hint("unsupported", slot) for slot in slots if slot not in self.situation.hinted]:
            return self.plan_again(hints)
        return self.answer(self.proposal.reply or _NO_TOOL[self.language])

    def each_once(self, known: Sequence[tuple[ToolCall, Tool, int]]) -> list[tuple[ToolCall, Tool, int]]:
        """Return the calls, each with its place in the proposal, without those that are too many of the same."""
        counted = Counter[tuple[str, str]]()
        kept = []
        for call, tool, index in known:
            key = (call.name, canonical_key(call.arguments))
            if counted[key] < most_at_once(is_reading=self.reads(tool)):
                kept.append((call, tool, index))
            counted[key] += 1
        return kept

    def is_repeat(self, call: ToolCall, tool: Tool) -> bool:
        """Whether this turn made the very call often enough."""
        return is_spent(call, self.situation.steps, is_reading=self.reads(tool))

    def reads(self, tool: Tool) -> bool:
        return is_read_only(tool, self.settings.effects)

    def why_not_again(self, calls: Sequence[ToolCall]) -> str:
        """Say why none of these is made once more."""
        found = [result for call in calls if (result := last_result(call, self.situation.steps)) is not None]
        if all(one.error is None for one in found):
            return _DONE[self.language]
        deeds = [
            Deed(deed_words(made, tool, self.language), observation)
            for step in self.situation.call_steps
            for made, observation in zip(step.calls, step.observations, strict=True)
            if (tool := self.situation.tool(made.name)) is not None and not self.reads(tool)
        ]
        again = _UNKNOWN if any(map(is_unknown, found)) else _FAILED
        return " ".join(filter(None, (account(deeds, self.language), again[self.language])))

    def on_open(self, cases: Sequence[Case]) -> Decision:
        """Some call lacks a required value: run what only reads, else look up, take from memory, ask, or give up."""
        ready = [case for case in cases if not case.open]
        if reads := self.safe_reads(ready):
            return self.act(reads, cases)
        slots = list({one.slot: one for case in cases for one in case.open}.values())
        if hints := [hint for one in slots if (hint := self.hint(one.slot, one.parameter)) is not None]:
            return self.plan_again(hints, cases)
        unasked = [one for one in slots if str(one.slot) not in self.situation.asked]
        if unasked and self.may_ask:
            question = self.question(unasked, cases)
            return self.ask(self.as_worded(question) if self.proposal.question else question, cases)
        if ready and self.policy.acts_unasked(self.odds(ready), self.stakes(ready)):
            return self.act(ready, cases)
        return self.answer(still_missing(self.wanted(slots), self.tools, self.language), cases)

    def on_ready(self, cases: Sequence[Case]) -> Decision:
        """Every required argument has a value that something supports: weigh acting against asking."""
        odds, stakes = self.odds(cases), self.stakes(cases)
        confirmation = confirm([(case.tool, self.told_back(case)) for case in cases], self.language)
        unstated = {case.tool.name for case in cases if case.unstated}
        said = consent(self.situation.question_steps, confirmation.text, unstated)
        if said == "refused":
            return self.answer(_REFUSED[self.language], cases)
        must_confirm = self.policy.must_confirm(stakes) and said != "given"
        if not must_confirm and (said == "given" or self.policy.acts(odds, stakes)):
            return self.act(cases, cases)
        reads = self.safe_reads(cases)
        if 0 < len(reads) < len(cases):
            return self.act(reads, cases)
        doubtful = [
            one
            for case in cases
            for one in case.groundings
            if (one.is_required and one.probability < FULL) or one.grounds == "none"
            if str(one.slot) not in self.situation.asked
        ]
        if self.may_ask and must_confirm:
            return self.ask(confirmation, cases)
        if self.may_ask and doubtful:
            return self.ask(self.question(doubtful, cases), cases)
        if not must_confirm and (not doubtful or self.policy.acts_unasked(odds, stakes)):
            return self.act(cases, cases)
        return self.answer(_UNSURE[self.language], cases)

    def told_back(self, case: Case) -> tuple[Grounding, ...]:
        """Return the values that a confirmation says: what the person left out, or all where the deed is in doubt."""
        is_sure = case.deed is None or case.deed.p_ordered >= SURELY_ORDERED
        return case.unstated if is_sure and case.unstated else tuple(one for one in case.groundings if one.is_required)

    def safe_reads(self, cases: Sequence[Case]) -> list[Case]:
        """The calls that change nothing, where the policy makes them."""
        reads = [case for case in cases if is_read_only(case.tool, self.settings.effects)]
        return reads if reads and self.policy.acts(self.odds(reads), self.stakes(reads)) else []

    # A proposed reply

    def on_reply(self, reply: str) -> Decision:
        """Send the planner back once where a reply claims a deed or tells a figure without grounds; then be honest."""
        claims = unbacked(reply, self.situation, self.settings.effects)
        figures = ungiven_figures(reply, self.situation) if self.proposal.understands and not claims else []
        if not claims and not figures:
            return self.answer(reply)
        hint = Hint("untrue", DEED_TOLD if claims else FIGURE_TOLD, value=claims[0].sentence if claims else figures[0])
        if hint.slot not in self.situation.hinted:
            return self.plan_again([hint])
        return self.answer(honest(claims, self.situation) if claims else with_doubt(reply, figures))

    # A proposed question

    def on_question(self) -> Decision:
        """Send the planner back where memory or a tool settles all it asks for, else ask what was not asked yet.

        A planner that understands words says it better than a schema: its question is put as it stands. So that it
        asks for nothing that is settled, it is sent back where any of it is.
        """
        slots = [
            Grounding(None, slot, parameter, None, "missing", 0.0)
            for slot in dict.fromkeys(self.proposal.question_slots)
            if (tool := self.situation.tool(slot.tool)) and (parameter := tool.parameter(slot.argument))
        ]
        hints = [hint for one in slots if (hint := self.hint(one.slot, one.parameter) or self.said(one)) is not None]
        if hints and (self.proposal.understands or len(hints) == len(slots)):
            return self.plan_again(hints)
        unasked = [one for one in slots if str(one.slot) not in self.situation.asked]
        if not self.may_ask or (slots and not unasked):
            return self.answer(still_missing(self.wanted(slots), self.tools, self.language))
        if not slots:
            return self.ask(self.as_worded(Question("", (), {})))
        question = self.question(unasked)
        return self.ask(self.as_worded(question) if self.proposal.understands else question)

    def as_worded(self, question: Question) -> Question:
        """Return the planner's own question, for its slots and those of `question`."""
        slots = dict.fromkeys((*question.slots, *map(str, self.proposal.question_slots)))
        return Question(self.proposal.question or question.text, tuple(slots), question.options)

    # Parts of a decision

    def hint(self, slot: Slot, parameter: Parameter | None) -> Hint | None:
        """Return how to get the value of a slot without the person; `None` where there is no way, or it was tried."""
        if parameter is None or slot in self.situation.hinted or str(slot) in self.situation.asked:
            return None
        told = {(canonical_key(hint.value), hint.slot.argument) for hint in self.situation.hints}
        if found := suppliers(slot, parameter, self.situation, self.settings):
            return Hint("look_up", slot, suppliers=found)
        known = self.posterior(slot, parameter)
        best = known.best
        if best is None or not best.count or _is_of_the_day(parameter, best.value):
            return None
        if (canonical_key(best.value), slot.argument) in told or self.is_told_otherwise(slot, parameter, best.value):
            return None
        is_own = isinstance(best.value, str) and not parameter.enum  # a relative's town is another
        if is_own and self.sources.is_for_another and not self.sources.for_the_named:
            return None
        is_settled = best.probability >= self.settings.settled_at
        if is_settled and known.margin(best.value) >= self.settings.settled_margin:
            return Hint("settled", slot, value=best.value, turn_ids=best.turn_ids)
        return None

    def said(self, one: Grounding) -> Hint | None:
        """Tell a planner that asks, once, of the only value in the request or an answer that the slot's type takes."""
        if not self.proposal.understands or one.slot in self.situation.hinted or one.parameter is None:
            return None
        value = said_of_type(one.parameter, (self.sources.answers, self.sources.own_request), self.situation.now)
        return None if value is None else Hint("settled", one.slot, value=value)

    def is_told_otherwise(self, slot: Slot, parameter: Parameter, value: JsonValue) -> bool:
        """Whether the request, an answer or a result of this turn gives the slot another value than `value`."""
        for text in (self.sources.own_request, self.sources.answers):
            if not text:
                continue
            if speaks_for_another(value, parameter.enum, text, parameter.description, self.situation.now):
                return True
            if isinstance(value, (int, float)) and speaks_of_another(value, text, parameter):
                return True
        name = slot.argument.rpartition(".")[2]
        seen = [leaf.value for leaf in self.sources.observed if leaf.key == name]
        return bool(seen) and not any(equal(one, value, parameter) for one in seen)

    def posterior(self, slot: Slot, parameter: Parameter) -> Posterior:
        return remember_slot(slot, parameter, self.sources, self.settings)

    def question(self, slots: Sequence[Grounding], cases: Sequence[Case] = ()) -> Question:
        """Return the question for `slots`, with what is taken from habit where the call changes something."""
        named = {one.slot for one in slots}
        assumed = [
            one
            for case in cases
            if not is_read_only(case.tool, self.settings.effects)
            for one in case.groundings
            if one.grounds == "habit" and one.slot not in named
        ]
        return ask_for(self.wanted(slots), self.tools, self.language, assumed=assumed)

    @cached_property
    def seen(self) -> tuple[CallStep, ...]:
        """The calls of the running topic and of this turn, oldest first."""
        topic = self.situation.recall.topic_turns
        past = [step for turn in topic for step in turn.steps if isinstance(step, CallStep)]
        return (*past, *self.situation.call_steps)

    def wanted(self, slots: Sequence[Grounding]) -> list[OpenSlot]:
        """Return the slots as a question asks for them, with what is known of them and what tools have listed."""
        return [
            OpenSlot(
                one.slot,
                one.parameter,
                self.posterior(one.slot, one.parameter),
                listed=listed_for(one.parameter, self.seen),
                choices=choices(one.slot, self.sources),
            )
            for one in slots
            if one.parameter is not None
        ]

    @cached_property
    def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.situation.tools}

    def odds(self, cases: Sequence[Case]) -> Odds:
        return self.heads.odds(self.signals(cases))

    def signals(self, cases: Sequence[Case]) -> Signals:
        groundings = [one for case in cases for one in case.groundings]
        proposal = self.proposal
        stated = Stated(proposal.confidence, proposal.uncertainty, proposal.consistency)
        return signals_of(groundings, stated=stated)

    def stakes(self, cases: Sequence[Case]) -> Stakes:
        effects = [effect_of(case.tool, self.settings.effects) for case in cases]
        changing = [case for case, effect in zip(cases, effects, strict=True) if effect != "read"]
        return Stakes(
            effect=max(effects, key=_BY_WEIGHT.index),
            is_sensitive=any(is_sensitive(case.tool) for case in changing),
            is_stated=all(case.tool.required and not case.unstated for case in changing),
            is_covered=bool(changing) and all(map(is_ruled, changing)),
            tools=tuple(dict.fromkeys(case.tool.name for case in cases)),
            p_ordered=min((case.deed.p_ordered for case in changing if case.deed is not None), default=1.0),
        )

    def act(self, made: Sequence[Case], cases: Sequence[Case]) -> Decision:
        """Make these calls, unless the last look at them finds what speaks against it."""
        return self.on_faults(made, cases) or self.on_unknown_outcome(made, cases) or self.acting(made, cases)

    def on_faults(self, made: Sequence[Case], cases: Sequence[Case]) -> Decision | None:
        """The tool's schema refuses a value: send the planner back once with the reason, then ask."""
        found = [(case, fault) for case in made for fault in faults_of(case.call, case.tool)]
        if not found:
            return None
        hints = [Hint("invalid", Slot(case.tool.name, fault.argument), value=fault.reason) for case, fault in found]
        tried = {hint.slot for hint in self.situation.hints if hint.kind == "invalid"}
        if new := [hint for hint in hints if hint.slot not in tried]:
            return self.plan_again(new, cases)
        slots = [
            Grounding(case.call.id, slot, parameter, None, "missing", 0.0)
            for case, fault in found
            if (parameter := case.tool.parameter(fault.argument)) is not None
            if (slot := Slot(case.tool.name, fault.argument))
        ]
        unasked = [one for one in slots if str(one.slot) not in self.situation.asked]
        if unasked and self.may_ask:
            return self.ask(self.question(unasked, cases), cases)
        open_slots = self.wanted(slots)
        reply = still_missing(open_slots, self.tools, self.language) if open_slots else _NOTHING[self.language]
        return self.answer(reply, cases)

    def on_unknown_outcome(self, made: Sequence[Case], cases: Sequence[Case]) -> Decision | None:
        """An earlier turn was cut off at such a call: it is not made again before the person has said so."""
        doubtful = doubtful_calls([(case.call, case.tool) for case in made], self.situation.unknown)
        if not doubtful:
            return None
        question = repeat_question(doubtful, self.language)
        said = answer_to(question, self.situation.question_steps)
        if said == "given":
            return None
        if said is None:  # beyond the budget of questions too: once a turn, and nothing else settles it
            return self.ask(Question(question, (), {}), cases)
        if others := [case for case in made if (case.call, case.tool) not in doubtful]:
            return self.acting(others, cases)
        if said == "refused":
            return self.answer(_REFUSED[self.language], cases)
        doubts = account([Deed(deed_words(*one, self.language), None) for one in doubtful], self.language)
        return self.answer(f"{doubts} {_UNKNOWN[self.language]}", cases)

    def acting(self, made: Sequence[Case], cases: Sequence[Case]) -> Act:
        calls = tuple(case.call for case in made)
        held = tuple(case.call for case in cases if case.call not in calls)
        asked = self.on_question() if self.proposal.question else None
        then = asked if isinstance(asked, Ask) else None
        return Act(**self.grounds_of(cases, weighed=made), calls=calls, held=held, then=then)

    def plan_again(self, hints: Sequence[Hint], cases: Sequence[Case] = ()) -> PlanAgain:
        return PlanAgain(**self.grounds_of(cases), hints=tuple(hints))

    def ask(self, question: Question, cases: Sequence[Case] = ()) -> Ask:
        return Ask(**self.grounds_of(cases), question=question.text, slots=question.slots, options=question.options)

    def answer(self, reply: str, cases: Sequence[Case] = ()) -> Answer:
        return Answer(**self.grounds_of(cases), reply=reply)

    def grounds_of(self, cases: Sequence[Case], *, weighed: Sequence[Case] | None = None) -> _Grounds:
        """Return what every decision carries; the odds are of the calls that were weighed, by default of all."""
        weighed = cases if weighed is None else weighed
        signals = self.signals(weighed)
        return {
            "policy": self.policy.name,
            "odds": self.heads.odds(signals),
            "reasons": _reasons(cases),
            "deeds": tuple(
                DeedReason(call_id=case.call.id, tool=case.tool.name, wanted=case.deed.wanted, probability=case.deed.p)
                for case in cases
                if case.deed is not None
            ),
            "signals": signals.rounded() if weighed else {},
        }


class _Grounds(TypedDict):
    """The fields that every decision has."""

    policy: str
    odds: Odds
    reasons: tuple[Reason, ...]
    deeds: tuple[DeedReason, ...]
    signals: dict[str, float]


def _reasons(cases: Sequence[Case]) -> tuple[Reason, ...]:
    return tuple(one.reason for case in cases for one in case.all)


def _is_of_the_day(parameter: Parameter, value: JsonValue) -> bool:
    """Whether a past value says nothing of today's: a date."""
    return parameter.format in ("date", "datetime") or (isinstance(value, str) and normal_date(value) is not None)
