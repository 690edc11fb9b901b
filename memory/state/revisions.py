"""What a turn that puts the one before it right makes of the evidence of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pydantic import JsonValue

from memory.evidence import Evidence, Slot
from memory.language.values.values import canonical_key
from memory.records import ToolCall, Turn
from memory.state.amendments import is_of_one_time
from memory.state.cues import clauses
from memory.state.wording import is_calendar_date, is_mentioned


def put_right(
    before: Turn, after: Turn, earlier: tuple[Evidence, ...], later: tuple[Evidence, ...]
) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """Return the evidence of two turns once the later one has corrected arguments of the earlier one.

    The values that were corrected speak no more. The later ones have source `correction` and, of a rule, hold as that
    rule ("make that eight", of one "from now on").
    """
    is_lasting = not is_of_one_time(after.request)
    for change in _changes(before, after):
        wrong = next((piece for piece in earlier if _says(piece, change.earlier, change.earlier_value)), None)
        earlier = tuple(piece for piece in earlier if not _says(piece, change.earlier, change.earlier_value))
        rule = wrong if wrong is not None and is_lasting and wrong.kind in ("standing", "conditional") else None
        later = tuple(
            _corrected(piece, rule) if _says(piece, change.later, change.later_value) else piece for piece in later
        )
    return earlier, later


def with_rule(before: Turn, after: Turn, later: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Return the evidence of `after` where it gives a rule that names no value: "the later one from now on".

    It means what its calls changed of those of the turn before.
    """
    if not before.calls or not any(piece.kind == "plain" for piece in later) or not _rules_unnamed(after):
        return later
    changed = {(change.later, canonical_key(change.later_value)) for change in _changes(before, after)}
    return tuple(
        replace(piece, kind="standing")
        if piece.kind == "plain" and (piece.slot, piece.value_key) in changed and not is_calendar_date(piece.value)
        else piece
        for piece in later
    )


def _corrected(piece: Evidence, rule: Evidence | None) -> Evidence:
    piece = replace(piece, source="correction")
    if rule is None or piece.kind != "plain":
        return piece
    return replace(piece, kind=rule.kind, condition=rule.condition, until=rule.until)


def _rules_unnamed(turn: Turn) -> bool:
    """Whether the request gives a rule in words that name no value of a call."""
    ruled = [clause for clause in clauses(turn.request) if "standing" in clause.cues]
    values = [value for call in turn.calls for value in call.arguments.values()]
    return bool(ruled) and not any(is_mentioned(value, clause.text) for clause in ruled for value in values)


class _Change(NamedTuple):
    """An argument that a correcting turn gave another value."""

    earlier: Slot
    earlier_value: JsonValue
    later: Slot
    later_value: JsonValue


def _changes(before: Turn, after: Turn) -> Iterator[_Change]:
    """Yield the arguments in which a call of `after` differs from the call of `before` that it resembles most.

    A call of another tool (create, then update) resembles only where some argument is the same in both.
    """
    for later in after.calls:
        earlier = max(before.calls, key=lambda call: (call.name == later.name, _shared(call, later)))
        if earlier.name != later.name and not _shared(earlier, later):
            continue
        for name in earlier.arguments.keys() & later.arguments.keys():
            old, new = earlier.arguments[name], later.arguments[name]
            if canonical_key(old) != canonical_key(new):
                yield _Change(Slot(earlier.name, name), old, Slot(later.name, name), new)


def _shared(one: ToolCall, other: ToolCall) -> int:
    return sum(
        canonical_key(value) == canonical_key(other.arguments[name])
        for name, value in one.arguments.items()
        if name in other.arguments
    )


def _says(piece: Evidence, slot: Slot, value: JsonValue) -> bool:
    return piece.slot == slot and piece.value_key == canonical_key(value)
