"""Puts the chunks of a streamed answer together, as endpoints really send them.

Some leave out the index of a call or send it as text, use one index for every call, send arguments as an object, or
repeat in each chunk all that came before. What does not come out as a whole answer is refused, never guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

Answer = dict[str, Any]
"""A chat completion as JSON."""


class StreamError(ValueError):
    """A stream that does not come out as an answer; the message says why, `usage` what it reported to cost."""

    def __init__(self, reason: str, usage: Mapping[str, Any] | None = None) -> None:
        self.usage = usage
        super().__init__(reason)


def assemble(chunks: Iterable[Any]) -> Answer:
    """Return the chat completion that `chunks` make up.

    Args:
        chunks: As they come, each a JSON value.

    Raises:
        StreamError: If they end before the answer does, or a call of theirs has no name or no arguments of an object.
    """
    stream = _Stream()
    for chunk in chunks:
        stream.add(chunk)
    return stream.answer()


class _Stream:
    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._others: dict[str, Any] = {}
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._finish: str | None = None
        self._usage: Mapping[str, Any] | None = None

    def add(self, chunk: Any) -> None:
        chunk = _parsed(chunk)
        if not isinstance(chunk, Mapping):
            raise StreamError(f"a chunk is {str(chunk)[:80]!r}", self._usage)
        if error := chunk.get("error"):
            raise StreamError(f"it says {str(error)[:200]}", self._usage)
        if isinstance(chunk.get("usage"), Mapping):
            self._usage = chunk["usage"]
        choices = chunk.get("choices")
        if not choices or not isinstance(choices, list) or not isinstance(choices[0], Mapping):
            return
        choice = choices[0]
        if isinstance(choice.get("usage"), Mapping):  # Moonshot puts it here
            self._usage = choice["usage"]
        self._finish = choice.get("finish_reason") or self._finish
        delta = _parsed(choice.get("delta"))
        if not delta and not self._texts and not self._calls:
            delta = _parsed(choice.get("message"))
        if isinstance(delta, Mapping):
            self._add_delta(delta)

    def answer(self) -> Answer:
        if self._finish is None:
            raise StreamError("it ended before the answer did", self._usage)
        calls = [call.as_json(self._usage) for call in self._calls]
        texts = {name: "".join(parts) for name, parts in self._texts.items()}
        message = {"role": "assistant", "content": None, **self._others, **texts}
        if calls:
            message["tool_calls"] = calls
        return {"choices": [{"message": message, "finish_reason": self._finish}], "usage": self._usage}

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        for name, value in delta.items():
            if name == "tool_calls":
                value = _parsed(value)
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, Mapping):
                        self._call_of(part).add(part)
            elif name == "content" and isinstance(value, list):
                self._texts.setdefault(name, []).extend(str(part.get("text") or "") for part in value)
            elif isinstance(value, str) and name != "role":
                self._texts.setdefault(name, []).append(value)
            elif value is not None and name != "role":
                self._others[name] = value

    def _call_of(self, part: Mapping[str, Any]) -> _Call:
        """Return the call that a part belongs to: by its index, else by its id, else the last or a new one."""
        call_id, name = part.get("id") or "", _function(part).get("name")
        index = part.get("index")
        if isinstance(index, str) and index.isdigit():
            index = int(index)
        known: _Call | None
        if isinstance(index, int):
            known = self._by_index.get(index)
        elif call_id:
            known = next((call for call in self._calls if call.id == call_id), None)
        else:
            known = self._calls[-1] if self._calls else None
        is_other = known is not None and bool(call_id) and bool(known.id) and known.id != call_id
        begins = not call_id and bool(name) and known is not None and known.is_whole and name != known.name
        if known is None or is_other or begins:
            known = _Call()
            self._calls.append(known)
            if isinstance(index, int):
                self._by_index[index] = known
        return known


class _Call:
    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self._arguments = ""
        self._others: dict[str, Any] = {}

    @property
    def is_whole(self) -> bool:
        return _object(self._arguments) is not None

    def add(self, part: Mapping[str, Any]) -> None:
        self.id = self.id or str(part.get("id") or "")
        function = _function(part)
        self.name = _grown(self.name, str(function.get("name") or ""))
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):
            self._arguments = json.dumps(arguments, ensure_ascii=False)
        elif isinstance(arguments, str):
            is_repeated = self.is_whole and _object(arguments) is not None
            self._arguments = arguments if is_repeated else _grown(self._arguments, arguments, only_after="{")
        known = ("id", "index", "type", "function")
        self._others.update({key: value for key, value in part.items() if key not in known and value is not None})

    def as_json(self, usage: Mapping[str, Any] | None) -> dict[str, Any]:
        arguments = self._arguments.strip() or "{}"
        if not self.name or _object(arguments) is None:
            raise StreamError(f"the call {self.name!r} has the arguments {arguments[:200]!r}", usage)
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": "function", "function": function, **self._others}


def _grown(said: str, part: str, *, only_after: str = "") -> str:
    """Return what was said with the next part: behind it, or in its place where the part repeats it."""
    repeats = bool(said) and part.startswith(said) and said.startswith(only_after)
    return part if repeats else said + part


def _function(part: Mapping[str, Any]) -> Mapping[str, Any]:
    function = _parsed(part.get("function"))
    return function if isinstance(function, Mapping) else {}


def _parsed(value: Any) -> Any:
    """Return the JSON value that a text is where one is expected; all else, and what is nested too deep, as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
