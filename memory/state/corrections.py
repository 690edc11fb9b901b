"""Turns by which a person puts the user state right. The log stays append-only: a correction is one more turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from pydantic import JsonValue

from memory.evidence import Evidence, Slot
from memory.records import CallStep, Observation, ToolCall, Turn

CORRECTION_TOOL = "stead.correct"
"""The call of such a turn; no function may have a dot in its name, so that no planner can make it."""


def correction(
    slot: Slot, value: JsonValue, *, turn_id: str, time: datetime | None = None, is_negated: bool = False
) -> Turn:
    """Return the turn that says: the value of `slot` is `value`, or with `is_negated` that it is not."""
    arguments: dict[str, JsonValue] = {"tool": slot.tool, "argument": slot.argument, "value": value}
    if is_negated:
        arguments["negated"] = True
    return Turn(
        turn_id=turn_id,
        request=f"{slot} is {'not ' if is_negated else ''}{json.dumps(value, ensure_ascii=False)}.",
        steps=(
            CallStep(
                calls=(ToolCall(id="correction", name=CORRECTION_TOOL, arguments=arguments),),
                observations=(Observation(content="noted"),),
            ),
        ),
        time=time,
    )


def is_state_correction(turn: Turn) -> bool:
    """Whether `turn` corrects the state and does nothing else."""
    calls = turn.calls
    return bool(calls) and all(call.name == CORRECTION_TOOL for call in calls)


def corrected_values(turn: Turn, position: int) -> Iterator[Evidence]:
    """Yield what a correction turn says: a standing rule for its slot, or that a value is not meant."""
    for call in turn.calls:
        tool, argument = call.arguments.get("tool"), call.arguments.get("argument")
        if isinstance(tool, str) and isinstance(argument, str) and "value" in call.arguments:
            yield Evidence(
                slot=Slot(tool, argument),
                value=call.arguments["value"],
                source="correction",
                kind="negated" if call.arguments.get("negated") is True else "standing",
                turn_id=turn.turn_id,
                position=position,
                time=turn.time,
            )
