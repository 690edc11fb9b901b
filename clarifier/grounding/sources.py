"""Where the support for a value is looked up: this request and turn, the running topic, and what memory recalls."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

from clarifier.asking.answering import gives_value
from clarifier.decision import Situation
from clarifier.grounding.beneficiaries import is_for_other, was_for_other
from clarifier.grounding.own_words import own_words
from clarifier.grounding.persons import persons_in, served_in
from clarifier.grounding.recalled import Found, Leaf, RecalledIndex, Said, Used, index_of, name_key, observed, said_in
from clarifier.grounding.spoken import mentions_in
from clarifier.posterior import Moment, Testimony
from memory.evidence import Evidence, Slot
from memory.language.values.dates import normal_date
from memory.language.values.values import canonical_key
from memory.records import CallStep, QuestionStep, Turn
from memory.state.cues import cues_in


@dataclass(frozen=True)
class Sources:
    """A situation, indexed for the questions that grounding asks. Every part is read at first use only."""

    situation: Situation

    @cached_property
    def own_request(self) -> str:
        """The request without what it reports of others."""
        return own_words(self.situation.request)

    @cached_property
    def answers(self) -> str:
        """What the person answered in this turn, one answer a line; answers that leave it open say nothing."""
        tools = self.situation.tools
        return "\n".join(
            own_words(step.answer or "") for step in self.situation.question_steps if gives_value(step, tools)
        )

    @cached_property
    def observed(self) -> tuple[Leaf, ...]:
        """What tools returned in this turn."""
        return tuple(observed(self.situation.call_steps))

    @cached_property
    def topic_said(self) -> tuple[Said, ...]:
        """The person's words in the running topic, oldest first, or in the turn that waits for an answer."""
        recall = self.situation.recall
        turns = recall.topic_turns or tuple(turn for turn in recall.turns[-1:] if self._waits(turn))
        return tuple(said for turn in turns for said in said_in(turn))

    def _waits(self, turn: Turn) -> bool:
        """Whether a turn made no call, but asked for a value that a tool on offer takes."""
        asked = {slot.partition(".")[0] for step in turn.steps if isinstance(step, QuestionStep) for slot in step.slots}
        return not turn.calls and any(tool.name in asked for tool in self.situation.tools)

    @cached_property
    def topic_used(self) -> tuple[Used, ...]:
        """The arguments of the calls made in the running topic, newest first."""
        used = [
            Used(Slot(call.name, name), value, turn.turn_id, order)
            for order, turn in enumerate(self.situation.recall.topic_turns)
            for call in turn.calls
            for name, value in call.arguments.items()
        ]
        return tuple(reversed(used))

    def may_recur(self, used: Used) -> bool:
        """Whether a value used in the topic was not meant for that once, or for another person than this request."""
        if used.turn_id in self.of_others:
            return False
        meant = self._index.passing.get((used.slot, used.turn_id, canonical_key(used.value)))
        is_theirs = self.is_for_another or used.turn_id in self.for_the_named
        return meant is None or (meant == {"other_person"} and is_theirs)

    @cached_property
    def is_for_another(self) -> bool:
        """Whether the request is on behalf of somebody else: who "he" is, the topic tells."""
        return "other_person" in cues_in(self.situation.request)

    @cached_property
    def for_others(self) -> frozenset[str]:
        """The recalled turns for somebody else."""
        return frozenset(turn.turn_id for turn in self.situation.recall.turns if was_for_other(turn))

    @cached_property
    def of_others(self) -> frozenset[str]:
        """The recalled turns for somebody else: what their calls took speaks for no request of the person's own."""
        if self.is_for_another or is_for_other(self.situation.request):
            return frozenset()
        return self.for_others - self.for_the_named

    @cached_property
    def for_the_named(self) -> frozenset[str]:
        """Recalled turns that speak of a person whom this request names; no word of a tool is a name."""
        told = " ".join(f"{tool.name} {tool.description}" for tool in self.situation.tools).casefold()
        named = {name for name in persons_in(self.situation.request) if name not in told}
        turns = [turn for turn in self.situation.recall.turns if any(name in turn.request.casefold() for name in named)]
        return frozenset(turn.turn_id for turn in turns if served_in(turn) & named)

    def is_of_the_named(self, piece: Evidence) -> bool:
        """Whether evidence is of what was done for a person whom this request names."""
        if piece.turn_id not in self.for_the_named:
            return False
        return piece.kind == "other_person" or (piece.kind == "plain" and piece.turn_id in self.for_others)

    @cached_property
    def topic_observed(self) -> tuple[tuple[str, tuple[Leaf, ...]], ...]:
        """What tools returned in the running topic, with its turn; newest first."""
        return tuple(
            (turn.turn_id, tuple(observed(step for step in turn.steps if isinstance(step, CallStep))))
            for turn in reversed(self.situation.recall.topic_turns)
        )

    @cached_property
    def past(self) -> tuple[Turn, ...]:
        """Recalled turns of earlier topics."""
        topic = {turn.turn_id for turn in self.situation.recall.topic_turns}
        return tuple(turn for turn in self.situation.recall.turns if turn.turn_id not in topic)

    @cached_property
    def past_said(self) -> tuple[Said, ...]:
        """The person's words in recalled turns of earlier topics, and recalled text that renders no turn."""
        words = [said for turn in self.past for said in said_in(turn)]
        for item in self.situation.recall.items:
            if item.turn is None and not item.evidence and item.turn_ids:
                words.append(Said(item.text, item.turn_ids[-1]))
        return tuple(words)

    @cached_property
    def said_before(self) -> tuple[Said, ...]:
        """The person's words before this turn, as recalled, oldest first."""
        said = [one for one in (*self.past_said, *self.topic_said) if one.turn_id is not None]
        return tuple(sorted(said, key=lambda one: self.position(one.turn_id or "")))

    @cached_property
    def past_observed(self) -> tuple[tuple[str, tuple[Leaf, ...]], ...]:
        """What tools returned in recalled turns of earlier topics, with its turn."""
        return tuple(
            (turn.turn_id, tuple(observed(step for step in turn.steps if isinstance(step, CallStep))))
            for turn in self.past
        )

    @cached_property
    def moment(self) -> Moment:
        """This turn: its clock, and the position after the newest one that evidence knows."""
        return Moment(max(0, self._index.last_position) + 1, self.situation.now)

    @cached_property
    def known_days(self) -> frozenset[str]:
        """Dates named in this turn or used before, as far as recalled: what a span of days may count from."""
        named = [
            day
            for text in (self.own_request, self.answers)
            for one in mentions_in(text, self.situation.now)
            for day in (one.value if isinstance(one.value, list) else [one.value])
            if one.kind in ("date", "date_range")
        ]
        used = (piece.value for piece in self._index.values if not self._index.is_private(piece.slot))
        return frozenset(
            day for value in (*named, *used) if isinstance(value, str) and (day := normal_date(value)) is not None
        )

    def position(self, turn_id: str) -> int:
        """Return the position of a recalled turn as far as evidence tells, else that of the newest turn."""
        return self._index.positions.get(turn_id, max(0, self._index.last_position))

    def of_slot(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for `slot` itself, by value."""
        said = self._index.of_slot(slot)
        if not self.of_others:
            return said
        own = ((one.value, [piece for piece in one.evidence if self._is_own(piece)]) for one in said)
        return [Testimony(value, pieces) for value, pieces in own if pieces]

    def _is_own(self, piece: Evidence) -> bool:
        return piece.kind != "plain" or piece.turn_id not in self.of_others

    def of_argument(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for arguments of the same name in other tools, by slot and value."""
        return [said for kin in self._index.slots(name_key(slot.argument)) if kin != slot for said in self.of_slot(kin)]

    def of_relatives(self, slot: Slot) -> list[Testimony]:
        """Return the evidence for arguments whose name has the same head word but is another, by slot and value."""
        own = name_key(slot.argument)
        names = [name for name in self._index.names if name[-1:] == own[-1:] and name != own]
        return [said for name in names for kin in self._index.slots(name) for said in self.of_slot(kin)]

    def of_value(self, value_key: str) -> list[Evidence]:
        """Return the evidence, of any slot, whose value has the canonical form `value_key`."""
        found = self._index.of_value(value_key)
        return [piece for piece in found if self._is_own(piece) and not self._index.is_private(piece.slot)]

    def once(self, key: Hashable, held: tuple[object, ...], find: Callable[[], Found]) -> Found:
        """Return what `find` gives, found once per recall and moment; `held` are told by identity."""
        return self._index.once((key, self.moment), held, find)

    @cached_property
    def _index(self) -> RecalledIndex:
        return index_of(self.situation.recall)
