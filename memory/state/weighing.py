"""What the forms find in a turn, weighed against what the reader makes of the same words.

The forms know what they were made with; the reader has learned from many people and says how sure it is. Where it is
sure that words are another's, imagined, over, denied or set aside, what the forms found there is that, and no belief;
where it is sure of a rule, a habit or a fact in which they found nothing, that is kept. Neither is believed where they
contradict each other and the reader is in two minds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pydantic import JsonValue

from memory.evidence import PERSON, Evidence, Kind, Slot, Source
from memory.language.learned.signs import bears
from memory.language.read import read
from memory.language.reading import Claim, Clause
from memory.language.schema import tool_effect
from memory.records import QuestionStep, Turn
from memory.state.quotations import Quotation, quotations
from memory.state.sensitive import is_sensitive_text
from memory.state.things import is_short, is_thing, topic_of, trimmed
from memory.state.wording import is_named_in

SURE = 0.8
"""From here on the reader's word goes before the forms'."""
BELIEVED = 0.65
"""From here on what the reader finds alone is evidence of the person."""
SURE_OF_WHOM = 0.93
"""The same of whose it is."""
SPAN = 0.5
"""From here on a span is taken for the value."""
_TELLING = frozenset({"tell", "rule", "memory", "correct"})
_NOTE = "note"
"""The topic of what is to be remembered as it was said, where nothing else was found in it."""


@dataclass(frozen=True)
class Said:
    """A text of the person in a turn, as it was read."""

    source: Source
    text: str
    clauses: tuple[Clause, ...]


def texts_of(turn: Turn) -> tuple[tuple[str, str], ...]:
    """Return the texts of the person in `turn`, request first, then the answers, each with what it answers."""
    answers = (step for step in turn.steps if isinstance(step, QuestionStep) and step.answer)
    return ((turn.request, ""), *((step.answer or "", step.question) for step in answers))


def said_in(turn: Turn) -> tuple[Said, ...]:
    """Return what the person said in `turn`, as it was read."""
    return tuple(
        Said("answer" if number else "request", text, read(text, before=before).clauses)
        for number, (text, before) in enumerate(texts_of(turn))
    )


def weighed(pieces: Sequence[Evidence], turn: Turn, position: int) -> tuple[Evidence, ...]:
    """Return the evidence of `turn` as forms and reader together see it.

    Args:
        pieces: What the forms found, statements and arguments of calls.
        turn: The turn.
        position: Of it in the log.
    """
    said = said_in(turn)
    kept = [one for piece in pieces if (one := _checked(piece, said)) is not None]
    told = [piece for piece in kept if piece.slot.tool == PERSON]
    values = [value for call in turn.calls for value in call.arguments.values()]
    return (*kept, *_further(said, told, values, turn, position))


def _checked(piece: Evidence, said: Sequence[Said]) -> Evidence | None:
    """Return a piece as the reader lets it stand, `None` where it is none."""
    if piece.kind not in ("plain", "standing", "conditional", "negated"):
        return piece
    naming = [clause for text in said for clause in text.clauses if is_named_in(piece.value, clause.text)]
    if not naming:
        return piece
    kinds = [_kind_in(clause, piece) for clause in naming]
    if piece.kind in kinds:
        return piece
    kind = kinds[-1]
    if kind is None:
        return None
    is_bound = kind in ("plain", "standing") and bool(piece.condition)
    return replace(piece, kind="conditional" if is_bound else kind)


_INSTEAD: Mapping[Claim, Kind | None] = MappingProxyType(
    {"others": "other_person", "unreal": "hypothetical", "over": None, "none": None}
)


def _kind_in(clause: Clause, piece: Evidence) -> Kind | None:
    """Return what a piece is by one clause that names its value; `None`: nothing."""
    if piece.slot.tool != PERSON and tool_effect(piece.slot.tool) == "message":
        return piece.kind  # whom a message is for is no owner of its words
    is_fact = piece.slot.tool == PERSON and piece.kind == "standing"  # a pet is told of as another, and is one's own
    if not is_fact and _is_theirs(piece.value, clause):
        return "other_person"
    if piece.slot.tool != PERSON:
        return "one_off" if clause.time == "once" and clause.p_time >= SURE and piece.kind != "negated" else piece.kind
    if _is_set_aside(piece.value, clause):
        return "negated" if piece.kind == "negated" else None
    if clause.claim in _INSTEAD and clause.p_claim >= SURE and not (is_fact and clause.claim == "others"):
        return _INSTEAD[clause.claim]
    if piece.kind == "negated":
        return None if clause.polarity == "maybe" else "negated"
    return "negated" if clause.claim == "denied" and min(clause.p_claim, clause.p_polarity) >= SURE else piece.kind


def _is_theirs(value: JsonValue, clause: Clause) -> bool:
    """Whether a clause tells of another, or orders for one, and `value` is not that other."""
    if clause.whom != "other" or clause.p_whom < SURE_OF_WHOM or clause.act == "rule":
        return False
    return not any(is_named_in(value, span.text) for span in clause.of("who"))


def _is_set_aside(value: JsonValue, clause: Clause) -> bool:
    """Whether the clause gives the value up for another."""
    aside = any(is_named_in(value, span.text) for span in clause.of("set_aside") if span.p >= SPAN)
    return aside and not any(is_named_in(value, span.text) for span in clause.of("value"))


def _further(
    said: Sequence[Said], told: Sequence[Evidence], taken_up: Sequence[JsonValue], turn: Turn, position: int
) -> Iterator[Evidence]:
    """Yield what the reader alone finds of the person, in clauses whose values neither forms nor calls have."""
    for text in said:
        if is_sensitive_text(text.text):
            continue  # what stands beside a private matter may well be of it
        for clause in text.clauses:
            kind = _lasting_kind(clause, is_alone=not taken_up)
            if kind is None:
                continue
            found = list(_things(clause, quotations(text.text)))
            if clause.act == "memory" and clause.whom == "other":
                found = []  # what others are or like is kept as it was said, and fills nothing of one's own
            if not found and clause.act == "memory" and not any(is_named_in(one.value, clause.text) for one in told):
                found = [(_NOTE, clause.text)]
            condition = " ".join(span.text for span in clause.of("condition") if span.p >= SPAN)
            for topic, value in found:
                if any(is_named_in(one.value, value) or is_named_in(value, str(one.value)) for one in told):
                    continue
                if any(is_named_in(one, value) for one in taken_up):
                    continue
                yield Evidence(
                    slot=Slot(PERSON, topic),
                    value=value,
                    source=text.source,
                    kind="conditional" if condition and kind in ("plain", "standing") else kind,
                    turn_id=turn.turn_id,
                    position=position,
                    time=turn.time,
                    condition=condition,
                )


def _things(clause: Clause, quoted: Sequence[Quotation]) -> Iterator[tuple[str, str]]:
    """Yield topic and value of what a clause is about, less what stands in quotations."""
    subjects = [span for span in clause.of("subject") if span.p >= SPAN]
    for span in clause.of("value"):
        value = trimmed(span.text)
        if any(one.start <= span.start < one.end for one in quoted):
            continue
        if span.p >= SPAN and is_thing(value) and is_short(value):
            yield topic_of(subjects[0].text if subjects else value), value


def _lasting_kind(clause: Clause, *, is_alone: bool) -> Kind | None:
    """Return what kind of evidence of the person a clause is, `None` where it is none, or not surely.

    Args:
        clause: What was said.
        is_alone: Whether the turn made no call, so that what is put right is a thing told.
    """
    if is_alone and clause.act == "correct" and clause.p_act >= BELIEVED and clause.of("set_aside"):
        return "plain"
    if clause.act == "memory" and clause.p_act >= BELIEVED and clause.polarity == "yes" and clause.of("value"):
        return None if bears(clause.text, "question") else "plain"
    if clause.act == "tell" and clause.whom == "me" and clause.polarity == "yes" and bears(clause.text, "returned"):
        return "standing"  # what came back holds again, though it is told as something that was done
    least = BELIEVED if is_alone else SURE
    if clause.p_claim < least or clause.claim not in ("holds", "denied") or clause.act not in _TELLING:
        return None
    if clause.claim == "denied":
        return "negated" if clause.p_polarity >= BELIEVED else None
    return "standing" if clause.act == "rule" or clause.time == "from" else "plain"
