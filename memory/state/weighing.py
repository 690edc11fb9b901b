"""What the forms find in a turn, weighed against what the reader makes of the same words.

The forms know what they were made with; the reader has seen many people and is sure of little. Where it is sure that
words are another's, imagined, past, of one time or denied, what the forms found there is that, and no belief; where it is
sure of a rule, a habit or a fact in which they found nothing, that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pydantic import JsonValue

from memory.evidence import PERSON, Evidence, Kind, Slot, Source
from memory.language.read import read
from memory.language.reading import Claim, Clause
from memory.records import QuestionStep, Turn
from memory.state.sensitive import is_sensitive_text
from memory.state.things import is_short, is_thing, topic_of, trimmed
from memory.state.wording import is_mentioned

SURE = 0.8
"""From here on the reader's word goes before the forms'."""
BELIEVED = 0.6
"""From here on, in every field, what the reader finds alone is evidence of a person."""


@dataclass(frozen=True)
class _Said:
    """A text of the person in a turn, as it was read."""

    text: str
    source: Source
    clauses: tuple[Clause, ...]


def weighed(pieces: Sequence[Evidence], turn: Turn, position: int) -> tuple[Evidence, ...]:
    """Return the evidence of `turn` as forms and reader together see it.

    Args:
        pieces: What the forms found, statements and arguments of calls.
        turn: The turn.
        position: Of it in the log.
    """
    said = list(_said(turn))
    kept = [one for piece in pieces if (one := _checked(piece, said)) is not None]
    told = [piece for piece in pieces if piece.slot.tool == PERSON]
    values = [value for call in turn.calls for value in call.arguments.values()]
    return (*kept, *_further(said, told, values, turn, position))


def _said(turn: Turn) -> Iterator[_Said]:
    yield _Said(turn.request, "request", read(turn.request).clauses)
    for step in turn.steps:
        if isinstance(step, QuestionStep) and step.answer:
            yield _Said(step.answer, "answer", read(step.answer, before=step.question).clauses)


def _checked(piece: Evidence, said: Sequence[_Said]) -> Evidence | None:
    """Return a piece as the reader lets it stand, `None` where it is none."""
    if not piece.may_fill and piece.kind != "conditional":
        return piece
    clauses = [clause for text in said for clause in text.clauses if is_mentioned(piece.value, clause.text)]
    if not clauses:
        return piece
    doubts = [_doubt(clause, piece) for clause in clauses]
    if None in doubts:
        return piece
    kind = doubts[-1]
    return None if kind is None or kind == "plain" else replace(piece, kind=kind, condition="", until=None)


def _doubt(clause: Clause, piece: Evidence) -> Kind | None:
    """Return what the words of `clause` are instead of what the forms took them for; `plain`: nothing at all."""
    if clause.whom == "other" and clause.p_whom >= SURE:
        return "other_person"
    if piece.slot.tool != PERSON:
        return "one_off" if clause.time == "once" and clause.p_time >= SURE else None
    if clause.p_claim < SURE:
        return None
    return _DOUBTS.get(clause.claim)


_DOUBTS: Mapping[Claim, Kind] = MappingProxyType(
    {"others": "other_person", "unreal": "hypothetical", "over": "plain", "none": "plain"}
)


def _further(
    said: Sequence[_Said], told: Sequence[Evidence], taken_up: Sequence[JsonValue], turn: Turn, position: int
) -> Iterator[Evidence]:
    """Yield what the reader alone finds of the person: of clauses in which the forms found nothing."""
    for text in said:
        for clause in text.clauses:
            if any(is_mentioned(piece.value, clause.text) for piece in told) or is_sensitive_text(clause.text):
                continue
            if any(is_mentioned(value, clause.text) for value in taken_up):
                continue
            kind = _lasting_kind(clause)
            if kind is None:
                continue
            condition = " ".join(span.text for span in clause.of("condition"))
            subjects = clause.of("subject")
            for span in clause.of("value"):
                value = trimmed(span.text)
                if span.p < BELIEVED or not is_thing(value) or not is_short(value):
                    continue
                topic = topic_of(subjects[0].text if subjects else value)
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


def _lasting_kind(clause: Clause) -> Kind | None:
    """Return what kind of evidence of the person a clause is, `None` where it is none, or not surely."""
    if clause.p_claim < BELIEVED or clause.claim not in ("holds", "denied"):
        return None
    if clause.claim == "denied":
        return "negated"
    return "standing" if clause.act == "rule" or clause.time == "from" else "plain"
