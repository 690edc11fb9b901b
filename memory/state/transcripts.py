"""Chat logs as turns: one conversation in the messages of the OpenAI format, and the lines of exports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, JsonValue, ValidationError

from memory.errors import RecordError
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.state.extraction import is_reading
from memory.typed.json_text import json_value


class _Function(BaseModel, frozen=True, extra="ignore"):
    name: str = Field(min_length=1)
    arguments: str | dict[str, JsonValue] = "{}"


class _MessageCall(BaseModel, frozen=True, extra="ignore"):
    id: str = Field(min_length=1)
    function: _Function


class _Message(BaseModel, frozen=True, extra="ignore"):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[dict[str, JsonValue]] | None = None
    tool_calls: tuple[_MessageCall, ...] | None = None
    tool_call_id: str | None = None
    time: datetime | None = None

    @property
    def text(self) -> str:
        """The text of the content, of a list of parts that of its text parts."""
        if isinstance(self.content, list):
            return "".join(part["text"] for part in self.content if isinstance(part.get("text"), str))  # type: ignore[misc]  # the filter says so
        return self.content or ""


class Conversation(BaseModel, frozen=True, extra="forbid"):
    """A line of a chat log."""

    user: str = Field(min_length=1)
    conversation: str = Field(min_length=1)
    messages: tuple[_Message, ...] = Field(min_length=1)


class ExportedTurn(BaseModel, frozen=True, extra="forbid"):
    """A line of an export: one turn as it is in the log."""

    user: str = Field(min_length=1)
    turn: Turn


def read_line(line: str) -> Conversation | ExportedTurn:
    """Return what a line of a chat log or an export says.

    Raises:
        RecordError: If it is no JSON object of either form; the message says what is wrong.
    """
    try:
        line.encode("utf-8")
        raw = json_value(line)
    except UnicodeEncodeError as exc:
        raise RecordError("no UTF-8, or half a surrogate pair") from exc
    except ValueError as exc:
        raise RecordError(f"no JSON ({exc})") from exc
    if not isinstance(raw, dict):
        raise RecordError(f"a JSON object was expected, got {type(raw).__name__}")
    form: type[Conversation | ExportedTurn] = ExportedTurn if "turn" in raw else Conversation
    try:
        return form.model_validate_json(line)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "line"
        raise RecordError(f"{where}: {first['msg']}") from exc


def export_line(user: str, turn: Turn) -> str:
    """Return the line of an export for one turn; `read_line` gives it back."""
    return json.dumps({"user": user, "turn": turn.model_dump(mode="json")}, ensure_ascii=False)


def turns_of(conversation: Conversation) -> tuple[Turn, ...]:
    """Return the turns of a conversation, oldest first, with ids that the same conversation always gives.

    A message of the user begins a turn, unless it answers a question: text of the assistant that ends in a question
    mark before any call that changes something. Calls made by one message are one step. System messages are left out.

    Raises:
        RecordError: If the messages do not fit together: a result without its call, calls before any request,
            arguments that are no JSON object.
    """
    return tuple(
        _turn(messages, _turn_id(conversation, number), conversation.conversation)
        for number, messages in enumerate(_split(conversation.messages), start=1)
    )


def _turn_id(conversation: Conversation, number: int) -> str:
    name = conversation.conversation
    if len(name) > 80:
        name = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name}#{number}"


def _split(messages: Sequence[_Message]) -> Iterator[list[_Message]]:
    """Yield the messages of each turn."""
    turn: list[_Message] = []
    for number, message in enumerate(messages, start=1):
        if message.role in ("system", "developer"):
            continue
        if not turn and message.role != "user":
            raise RecordError(f"message {number}: the first one of a conversation is the user's, got {message.role!r}")
        if message.role == "user" and turn and not _is_question(turn):
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _is_question(messages: Sequence[_Message]) -> bool:
    last = messages[-1]
    has_acted = any(not is_reading(call.function.name) for message in messages for call in message.tool_calls or ())
    return (
        last.role == "assistant" and not last.tool_calls and last.text.rstrip().endswith(("?", "？")) and not has_acted
    )


def _turn(messages: Sequence[_Message], turn_id: str, topic: str) -> Turn:
    results = {message.tool_call_id: message for message in messages if message.role == "tool"}
    steps: list[Step] = []
    reply: str | None = None
    pending = set(results)
    for number, message in enumerate(messages):
        if message.role == "assistant" and message.tool_calls:
            steps.append(_call_step(message.tool_calls, results))
            pending -= {call.id for call in message.tool_calls}
        elif message.role == "assistant":
            answer = messages[number + 1].text if number + 1 < len(messages) else None
            if answer is None:
                reply = message.text
            elif messages[number + 1].role == "user":
                steps.append(QuestionStep(question=message.text, answer=answer))
    if pending:
        raise RecordError(f"a tool result names the call {sorted(map(str, pending))[0]!r}, which nothing made")
    return Turn(
        turn_id=turn_id, request=messages[0].text, steps=tuple(steps), reply=reply, time=messages[0].time, topic=topic
    )


def _call_step(calls: Sequence[_MessageCall], results: dict[str | None, _Message]) -> CallStep:
    return CallStep(
        calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=_arguments(call.function)) for call in calls
        ),
        observations=tuple(_observation(results.get(call.id)) for call in calls),
    )


def _arguments(function: _Function) -> dict[str, JsonValue]:
    if isinstance(function.arguments, dict):
        return function.arguments
    try:
        parsed = json_value(function.arguments or "{}")
    except ValueError as exc:
        raise RecordError(f"the arguments of {function.name!r} are no JSON ({exc})") from exc
    if not isinstance(parsed, dict):
        raise RecordError(f"the arguments of {function.name!r} are no JSON object: {function.arguments!r}")
    return parsed


def _observation(result: _Message | None) -> Observation:
    if result is None:
        return Observation(error="no result was recorded")
    try:
        return Observation(content=json_value(result.text))
    except ValueError:
        return Observation(content=result.text)
