"""Turns without what they say of health, belief and the like: how they are shown for another task (DESIGN §5)."""

from __future__ import annotations

import re

from pydantic import JsonValue

from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.state.sensitive import is_sensitive_text

MASK = "…"
_SENTENCE_END = re.compile(r"((?:[.!?](?=\s|$)|[。！？\n])\s*|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff]))")


def redacted(turn: Turn) -> Turn:
    """Return `turn` with every sentence, argument and result that tells of something sensitive as `…`.

    A turn that tells of nothing sensitive is returned as it is.
    """
    if not is_sensitive_text(turn.model_dump_json()):
        return turn
    return turn.model_copy(
        update={
            "request": _masked(turn.request),
            "steps": tuple(_redacted_step(step) for step in turn.steps),
            "reply": _masked(turn.reply) if turn.reply is not None else None,
        }
    )


def _redacted_step(step: Step) -> Step:
    if isinstance(step, QuestionStep):
        answer = _masked(step.answer) if step.answer is not None else None
        return step.model_copy(update={"question": _masked(step.question), "answer": answer})
    return CallStep(
        calls=tuple(_redacted_call(call) for call in step.calls),
        observations=tuple(
            Observation(content=_masked_value(one.content), error=_masked(one.error) if one.error is not None else None)
            for one in step.observations
        ),
    )


def _redacted_call(call: ToolCall) -> ToolCall:
    return call.model_copy(update={"arguments": {name: _masked_value(value) for name, value in call.arguments.items()}})


def _masked_value(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _masked(value)
    if isinstance(value, list):
        return [_masked_value(item) for item in value]
    if isinstance(value, dict):
        return {name: _masked_value(item) for name, item in value.items()}
    return value


def _masked(text: str) -> str:
    """Return `text` with its sensitive sentences as `…`; separators stay."""
    parts = _SENTENCE_END.split(text)
    return "".join(MASK if index % 2 == 0 and is_sensitive_text(part) else part for index, part in enumerate(parts))
