"""Reads evidence out of turns: what each says about the values of slots. No model, no clock, no state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from memory.evidence import FILLING_KINDS, Evidence, Slot, Source
from memory.language.schema import tool_effect
from memory.language.values.mentions import READ_CHARACTERS
from memory.language.values.values import canonical_key
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.state.beneficiaries import is_for_named
from memory.state.bounds import rule_bound
from memory.state.conditions import condition_of
from memory.state.corrections import corrected_values, is_state_correction
from memory.state.cues import is_correction, is_undo
from memory.state.departures import replaced_by
from memory.state.echoes import PersonsWords
from memory.state.marking import Marking
from memory.state.revisions import put_right, with_rule
from memory.state.statements import assents, statements
from memory.state.weighing import weighed
from memory.state.wording import Wording, is_said

FAILURE_FIELDS = ("error", "success", "status")
"""The fields of a result by which tools say that they failed."""


Extractor = Callable[[Sequence[Turn]], Iterable[Evidence]]
"""Reads further evidence out of turns (`memory.state.model_extraction`); positions are those in the sequence."""


class Reading(NamedTuple):
    """What a turn says, read on its own."""

    evidence: tuple[Evidence, ...]
    revision: Literal["undo", "correction"] | None
    """What its request does to the turn before."""


def read(turn: Turn, position: int) -> Reading:
    """Return the evidence of `turn` alone and what it does to the turn before; `position` as in `extract`."""
    if is_state_correction(turn):
        return Reading(extract(turn, position), None)
    request = turn.request[:READ_CHARACTERS]
    revision: Literal["undo", "correction"] | None = None
    if is_undo(request):
        revision = "undo"
    elif is_correction(request):
        revision = "correction"
    return Reading(extract(turn, position), revision)


def extract(turn: Turn, position: int) -> tuple[Evidence, ...]:
    """Return what `turn` alone says, in call and argument order, each piece once.

    Every argument of a call speaks for its slot, unless the call failed; the fields of an object also speak for
    themselves, under a dotted path. A value that the person gave as an answer has source `answer`, any other
    `accepted_call`. What the person says of themselves follows (`memory.state.statements`). Contents of observations
    never become evidence: quoting is not instructing. A turn that corrects the state says that and nothing else.
    Of a request the first `READ_CHARACTERS` are read.

    Args:
        turn: The turn, whole or cut down.
        position: Of the turn in the user's log, from 0.
    """
    if is_state_correction(turn):
        return tuple(corrected_values(turn, position))
    if len(turn.request) > READ_CHARACTERS:
        turn = turn.model_copy(update={"request": turn.request[:READ_CHARACTERS]})
    kept = list(_kept_calls(turn))
    chosen = list(_choices(turn, position, kept)) if kept else []
    taken_up = {piece.value_key for piece in chosen}
    values = [value for call, _ in kept for value in call.arguments.values()]
    told = statements(turn, position, lambda clause: any(is_said(value, clause) for value in values))
    said = (piece for piece in told if piece.value_key not in taken_up)
    return tuple(dict.fromkeys(weighed([*chosen, *said], turn, position)))


def _choices(
    turn: Turn, position: int, kept: Sequence[tuple[ToolCall, tuple[QuestionStep, ...]]]
) -> Iterator[Evidence]:
    """Yield what the arguments of the calls that were kept speak for."""
    wording = Wording.of(turn)
    words = PersonsWords(turn)
    is_theirs = is_for_named(turn)
    for call, answers in kept:
        for path, value in argument_paths(call.arguments):
            kind = wording.kind(call, path.partition(".")[0], value)
            if is_theirs and kind in FILLING_KINDS:
                kind = "other_person"
            until = None
            if kind == "standing" and (bound := rule_bound(wording.about(value), turn.time)) is not None:
                kind, until = ("standing", bound.end) if bound.end is not None else ("one_off", None)
            condition = condition_of(wording.about(value), call.name) if kind == "standing" else ""
            yield Evidence(
                slot=Slot(call.name, path),
                value=value,
                source=_source(call, path, value, turn, answers),
                kind="conditional" if condition else kind,
                turn_id=turn.turn_id,
                position=position,
                time=turn.time,
                until=until,
                is_added=kind == "standing" and wording.is_added(value),
                condition=condition,
                is_said=words.say(path, value),
            )


def extract_all(turns: Sequence[Turn], extractor: Extractor | None = None) -> tuple[Evidence, ...]:
    """Return the evidence of a log: what its turns say, less what the turn after each took back or put right.

    Args:
        turns: The log.
        extractor: Adds evidence, and can take none away.
    """
    readings = [read(turn, position) for position, turn in enumerate(turns)]
    evidence = settle(turns, readings)
    if extractor is not None:
        evidence = with_further(evidence, extractor(turns))
    return tuple(piece for pieces in evidence for piece in pieces)


def settle(turns: Sequence[Turn], readings: Sequence[Reading]) -> list[tuple[Evidence, ...]]:
    """Return the evidence per turn once each turn's successor is known.

    The calls that the next turn undoes speak no more: those that did something (a search cannot be undone) and, where
    its request names values of some of them, only these. Where the next turn corrects an argument, the earlier value
    speaks no more and the later one has source `correction`. A yes to what the reply before asked ("do you like …?")
    adopts it. Values used again unsaid are marked as echoes, a rule is changed by words that do not say it again
    ("make that eight"), and refusals reach what was said under other topics.

    Args:
        turns: The log, oldest first.
        readings: What `read` gave for each turn.
    """
    marking = Marking()
    return [marking.mark(turn, pieces) for turn, pieces in zip(turns, revised(turns, readings), strict=True)]


def revised(turns: Sequence[Turn], readings: Sequence[Reading], start: int = 0) -> list[tuple[Evidence, ...]]:
    """Return the evidence per turn as `settle` does, echoes not yet marked; `start` is the place of the first turn."""
    settled = [reading.evidence for reading in readings]
    for position, reading in enumerate(readings):
        if position > 0 and turns[position - 1].reply:
            settled[position] += tuple(assents(turns[position - 1], turns[position], start + position))
        if position > 0:
            settled[position] = with_rule(turns[position - 1], turns[position], settled[position])
        if position == 0 or not turns[position - 1].calls:
            continue
        if reading.revision is None:
            settled[position - 1] = replaced_by(turns[position - 1], turns[position], settled[position - 1])
            continue
        if reading.revision == "undo":
            settled[position - 1] = _left_standing(turns[position - 1], turns[position], settled[position - 1])
        else:
            settled[position - 1 : position + 1] = put_right(
                turns[position - 1], turns[position], *settled[position - 1 : position + 1]
            )
    return settled


def _left_standing(before: Turn, after: Turn, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Return what is left of `evidence` of `before` once `after` has undone it."""
    doing = [call for call in before.calls if tool_effect(call.name) != "read"]
    named = [call for call in doing if any(is_said(value, after.request) for value in call.arguments.values())]
    undone = named or doing
    kept = {
        (call.name, path, canonical_key(value))
        for call in before.calls
        if call not in undone
        for path, value in argument_paths(call.arguments)
    }
    return tuple(piece for piece in evidence if (*piece.slot, piece.value_key) in kept)


def with_further(evidence: Sequence[tuple[Evidence, ...]], further: Iterable[Evidence]) -> list[tuple[Evidence, ...]]:
    """Return the evidence per turn with that of a further reader, less what the turn already says (by value)."""
    joined = [list(pieces) for pieces in evidence]
    for piece in further:
        if all(piece.value_key != one.value_key for one in evidence[piece.position]):
            joined[piece.position].append(piece)
    return [tuple(pieces) for pieces in joined]


def _kept_calls(turn: Turn) -> Iterator[tuple[ToolCall, tuple[QuestionStep, ...]]]:
    """Yield each call that did not fail, with the answered questions before it."""
    answered: tuple[QuestionStep, ...] = ()
    for step in turn.steps:
        if isinstance(step, QuestionStep):
            answered = (*answered, step) if step.answer else answered
            continue
        for call, observation in _pairs(step):
            if not is_failure(observation):
                yield call, answered


def _pairs(step: CallStep) -> Iterator[tuple[ToolCall, Observation]]:
    return zip(step.calls, step.observations, strict=True)


def is_failure(observation: Observation) -> bool:
    """Whether a tool says that it did not do what it was called for."""
    if observation.error is not None:
        return True
    content = observation.content
    if not isinstance(content, dict):
        return False
    status = content.get("status")
    return (
        bool(content.get("error"))
        or content.get("success") is False
        or (isinstance(status, str) and status.casefold() in {"error", "failed", "failure"})
    )


def argument_paths(arguments: dict[str, JsonValue], prefix: str = "") -> Iterator[tuple[str, JsonValue]]:
    for name, value in arguments.items():
        yield prefix + name, value
        if isinstance(value, dict):
            yield from argument_paths(value, f"{prefix}{name}.")


def _source(call: ToolCall, path: str, value: JsonValue, turn: Turn, answers: Sequence[QuestionStep]) -> Source:
    argument = path.partition(".")[0]
    for step in answers:
        is_asked_for = f"{call.name}.{argument}" in step.slots
        if not is_asked_for and (step.slots or is_said(value, turn.request)):
            continue  # where the slots are unknown, only what the request did not already say counts as answered
        if is_said(value, step.answer or ""):
            return "answer"
    return "accepted_call"
