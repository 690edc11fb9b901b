"""The user state as data and as lines: every value with its probability, its interval and what speaks for it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import JsonValue

from agent.printable import counted, printable
from agent.stewardship.belief_words import graded
from clarifier.posterior import Moment, Posterior, by_value, posterior
from memory.evidence import PERSON, Evidence
from memory.records import Turn
from memory.state.concepts import concept
from memory.state.cues import clauses
from memory.state.orders import is_rule_unsaid
from memory.state.status_words import STATUS_WORDS
from memory.state.user_state import Candidate, SlotState, UserState
from memory.state.wording import is_calendar_date, is_mentioned


def state_data(state: UserState, turns: Sequence[Turn], *, now: datetime | None = None) -> list[dict[str, JsonValue]]:
    """Return the slots of a state as JSON data, those with the newest evidence first.

    Args:
        state: The state.
        turns: Those it was folded from, to name the turns of intervals.
        now: When ages are counted from; `None` counts them in turns.
    """
    moment = Moment(len(turns), now)
    return [_slot_data(slot, turns, moment) for slot in _newest_first(state)]


def state_lines(
    state: UserState, turns: Sequence[Turn], *, now: datetime | None = None, shows_all: bool = False
) -> list[str]:
    """Return the slots of a state as text, a line a slot and an indented line a value; as in `state_data`.

    Ids and days of calls say what was done rather than what the person is like: they are counted in a last line, and
    shown with `shows_all`.
    """
    moment = Moment(len(turns), now)
    lines: list[str] = []
    left_out = 0
    for slot in _newest_first(state):
        shown = [one for one in slot.candidates if shows_all or not _is_of_one_call(one)]
        left_out += len(slot.candidates) - len(shown)
        lines += map(printable, _slot_lines(slot, shown, turns, moment) if shown else ())
    if left_out:
        lines.append(f"(and {counted(left_out, 'value')} that are ids and days of calls; --all shows them)")
    return lines


def turn_data(turn: Turn) -> dict[str, JsonValue]:
    """Return a turn as JSON data."""
    data: dict[str, JsonValue] = turn.model_dump(mode="json")
    return data


def _newest_first(state: UserState) -> list[SlotState]:
    held = [slot for slot in state.slots.values() if slot.candidates]
    return sorted(held, key=lambda slot: -max(one.last for one in slot.candidates))


def _posterior(slot: SlotState, moment: Moment) -> Posterior:
    return posterior(by_value(piece for one in slot.current for piece in one.evidence), moment)


def _slot_data(slot: SlotState, turns: Sequence[Turn], moment: Moment) -> dict[str, JsonValue]:
    found = _posterior(slot, moment)
    values: list[JsonValue] = [
        {
            "value": one.value,
            "status": one.status,
            "is_negated": one.is_negated,
            "is_rule": one.is_standing,
            "condition": one.condition or None,
            "probability": _probability(one, found),
            "since": {"turn": one.evidence[0].turn_id, "time": _iso(one.since_time)},
            "until": {"turn": _turn_at(one.until, turns), "time": _iso(one.until_time)},
            "evidence": [_evidence_data(piece) for piece in one.evidence],
        }
        for one in slot.candidates
    ]
    return {"slot": str(slot.slot), "tool": slot.slot.tool, "argument": slot.slot.argument, "values": values}


def _evidence_data(piece: Evidence) -> dict[str, JsonValue]:
    return {
        "turn": piece.turn_id,
        "time": _iso(piece.time),
        "source": piece.source,
        "kind": piece.kind,
        "echo_of": piece.echo_of,
    }


def _is_of_one_call(one: Candidate) -> bool:
    """Whether it is an id or a day that a call took, and no rule."""
    slot, value = one.evidence[-1].slot, one.value
    if slot.tool == PERSON or one.is_standing or one.condition or one.is_negated:
        return False
    is_id = concept(slot.argument)[-1:] == ("id",) and any(char.isdigit() for char in str(value))
    return is_id or (isinstance(value, str) and is_calendar_date(value[:10]))


def _slot_lines(slot: SlotState, shown: Sequence[Candidate], turns: Sequence[Turn], moment: Moment) -> Iterator[str]:
    found = _posterior(slot, moment)
    yield str(slot.slot)
    for one in shown:
        yield f"  {_value_line(one, slot, _probability(one, found), turns)}"


def _value_line(one: Candidate, slot: SlotState, probability: float | None, turns: Sequence[Turn]) -> str:
    value = ("not " if one.is_negated else "") + json.dumps(one.value, ensure_ascii=False)
    rule = "a rule" if _is_told_as_rule(one.evidence[-1], turns) else "a fact"
    how = STATUS_WORDS[one.status]
    if one.status == "current" and not one.is_negated:
        how = graded(one, slot)
        if one.is_standing:
            how = f"a rule, {how}" if rule == "a rule" else f"a fact, {how.removeprefix('always, ')}"
    if one.condition:
        how = f"only {json.dumps(one.condition, ensure_ascii=False)}"
    facts = [how, f"since {_when(one.evidence[0])}"]
    ended = _turn_at(one.until, turns)
    if one.until_time is not None and one.status != "superseded":
        facts.append(f"until {one.until_time:%Y-%m-%d %H:%M}")
    elif ended is not None and one.status == "superseded":
        facts.append(f"until {ended}")
    return f"{value}  ({', '.join(facts)}; said or used in {', '.join(one.turn_ids)})"


def _is_told_as_rule(piece: Evidence, turns: Sequence[Turn]) -> bool:
    """Whether what lasts is so because the person wants it, rather than because they said what is so of themselves."""
    if piece.slot.tool != PERSON or piece.source == "correction" or piece.position >= len(turns):
        return True
    told: set[int] = set()
    ruled: set[int] = set()
    for clause in clauses(turns[piece.position].request):
        if is_mentioned(piece.value, clause.text):
            told.add(clause.sentence)
        if "standing" in clause.cues or is_rule_unsaid(clause.raw):
            ruled.add(clause.sentence)
    return not told or not told.isdisjoint(ruled)


def _probability(one: Candidate, found: Posterior) -> float | None:
    """Return the probability of a value that holds; `None` for what does not, or is not wanted."""
    return found.probability(one.value) if one.status == "current" and not one.is_negated else None


def _when(piece: Evidence) -> str:
    return f"{piece.turn_id}, {piece.time:%Y-%m-%d}" if piece.time is not None else piece.turn_id


def _turn_at(position: int | None, turns: Sequence[Turn]) -> str | None:
    return turns[position].turn_id if position is not None and position < len(turns) else None


def _iso(time: datetime | None) -> str | None:
    return time.isoformat() if time is not None else None
