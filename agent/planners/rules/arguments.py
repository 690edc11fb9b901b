"""Arguments of a call: from this request and its answers, the topic, observations and what is settled about the person.

A required argument that nothing suitable speaks for is left out: whether it is looked up, taken from memory or asked
for is the clarifier's to decide. An optional one is given only where the request, a standing rule, an unbroken habit
or a word like "the same" calls for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from agent.planners.rules.entries import (
    Entry,
    Group,
    as_parameter,
    choose,
    field_for,
    is_described,
    named_entry,
    preferred,
    remaining,
    says_further,
    with_field,
)
from agent.planners.rules.kinds import FLEETING, kind_of, role_of
from agent.planners.rules.past_values import Past
from agent.planners.rules.remembered import Remembered
from agent.planners.rules.segments import Segment, asking_sentences, named
from agent.planners.rules.spoken import Spoken
from agent.planners.rules.utterance import Text
from clarifier.decision import Situation
from clarifier.effects import effect_of
from memory.language.text import split_name
from memory.language.values.codes import code_of
from memory.language.values.dates import normal_date
from memory.language.values.values import equal
from memory.tools import Parameter, Tool

LEAST_CHOICES = 2
"""Past choices among listed things from which a liking is read; after a single one it is open which is meant next."""

_SEVERAL = re.compile(
    r"\b(?:ones|them|both|all|those|these|every|each)\b|都|全部?|这些|那些|[这那]?[两几][个本件样]", re.IGNORECASE
)
_COORDINATES = re.compile(r"-?\d{1,3}\.\d+\s?,\s?-?\d{1,3}\.\d+")


@dataclass(frozen=True)
class Filled:
    """The arguments of one call as far as they are known."""

    arguments: dict[str, JsonValue] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    """Required ones that nothing suitable speaks for, in schema order."""
    said_names: frozenset[str] = frozenset()
    """Arguments whose value this request or an answer says."""
    firm_names: frozenset[str] = frozenset()
    """Those of them whose value is told by its form or its label, and not by words that any tool could take."""
    chosen_names: frozenset[str] = frozenset()
    """Those taken from an entry of an earlier turn's observation that the request means."""

    @property
    def said(self) -> int:
        """How many values this request or an answer says that speak for this tool."""
        return len(self.firm_names)

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
    def remembered(self) -> Remembered:
        """What earlier turns hold for arguments."""
        return Remembered(self.situation, self.past)

    @property
    def refers_back(self) -> bool:
        """Whether the request asks for something as it was before."""
        return self.remembered.refers_back

    def fill(self, tool: Tool, focus: Sequence[Segment] = ()) -> Filled:
        """Return the arguments of a call of `tool`; `focus`: the clauses that speak of it, empty for all."""
        request = Text(self.situation.request, self.situation.now, focus=tuple(focus))
        assigned, firm = self.spoken.values(tool, request)
        arguments: dict[str, JsonValue] = {}
        missing: list[str] = []
        chosen: set[str] = set()
        for parameter in tool.parameters:
            if parameter.name in assigned:
                arguments[parameter.name] = assigned[parameter.name]
                continue
            entry_value = self._from_entry(parameter, tool, request)
            if entry_value is None and parameter.type == "array" and parameter.is_required:
                entry_value = self._several(parameter, tool)
            known = {**assigned, **arguments}
            value = entry_value if entry_value is not None else self.remembered.value(parameter, tool, known)
            if value is None and parameter.is_required:
                value = self._worked_out(parameter, tool, known)
            if value is not None:
                arguments[parameter.name] = value
                if entry_value is not None and not self.past.own_groups:
                    chosen.add(parameter.name)
            elif parameter.is_required:
                missing.append(parameter.name)
        kept = {name: value for name, value in arguments.items() if not _is_default(tool.parameter(name), value)}
        return Filled(kept, tuple(missing), frozenset(assigned), firm, frozenset(chosen))

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
        meaning = f"{told}. {answers}" if answers else told
        for groups, is_own in ((self.past.own_groups, True), (self.past.topic_groups, False)):
            for key, entries in self._lists(groups, parameter, told, is_own=is_own):
                entry = self._meant(entries, meaning, parameter, is_own=is_own)
                if entry is None and request.focus:
                    entry = self._meant(entries, self.situation.request, parameter, is_own=is_own)
                if entry is not None and (value := as_parameter(entry[key], parameter)) is not None:
                    return value
                if entry is None and len(entries) > 1:
                    return None  # it is open which one is meant
        return None

    def _several(self, parameter: Parameter, tool: Tool) -> JsonValue:
        """Return the values of the listed entries that are meant together ("renew them all, but not the first")."""
        request = self.situation.request
        if not _SEVERAL.search(request):
            return None
        verb = split_name(tool.name)[0].casefold()
        for key, entries in self._lists(self.past.topic_groups, parameter, request, is_own=False):
            if len(entries) > 1:
                left = remaining(entries, request, self.situation.now)
                left = [one for one in left if not any(name.startswith(verb) and one[name] is False for name in one)]
                return as_parameter([entry[key] for entry in left], parameter) if left else None
        return None

    def _lists(
        self, groups: Sequence[Group], parameter: Parameter, told: str, *, is_own: bool
    ) -> Iterator[tuple[str, list[Entry]]]:
        """Yield the entries that give out values for `parameter`, with the field that holds them, the latest first.

        Of earlier turns, a list of which the request describes an entry goes before what came later.
        """
        fitting = list(with_field(groups, parameter))
        if not is_own:
            fitting.sort(key=lambda group: not is_described(group, told, self.situation.now))
        for group in fitting:
            key = field_for(parameter, group)
            entries = [entry for entry in group.entries if key is not None and entry.get(key) is not None]
            if key is not None and entries and (is_own or not self._is_stale(group)):
                yield key, entries

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
        asking = asking_sentences(request)
        found = [
            m
            for m in named(request, self.situation.now)
            if m.kind == "date" and any(part.start <= m.start < part.end for part in asking)
        ]
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
        if len(entries) == 1 and not is_own and (not self.remembered.leans_back or says_further(text)):
            return None
        chosen = choose(entries, text, self.situation.now)
        past = self.past.choices(parameter)
        if chosen is not None or len(past) < LEAST_CHOICES:
            return chosen
        return preferred(entries, past)

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
                return self.past.day_told(tool) or now.date().isoformat()
        return now.year if kind == "year" else None


def _is_default(parameter: Parameter | None, value: JsonValue) -> bool:
    return (
        parameter is not None
        and not parameter.is_required
        and parameter.default is not None
        and equal(value, parameter.default, parameter)
    )
