"""The user state as compact lines, one a slot of the tools on offer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from memory.evidence import PERSON, Evidence, Slot
from memory.language.text import split_name, tokenise
from memory.language.text_cache import text_cache
from memory.ranking.sentences import sentences
from memory.recall import RecallItem
from memory.records import QuestionStep, Turn
from memory.rendering import render_json
from memory.state.sensitive import is_sensitive_text
from memory.state.status_words import STATUS_WORDS
from memory.state.user_state import Candidate, SlotState
from memory.state.wording import is_calendar_date
from memory.strategies._history import Snapshot
from memory.tokens import count_tokens
from memory.tools import Parameter, Tool

MAX_CANDIDATES = 3
"""Values shown for a slot; what has changed more often than that is no habit."""
MAX_PAST = 2
"""Values shown that no longer hold or held once only, so that nobody takes them up from elsewhere."""
MAX_STATEMENTS = 4
"""Lines of what the person said of themselves."""
MAX_SENTENCE_CHARACTERS = 160
"""Of a sentence that is shown as it was said."""
MAX_VALUE_TOKENS = 40
"""Longer values (texts that were sent, say) are particular to their turn."""
MAX_PIECES = 64
"""Of evidence that a line brings along. With a half-life of 40 turns, older uses of a habit weigh a third at most."""
_EVENTS = frozenset({"id", "url", "link", "uri"})
"""Words of arguments that take another value each time."""
_PAST: Mapping[str, str] = {"superseded": STATUS_WORDS["superseded"], "one_off": STATUS_WORDS["one_off"]}
"""Status to the words that mark a value as past. It is shown, and its evidence does not speak for the slot."""


class _Value(NamedTuple):
    """A candidate as text, but for its age."""

    before: str
    last: int
    """Position of the turn that last spoke for it."""
    day: str
    """Of that turn; empty where it is not known."""
    slot: Slot
    """Which it was used for."""

    def told(self, now: int, label: Slot) -> str:
        """Return it as it is shown before the turn at position `now`, in a line of `label`."""
        origin = "" if self.slot == label else f", as {self.slot}"
        return f"{self.before}{self.day or _ago(now - self.last)}{origin})"


class _Known(NamedTuple):
    """What is worth showing of a slot, whatever is asked and whenever."""

    candidates: tuple[Candidate, ...]
    values: tuple[_Value, ...]
    evidence: tuple[Evidence, ...]
    turn_ids: tuple[str, ...]
    says: tuple[object, ...]
    """The same for two slots of one argument name that the same evidence (which `candidates` hold) speaks for alike."""
    score: float
    borrowed: Slot | None = None
    """The slot that all of it was used for, where that is another one."""

    @classmethod
    def of(cls, candidates: Sequence[Candidate], score: float, slot: Slot) -> _Known:
        """Return what there is to show of `candidates` for `slot`, in their order."""
        evidence = _weighty(candidate for candidate in candidates if candidate.status not in _PAST)
        turn_ids = dict.fromkeys(piece.turn_id for piece in sorted(evidence, key=attrgetter("position")))
        says = tuple((id(one.evidence), one.status, one.is_standing, one.similarity < 1) for one in candidates)
        values = tuple(_value(candidate, slot) for candidate in candidates)
        borrowed = values[0].slot if all(one.similarity < 1 for one in candidates) else None
        return cls(tuple(candidates), values, evidence, tuple(turn_ids), says, score, borrowed)

    def item(self, name: str, slot: Slot, now: int, score: float) -> RecallItem:
        """Return the line for `slot`, which is shown by this name.

        No value stands under a slot that it was never used for: a borrowed one stands under its own.
        """
        label = slot if self.borrowed is None else self.borrowed
        shown = name if self.borrowed is None or self.borrowed.tool == PERSON else str(self.borrowed)
        text = f"{shown} = {'; '.join(value.told(now, label) for value in self.values)}"
        return RecallItem("state", self.turn_ids, text, count_tokens(text), score=score, evidence=self.evidence)


class _Line(NamedTuple):
    """A slot worth showing."""

    tool: Tool
    parameter: Parameter
    known: _Known
    score: float


def state_items(history: Snapshot, tools: Sequence[Tool], wanted: Collection[str], budget: int) -> list[RecallItem]:
    """Return lines for the slots of `tools` that something is known about, best first, at most `budget` tokens.

    Slots with values of their own come before those known only from other tools; then counts how settled the value
    is, how many terms the tool shares with those `wanted`, and whether the argument is required. Ties keep schema
    order.
    Slots of one name that the same evidence speaks for share a line: `bookSeat/bookTable.seat = …`. What is known
    from another tool alone stands under the slot that it was used for.
    What the person said of themselves in such terms comes last.
    """
    wanted = frozenset(wanted)
    lines = sorted(_lines(history, tools, wanted), key=lambda line: -line.score)
    made = [_item(alike, len(history.turns)) for alike in _alike(lines)]
    items: list[RecallItem] = []
    left = budget
    for item in [*made, *_statement_items(history, wanted)]:
        if item.tokens <= left:
            items.append(item)
            left -= item.tokens
    return items


def _lines(history: Snapshot, tools: Sequence[Tool], wanted: frozenset[str]) -> Iterator[_Line]:
    for tool in tools:
        terms = _terms(f"{tool.name} {tool.description}")
        relevance = len(wanted & terms) / (len(terms) or 1)
        for parameter in tool.parameters:
            state = history.state.lookup(tool, parameter)
            if state is not None and state.memo(_is_bound):
                state = state.in_context(wanted)
            known = state.memo(_known) if state is not None else None
            if known is not None:
                yield _Line(tool, parameter, known, known.score + relevance + 0.25 * parameter.is_required)


def _known(state: SlotState) -> _Known | None:
    """Return what is worth showing of a slot; `None` if nothing is."""
    shown = _shown(state)
    if _is_of_the_moment(shown):
        shown = ()
    others = (*state.unwanted[:MAX_CANDIDATES], *state.bound[:MAX_CANDIDATES])
    if not shown and not others:
        return None
    nearest = max(candidate.similarity for candidate in (*shown, *others))
    settledness = _settledness(shown) if shown else 0.0
    return _Known.of((*shown, *others, *_past(state)), 2 * nearest + settledness, state.slot)


def _is_bound(state: SlotState) -> bool:
    return bool(state.bound)


@text_cache(8192)
def _terms(text: str) -> frozenset[str]:
    return frozenset(tokenise(text))


def _past(state: SlotState) -> tuple[Candidate, ...]:
    """Return values of the very slot that a rule superseded, or that were meant for one time only.

    What holds all the same is not shown as meant once.
    """
    holding = {candidate.evidence[0].value_key for candidate in state.current}
    found = [
        candidate
        for candidate in state.candidates
        if candidate.status in _PAST
        and candidate.similarity == 1
        and candidate.evidence[0].value_key not in holding
        and _is_lasting(state.slot.argument, candidate)
    ]
    return tuple(found[:MAX_PAST])


def _shown(state: SlotState) -> tuple[Candidate, ...]:
    """Return the slot's own values; from other tools only rules, or all where there are no own ones.

    Each value stands once, with all its evidence, rules first. Days of the past are left out, but for birthdays, and
    so are ids and addresses that were used once: those are events.
    """
    by_value: dict[str, list[Candidate]] = {}
    for candidate in state.current:
        by_value.setdefault(candidate.evidence[0].value_key, []).append(candidate)
    values = list(by_value.values())
    own = [alike for alike in values if alike[0].similarity == 1 or any(one.is_standing for one in alike)]
    for some in (own, values):
        lasting = [alike for alike in some if _is_lasting(state.slot.argument, alike[0])]
        usable = sorted(lasting, key=lambda alike: not any(one.is_standing for one in alike))
        if shown := tuple(_merged(alike) for alike in islice(usable, MAX_CANDIDATES)):
            return shown
    return ()


def _merged(alike: Sequence[Candidate]) -> Candidate:
    """Return the first of some candidates of one value with the evidence of all."""
    if len(alike) == 1:
        return alike[0]
    pieces = (piece for candidate in alike for piece in candidate.evidence)
    return replace(alike[0], evidence=tuple(sorted(pieces, key=lambda piece: piece.position)))


def _is_of_the_moment(shown: Sequence[Candidate]) -> bool:
    """Whether a slot takes another value each time, such as amounts: those are events, which turns show."""
    return len(shown) > 1 and all(one.support == 1 and not one.is_standing and not one.condition for one in shown)


def _is_lasting(argument: str, candidate: Candidate) -> bool:
    value = candidate.value
    if is_calendar_date(value):
        return "birth" in argument.casefold()
    is_address = isinstance(value, str) and ("://" in value or not _EVENTS.isdisjoint(split_name(argument)))
    if is_address and candidate.support == 1 and not candidate.is_standing:
        return False
    return count_tokens(render_json(value)) <= MAX_VALUE_TOKENS


def _settledness(candidates: Sequence[Candidate]) -> float:
    """Return how far one value stands for the slot, in (0, 1]: its share of the evidence, one unknown piece added."""
    if candidates[0].is_standing:
        return 1.0
    counts = [candidate.support for candidate in candidates]
    return max(counts) / (sum(counts) + 1)


def _alike(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Return `lines` with those put together that say the same, at the place of the first.

    They are of one argument name, or show what is known of one slot of another tool: one home city is one line. What
    is borrowed of a slot on offer stands there.
    """
    groups: dict[tuple[object, ...], list[_Line]] = {}
    own = {Slot(line.tool.name, line.parameter.name) for line in lines if line.known.borrowed is None}
    for line in lines:
        if line.known.borrowed in own:
            continue
        name = line.parameter.name if line.known.borrowed is None else str(line.known.borrowed)
        groups.setdefault((name, line.known.says), []).append(line)
    return list(groups.values())


def _item(alike: Sequence[_Line], now: int) -> RecallItem:
    line = alike[0]
    name = f"{'/'.join(dict.fromkeys(other.tool.name for other in alike))}.{line.parameter.name}"
    return line.known.item(name, Slot(line.tool.name, line.parameter.name), now, line.score)


def _statement_items(history: Snapshot, wanted: frozenset[str]) -> list[RecallItem]:
    """Return what the person said of themselves, as far as it has a term that is `wanted`, the most words first."""
    found: list[RecallItem] = []
    for slot, state in history.state.slots.items():
        if slot.tool == PERSON and wanted and (held := state.memo(_held)) is not None:
            terms = state.memo(_said_terms)
            if shared := len(wanted & terms):
                found.append(_said(history, held, slot, wanted, shared / len(terms)))
    return sorted(found, key=lambda item: -item.score)[:MAX_STATEMENTS]


def _said(history: Snapshot, held: _Known, slot: Slot, wanted: frozenset[str], score: float) -> RecallItem:
    """Return the line for what the person said of themselves: in their own sentence, where that is short enough.

    What was read out of it may be torn, so that it says something else.
    """
    now = len(history.turns)
    line = held.item(str(slot), slot, now, score)
    texts: dict[str, None] = {}
    for candidate in held.candidates:
        said = candidate.evidence[-1]
        sentence = _sentence(history.turns[history.position[said.turn_id]], said)
        is_kept_back = is_sensitive_text(sentence) and not is_sensitive_text(" ".join(wanted))
        if not sentence or is_kept_back or candidate.status != "current":
            return line
        when = f"on {said.time:%Y-%m-%d}" if said.time is not None else _ago(now - said.position)
        texts[f"said {when}: {render_json(sentence)}"] = None
    text = "; ".join(texts)
    return replace(line, text=text, tokens=count_tokens(text))


def _sentence(turn: Turn, said: Evidence) -> str:
    """Return the sentence of a turn that has most of a value's words; "" where none has half of them, or it is long."""
    answers = (step.answer for step in turn.steps if isinstance(step, QuestionStep) and step.answer)
    value = frozenset(tokenise(str(said.value)))
    found = [sentence.text for text in (turn.request, *answers) for sentence in sentences(text)]
    best = max(found, key=lambda text: len(value & frozenset(tokenise(text))), default="")
    shared = len(value & frozenset(tokenise(best)))
    return best if 2 * shared >= len(value) > 0 and len(best) <= MAX_SENTENCE_CHARACTERS else ""


def _holding(state: SlotState) -> list[Candidate]:
    return [one for one in state.candidates if one.status in ("current", "conditional")][:MAX_CANDIDATES]


def _held(state: SlotState) -> _Known | None:
    holding = _holding(state)
    return _Known.of(holding, 0.0, state.slot) if holding else None


def _said_terms(state: SlotState) -> frozenset[str]:
    said = (f"{one.value} {one.condition}" for one in _holding(state))
    return frozenset(tokenise(" ".join([state.slot.argument, *said])))


def _weighty(speaking: Iterable[Candidate]) -> tuple[Evidence, ...]:
    """Return the `MAX_PIECES` newest pieces of evidence for all of `speaking`, and every one of a standing rule."""
    candidates = tuple(speaking)
    newest = sorted(piece.position for one in candidates for piece in one.evidence[-MAX_PIECES:])[-MAX_PIECES:]
    return tuple(
        piece
        for one in candidates
        for piece in (one.evidence if one.is_standing else one.evidence[-MAX_PIECES:])
        if piece.position >= newest[0] or piece.kind == "standing"
    )


def _value(candidate: Candidate, slot: Slot) -> _Value:
    """Return a value as it was used for `slot`, else for the slot that speaks last: uses of several do not add up."""
    negation = "not " if candidate.is_negated else ""
    shown_for = slot if any(piece.slot == slot for piece in candidate.evidence) else candidate.evidence[-1].slot
    own = [piece for piece in candidate.evidence if piece.slot == shown_for]
    last = own[-1]
    standing = "always" if candidate.is_standing else _often(len({piece.turn_id for piece in own}))
    if candidate.condition:
        standing = f"only {render_json(candidate.condition)}"
    shown = f"{negation}{render_json(candidate.value)} ({_PAST.get(candidate.status, standing)}, "
    day = "" if last.time is None else f"{'said' if candidate.is_standing else 'last'} on {last.time:%Y-%m-%d}"
    return _Value(shown, last.position, day, shown_for)


def _often(times: int) -> str:
    if times <= 2:
        return "once" if times == 1 else "twice"
    return f"usually, {times}x"


def _ago(turns: int) -> str:
    return "1 turn ago" if turns == 1 else f"{turns} turns ago"
