"""Arguments of a call: from this request and its answers, the topic, observations and what is settled about the person.

A required argument that nothing suitable speaks for is left out: whether it is looked up, taken from memory or asked
for is the clarifier's to decide. An optional one is given only where the request, a standing rule, an unbroken habit
or a word like "the same" calls for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from agent.planners.rules.entries import (
    Entry,
    Group,
    as_parameter,
    choose,
    field_for,
    named_entry,
    preferred,
    with_field,
)
from agent.planners.rules.kinds import FLEETING, ValueKind, is_swapped, kind_of, role_of
from agent.planners.rules.past_values import Past, refers_back
from agent.planners.rules.segments import Segment, clauses, named
from agent.planners.rules.spoken import Spoken
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Text
from agent.planners.rules.verbs import deeds_of
from clarifier.decision import Situation
from clarifier.effects import effect_of
from memory.state.user_state import accepts
from memory.text import normalise
from memory.tools import Parameter, Tool
from memory.typed.codes import code_of
from memory.typed.dates import normal_date
from memory.typed.values import equal

LEAST_CHOICES = 2
"""Past choices among listed things from which a liking is read; after a single one it is open which is meant next."""
SHORT_TERMS = 8
"""Content terms up to which a request counts as elliptical: it leans on what was said before."""

_ANAPHOR = re.compile(
    r"\b(?:it|its|there|that|this|those|these|them|she|her|he|him|here|both|then|same|again|too|also|another|second|us|our|my|we)\b"
    r"|这|那|它|她|他|也|再|还|刚才|上面|该|同",
)
_THAT_DAY = re.compile(
    r"\b(?:that|same|those|these) (?:day|days|time|date|weekend)\b|那天|当天|同一天|[这那]两天|[这那]几天",
    re.IGNORECASE,
)
_HOME = re.compile(r"\bhere\b|\bhome\b|\bin town\b|家这|家里|本地|这边", re.IGNORECASE)
_OURS = re.compile(r"\b(?:my|our|ours|us|mine)\b|我们|咱", re.IGNORECASE)
_COORDINATES = re.compile(r"-?\d{1,3}\.\d+\s?,\s?-?\d{1,3}\.\d+")
_WAY_BACK = re.compile(r"\breturn\b|\bback\b|\bother way round\b|返程|回程|回来", re.IGNORECASE)
_SELF_WORDS = frozenset(
    {"user", "account", "email", "card", "phone", "customer", "member", "owner", "reader", "plot", "property"}
)


@dataclass(frozen=True)
class Filled:
    """The arguments of one call as far as they are known."""

    arguments: dict[str, JsonValue] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    """Required ones that nothing suitable speaks for, in schema order."""
    said: int = 0
    """How many values this request or an answer says."""
    said_names: frozenset[str] = frozenset()
    """Arguments whose value this request or an answer says."""
    chosen_names: frozenset[str] = frozenset()
    """Those taken from an entry of an earlier turn's observation that the request means."""

    @property
    def chosen(self) -> int:
        """How many are taken from an entry that the request means."""
        return len(self.chosen_names)


@dataclass(frozen=True)
class Filler:
    """Fills arguments in one situation."""

    situation: Situation
    past: Past

    @cached_property
    def spoken(self) -> Spoken:
        """What the person says in this turn."""
        return Spoken(self.situation, self.past)

    @cached_property
    def refers_back(self) -> bool:
        """Whether the request asks for something as it was before."""
        return refers_back(self.situation.request)

    @cached_property
    def leans_back(self) -> bool:
        """Whether the request can be meant to complete what was said before in the topic."""
        return self.refers_back or self.is_short or bool(_ANAPHOR.search(normalise(self.situation.request)))

    @cached_property
    def is_short(self) -> bool:
        """Whether the request is elliptical."""
        return len(content_terms(self.situation.request)) <= SHORT_TERMS

    @cached_property
    def is_for_other(self) -> bool:
        """Whether the request is on somebody else's behalf, so that the person's own values do not fill it."""
        return any("other_person" in part.cues for part in clauses(self.situation.request))

    def fill(self, tool: Tool, focus: Sequence[Segment] = ()) -> Filled:
        """Return the arguments of a call of `tool`; `focus`: the clauses that speak of it, empty for all."""
        request = Text(self.situation.request, self.situation.now, focus=tuple(focus))
        assigned = self.spoken.values(tool, request)
        arguments: dict[str, JsonValue] = {}
        missing: list[str] = []
        said = 0
        chosen: set[str] = set()
        for parameter in tool.parameters:
            if parameter.name in assigned:
                arguments[parameter.name] = assigned[parameter.name]
                said += 1
                continue
            entry_value = self._from_entry(parameter, tool, request)
            known = {**assigned, **arguments}
            value = entry_value if entry_value is not None else self._from_past(parameter, tool, known)
            if value is None and parameter.is_required:
                value = self._worked_out(parameter, tool, known)
            if value is not None:
                arguments[parameter.name] = value
                if entry_value is not None and not self.past.own_groups:
                    chosen.add(parameter.name)
            elif parameter.is_required:
                missing.append(parameter.name)
        kept = {name: value for name, value in arguments.items() if not _is_default(tool.parameter(name), value)}
        return Filled(kept, tuple(missing), said, frozenset(assigned), frozenset(chosen))

    # What tools returned

    def _from_entry(self, parameter: Parameter, tool: Tool, request: Text) -> JsonValue:
        """Return the value of the entry that the request means, for an argument that tools give out."""
        kind = kind_of(parameter)
        if not parameter.is_required or kind in FLEETING | {"enum", "boolean", "number", "array", "object"}:
            return None
        if kind == "coordinates" and (place := self._coordinates()) is not None:
            return place
        told = " ".join(part.text for part in request.focus) or self.situation.request
        answers = " ".join(step.answer or "" for step in self.situation.question_steps)
        if (value := self._by_name(parameter, told)) is not None:
            return value
        for groups, is_own in ((self.past.own_groups, True), (self.past.topic_groups, False)):
            for group in with_field(groups, parameter):
                key = field_for(parameter, group)
                entries = [entry for entry in group.entries if key is not None and entry.get(key) is not None]
                if not entries or key is None or (not is_own and self._is_stale(group)):
                    continue
                entry = self._meant(entries, f"{told}. {answers}" if answers else told, parameter, is_own=is_own)
                if entry is None and request.focus:
                    entry = self._meant(entries, self.situation.request, parameter, is_own=is_own)
                if entry is not None and (value := as_parameter(entry[key], parameter)) is not None:
                    return value
                if entry is None and len(entries) > 1:
                    return None  # it is open which one is meant
        return None

    def _by_name(self, parameter: Parameter, told: str) -> JsonValue:
        """Return the value of an entry that the request names outright, wherever in the recalled past it stands."""
        for group in with_field([*self.past.own_groups, *self.past.topic_groups, *self.past.earlier_groups], parameter):
            key = field_for(parameter, group)
            entries = [entry for entry in group.entries if key is not None and entry.get(key) is not None]
            if len(entries) > 1 and key is not None and not self._is_stale(group):
                entry = named_entry(entries, told, self.situation.now)
                if entry is not None and (value := as_parameter(entry[key], parameter)) is not None:
                    return value
        return None

    def _coordinates(self) -> str | None:
        """Return the latest coordinates that a tool gave in this topic."""
        for group in [*self.past.own_groups, *self.past.topic_groups]:
            for value in (value for entry in group.entries for value in entry.values()):
                if isinstance(value, str) and _COORDINATES.fullmatch(value):
                    return value
        return None

    def _is_stale(self, group: Group) -> bool:
        """Whether the request names days that this observation was not about."""
        request = self.situation.request
        found = [m for m in named(request, self.situation.now) if m.kind == "date"]
        days = {m.value for m in found if not re.match(r"['’]s\b", request[m.end :])}
        return (
            bool(days)
            and bool(group.arguments)
            and not any(
                normal_date(value) is not None and value in days
                for value in (*group.arguments.values(), *(v for entry in group.entries for v in entry.values()))
                if isinstance(value, str)
            )
            and any(normal_date(value) is not None for value in group.arguments.values() if isinstance(value, str))
        )

    def _meant(self, entries: Sequence[Entry], text: str, parameter: Parameter, *, is_own: bool) -> Entry | None:
        if len(entries) == 1 and not is_own and not self.leans_back:
            return None
        chosen = choose(entries, text, self.situation.now)
        past = self.past.choices(parameter)
        if chosen is not None or len(past) < LEAST_CHOICES:
            return chosen
        return preferred(entries, past)

    # What is remembered

    def _from_past(self, parameter: Parameter, tool: Tool, so_far: dict[str, JsonValue]) -> JsonValue:
        """Return a remembered value that may fill the argument here, or `None`."""
        if self.is_for_other and not self.situation.question_steps and not self.refers_back:
            return None
        kind = kind_of(parameter)
        kind = kind_of(parameter.items) if kind == "array" and parameter.items is not None else kind
        if (
            role_of(parameter) is not None
            and kind in ("place", "text")
            and (end := self._other_end(parameter, tool, so_far))
        ):
            return end
        last = self.past.last_call(tool)
        if last is not None and parameter.name in last.arguments and (self.refers_back or self.is_short):
            value = last.arguments[parameter.name]
            is_given_out = kind == "id" and any(len(group.entries) > 1 for group in self._groups(parameter))
            is_exception = self.past.is_exception(tool.name, parameter.name, value)
            is_kept = accepts(parameter, value) and not is_given_out and not is_exception
            if is_kept and not is_swapped(parameter, value, so_far):
                return value
        if parameter.is_required:
            return self._required_from_past(parameter, tool, kind, so_far)
        if (kind in FLEETING and not self.refers_back) or "change" in deeds_of(tool):
            return None
        if kind not in FLEETING and (carried := self._carried(parameter, tool)) is not None:
            return carried
        settled = self.past.settled(parameter, tool)
        if settled is None or settled.similarity < 0.5:
            return None
        if settled.is_standing or self.past.is_unbroken(parameter, tool, settled.value):
            return settled.value
        return settled.value if self.refers_back and settled.similarity == 1.0 and not settled.is_contested else None

    def _groups(self, parameter: Parameter) -> list[Group]:
        """Return the entries of the topic that give out values for `parameter`, the latest first."""
        return list(with_field(self.past.topic_groups, parameter))

    def _carried(self, parameter: Parameter, tool: Tool) -> JsonValue:
        """Return what the look-up was for that this call acts on: the same argument of the call that gave it out."""
        for group in (group for needed in tool.required for group in self._groups(needed) if kind_of(needed) == "id"):
            value = group.arguments.get(parameter.name)
            if value is not None and group.tool != tool.name and accepts(parameter, value):
                return value
        return None

    def _other_end(self, parameter: Parameter, tool: Tool, so_far: dict[str, JsonValue]) -> JsonValue:
        """Return the end of a journey that goes with the end already known: that of the last journey with it."""
        known = [so_far.get(p.name) for p in tool.required if role_of(p) is not None and p.name != parameter.name]
        ends = [p.name for p in tool.required if role_of(p) is not None and kind_of(p) == kind_of(parameter)]
        for call in (call for call in self.past.topic_calls if call.name == tool.name):
            used = [call.arguments.get(name) for name in ends]
            if len(used) == 2 and any(equal(one, end) for one in used for end in known if end is not None):
                return next((one for one in used if not any(equal(one, end) for end in known if end is not None)), None)
            if _WAY_BACK.search(self.situation.request) and len(used) == 2:
                return used[1 - ends.index(parameter.name)]
        return None

    def _required_from_past(
        self, parameter: Parameter, tool: Tool, kind: ValueKind, so_far: dict[str, JsonValue]
    ) -> JsonValue:
        settled = self.past.settled(parameter, tool)
        if kind == "id" and any(len(group.entries) > 1 for group in self._groups(parameter)):
            # One of a list is chosen anew each time, unless the same one was taken again and again.
            return settled.value if settled is not None and (settled.is_standing or settled.turns >= 2) else None
        if settled is not None and kind not in ("date", "datetime"):
            is_home = kind == "place" and bool(_HOME.search(self.situation.request))
            is_ours = kind == "currency" and bool(_OURS.search(self.situation.request))
            if (settled.is_standing or is_home or is_ours) and not is_swapped(parameter, settled.value, so_far):
                return settled.value
        is_dated = kind in FLEETING and effect_of(tool) == "read"
        if self.leans_back and (not is_dated or self.refers_back or _THAT_DAY.search(self.situation.request)):
            value = self.past.from_topic(parameter, tool)
            if value is not None and not is_swapped(parameter, value, so_far):
                return value
        if settled is None or kind in ("date", "datetime"):
            return None
        is_own = bool(set(re.findall(r"[a-z]+", normalise(parameter.name.replace("_", " ")))) & _SELF_WORDS)
        is_sure = not settled.is_contested and (settled.turns >= 2 or settled.similarity == 1.0)
        if is_swapped(parameter, settled.value, so_far):
            return self.past.alternative(parameter, tool, list(so_far.values()))
        return settled.value if is_own or self.refers_back or is_sure else None

    def _worked_out(self, parameter: Parameter, tool: Tool, so_far: dict[str, JsonValue]) -> JsonValue:
        """Return a place's country, today for what is noted down, this year, or the end of a period of one day."""
        now, kind = self.situation.now, kind_of(parameter)
        if kind == "country":
            places = [value.split(",")[0] for value in so_far.values() if isinstance(value, str)]
            return next((code for place in places if (code := code_of("country", place))), None)
        if now is None:
            return None
        if kind == "date":
            if role_of(parameter) == "to":
                start = next(
                    (so_far[p.name] for p in tool.parameters if role_of(p) == "from" and p.name in so_far), None
                )
                return start if isinstance(start, str) else None
            if effect_of(tool) != "read" and role_of(parameter) is None:
                return now.date().isoformat()
        return now.year if kind == "year" else None


def _is_default(parameter: Parameter | None, value: JsonValue) -> bool:
    return (
        parameter is not None
        and not parameter.is_required
        and parameter.default is not None
        and equal(value, parameter.default, parameter)
    )
