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

from agent.planners.rules.entries import Entry, Group, choose, field_for, preferred
from agent.planners.rules.kinds import ValueKind, kind_of, role_of
from agent.planners.rules.past_values import Past, refers_back
from agent.planners.rules.said_values import Said, Text, said_values
from agent.planners.rules.segments import Segment, asking_sentences, clauses, named
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.verbs import deeds_of
from clarifier.decision import Situation
from clarifier.effects import effect_of
from memory.codes import code_of
from memory.dates import normal_date
from memory.descriptions import described_format
from memory.errors import CastError
from memory.records import QuestionStep
from memory.text import normalise
from memory.tools import Parameter, Tool
from memory.user_state import accepts
from memory.values import canonical_key, cast, equal

REQUIRED_STRENGTH, OPTIONAL_STRENGTH = 0.45, 0.8
"""Least strength of a value said in the request, for required and optional arguments (see `Said.strength`)."""
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
_FLEETING: frozenset[ValueKind] = frozenset({"date", "datetime", "time"})


@dataclass(frozen=True)
class Filled:
    """The arguments of one call as far as they are known."""

    arguments: dict[str, JsonValue] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    """Required ones that nothing suitable speaks for, in schema order."""
    said: int = 0
    """How many values this request or an answer says."""
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
        parts = clauses(self.situation.request)
        return any("other_person" in part.cues for part in parts)

    def fill(self, tool: Tool, focus: Sequence[Segment] = ()) -> Filled:
        """Return the arguments of a call of `tool`; `focus`: the clauses that speak of it, empty for all."""
        request = Text(self.situation.request, self.situation.now, focus=tuple(focus))
        assigned = self._assigned(tool, request)
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
        return Filled(kept, tuple(missing), said, frozenset(chosen))

    # What the person says in this turn

    def _assigned(self, tool: Tool, request: Text) -> dict[str, JsonValue]:
        """Give every value said to at most one argument, the surest first; hints and answers before the request."""
        assigned: dict[str, JsonValue] = {}
        for hint in self.situation.hints:
            if hint.kind == "settled" and hint.slot.tool == tool.name and hint.value is not None:
                assigned[hint.slot.argument] = hint.value
        for step in self.situation.question_steps:
            for name, value in self._answered(tool, step):
                assigned.setdefault(name, value)
        scalars = [parameter for parameter in tool.parameters if parameter.name not in assigned]
        for parameter in scalars:
            if parameter.type in ("array", "object"):
                value = self._composite(parameter, tool, request)
                if value is not None:
                    assigned[parameter.name] = value
        offers = [
            (said.strength, parameter, said)
            for parameter in scalars
            if parameter.name not in assigned and parameter.type not in ("array", "object")
            for said in said_values(parameter, tool, request)
            if said.strength >= _least(parameter)
        ]
        offers += [(0.9, parameter, said) for parameter in scalars for said in self._known(parameter, tool)]
        taken: list[tuple[int, int, Parameter]] = []
        for _, parameter, said in sorted(offers, key=lambda offer: -offer[0]):
            is_free = parameter.name not in assigned and not _is_taken(said, parameter, taken)
            if is_free and not _is_swapped(parameter, said.value, assigned):
                assigned[parameter.name] = said.value
                taken.append((said.start, said.end, parameter))
        self._lone_number(tool, request, assigned, taken)
        return assigned

    def _known(self, parameter: Parameter, tool: Tool) -> Iterator[Said]:
        """Yield values that tools returned or calls used for the argument and that the request names literally."""
        if kind_of(parameter) not in ("text", "place"):
            return
        request = self.situation.request
        values: list[JsonValue] = []
        for group in _with_field([*self.past.topic_groups, *self.past.earlier_groups], parameter):
            key = field_for(parameter, group)
            values.extend(entry.get(key) for entry in group.entries if key is not None)
        state = self.past.state.lookup(tool, parameter)
        values.extend(
            candidate.value for candidate in state.candidates if candidate.similarity >= 0.5
        ) if state else None
        for value in dict.fromkeys(value for value in values if isinstance(value, str) and len(value) > 1):
            place = request.casefold().find(value.casefold())
            if place >= 0:
                yield Said(value, place, place + len(value), 0.9)

    def _lone_number(
        self, tool: Tool, request: Text, assigned: dict[str, JsonValue], taken: Sequence[tuple[int, int, Parameter]]
    ) -> None:
        """Give the only number left to the only required number that is open."""
        open_ones = [p for p in tool.required if kind_of(p) == "number" and p.name not in assigned]
        if len(open_ones) != 1:
            return
        parameter = open_ones[0]
        left = [
            said
            for said in said_values(parameter, tool, request)
            if said.strength >= 0.25 and not _is_taken(said, parameter, taken)
            if any(part.start <= said.start < part.end for part in asking_sentences(request.text))
        ]
        if len({canonical_key(said.value) for said in left}) == 1:
            assigned[parameter.name] = left[0].value

    def _answered(self, tool: Tool, step: QuestionStep) -> Iterator[tuple[str, JsonValue]]:
        """Yield what an answer says for the arguments of `tool`; where slots are told, those asked for come first."""
        if not step.answer:
            return
        answer = Text(step.answer, self.situation.now, is_answer=True)
        asked = {slot.partition(".")[2] for slot in step.slots if slot.partition(".")[0] == tool.name}
        taken: list[tuple[int, int, Parameter]] = []
        ordered = sorted(
            tool.parameters, key=lambda parameter: (parameter.name not in asked, not parameter.is_required)
        )
        for parameter in ordered:
            is_asked = parameter.name in asked
            if parameter.type in ("array", "object"):
                value = self._composite(parameter, tool, answer)
                if value is not None:
                    yield parameter.name, value
                continue
            is_named = kind_of(parameter) in ("id", "text", "place", "url")
            if is_asked and is_named and (value := self._entry_answered(parameter, step.answer)) is not None:
                yield parameter.name, value
                continue
            least = 0.25 if is_asked else OPTIONAL_STRENGTH
            for said in sorted(said_values(parameter, tool, answer), key=lambda one: _lateness(one, answer)):
                if said.strength >= least and not _is_taken(said, parameter, taken):
                    taken.append((said.start, said.end, parameter))
                    yield parameter.name, said.value
                    break
            else:
                if (
                    is_asked
                    and kind_of(parameter) in ("text", "place", "id")
                    and (words := _leading(step.answer, taken))
                ):
                    yield parameter.name, words

    def _entry_answered(self, parameter: Parameter, answer: str) -> JsonValue:
        """Return the value of the entry that an answer chooses, or `None`."""
        for group in _with_field([*self.past.own_groups, *self.past.topic_groups], parameter):
            key = field_for(parameter, group)
            entries = [entry for entry in group.entries if key is not None and entry.get(key) is not None]
            if len(entries) > 1 and key is not None and (entry := choose(entries, answer, self.situation.now)):
                return _as_parameter(entry[key], parameter)
        return None

    def _composite(self, parameter: Parameter, tool: Tool, text: Text) -> JsonValue:
        """Return the list or object that `text` says for `parameter`, or `None`."""
        if parameter.type == "object":
            return self._object(parameter, tool, text)
        element = parameter.items or Parameter(name=parameter.name, description=parameter.description)
        if element.type == "object":
            return _counted_things(element, text.text)
        described = f"{parameter.description} {element.description}".strip()
        element = element.model_copy(
            update={
                "name": parameter.name,
                "description": described,
                "format": element.format or described_format(parameter.name, described, element.type),
                "is_required": parameter.is_required,
            }
        )
        least = REQUIRED_STRENGTH if parameter.is_required else OPTIONAL_STRENGTH
        found = [said for said in said_values(element, tool, text) if said.strength >= least]
        if kind_of(element) == "currency" and found:
            best = max(said.strength for said in found)
            found = [said for said in found if said.strength == best]
        values: list[JsonValue] = []
        for said in sorted(found, key=lambda said: said.start):
            if not any(equal(said.value, value) for value in values):
                values.append(said.value)
        return values or None

    def _object(self, parameter: Parameter, tool: Tool, text: Text) -> JsonValue:
        fields: dict[str, JsonValue] = {}
        for inner in parameter.properties:
            for said in said_values(inner, tool, text):
                if said.strength >= OPTIONAL_STRENGTH:
                    fields[inner.name] = said.value
                    break
        needed = [inner.name for inner in parameter.properties if inner.is_required] or [
            inner.name for inner in parameter.properties
        ]
        return fields if fields and all(name in fields for name in needed) else None

    # What tools returned

    def _from_entry(self, parameter: Parameter, tool: Tool, request: Text) -> JsonValue:
        """Return the value of the entry that the request means, for an argument that tools give out."""
        kind = kind_of(parameter)
        if not parameter.is_required or kind in _FLEETING | {"enum", "boolean", "number", "array", "object"}:
            return None
        if kind == "coordinates" and (place := self._coordinates()) is not None:
            return place
        told = " ".join(part.text for part in request.focus) or self.situation.request
        answers = " ".join(step.answer or "" for step in self.situation.question_steps)
        for groups, is_own in ((self.past.own_groups, True), (self.past.topic_groups, False)):
            for group in _with_field(groups, parameter):
                key = field_for(parameter, group)
                entries = [entry for entry in group.entries if key is not None and entry.get(key) is not None]
                if not entries or key is None or (not is_own and self._is_stale(group)):
                    continue
                entry = self._meant(entries, f"{told}. {answers}" if answers else told, parameter, is_own=is_own)
                if entry is None and request.focus:
                    entry = self._meant(entries, self.situation.request, parameter, is_own=is_own)
                if entry is not None and (value := _as_parameter(entry[key], parameter)) is not None:
                    return value
                if entry is None and len(entries) > 1:
                    return None  # it is open which one is meant
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
        days = {m.value for m in named(self.situation.request, self.situation.now) if m.kind == "date"}
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
        return choose(entries, text, self.situation.now) or preferred(entries, self.past.choices(parameter))

    # What is remembered

    def _from_past(self, parameter: Parameter, tool: Tool, so_far: dict[str, JsonValue]) -> JsonValue:
        """Return a remembered value that may fill the argument here, or `None`."""
        if self.is_for_other and not self.situation.question_steps and not self.refers_back:
            return None
        kind = kind_of(parameter)
        kind = kind_of(parameter.items) if kind == "array" and parameter.items is not None else kind
        last = self.past.last_call(tool)
        if last is not None and parameter.name in last.arguments and (self.refers_back or self.is_short):
            value = last.arguments[parameter.name]
            if accepts(parameter, value) and not _is_swapped(parameter, value, so_far):
                return value
        if (
            role_of(parameter) is not None
            and kind in ("place", "text")
            and (end := self._other_end(parameter, tool, so_far))
        ):
            return end
        if parameter.is_required:
            return self._required_from_past(parameter, tool, kind, so_far)
        if (kind in _FLEETING and not self.refers_back) or "change" in deeds_of(tool):
            return None
        settled = self.past.settled(parameter, tool)
        if settled is None or settled.similarity < 0.5:
            return None
        if settled.is_standing or self.past.is_unbroken(parameter, tool, settled.value):
            return settled.value
        return settled.value if self.refers_back and settled.similarity == 1.0 and not settled.is_contested else None

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
        if settled is not None and kind not in ("date", "datetime"):
            is_home = kind == "place" and bool(_HOME.search(self.situation.request))
            is_ours = kind == "currency" and bool(_OURS.search(self.situation.request))
            if (settled.is_standing or is_home or is_ours) and not _is_swapped(parameter, settled.value, so_far):
                return settled.value
        is_dated = kind in _FLEETING and effect_of(tool) == "read"
        if self.leans_back and (not is_dated or self.refers_back or _THAT_DAY.search(self.situation.request)):
            value = self.past.from_topic(parameter, tool)
            if value is not None and not _is_swapped(parameter, value, so_far):
                return value
        if settled is None or kind in ("date", "datetime"):
            return None
        is_own = bool(set(re.findall(r"[a-z]+", normalise(parameter.name.replace("_", " ")))) & _SELF_WORDS)
        is_sure = not settled.is_contested and (settled.turns >= 2 or settled.similarity == 1.0)
        if _is_swapped(parameter, settled.value, so_far):
            return self.past.alternative(parameter, tool, list(so_far.values()))
        return settled.value if is_own or self.refers_back or is_sure else None

    def _worked_out(self, parameter: Parameter, tool: Tool, so_far: dict[str, JsonValue]) -> JsonValue:
        """Return a place's country, today for what is written down today, this year, and the end of a period of one day."""
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


def _lateness(said: Said, answer: Text) -> float:
    """Return a rank: what answers a question stands early, asides come after."""
    return 0.5 * said.start / len(answer.text) - said.strength


def _least(parameter: Parameter) -> float:
    """Return the least strength of a said value; dates and times are told so plainly that less suffices."""
    if parameter.is_required:
        return REQUIRED_STRENGTH
    return 0.55 if kind_of(parameter) in _FLEETING else OPTIONAL_STRENGTH


def _is_taken(said: Said, parameter: Parameter, taken: Sequence[tuple[int, int, Parameter]]) -> bool:
    """Whether another argument has the words already; the two ends of a period may share theirs."""
    for start, end, other in taken:
        if said.start < end and start < said.end:
            ends = {role_of(parameter), role_of(other)}
            if not (ends == {"from", "to"} and kind_of(parameter) in ("date", "datetime")):
                return True
    return False


def _is_swapped(parameter: Parameter, value: JsonValue, so_far: dict[str, JsonValue]) -> bool:
    """Whether an end of a pair would be the same as the other end."""
    return role_of(parameter) is not None and kind_of(parameter) not in _FLEETING and value in so_far.values()


def _is_default(parameter: Parameter | None, value: JsonValue) -> bool:
    return (
        parameter is not None
        and not parameter.is_required
        and parameter.default is not None
        and equal(value, parameter.default, parameter)
    )


def _with_field(groups: Sequence[Group], parameter: Parameter) -> Iterator[Group]:
    return (group for group in groups if field_for(parameter, group) is not None)


def _as_parameter(value: JsonValue, parameter: Parameter) -> JsonValue:
    try:
        return cast(value, parameter)
    except CastError:
        return None


def _leading(answer: str, taken: Sequence[tuple[int, int, Parameter]]) -> str | None:
    """Return the words that open an answer, up to the first mark: what was asked for, in a person's short reply."""
    for part in re.split(r"[.,;!?。，；！？\n]", answer):
        words = re.sub(r"^(?:it'?s|the|that'?s|就?是|叫)\s?", "", part.strip(), flags=re.IGNORECASE).strip()
        start = answer.find(part)
        is_brief = len(words.split()) <= 5 and len(words) <= 40 and len(re.findall(r"[\u4e00-\u9fff]", words)) <= 12
        if words and is_brief and not any(start < end and begin < start + len(part) for begin, end, _ in taken):
            return words
    return None


_OF = re.compile(
    r"(?P<n>\d+(?:\.\d+)?)\s?(?:[a-z]+\s)?of\s(?P<thing>[a-z][a-z-]*(?:\s(?!and\b|of\b)[a-z-]+)?)", re.IGNORECASE
)


def _counted_things(element: Parameter, text: str) -> JsonValue:
    """Return the list that "250 grams of flour, 500 of milk" says for objects of a number and a name."""
    numeric = [inner.name for inner in element.properties if inner.type in ("number", "integer")]
    textual = [inner.name for inner in element.properties if inner.type == "string"]
    if len(numeric) != 1 or len(textual) != 1:
        return None
    things: list[JsonValue] = []
    for match in _OF.finditer(text):
        number = float(match["n"])
        things.append({textual[0]: match["thing"], numeric[0]: int(number) if number.is_integer() else number})
    return things or None
