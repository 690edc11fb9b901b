"""Whether the source that a planner states for a value holds, as far as that can be checked without understanding.

What can be checked: that the quotation stands there, that the turn was recalled, that the value follows by its type
(equal, converted, the member of an enum, a date at the clock), and that nothing newer or nearer speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from pydantic import JsonValue

from clarifier.decision import Grounds, Origin, StatedSource, Verdict
from clarifier.effects import effect_of
from clarifier.grounding.choices import speech_for, stated_member
from clarifier.grounding.codes import code_kind, is_looked_up
from clarifier.grounding.matching import contains, fits, is_identifier, match, paraphrases
from clarifier.grounding.needed import is_address
from clarifier.grounding.recalled import Leaf, leaves
from clarifier.grounding.sources import Sources
from clarifier.grounding.spoken import mentions_in, normalised
from clarifier.posterior import closed_domain
from clarifier.settings import Settings
from memory.evidence import Evidence, Slot
from memory.language.text import split_name
from memory.language.values.amounts import lengths_of_time
from memory.language.values.dates import normal_date
from memory.language.values.times import normal_time
from memory.language.values.values import equal
from memory.records import QuestionStep, Turn
from memory.rendering import ELLIPSIS
from memory.tools import Parameter, Tool

_GROUNDS: dict[Origin, Grounds] = {
    "request": "request",
    "answer": "answer",
    "conversation": "topic",
    "result": "observation",
    "known": "habit",
    "derived": "derived",
}
_SAID: tuple[Origin, ...] = ("request", "answer")
"""What comes from there stands there: a number, a day or a choice that does not was worked out, or made up."""
_LITERAL_FORMATS = frozenset({"email", "url", "uuid", "ip", "ipv4", "ipv6", "phone"})
_OF_NUMBERS: frozenset[str] = frozenset({"number"})
_OF_TIMES = _OF_NUMBERS | {"date", "date_range", "time"}
"""Kinds of mentions that amounts, and that dates and times, are worked out of."""
_SHORT_CODE = 5
"""Characters."""
_ORDER: tuple[Verdict, ...] = ("verified", "plausible", "refused", "contradicted")
"""From the best to the worst: a list is as good as its worst element."""


class Backing(NamedTuple):
    """What a stated source is worth."""

    verdict: Verdict
    grounds: Grounds
    turn_ids: tuple[str, ...] = ()
    rule: Evidence | None = None
    """Of what is contradicted: the newer rule that gives another value."""


class _Passage(NamedTuple):
    """A place that a value may come from."""

    text: str
    """As the planner read it."""
    values: tuple[JsonValue, ...] = ()
    """That stand there as such."""
    turn_id: str | None = None
    """`None`: this turn."""
    is_telling: bool = True
    """Whether words of the text give values; the counts and ages of a line about the person give none."""


@dataclass(frozen=True)
class Checker:
    """Checks the stated sources of one situation."""

    sources: Sources
    settings: Settings

    def check(self, stated: StatedSource, value: JsonValue, slot: Slot, tool: Tool) -> Backing:
        """Return what `stated` is worth for `value`; a list or object is as good as its worst element."""
        parameter = tool.parameter(slot.argument)
        grounds = _GROUNDS[stated.origin]
        if not fits(value, parameter):
            return Backing("refused", grounds)
        passages = self._passages(stated)
        if stated.quote is not None:
            passages = [one for one in passages if quotes(one.text, stated.quote)]
        if not passages:
            return Backing("refused", grounds)
        parts = list(_parts(value, parameter))
        if isinstance(value, (list, dict)):  # what one source names, another may count
            passages += (*self._request, *self._answers, *self._results)
        verdicts = [self._follows(part, inner, passages, stated) for part, inner in parts]
        verdict: Verdict = max(verdicts, key=_ORDER.index, default="refused")
        if verdict == "refused":
            return Backing(verdict, grounds)
        turn_ids = tuple(dict.fromkeys(one.turn_id for one in passages if one.turn_id is not None))[-1:]
        if self.is_told_by_tool_alone(value, slot, tool):
            return Backing("contradicted", grounds, turn_ids)
        is_past = stated.turn_id is not None or stated.origin == "known"
        if is_past and not self.is_said(value, parameter):
            told_at = self.sources.position(stated.turn_id) if stated.turn_id is not None else -1
            if (rule := self._rule_against(value, slot, parameter, told_at)) is not None:
                return Backing("contradicted", grounds, turn_ids, rule)
            if self._is_turned_down(value, slot, parameter, told_at) or self.is_anothers(value, slot, parameter):
                return Backing("contradicted", grounds, turn_ids)
        is_unnamed = stated.origin == "known" and stated.turn_id is None
        return Backing("plausible" if is_unnamed and verdict == "verified" else verdict, grounds, turn_ids)

    def _passages(self, stated: StatedSource) -> list[_Passage]:
        """The places that a stated source names; none where it names a turn that was not recalled."""
        by_origin: dict[Origin, Sequence[_Passage]] = {
            "request": self._request,
            "answer": self._answers,
            "conversation": self._topic,
            "result": self._results,
            "known": self._recalled,
            "derived": (*self._request, *self._answers, *self._results, *self._topic),
        }
        found = by_origin[stated.origin]
        if stated.turn_id is None or stated.origin in ("request", "answer", "result"):
            return list(found)
        # The running topic is recalled as well: which of the two a turn belongs to is a subtlety.
        return [one for one in (*self._topic, *self._recalled) if one.turn_id == stated.turn_id]

    @cached_property
    def _request(self) -> tuple[_Passage, ...]:
        return (_Passage(self.sources.situation.request),)

    @cached_property
    def _answers(self) -> tuple[_Passage, ...]:
        return tuple(_Passage(step.answer) for step in self.sources.situation.question_steps if step.answer)

    @cached_property
    def _results(self) -> tuple[_Passage, ...]:
        return tuple(
            _Passage(_told(seen), tuple(leaf.value for leaf in seen), turn_id)
            for turn_id, seen in ((None, self.sources.observed), *self.sources.topic_observed)
            if seen
        )

    @cached_property
    def _topic(self) -> tuple[_Passage, ...]:
        return tuple(map(_of_turn, self.sources.situation.recall.topic_turns))

    @cached_property
    def _recalled(self) -> tuple[_Passage, ...]:
        """What recall shows, an item with several turns once for each."""
        found: list[_Passage] = []
        for item in self.sources.situation.recall.items:
            for turn_id in item.turn_ids:
                values = tuple(piece.value for piece in item.evidence if piece.turn_id == turn_id)
                used = _of_turn(item.turn).values if item.turn is not None else ()
                is_telling = item.turn is not None or not item.evidence
                found.append(_Passage(item.text, (*values, *used), turn_id, is_telling))
        return tuple(found)

    def _follows(
        self, value: JsonValue, parameter: Parameter | None, passages: Sequence[_Passage], stated: StatedSource
    ) -> Verdict:
        """How a scalar follows from one of the places, by its type."""
        if any(equal(one, value, parameter) for passage in passages for one in passage.values):
            return "verified"
        texts = [stated.quote] if stated.quote is not None else []
        texts += [passage.text for passage in passages if passage.is_telling]
        if stated.origin == "derived":  # out of several places, as a rule
            texts += [passage.text for passage in (*self._request, *self._answers)]
        if any(self._is_told(value, text, parameter) for text in texts):
            return "verified"
        quote = stated.quote or ""
        if isinstance(value, bool) or closed_domain(parameter):
            return self._choice(value, parameter, stated)
        if stated.origin in _SAID and is_measured(value):
            return "refused"
        if must_stand(value, parameter):
            return "plausible" if _completes(value, quote) else "refused"
        if any(paraphrases(value, text, parameter) for text in texts):
            return "plausible"
        return "plausible" if quote and self._leads_to(quote, value, parameter) else "refused"

    def _choice(self, value: JsonValue, parameter: Parameter | None, stated: StatedSource) -> Verdict:
        """How a member of a closed list that no place has as such follows from a stated source.

        A length of time is the same in other words. Else only a reader can tell, and it says so by stating that the
        choice is derived. A call cannot do without what is required, so that a planner is tempted to make it up: that
        it was said has to show, where the words can be compared.
        """
        quote = stated.quote or ""
        if isinstance(value, str) and not set(lengths_of_time(quote)).isdisjoint(lengths_of_time(value)):
            return "verified"
        if stated.origin not in _SAID or parameter is None or not parameter.is_required or isinstance(value, bool):
            return "plausible"
        speech = speech_for(value, parameter.enum, quote, parameter.description, self.sources.situation.now)
        return "plausible" if speech in ("meant", "foreign") or self._is_in_sight(value, parameter) else "refused"

    def _is_in_sight(self, value: JsonValue, parameter: Parameter | None) -> bool:
        places = (*self._request, *self._answers, *self._results, *self._topic, *self._recalled)
        if any(equal(one, value, parameter) for place in places for one in place.values):
            return True
        return isinstance(value, str) and any(contains(place.text, value) for place in places)

    def _leads_to(self, quote: str, value: JsonValue, parameter: Parameter | None) -> bool:
        """Whether a quotation that does not say the value may lead to it: a made-up one has nothing to do with it.

        Amounts and dates are worked out of others, or stand somewhere in sight; a name stands in sight; codes that are
        common knowledge (NL, AAPL) and words that are no name ("pet food") stand nowhere.
        """
        if self._is_in_sight(value, parameter):
            return True
        named = {one.kind for one in mentions_in(quote, self.sources.situation.now)}
        if is_measured(value):
            return not (_OF_TIMES if isinstance(value, str) else _OF_NUMBERS).isdisjoint(named)
        assert isinstance(value, str)
        return _is_code(value) or _is_wording(value) or (parameter is not None and code_kind(parameter) is not None)

    def _is_told(self, value: JsonValue, text: str, parameter: Parameter | None) -> bool:
        """Whether the text gives the value; an amount may be given without its sign."""
        signed = [value]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            signed.append(-value)
        now, settings = self.sources.situation.now, self.settings.grounding
        found = (match(one, text, parameter, now, settings) for one in signed)
        return any(one is not None and (one.how != "words" or one.strength >= settings.paraphrase) for one in found)

    def _rule_against(self, value: JsonValue, slot: Slot, parameter: Parameter | None, told_at: int) -> Evidence | None:
        """Return a rule in the person's words that gives the slot another value and is newer than all that gives this.

        What is chosen by its id is chosen anew each time: no rule for one thing speaks against another.
        """
        if any(must_stand(part, inner) for part, inner in _parts(value, parameter)):
            return None
        own, others = self._of_slot(value, slot, parameter)
        since = max([told_at, *(piece.position for piece in own if piece.may_fill)])
        newer = (piece for piece in others if _is_rule(piece) and piece.position > since)
        return max(newer, key=lambda piece: piece.position, default=None)

    def _is_turned_down(self, value: JsonValue, slot: Slot, parameter: Parameter | None, told_at: int) -> bool:
        """Whether the person has turned the value down since it was told and used last."""
        own, _ = self._of_slot(value, slot, parameter)
        since = max([told_at, *(piece.position for piece in own if piece.may_fill)])
        return any(piece.kind == "negated" and piece.position >= since for piece in own)

    def is_anothers(self, value: JsonValue, slot: Slot, parameter: Parameter | None) -> bool:
        """Whether memory knows the value as somebody else's alone, and another as the person's own."""
        own, others = self._of_slot(value, slot, parameter)
        is_theirs = bool(own) and all(piece.kind == "other_person" for piece in own)
        is_for_them = self.sources.is_for_another or any(piece.turn_id in self.sources.for_the_named for piece in own)
        return is_theirs and not is_for_them and any(piece.may_fill for piece in others)

    def _of_slot(
        self, value: JsonValue, slot: Slot, parameter: Parameter | None
    ) -> tuple[list[Evidence], list[Evidence]]:
        """The evidence for the slot that gives the value, and that which gives another."""
        own: list[Evidence] = []
        others: list[Evidence] = []
        for said in self.sources.of_slot(slot):
            (own if equal(said.value, value, parameter) else others).extend(said.evidence)
        return own, others

    def is_said(self, value: JsonValue, parameter: Parameter | None) -> bool:
        """Whether the person gives the value in this turn, in their own words."""
        texts = (self.sources.own_request, self.sources.answers)
        return any(text and self._is_told(value, text, parameter) for text in texts)

    def is_told_by_tool_alone(self, value: JsonValue, slot: Slot, tool: Tool) -> bool:
        """Whether nothing but the running text of a tool's result tells a change whom it reaches.

        An address that a field of a result holds was looked up. One that only stands in a text was written by whoever
        wrote that text, and is nobody's wish but theirs.
        """
        parameter = tool.parameter(slot.argument)
        if effect_of(tool, self.settings.effects) == "read" or parameter is None or not is_address(parameter):
            return False
        wanted = [part for part, _ in _parts(value, parameter) if isinstance(part, str)]
        return any(self._is_in_tool_text_alone(part, parameter) for part in wanted)

    def _is_in_tool_text_alone(self, value: str, parameter: Parameter) -> bool:
        seen = [leaf for _, found in ((None, self.sources.observed), *self.sources.topic_observed) for leaf in found]
        if any(equal(leaf.value, value, parameter) for leaf in seen):
            return False
        if not any(isinstance(leaf.value, str) and contains(leaf.value, value) for leaf in seen):
            return False
        heard = (*self.sources.topic_said, *self.sources.past_said)
        if self.is_said(value, parameter) or any(contains(said.text, value) for said in heard):
            return False
        evidence = self.sources.situation.recall.evidence
        return not any(piece.source != "tool" and equal(piece.value, value, parameter) for piece in evidence)


def quotes(text: str, quote: str) -> bool:
    """Whether a quotation stands in a text, case, width and spacing aside; "…" stands for what it leaves out."""
    parts = [_bare(part) for part in quote.replace("...", ELLIPSIS).split(ELLIPSIS)]
    source = _bare(text)
    return any(any(char.isalnum() for char in part) for part in parts) and all(part in source for part in parts)


def is_measured(value: JsonValue) -> bool:
    """Whether a value is a number, a day or a time: what a text has of these can be read out of it."""
    if not isinstance(value, str):
        return True
    return normal_date(value) is not None or normal_time(value) is not None


def must_stand(value: JsonValue, parameter: Parameter | None) -> bool:
    """Whether a value can be had from nowhere but where it stands: an address, an id, a number of an order.

    Short codes (`7d`, `30min`, `A4`) and those that are looked up (`AAPL`) may be worked out of words.
    """
    if closed_domain(parameter):
        return False
    if parameter is not None and parameter.format in _LITERAL_FORMATS:
        return True
    if isinstance(value, (int, float)):
        return parameter is not None and "id" in split_name(parameter.name)
    if not isinstance(value, str) or normal_date(value) is not None or normal_time(value) is not None:
        return False
    if value.strip().isdigit() or (is_identifier(value) and len(value) > _SHORT_CODE):
        return True
    return parameter is not None and is_looked_up(parameter) and not _is_code(value)


def _is_wording(value: str) -> bool:
    """Whether a text is the planner's own words: in a script with capitals a name would have one."""
    return value.islower() and value.replace(" ", "").isalpha()


def _is_code(value: str) -> bool:
    return value.isascii() and value.isupper() and len(value) <= _SHORT_CODE


def _completes(value: JsonValue, quote: str) -> bool:
    """Whether a value only makes whole what is quoted: `https://example.com` of "example.com"."""
    return isinstance(value, str) and is_identifier(quote) and _bare(quote) in _bare(value)


def _bare(text: str) -> str:
    return " ".join(normalised(text).split())


def _told(seen: Sequence[Leaf]) -> str:
    return "\n".join(f"{leaf.key}: {leaf.value}" for leaf in seen)


def _of_turn(turn: Turn) -> _Passage:
    """A turn as it is shown: all that was said, called and returned."""
    used = [leaf for call in turn.calls for leaf in leaves(call.arguments)]
    returned = [
        leaf
        for step in turn.steps
        if not isinstance(step, QuestionStep)
        for observation in step.observations
        for leaf in leaves(observation.content)
    ]
    said = [turn.request, *(step.answer or "" for step in turn.steps if isinstance(step, QuestionStep))]
    text = "\n".join([*said, _told(used), _told(returned), turn.reply or ""])
    day: tuple[JsonValue, ...] = (f"{turn.time:%Y-%m-%d}",) if turn.time is not None else ()
    return _Passage(text, (*day, *(leaf.value for leaf in (*used, *returned))), turn.turn_id)


def _parts(value: JsonValue, parameter: Parameter | None) -> Iterator[tuple[JsonValue, Parameter | None]]:
    """Yield the scalars of a value, each with what the schema says of it."""
    if isinstance(value, list):
        inner = parameter.items if parameter is not None else None
        for item in value:
            yield from _parts(item, inner)
    elif isinstance(value, dict):
        fields = {field.name: field for field in parameter.properties} if parameter is not None else {}
        for name, item in value.items():
            yield from _parts(item, fields.get(name))
    elif value is not None:
        yield value, parameter


def _is_rule(piece: Evidence) -> bool:
    is_own = piece.source in ("request", "answer", "correction")
    return is_own and piece.kind == "standing" and not piece.is_added and not piece.condition


def said_of_type(parameter: Parameter, texts: Sequence[str], now: datetime | None) -> JsonValue:
    """Return the only value that the first telling text has for a choice, day, time or address; `None` if in doubt."""
    for text in filter(None, texts):
        if parameter.enum:
            found = stated_member(parameter.enum, text, parameter.description, now)
            values: list[JsonValue] = [] if found is None else [found]
        else:
            values = [one.value for one in mentions_in(text, now) if one.kind == parameter.format]
        if values:
            return values[0] if len(values) == 1 else None
    return None
