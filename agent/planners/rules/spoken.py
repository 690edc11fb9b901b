"""What the person says in this turn for the arguments of a call: settled hints, answers to questions, the request."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pydantic import JsonValue

from agent.planners.rules.composites import OPTIONAL_STRENGTH, REQUIRED_STRENGTH, composite
from agent.planners.rules.entries import (
    as_parameter,
    choose,
    field_for,
    is_place_alone,
    leaves,
    places_said,
    with_field,
)
from agent.planners.rules.kinds import FLEETING, is_swapped, kind_of, role_of
from agent.planners.rules.left_words import left_words
from agent.planners.rules.past_values import Past
from agent.planners.rules.referents import called_so, labels
from agent.planners.rules.said_values import said_values
from agent.planners.rules.said_words import in_common_words
from agent.planners.rules.segments import asking_sentences
from agent.planners.rules.things import things
from agent.planners.rules.utterance import Said, Text
from agent.planners.rules.whereabouts import place_pointed_at, points_only
from clarifier.decision import Situation
from clarifier.grounding.clocks import in_half
from memory.language.text import split_name
from memory.language.values.values import equal
from memory.records import QuestionStep
from memory.state.cues import is_correction
from memory.tools import Parameter, Tool

SURE = 0.9
"""Strength from which a value goes to a single argument before it goes into a list."""
ASKED_STRENGTH = 0.25
"""Least strength of a value in an answer for what was asked."""
_DECLINED = re.compile(
    r"^(?:i )?(?:have |there(?:'s| is) )?(?:nothing|no (?:more|idea|preference))\b|\bnothing (?:else |more )?to add\b"
    r"|\b(?:i )?(?:don['’]t|do not) (?:know|care|mind)\b|\bno idea\b"
    r"|没有?(?:什么|啥)?要?补充|[不没](?:知道|清楚|晓得)|没想法",
    re.IGNORECASE,
)
"""Words that give no value for what takes any words."""
_I = re.compile(r"\bI\b")
_OF_THEM = re.compile(r"\sof (?:them|those|these|it)\b", re.IGNORECASE)


class Told(NamedTuple):
    """What the person says for the arguments of a call."""

    values: dict[str, JsonValue]
    firm_names: frozenset[str]
    """Arguments whose value is told by its form or its label, and not by words that any tool could take."""


@dataclass(frozen=True)
class Spoken:
    """Reads the person's words of one turn."""

    situation: Situation
    past: Past

    @cached_property
    def _labels(self) -> dict[str, JsonValue]:
        return labels(self.situation.recall.turns, self.situation.request)

    def values(self, tool: Tool, request: Text) -> Told:
        """Give every value said to at most one argument, the surest first; hints and answers before the request."""
        assigned = self._settled_or_answered(tool)
        scalars = [parameter for parameter in tool.parameters if parameter.name not in assigned]
        for parameter in (one for one in scalars if role_of(one) is not None):
            if (value := called_so(parameter, request.text, self._labels)) is not None:
                assigned[parameter.name] = value
        offers = _offers([parameter for parameter in scalars if parameter.name not in assigned], tool, request)
        offers += [(0.9, parameter, said) for parameter in scalars for said in self._known(parameter, tool)]
        taken = _shared_out([offer for offer in offers if offer[0] >= SURE], assigned)
        for parameter in scalars:
            if parameter.type in ("array", "object"):
                value = self._composed(parameter, tool, request, [(start, end) for start, end, _ in taken])
                if value is not None:
                    assigned[parameter.name] = value
        taken += _shared_out(offers, assigned, taken)
        self._left_numbers(tool, request, assigned, taken)
        assigned.update(left_words(tool, request, assigned, [(start, end) for start, end, _ in taken]))
        assigned.update(self._in_their_half(tool, assigned))
        sure = {parameter.name for strength, parameter, said in offers if strength >= OPTIONAL_STRENGTH}
        loose = {name for name, value in assigned.items() if name not in sure and in_common_words(value, request)}
        return Told(assigned, frozenset(assigned) - loose)

    def _settled_or_answered(self, tool: Tool) -> dict[str, JsonValue]:
        """Return what is settled with the person and what the answers say."""
        assigned: dict[str, JsonValue] = {}
        for hint in self.situation.hints:
            if hint.kind == "settled" and hint.slot.tool == tool.name and hint.value is not None:
                assigned[hint.slot.argument] = hint.value
        for step in self.situation.question_steps:
            righted = self._put_right(tool, step)
            for name, value in self._answered(tool, step):
                if not any(equal(value, other) for other in righted.values()):
                    assigned.setdefault(name, value)
            assigned.update(righted)
        return assigned

    def _in_their_half(self, tool: Tool, assigned: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
        """Yield the times said without it in the half of the day that turn, topic or tool speak of ("dinner")."""
        answers = [step.answer for step in reversed(self.situation.question_steps) if step.answer]
        said = (*answers, self.situation.request)
        topic = [turn.request for turn in reversed(self.past.own_turns)]
        for parameter in tool.parameters:
            value = assigned.get(parameter.name)
            if isinstance(value, str) and kind_of(parameter) == "time":
                purpose = f"{' '.join(split_name(tool.name))}. {tool.description} {parameter.description}"
                halves = (in_half(value, text, (*said, *topic, purpose), self.situation.now) for text in said)
                yield parameter.name, next((time for time in halves if time != value), value)

    def _put_right(self, tool: Tool, step: QuestionStep) -> dict[str, JsonValue]:
        """Return what an answer says instead of what the request said ("no, I meant to Paris"): read as requests are.

        What was asked for is no part of it, unless the words say so plainly.
        """
        if not step.answer or not is_correction(step.answer):
            return {}
        righted: dict[str, JsonValue] = {}
        _shared_out(_offers(tool.parameters, tool, Text(step.answer, self.situation.now)), righted)
        return righted

    def _composed(
        self, parameter: Parameter, tool: Tool, text: Text, taken: Sequence[tuple[int, int]] = ()
    ) -> JsonValue:
        """Return the list or object that a text says, by its form or by the things that it names."""
        value = composite(parameter, tool, text, taken)
        groups = [*self.past.own_groups, *self.past.topic_groups]
        return value if value is not None else things(parameter, tool, text, groups)

    def _known(self, parameter: Parameter, tool: Tool) -> Iterator[Said]:
        """Yield values that tools returned or calls used for the argument and that the request names literally."""
        if kind_of(parameter) not in ("text", "place"):
            return
        request = self.situation.request
        values: list[JsonValue] = []
        for group in with_field([*self.past.topic_groups, *self.past.earlier_groups], parameter):
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

    def _left_numbers(
        self, tool: Tool, request: Text, assigned: dict[str, JsonValue], taken: Sequence[tuple[int, int, Parameter]]
    ) -> None:
        """Give the numbers left to the required numbers that are open, in order, where they are as many."""
        open_ones = [p for p in tool.required if kind_of(p) == "number" and p.name not in assigned]
        if not open_ones:
            return
        composed = [leaf for value in assigned.values() if isinstance(value, (list, dict)) for leaf in leaves(value)]
        left = {
            said.start: said
            for said in said_values(open_ones[0], tool, request)
            if said.strength >= 0.25 and not _is_taken(said, open_ones[0], taken)
            if not any(equal(said.value, leaf) for leaf in composed)
            if any(part.start <= said.start < part.end for part in asking_sentences(request.text))
            or _OF_THEM.match(request.text, said.end)
        }
        if len(left) == len(open_ones):
            for parameter, (_, said) in zip(open_ones, sorted(left.items()), strict=True):
                assigned[parameter.name] = said.value

    def _answered(self, tool: Tool, step: QuestionStep) -> Iterator[tuple[str, JsonValue]]:
        """Yield what an answer says for the arguments of `tool`; where slots are told, those asked for come first."""
        if not step.answer:
            return
        answer = Text(step.answer, self.situation.now, is_answer=True)
        asked = {slot.partition(".")[2] for slot in step.slots if slot.partition(".")[0] == tool.name}
        taken: list[tuple[int, int, Parameter]] = []
        # Ids first: "the first one" tells the place of an entry, and no "first class".
        ordered = sorted(
            tool.parameters, key=lambda one: (one.name not in asked, not one.is_required, kind_of(one) != "id")
        )
        open_ones: list[Parameter] = []
        for parameter in ordered:
            value = self._read(parameter, tool, answer, taken, least=self._least_answered(parameter, tool, asked))
            if value is not None:
                yield parameter.name, value
            elif parameter.name in asked and kind_of(parameter) in ("text", "place", "id"):
                open_ones.append(parameter)
        # What is left of the words goes to what takes any words, once all that is told by its form has its own.
        for parameter in open_ones if not is_correction(step.answer) else ():
            words = _leading(step.answer, taken)
            if words and points_only(parameter, words):
                if (place := place_pointed_at(parameter, words, self.situation.request, self.past)) is not None:
                    yield parameter.name, place
                continue
            is_value = words is not None and not _DECLINED.search(words) and not is_place_alone(words)
            if words and is_value and self._may_be(parameter, words):
                start = step.answer.find(words)
                taken.append((start, start + len(words), parameter))
                yield parameter.name, words

    def _read(
        self,
        parameter: Parameter,
        tool: Tool,
        answer: Text,
        taken: list[tuple[int, int, Parameter]],
        *,
        least: float,
    ) -> JsonValue:
        """Return what an answer says for one argument and add its place to `taken`; `None` where it says nothing."""
        if parameter.type in ("array", "object"):
            return self._composed(parameter, tool, answer)
        is_named = kind_of(parameter) in ("id", "text", "place", "url")
        if least == ASKED_STRENGTH and is_named and (value := self._entry_answered(parameter, answer.text)) is not None:
            taken.extend((start, end, parameter) for start, end in places_said(answer.text))
            return value
        for said in sorted(said_values(parameter, tool, answer), key=lambda one: _lateness(one, answer)):
            is_free = said.strength >= least and not _is_taken(said, parameter, taken)
            if is_free and self._may_be(parameter, said.value):
                taken.append((said.start, said.end, parameter))
                return said.value
        return None

    def _least_answered(self, parameter: Parameter, tool: Tool, asked: Collection[str]) -> float:
        """Return the least strength of a value in an answer.

        What was asked for takes any value of its kind. A place or day beside it, for the same tool, goes before a
        remembered one, but not before what the request says, unless it is beyond doubt.
        """
        if parameter.name in asked:
            return ASKED_STRENGTH
        if not asked or not parameter.is_required or kind_of(parameter) not in ("place", "date"):
            return OPTIONAL_STRENGTH
        request = Text(self.situation.request, self.situation.now)
        is_said = any(said.strength >= REQUIRED_STRENGTH for said in said_values(parameter, tool, request))
        return 1.0 if is_said else REQUIRED_STRENGTH

    def _may_be(self, parameter: Parameter, value: JsonValue) -> bool:
        """Whether the words of an answer can be the value: where tools give the ids out, one of theirs."""
        if kind_of(parameter) != "id":
            return True
        groups = list(with_field([*self.past.own_groups, *self.past.topic_groups], parameter))
        if groups:
            given = [entry.get(field_for(parameter, group) or "") for group in groups for entry in group.entries]
            return any(equal(one, value, parameter) for one in given if one is not None)
        return not isinstance(value, str) or any(char.isdigit() or char.isupper() for char in _I.sub("", value))

    def _entry_answered(self, parameter: Parameter, answer: str) -> JsonValue:
        """Return the value of the entry that an answer chooses, or `None`."""
        for group in with_field([*self.past.own_groups, *self.past.topic_groups], parameter):
            key = field_for(parameter, group)
            entries = [entry for entry in group.entries if key is not None and entry.get(key) is not None]
            if len(entries) > 1 and key is not None and (entry := choose(entries, answer, self.situation.now)):
                return as_parameter(entry[key], parameter)
        return None


_Offer = tuple[float, Parameter, Said]


def _offers(parameters: Sequence[Parameter], tool: Tool, text: Text) -> list[_Offer]:
    """Return the values that a request says for scalar arguments, strong enough each, with their strength."""
    return [
        (said.strength, parameter, said)
        for parameter in parameters
        if parameter.type not in ("array", "object")
        for said in said_values(parameter, tool, text)
        if said.strength >= _least(parameter)
    ]


def _shared_out(
    offers: Sequence[_Offer], assigned: dict[str, JsonValue], before: Sequence[tuple[int, int, Parameter]] = ()
) -> list[tuple[int, int, Parameter]]:
    """Add each value to at most one argument, the surest first, and return which words each took beyond `before`."""
    taken = list(before)
    for _, parameter, said in sorted(offers, key=lambda offer: (-offer[0], not offer[1].is_required)):
        is_free = parameter.name not in assigned and not _is_taken(said, parameter, taken)
        if is_free and not is_swapped(parameter, said.value, assigned):
            assigned[parameter.name] = said.value
            taken.append((said.start, said.end, parameter))
    return taken[len(before) :]


def _lateness(said: Said, answer: Text) -> float:
    """Return a rank: what answers a question stands early, asides come after."""
    return 0.5 * said.start / len(answer.text) - said.strength


def _least(parameter: Parameter) -> float:
    """Return the least strength of a said value; dates and times are told so plainly that less suffices."""
    if parameter.is_required:
        return REQUIRED_STRENGTH
    return 0.55 if kind_of(parameter) in FLEETING else OPTIONAL_STRENGTH


def _is_taken(said: Said, parameter: Parameter, taken: Sequence[tuple[int, int, Parameter]]) -> bool:
    """Whether another argument has the words already; the two ends of a period may share theirs."""
    for start, end, other in taken:
        if said.start < end and start < said.end:
            ends = {role_of(parameter), role_of(other)}
            if not (ends == {"from", "to"} and kind_of(parameter) in ("date", "datetime")):
                return True
    return False


def _leading(answer: str, taken: Sequence[tuple[int, int, Parameter]]) -> str | None:
    """Return the words that open an answer, up to the first mark: what was asked for, in a person's short reply."""
    for part in re.split(r"[.,;!?。，；！？\n]", answer):
        words = re.sub(r"^(?:it'?s|the|that'?s|就?是|叫)\s?", "", part.strip(), flags=re.IGNORECASE).strip()
        start = answer.find(part)
        is_brief = len(words.split()) <= 5 and len(words) <= 40 and len(re.findall(r"[\u4e00-\u9fff]", words)) <= 12
        if words and is_brief and not any(start < end and begin < start + len(part) for begin, end, _ in taken):
            return words
    return None
