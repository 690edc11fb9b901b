"""Chat logs as turns: one conversation in the messages of the OpenAI format, and the lines of exports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, JsonValue, ValidationError

from memory.errors import NoJsonError, RecordError
from memory.language.schema import tool_effect
from memory.language.values.json_text import json_value
from memory.records import UNRECORDED, CallStep, Observation, QuestionStep, Step, ToolCall, Turn


class _Function(BaseModel, frozen=True, extra="ignore"):
    name: str = Field(min_length=1)
    arguments: str | dict[str, JsonValue] = "{}"


class _MessageCall(BaseModel, frozen=True, extra="ignore"):
    id: str = Field(min_length=1)
    function: _Function


_WITHOUT_MEANING = frozenset({"name", "refusal", "annotations", "audio"})
"""Keys of OpenAI's messages that say nothing to remember."""


class _Message(BaseModel, frozen=True, extra="allow"):
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

    @property
    def unread_keys(self) -> set[str]:
        """The keys that hold something which is not read."""
        return {key for key, value in (self.model_extra or {}).items() if value} - _WITHOUT_MEANING


class Conversation(BaseModel, frozen=True, extra="forbid"):
    """A line of a chat log."""

    user: str = Field(min_length=1)
    conversation: str = Field(min_length=1)
    messages: tuple[_Message, ...] = Field(min_length=1)

    @property
    def unread_keys(self) -> set[str]:
        """The keys of messages that hold something which is not read, say a time that is not called `time`."""
        return {key for message in self.messages for key in message.unread_keys}


class ExportedTurn(BaseModel, frozen=True, extra="forbid"):
    """A line of an export: one turn as it is in the log."""

    user: str = Field(min_length=1)
    turn: Turn


def read_line(line: str) -> Conversation | ExportedTurn:
    """Return what a line of a chat log or an export says.

    Raises:
        RecordError: If it is no JSON object of either form, or names a key twice; the message says what is wrong.
    """
    try:
        line.encode("utf-8")
        raw = json_value(line)
        json.loads(line, object_pairs_hook=_unrepeated)
    except UnicodeEncodeError as exc:
        raise NoJsonError("no UTF-8, or half a surrogate pair; save it as UTF-8, not compressed") from exc
    except RecordError:
        raise
    except ValueError as exc:
        raise NoJsonError(f"no JSON on a line of its own ({exc})") from exc
    if not isinstance(raw, dict):
        raise RecordError(f"a JSON object was expected, got {type(raw).__name__}")
    form: type[Conversation | ExportedTurn] = ExportedTurn if "turn" in raw else Conversation
    try:
        return form.model_validate_json(line)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "line"
        raise RecordError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from exc


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of a key that is there twice, readers take either."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RecordError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice in one object")
    return found


def export_line(user: str, turn: Turn) -> str:
    """Return the line of an export for one turn; `read_line` gives it back."""
    return json.dumps({"user": user, "turn": turn.model_dump(mode="json")}, ensure_ascii=False)


def turns_of(conversation: Conversation) -> tuple[Turn, ...]:
    """Return the turns of a conversation, oldest first, with ids that the same conversation always gives.

    A message of the user begins a turn, unless it answers a question: text of the assistant that ends in a question
    mark before any call that changes something. Calls made by one message are one step; a result belongs to the last
    call of its id before it. System messages are left out.

    Raises:
        RecordError: If the messages do not fit together: a result without its call, or a second one, calls before any
            request, arguments that are no JSON object.
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
    has_acted = any(
        tool_effect(call.function.name) != "read" for message in messages for call in message.tool_calls or ()
    )
    return (
        last.role == "assistant" and not last.tool_calls and last.text.rstrip().endswith(("?", "？")) and not has_acted
    )


def _turn(messages: Sequence[_Message], turn_id: str, topic: str) -> Turn:
    results = _results(messages)
    steps: list[Step] = []
    reply: str | None = None
    for number, message in enumerate(messages):
        following = messages[number + 1] if number + 1 < len(messages) else None
        if message.role == "assistant" and message.tool_calls:
            steps.append(_call_step(message.tool_calls, results[number]))
        elif message.role == "assistant" and following is None:
            reply = message.text
        elif message.role == "assistant" and following is not None and (message.text or following.role == "user"):
            answer = following.text if following.role == "user" else None
            steps.append(QuestionStep(question=message.text, answer=answer))
    return Turn(
        turn_id=turn_id, request=messages[0].text, steps=tuple(steps), reply=reply, time=messages[0].time, topic=topic
    )


def _results(messages: Sequence[_Message]) -> dict[int, list[_Message | None]]:
    """Return for each message that calls, by its place, the result of each of its calls."""
    results: dict[int, list[_Message | None]] = {}
    waiting: dict[str | None, list[tuple[int, int]]] = {}
    for number, message in enumerate(messages):
        calls = message.tool_calls or ()
        if calls:
            results[number] = [None] * len(calls)
        for call in calls:  # models that count calls anew in each step use an id again
            waiting[call.id] = []
        for place, call in enumerate(calls):
            waiting[call.id].append((number, place))
        if message.role == "tool":
            if not waiting.get(message.tool_call_id):
                made = "nothing made" if message.tool_call_id not in waiting else "has a result already"
                raise RecordError(f"a tool result names the call {message.tool_call_id!r}, which {made}")
            step, place = waiting[message.tool_call_id].pop(0)
            results[step][place] = message
    return results


def _call_step(calls: Sequence[_MessageCall], results: Sequence[_Message | None]) -> CallStep:
    return CallStep(
        calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=_arguments(call.function)) for call in calls
        ),
        observations=tuple(map(_observation, results)),
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
        return UNRECORDED
    try:
        return Observation(content=json_value(result.text))
    except ValueError:
        return Observation(content=result.text)
