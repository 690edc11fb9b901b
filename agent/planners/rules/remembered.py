"""Arguments from what is remembered: the running topic, standing rules and habits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from agent.planners.rules.descriptions import NewThing, described_day, new_thing, restriction
from agent.planners.rules.entries import Group, with_field
from agent.planners.rules.kinds import FLEETING, ValueKind, is_swapped, kind_of, role_of
from agent.planners.rules.past_values import Past, means_the_same, refers_back
from agent.planners.rules.referents import called_so, labels
from agent.planners.rules.segments import clauses
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.verbs import deeds_of
from clarifier.decision import Situation
from clarifier.effects import effect_of
from clarifier.grounding.beneficiaries import is_for_other, was_for_other
from memory.language.text import normalise, split_name
from memory.language.values.dates import normal_date
from memory.language.values.values import equal
from memory.state.user_state import accepts
from memory.tools import Parameter, Tool

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
_WAY_BACK = re.compile(r"\breturn\b|\bback\b|\bother way round\b|返程|回程|回来", re.IGNORECASE)
_SELF_WORDS = frozenset(
    ("user", "account", "email", "card", "phone", "customer", "member", "owner", "reader", "plot", "property")
)
_THINGS: frozenset[ValueKind] = frozenset({"id", "text", "place", "url"})
"""Kinds whose values are things that a request can bring up without naming them."""


@dataclass(frozen=True)
class Remembered:
    """Reads what earlier turns hold for the arguments of a call in one situation."""

    situation: Situation
    past: Past

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
        return is_for_other(self.situation.request)

    @cached_property
    def _day(self) -> tuple[str, ...] | None:
        """What the request says of a day by what happened then, `None` where it says no such thing."""
        return described_day(self.situation.request)

    @cached_property
    def _labels(self) -> dict[str, JsonValue]:
        """What exact values of the request and of earlier ones are called."""
        return labels(self.situation.recall.turns, self.situation.request)

    @cached_property
    def _new(self) -> NewThing | None:
        return new_thing(self.situation.request)

    def value(self, parameter: Parameter, tool: Tool, so_far: Mapping[str, JsonValue]) -> JsonValue:
        """Return a remembered value that may fill the argument here, or `None`."""
        one = self.past.named_object(parameter) if parameter.type == "object" else None
        if one is not None or (one := called_so(parameter, self.situation.request, self._labels)) is not None:
            return one
        if self.is_for_other and not means_the_same(self.situation.request):
            return self._others(parameter, tool) if parameter.is_required else None
        kind = kind_of(parameter)
        kind = kind_of(parameter.items) if kind == "array" and parameter.items is not None else kind
        if self._day is not None and kind in ("date", "datetime", "place"):
            return self.past.day_of(self._day) if kind == "date" else None
        if self._new is not None and kind in _THINGS and self._new.may_be(parameter, tool):
            return None
        is_end = role_of(parameter) is not None and kind in ("place", "text")
        if is_end and (end := self._other_end(parameter, tool, so_far)) is not None:
            return end
        if kind == "place" and _HOME.search(self.situation.request):
            return self.past.most_used(parameter, tool)
        if (again := self._again(parameter, tool, kind, so_far)) is not None:
            return again
        if parameter.is_required:
            return self._required(parameter, tool, kind, so_far)
        return self._optional(parameter, tool, kind, so_far)

    def _others(self, parameter: Parameter, tool: Tool) -> JsonValue:
        """Return what memory holds for somebody else: of the topic, where it is about them, else of all time."""
        is_about_them = any(was_for_other(turn) for turn in self.situation.recall.topic_turns)
        value = self.past.from_topic(parameter, tool, of_other=True) if is_about_them else None
        return value if value is not None else self.past.of_other(parameter, tool)

    def _again(self, parameter: Parameter, tool: Tool, kind: ValueKind, so_far: Mapping[str, JsonValue]) -> JsonValue:
        """Return what the topic's last call of `tool` gave, for a request that is short or wants the same."""
        last = self.past.last_call(tool)
        if last is None or parameter.name not in last.arguments or not (self.refers_back or self.is_short):
            return None
        if not parameter.is_required and "change" in deeds_of(tool):
            return None  # what is not said stays as it is
        value = last.arguments[parameter.name]
        is_given_out = kind == "id" and any(len(group.entries) > 1 for group in self._groups(parameter))
        is_exception = self.past.is_exception(tool.name, parameter.name, value)
        if self.past.is_overruled(value, parameter, tool):
            return None
        is_kept = accepts(parameter, value) and not is_given_out and not is_exception
        is_other_things = kind == "number" and not self.refers_back and self._is_other_thing(tool, so_far)
        return value if is_kept and not is_other_things and not is_swapped(parameter, value, so_far) else None

    def _is_other_thing(self, tool: Tool, so_far: Mapping[str, JsonValue]) -> bool:
        """Whether the call is about a thing (by its id) that no recalled call of `tool` was about."""
        same, every = self.past.calls_with(tool, self._ids(tool, so_far))
        return bool(every) and not same and bool(self._ids(tool, so_far))

    @staticmethod
    def _ids(tool: Tool, so_far: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {p.name: so_far[p.name] for p in tool.required if kind_of(p) == "id" and p.name in so_far}

    def _optional(
        self, parameter: Parameter, tool: Tool, kind: ValueKind, so_far: Mapping[str, JsonValue]
    ) -> JsonValue:
        if kind == "date" and "change" not in deeds_of(tool) and (day := self._carried(parameter, tool)) is not None:
            return day  # of the list from which the thing is taken
        if (kind in FLEETING and not self.refers_back) or "change" in deeds_of(tool):
            return None
        if kind not in FLEETING and (carried := self._carried(parameter, tool)) is not None:
            return carried
        settled = self.past.settled(parameter, tool)
        if settled is None or settled.similarity < 0.5 or not self._applies(parameter, so_far):
            return None
        if settled.is_standing or self.past.is_unbroken(parameter, tool, settled.value):
            return settled.value
        return settled.value if self.refers_back and settled.similarity == 1.0 and not settled.is_contested else None

    def _applies(self, parameter: Parameter, so_far: Mapping[str, JsonValue]) -> bool:
        """Whether what the description restricts the argument to ("wheel sessions only") is what this is about."""
        wanted = restriction(parameter)
        if not wanted:
            return True
        here = [call for step in self.situation.call_steps for call in step.calls]
        there = self.situation.recall.topic_turns[-1].calls if self.situation.recall.topic_turns else ()
        about = [
            part.text for part in clauses(self.situation.request) if not re.search(r"\bno\b|\bnot\b|不|没", part.text)
        ]
        words = {term for text in about for term in content_terms(text)}
        for call in here or there:
            words.update(term for value in call.arguments.values() for term in content_terms(str(value)))
        words.update(term for value in so_far.values() for term in content_terms(str(value)))
        return bool(wanted & words)

    def _groups(self, parameter: Parameter) -> list[Group]:
        """Return the entries of the topic that give out values for `parameter`, the latest first."""
        return list(with_field(self.past.topic_groups, parameter))

    def _carried(self, parameter: Parameter, tool: Tool) -> JsonValue:
        """Return what the look-up was for that this call acts on: the same argument of the call that gave it out."""
        for group in (group for needed in tool.required for group in self._groups(needed) if kind_of(needed) == "id"):
            value = group.arguments.get(parameter.name)
            if value is None and kind_of(parameter) == "date" and role_of(parameter) is None:
                days = [
                    one for one in group.arguments.values() if isinstance(one, str) and normal_date(one) is not None
                ]
                value = days[0] if len(days) == 1 else None
            if value is not None and group.tool != tool.name and accepts(parameter, value):
                return value
        return None

    def _other_end(self, parameter: Parameter, tool: Tool, so_far: Mapping[str, JsonValue]) -> JsonValue:
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

    def _required(
        self, parameter: Parameter, tool: Tool, kind: ValueKind, so_far: Mapping[str, JsonValue]
    ) -> JsonValue:
        settled = self.past.settled(parameter, tool)
        if kind == "id" and any(len(group.entries) > 1 for group in self._groups(parameter)):
            # One of a list is chosen anew each time, unless the same one was taken again and again.
            if settled is None:
                return None
            is_meant = means_the_same(self.situation.request) and settled.similarity == 1.0 and not settled.is_contested
            return settled.value if settled.is_standing or settled.turns >= 2 or is_meant else None
        if settled is not None and kind not in ("date", "datetime"):
            is_ours = kind == "currency" and bool(_OURS.search(self.situation.request))
            if (settled.is_standing or is_ours) and not is_swapped(parameter, settled.value, so_far):
                return settled.value
        if kind in FLEETING and effect_of(tool) != "read" and (day := self._carried(parameter, tool)) is not None:
            return day
        if (value := self._of_the_topic(parameter, tool, kind, so_far)) is not None:
            return value
        if settled is None or kind in ("date", "datetime"):
            return None
        is_own = bool({word.casefold() for word in split_name(parameter.name)} & _SELF_WORDS)
        is_sure = not settled.is_contested and (settled.turns >= 2 or settled.similarity == 1.0)
        if is_swapped(parameter, settled.value, so_far):
            return self.past.alternative(parameter, tool, list(so_far.values()))
        return settled.value if is_own or self.refers_back or is_sure else None

    def _of_the_topic(
        self, parameter: Parameter, tool: Tool, kind: ValueKind, so_far: Mapping[str, JsonValue]
    ) -> JsonValue:
        """Return what calls of the topic gave for a like argument, of the same thing where it has an id."""
        if kind == "number":
            same, every = self.past.calls_with(tool, self._ids(tool, so_far))
            if same and parameter.name in same[0].arguments:
                return same[0].arguments[parameter.name]
            if every and self._ids(tool, so_far) and not self.refers_back:
                return None
        is_dated = kind in FLEETING and effect_of(tool) == "read"
        if not self.leans_back or (is_dated and not self.refers_back and not _THAT_DAY.search(self.situation.request)):
            return None
        if parameter.type == "array" and (values := self.past.listed(parameter)):
            return values
        value = self.past.from_topic(parameter, tool, of_other=self.is_for_other)
        return value if value is not None and not is_swapped(parameter, value, so_far) else None
