"""Puts the chunks of a streamed answer together, as endpoints really send them.

Some leave out the index of a call or send it as text, use one index for every call, send arguments as an object, or
repeat in each chunk all that came before. A second whole object is the same call once more where it has all that the
first has, else a further call; names are never put together from those of two calls. What does not come out as a whole
answer is refused, never guessed.
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
        calls = [call.as_json(self._usage) for call in _settled(self._calls, self._usage)]
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
                        self._call_of(part).add(part, self._usage)
            elif name == "content" and isinstance(value, list):
                self._texts.setdefault(name, []).extend(str(part.get("text") or "") for part in value)
            elif isinstance(value, str) and name != "role":
                self._texts.setdefault(name, []).append(value)
            elif value is not None and name != "role":
                self._others[name] = value

    def _call_of(self, part: Mapping[str, Any]) -> _Call:
        """Return the call that a part belongs to: by its index, else by its id, else the last or a new one."""
        call_id, name = str(part.get("id") or ""), str(_function(part).get("name") or "")
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
        if known is None or (call_id and known.id and known.id != call_id):
            known = self._begun(_Call(), index)
        elif known.is_whole and (_begins_object(part) or name not in ("", known.name)):
            # Whether this is a further call or the same once more shows when it is whole (`_settled`).
            known = self._begun(_Call(known if name in ("", known.name) else None, name or known.name), index)
        return known

    def _begun(self, call: _Call, index: object) -> _Call:
        self._calls.append(call)
        if isinstance(index, int):
            self._by_index[index] = call
        return call


class _Call:
    """A call as far as it has come.

    Args:
        repeats: The call that this may be once more, since nothing but a second object tells them apart.
        name: As far as it is known.
    """

    def __init__(self, repeats: _Call | None = None, name: str = "") -> None:
        self.id = ""
        self.name = name
        self.repeats = repeats
        self._arguments = ""
        self._others: dict[str, Any] = {}

    @property
    def is_whole(self) -> bool:
        return self.object is not None

    @property
    def object(self) -> dict[str, Any] | None:
        """Its arguments, `None` while they are no object."""
        return _object(self._arguments)

    def add(self, part: Mapping[str, Any], usage: Mapping[str, Any] | None) -> None:
        self.id = self.id or str(part.get("id") or "")
        function = _function(part)
        name = str(function.get("name") or "")
        if self.name and name not in ("", self.name):
            raise StreamError(f"one call is named {self.name!r} and {name!r}", usage)
        self.name = self.name or name
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):
            self._arguments = json.dumps(arguments, ensure_ascii=False)
        elif isinstance(arguments, str):
            self._arguments = _grown(self._arguments, arguments, only_after="{")
        known = ("id", "index", "type", "function")
        self._others.update({key: value for key, value in part.items() if key not in known and value is not None})

    def take_over(self, later: _Call, usage: Mapping[str, Any] | None) -> bool:
        """Return whether `later` is this call once more, with what it adds; an empty object adds nothing.

        Raises:
            StreamError: If both have one id of their own and other arguments.
        """
        before, after = self.object or {}, later.object or {}
        extends = all(name in after and after[name] == value for name, value in before.items())
        if after and not extends:
            if later.id and later.id == self.id:
                raise StreamError(f"the call {self.id!r} has two sets of arguments", usage)
            return False
        if after:
            self._arguments = later._arguments
        self._others.update(later._others)
        self.id = self.id or later.id
        return True

    def as_json(self, usage: Mapping[str, Any] | None) -> dict[str, Any]:
        arguments = self._arguments.strip() or "{}"
        if not self.name or _object(arguments) is None:
            raise StreamError(f"the call {self.name!r} has the arguments {arguments[:200]!r}", usage)
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": "function", "function": function, **self._others}


def _settled(calls: Iterable[_Call], usage: Mapping[str, Any] | None) -> list[_Call]:
    """Return the calls without those that are an earlier one once more."""
    made: list[_Call] = []
    became: dict[int, _Call] = {}
    for call in calls:
        earlier = became.get(id(call.repeats), call.repeats) if call.repeats is not None else None
        if earlier is not None and call.is_whole and earlier.take_over(call, usage):
            became[id(call)] = earlier
        else:
            made.append(call)
    return made


def _begins_object(part: Mapping[str, Any]) -> bool:
    arguments = _function(part).get("arguments")
    return isinstance(arguments, Mapping) or (isinstance(arguments, str) and arguments.lstrip().startswith("{"))


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
