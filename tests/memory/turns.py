"""Short ways to write turns down."""

from __future__ import annotations

from pydantic import JsonValue

from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn


def call(name: str, /, returns: JsonValue = None, error: str | None = None, **arguments: JsonValue) -> CallStep:
    """Return a step with one call and what came of it."""
    made = ToolCall(id=name, name=name, arguments=arguments)
    return CallStep(calls=(made,), observations=(Observation(content=returns, error=error),))


def asked(question: str, answer: str | None, *slots: str) -> QuestionStep:
    """Return a question and its answer."""
    return QuestionStep(question=question, answer=answer, slots=slots)


def turn(turn_id: str, request: str, *steps: Step, reply: str | None = None, topic: str | None = None) -> Turn:
    """Return a turn."""
    return Turn(turn_id=turn_id, request=request, steps=steps, reply=reply, topic=topic)
