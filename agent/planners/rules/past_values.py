"""Values for a parameter as the running topic and the user state give them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import JsonValue

from agent.planners.rules.entries import Entry, Group, field_for, groups_of, groups_of_turns, same_noun
from agent.planners.rules.kinds import Role, role_of
from agent.planners.rules.segments import named
from agent.planners.rules.tool_text import content_terms
from clarifier.decision import Situation
from clarifier.grounding.beneficiaries import is_for_other, speaks_of_self, was_for_other
from memory.evidence import Evidence, Slot
from memory.language.text import normalise
from memory.language.values.dates import normal_date
from memory.language.values.values import canonical_key, equal
from memory.records import ToolCall, Turn
from memory.state.user_state import Candidate, UserState, accepts, context_similarity, fold_evidence
from memory.tools import Parameter, Tool

_SAME = re.compile(
    r"\bsame\b|\bagain\b|\bas before\b|\bas (?:ever|always|usual|normal)\b|\busual\b|\blike (?:last time|before)\b"
    r"|\bthe way\b|\byou know (?:how|my|what|which)\b|\bnormal (?:working )?day\b"
    r"|\byou did (?:it|that)\b|\bmy (?:hours|sort|way)\b|\bthe normal\b|\bi (?:normally|usually) do\b"
    r"|\blikewise\b|\bditto\b"
    r"|一样|照旧|照常|平常|平时|往常|惯例|习惯|别的不变|老样子"
    r"|老规矩|还是|照(?:那|上|前)|照.{0,8}[回次]|也来|同样|老时间|跟刚才|接着|再来",
    re.IGNORECASE,
)
_ADDED = re.compile(r"\btoo\b|\bas well\b", re.IGNORECASE)


def means_the_same(text: str) -> bool:
    """Whether `text` says outright that something is to be as it was before."""
    return bool(_SAME.search(normalise(text)))


def refers_back(text: str) -> bool:
    """Whether `text` asks for something as it was before, or for one more like it."""
    return means_the_same(text) or bool(_ADDED.search(normalise(text)))


@dataclass(frozen=True)
class Past:
    """What memory holds for the situation, indexed for filling arguments."""

    situation: Situation

    @cached_property
    def state(self) -> UserState:
        """The user state that the recalled evidence amounts to."""
        return fold_evidence(self.evidence)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The recalled evidence; what calls for somebody else used says nothing of the person."""
        others = {turn.turn_id for turn in self.situation.recall.turns if was_for_other(turn)}
        return tuple(
            replace(piece, kind="other_person") if piece.kind == "plain" and piece.turn_id in others else piece
            for piece in self.situation.recall.evidence
        )

    @cached_property
    def own_turns(self) -> tuple[Turn, ...]:
        """The turns of the running topic; without those for somebody else where this one speaks of the person."""
        turns = self.situation.recall.topic_turns
        request = self.situation.request
        if is_for_other(request) or not speaks_of_self(request):
            return tuple(turns)
        return tuple(turn for turn in turns if not was_for_other(turn))

    @cached_property
    def topic_calls(self) -> tuple[ToolCall, ...]:
        """The calls of the running topic and of this turn, the latest first."""
        turns = [call for turn in self.situation.recall.topic_turns for call in turn.calls]
        here = [call for step in self.situation.call_steps for call in step.calls]
        return tuple([*turns, *here][::-1])

    @cached_property
    def own_groups(self) -> list[Group]:
        """The entries that tools returned in this turn, the latest first."""
        return groups_of(self.situation.call_steps)

    @cached_property
    def topic_groups(self) -> list[Group]:
        """The entries that tools returned in the running topic, the latest first."""
        return groups_of_turns(self.own_turns)

    @cached_property
    def earlier_groups(self) -> list[Group]:
        """The entries that tools returned in earlier topics, as far as recalled, the latest first."""
        running = {turn.turn_id for turn in self.situation.recall.topic_turns}
        return groups_of_turns([turn for turn in self.situation.recall.turns if turn.turn_id not in running])

    def last_call(self, tool: Tool) -> ToolCall | None:
        """Return the latest call of `tool` in earlier turns of the topic, or `None`."""
        for turn in reversed(self.own_turns):
            for call in turn.calls:
                if call.name == tool.name:
                    return call
        return None

    def is_exception(self, tool: str, argument: str, value: JsonValue) -> bool:
        """Whether memory holds that a value was for once, for somebody else, or only supposed."""
        key = (Slot(tool, argument), canonical_key(value))
        kinds = [piece.may_fill for piece in self.evidence if (piece.slot, piece.value_key) == key]
        return bool(kinds) and not any(kinds)

    def is_overruled(self, value: JsonValue, parameter: Parameter, tool: Tool) -> bool:
        """Whether a rule told in the topic after the last call of `tool` wants another value than `value`."""
        turns = self.situation.recall.topic_turns
        used = [place for place, turn in enumerate(turns) if any(call.name == tool.name for call in turn.calls)]
        since = {turn.turn_id for turn in turns[used[-1] + 1 :]} if used else set()
        rules = [one for one in self._current(parameter, tool) if one.is_standing and since & set(one.turn_ids)]
        return bool(rules) and not any(equal(one.value, value, parameter) for one in rules)

    def of_other(self, parameter: Parameter, tool: Tool) -> JsonValue:
        """Return the only value that memory holds for somebody else in such an argument, or `None`."""
        found = {
            piece.value_key: piece.value
            for piece in self.evidence
            if piece.kind == "other_person"
            and piece.slot.argument == parameter.name
            and accepts(parameter, piece.value)
            and (piece.slot.tool == tool.name or context_similarity(piece.slot, tool, parameter) >= 0.5)
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def most_used(self, parameter: Parameter, tool: Tool) -> JsonValue:
        """Return the value that most turns used for an argument, of equals the older, or `None`."""
        current = self._current(parameter, tool)
        return max(current, key=lambda one: (len(one.turn_ids), -one.since)).value if current else None

    def calls_with(self, tool: Tool, given: Mapping[str, JsonValue]) -> tuple[list[ToolCall], list[ToolCall]]:
        """Return the recalled calls of `tool` that gave one of the values, and all of its calls, the latest first."""
        every = [call for turn in self.situation.recall.turns for call in turn.calls if call.name == tool.name][::-1]
        return [call for call in every if any(equal(call.arguments.get(k), v) for k, v in given.items())], every

    def day_of(self, description: Sequence[str]) -> JsonValue:
        """Return the day of the recalled turn that tells of what `description` says, or `None`."""
        wanted = set(description)
        for turn in reversed(self.situation.recall.turns):
            shared = wanted & set(content_terms(turn.request))
            if len(shared) >= 2 and 2 * len(shared) >= len(wanted):
                values = [value for call in turn.calls for value in call.arguments.values() if isinstance(value, str)]
                days = {day for value in values if (day := normal_date(value)) is not None}
                return days.pop() if len(days) == 1 else None
        return None

    def day_told(self, tool: Tool) -> str | None:
        """Return the day that the topic last spoke of, where it looked up what `tool` acts on; `None` if of several."""
        now = self.situation.now
        if not any(field_for(needed, group) for needed in tool.required for group in self.topic_groups):
            return None
        for turn in reversed(self.own_turns):
            days = {m.value for m in named(turn.request, turn.time or now) if m.kind == "date"}
            if days:
                day = days.pop()
                return day if not days and isinstance(day, str) and now and day >= now.date().isoformat() else None
        return None

    def listed(self, parameter: Parameter) -> list[JsonValue]:
        """Return the values of the single argument that a list is named after, in the topic's last turn with several.

        `countries` takes what two calls of the turn before gave as `country`.
        """
        if parameter.items is None:
            return []
        items = parameter.items.model_copy(update={"name": parameter.name})
        for turn in reversed(self.situation.recall.topic_turns):
            found = {
                canonical_key(value): value
                for call in turn.calls
                for name, value in call.arguments.items()
                if same_noun(name, parameter.name) and not isinstance(value, list) and accepts(items, value)
            }
            if len(found) > 1:
                return list(found.values())
        return []

    def named_object(self, parameter: Parameter) -> JsonValue:
        """Return the object that a recalled call gave such an argument and of which the request says a text."""
        said = normalise(self.situation.request)
        for turn in reversed(self.situation.recall.turns):
            for value in (call.arguments.get(parameter.name) for call in turn.calls):
                if isinstance(value, dict) and accepts(parameter, value):
                    texts = [normalise(inner) for inner in value.values() if isinstance(inner, str)]
                    if any(name in said for text in texts for name in (text, *_given_names(text))):
                        return value
        return None

    def from_topic(self, parameter: Parameter, tool: Tool, *, of_other: bool = False) -> JsonValue:
        """Return the latest value that a call of the topic gave a like argument (another tool's too), or `None`.

        What was for somebody else counts only where `of_other`.
        """
        turns = self.situation.recall.topic_turns if of_other else self.own_turns
        here = [call for step in self.situation.call_steps for call in step.calls]
        calls = [*here[::-1], *(call for turn in reversed(turns) for call in turn.calls[::-1])]
        offers = [(call.name, name, value) for call in calls for name, value in call.arguments.items()]
        offers = [
            offer for offer in offers if accepts(parameter, offer[2]) and (of_other or not self.is_exception(*offer))
        ]
        for is_same_tool in (True, False):
            for own, name, value in offers:
                is_named_so = name == parameter.name and is_same_tool == (own == tool.name)
                if is_named_so and (is_same_tool or context_similarity(Slot(own, name), tool, parameter) > 0):
                    return value
        for own, name, value in offers:
            if _is_like(Slot(own, name), tool, parameter) and _role_of_name(name) == role_of(parameter):
                return value
        return None

    def settled(self, parameter: Parameter, tool: Tool) -> Settled | None:
        """Return what the user state holds for an argument: the latest standing rule, else the most used value."""
        current = self._current(parameter, tool)
        if not current:
            return None
        own = [candidate for candidate in current if candidate.similarity == 1.0] or current
        standing = [candidate for candidate in own if candidate.is_standing]
        standing = standing or [candidate for candidate in current if candidate.is_standing]
        if standing:
            chosen = max(standing, key=lambda candidate: candidate.last)
            return Settled(chosen.value, True, len(chosen.turn_ids), chosen.similarity, False)
        chosen = max(own, key=lambda candidate: (len(candidate.turn_ids), candidate.last))
        newest = max(own, key=lambda candidate: candidate.last)
        if len(newest.turn_ids) >= 2:
            chosen = newest
        return Settled(chosen.value, False, len(chosen.turn_ids), chosen.similarity, len(own) > 1)

    def alternative(self, parameter: Parameter, tool: Tool, taken: Sequence[JsonValue]) -> JsonValue:
        """Return the most used value that is none of `taken`, or `None`."""
        left = [candidate for candidate in self._current(parameter, tool) if candidate.value not in taken]
        return max(left, key=lambda one: (one.similarity, len(one.turn_ids), one.last)).value if left else None

    def _current(self, parameter: Parameter, tool: Tool) -> list[Candidate]:
        """Return the candidates that may fill an argument; those of a list also fill a single value and the reverse."""
        found: list[Candidate] = []
        state = self.state.lookup(tool, parameter)
        found.extend(state.current if state else ())
        if parameter.type == "array" and parameter.items is not None:
            single = parameter.items.model_copy(update={"name": parameter.name})
            state = self.state.lookup(tool, single)
            found.extend(replace(one, value=[one.value]) for one in (state.current if state else ()))
        elif parameter.type == "string":
            state = self.state.lookup(tool, parameter.model_copy(update={"type": "array"}))
            listed = [
                one for one in (state.current if state else ()) if isinstance(one.value, list) and len(one.value) == 1
            ]
            found.extend(replace(one, value=one.value[0]) for one in listed if isinstance(one.value, list))
        return [one for one in found if one.similarity >= 0.5 or _has_same_role(one, parameter)]

    def is_unbroken(self, parameter: Parameter, tool: Tool, value: JsonValue) -> bool:
        """Whether the last two or more calls of `tool` that are remembered all gave `value`."""
        calls = [call for turn in self.situation.recall.turns for call in turn.calls if call.name == tool.name]
        recent = calls[-3:]
        return len(recent) >= 2 and all(equal(call.arguments.get(parameter.name), value, parameter) for call in recent)

    def choices(self, parameter: Parameter) -> list[tuple[Entry, Sequence[Entry]]]:
        """Return the entries whose field for `parameter` a later call took, each with those it was chosen from."""
        found: list[tuple[Entry, Sequence[Entry]]] = []
        groups: list[Group] = []
        for turn in self.situation.recall.turns:
            for call in turn.calls:
                for value in call.arguments.values():
                    found.extend(_choice(value, parameter, groups))
            groups = [*groups_of_turns([turn]), *groups][:12]
        return found


def _choice(value: JsonValue, parameter: Parameter, groups: Sequence[Group]) -> Iterator[tuple[Entry, Sequence[Entry]]]:
    for group in groups:
        key = field_for(parameter, group)
        if key is None or len(group.entries) < 2:
            continue
        for entry in group.entries:
            if entry.get(key) is not None and canonical_key(entry[key]) == canonical_key(value):
                yield entry, group.entries
                return


@dataclass(frozen=True)
class Settled:
    """What the user state holds for an argument."""

    value: JsonValue
    is_standing: bool
    turns: int
    """How many turns speak for it."""
    similarity: float
    """Of the context, 1 for the very slot."""
    is_contested: bool


def _given_names(name: str) -> tuple[str, ...]:
    """Return the names by which somebody is spoken of: the first of several words, a Chinese name without surname."""
    if re.fullmatch(r"[\u4e00-\u9fff]{3}", name):
        return (name[1:],)
    words = name.split()
    return tuple(words[:1]) if len(words) > 1 and len(words[0]) > 2 and words[0].isalpha() else ()


def _is_like(slot: Slot, tool: Tool, parameter: Parameter) -> bool:
    return slot.tool != tool.name and context_similarity(slot, tool, parameter) >= 0.25


def _has_same_role(candidate: Candidate, parameter: Parameter) -> bool:
    """Whether a value of a less similar slot was at the same end of a pair ("toCurrency", "targetCurrency")."""
    role = role_of(parameter)
    return role is not None and any(_role_of_name(piece.slot.argument) == role for piece in candidate.evidence)


def _role_of_name(name: str) -> Role | None:
    return role_of(Parameter(name=name))
