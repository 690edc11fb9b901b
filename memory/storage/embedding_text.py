"""What of a turn is embedded."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from memory.records import CallStep, QuestionStep, ToolCall, Turn

_MAX_PART_CHARS = 2000
"""Of the request or an answer: an encoder that pools over words says little about longer texts, and takes longer."""
_MAX_VALUE_CHARS = 80
"""Of an argument's value."""


def embedding_text(turn: Turn) -> str:
    """Return the request, what the person answered, and the calls in short, a line each; never replies or results.

    A change of what this returns makes every index embed its turns anew at their next use.
    """
    return "\n".join(_lines(turn))


def _lines(turn: Turn) -> Iterator[str]:
    yield turn.request[:_MAX_PART_CHARS]
    for step in turn.steps:
        match step:
            case QuestionStep(answer=str(answer)):
                yield answer[:_MAX_PART_CHARS]
            case CallStep(calls=calls):
                yield from map(_call_line, calls)


def _call_line(call: ToolCall) -> str:
    arguments = (f"{_words(name)} {_value(value)}" for name, value in call.arguments.items())
    return f"{_words(call.name)}: {', '.join(arguments)}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:_MAX_VALUE_CHARS]
