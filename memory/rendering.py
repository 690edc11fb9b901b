"""A turn as text for a planner, and as the text it is found by."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from memory.records import Observation, QuestionStep, Step, ToolCall, Turn

ELLIPSIS = "…"
_encoded = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes an encoder for every value


def render_turn(turn: Turn) -> str:
    """Return `turn` as lines: what was asked for, the steps in order, the reply."""
    lines = [f"{render_opening(turn)}{turn.request}"]
    for step in turn.steps:
        lines.extend(_step_lines(step))
    if turn.reply is not None:
        lines.append(f"reply: {turn.reply}")
    return "\n".join(lines)


def render_opening(turn: Turn) -> str:
    """Return what stands before the request, with the time where it is known."""
    return f"user ({turn.time:%Y-%m-%d %H:%M}): " if turn.time else "user: "


def index_text(turn: Turn) -> str:
    """Return what a turn is found by: all that was said and called, without what tools returned."""
    lines = [turn.request]
    for step in turn.steps:
        if isinstance(step, QuestionStep):
            lines.extend(text for text in (step.question, step.answer) if text)
        else:
            lines.extend(render_call(call) for call in step.calls)
    return "\n".join([*lines, *([turn.reply] if turn.reply else [])])


def render_call(call: ToolCall) -> str:
    """Return a call as `name(argument=value, …)`, values as JSON with real characters."""
    return f"{call.name}({', '.join(f'{name}={_encoded(value)}' for name, value in call.arguments.items())})"


def render_json(value: JsonValue) -> str:
    """Return `value` as JSON with real characters."""
    return _encoded(value)


def render_outcome(observation: Observation) -> str:
    """Return what came of a call, as it stands after the call; "" if nothing did."""
    if observation.error is not None:
        return f" -> error: {observation.error}"
    if observation.content is None:
        return ""
    content = observation.content
    return f" -> {content if isinstance(content, str) else _encoded(content)}"


def _step_lines(step: Step) -> Iterator[str]:
    if isinstance(step, QuestionStep):
        if step.question:
            yield f"asked: {step.question}"
        if step.answer is not None:
            yield f"answered: {step.answer}"
        return
    for call, observation in zip(step.calls, step.observations, strict=True):
        yield f"call {render_call(call)}{render_outcome(observation)}"
