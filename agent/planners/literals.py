"""Reads values and calls that a model has written into its text, from their grammar and without evaluating anything.

The grammar is what JSON and Python literals have in common with what models make of them: either kind of quotes, either
spelling of true, false and null, full-width punctuation, names where a key is meant. Arithmetic, names, attributes,
comprehensions, f-strings and calls within calls are not in it, so a text that holds them is no call. Reading goes over
the text once, and each step forward is bounded, so time is linear in the text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

MAX_DEPTH = 40
"""Brackets within brackets that a value may have."""
MAX_DIGITS = 300
"""Of a number; what is longer is no argument, and slow to read."""
NAME = r"[^\W\d][\w.\-]*"
"""A tool's or an argument's name, as pattern."""

_SPACE = re.compile(r"\s*")
_NAME = re.compile(NAME)
_KEY = re.compile(rf"(?:{NAME}|\"[\w.\-]+\"|'[\w.\-]+')(?=\s*(?:=(?!=)|[＝:：]))")
_NUMBER = re.compile(r"[-+－＋]?(?:\d[\d_]*(?:[.．]\d*)?|[.．]\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[\w.]+")
_CHUNKS = {mark: re.compile(rf"[^\\{mark}]+") for mark in "\"'”’＂＇"}
_CLOSING_QUOTE = {'"': '"', "'": "'", "“": "”", "‘": "’", "＂": "＂", "＇": "＇", "”": "”", "’": "’"}
_APOSTROPHES = "'’"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_HEX = {"x": 2, "u": 4, "U": 8}
_PLAIN = str.maketrans("［］【】（）｛｝，、；：＝", "[][](){},,;:=")
_CONSTANTS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "none": None}


class UnreadableError(ValueError):
    """A text that is no value or call of the grammar."""


class WrittenCall(NamedTuple):
    """A call as it is written in a text."""

    name: str
    arguments: dict[str, JsonValue]
    positional: tuple[JsonValue, ...] = ()
    """Values without a name, which come first."""


class Reader:
    """Reads from a place in a text onwards; `position` is where it stands.

    Args:
        text: The text.
        position: Where to begin.
        may_end_open: Whether brackets may be left open at the end of the text.
    """

    def __init__(self, text: str, position: int = 0, *, may_end_open: bool = False) -> None:
        self.text = text
        self.position = position
        self._may_end_open = may_end_open

    def look(self) -> str:
        """Return the next character that is no space, full-width punctuation as plain; empty at the end."""
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1].translate(_PLAIN)

    def take(self, marks: str) -> bool:
        """Return whether one of `marks` comes next, and step over it."""
        mark = self.look()
        if not mark or mark not in marks:
            return False
        self.position += 1
        return True

    def value(self, depth: int = 0) -> JsonValue:
        """Return the value that comes next.

        Raises:
            UnreadableError: If there is none.
        """
        mark = self.look()
        if depth > MAX_DEPTH:
            raise UnreadableError("brackets too deep")
        if mark and mark in "[(":
            return self._elements("]" if mark == "[" else ")", depth)
        if mark == "{":
            return self._fields(depth)
        if mark in _CLOSING_QUOTE:
            return self._string(_CLOSING_QUOTE[mark])
        if number := _NUMBER.match(self.text, self.position):
            return self._number(number)
        word = _WORD.match(self.text, self.position)
        if word and word.group().casefold() in _CONSTANTS:
            self.position = word.end()
            return _CONSTANTS[word.group().casefold()]
        raise UnreadableError(f"no value at {self.position}")

    def call(self) -> WrittenCall:
        """Return the call that comes next, `name(…)`.

        Raises:
            UnreadableError: If there is none.
        """
        self.look()
        name = _NAME.match(self.text, self.position)
        if name is None:
            raise UnreadableError(f"no name at {self.position}")
        self.position = name.end()
        if not self.take("("):
            raise UnreadableError(f"no bracket at {self.position}")
        arguments: dict[str, JsonValue] = {}
        positional: list[JsonValue] = []
        while not self._closes(")", "]"):
            key = _KEY.match(self.text, self.position)
            if key is None:
                if arguments:
                    raise UnreadableError("a value without a name after one with a name")
                positional.append(self.value(1))
            else:
                self.position = key.end()
                self.take("=:")
                argument = key.group().strip("\"'")
                if argument in arguments:
                    raise UnreadableError(f"{argument} comes twice")
                arguments[argument] = self.value(1)
            self._separate(")", "]")
        return WrittenCall(name.group(), arguments, tuple(positional))

    def _elements(self, closing: str, depth: int) -> list[JsonValue]:
        self.position += 1
        made: list[JsonValue] = []
        while not self._closes(closing):
            made.append(self.value(depth + 1))
            self._separate(closing)
        return made

    def _fields(self, depth: int) -> dict[str, JsonValue]:
        self.position += 1
        made: dict[str, JsonValue] = {}
        while not self._closes("}"):
            mark = self.look()
            if mark in _CLOSING_QUOTE:
                key = self._string(_CLOSING_QUOTE[mark])
            elif name := _NAME.match(self.text, self.position):
                key, self.position = name.group(), name.end()
            else:
                raise UnreadableError(f"no key at {self.position}")
            if not self.take(":="):
                raise UnreadableError(f"no colon at {self.position}")
            made[key] = self.value(depth + 1)
            self._separate("}")
        return made

    def _closes(self, closing: str, outer: str = "") -> bool:
        """Return whether the bracket closes here; with `outer` before it, its own bracket was forgotten."""
        if self.take(closing):
            return True
        mark = self.look()
        if not mark and self._may_end_open:
            return True
        return bool(mark) and mark in outer

    def _separate(self, closing: str, outer: str = "") -> None:
        if self.take(","):
            return
        mark = self.look()
        if not (mark == closing or (mark and mark in outer) or (not mark and self._may_end_open)):
            raise UnreadableError(f"neither a comma nor an end at {self.position}")

    def _number(self, match: re.Match[str]) -> int | float:
        written = unicodedata.normalize("NFKC", match.group())
        following = self.text[match.end() : match.end() + 1]
        if len(written) > MAX_DIGITS or following.isalnum() or following == "_":
            raise UnreadableError(f"no number at {match.start()}")
        self.position = match.end()
        try:
            number = int(written)
        except ValueError:
            return _float(written)
        return number

    def _string(self, closing: str) -> str:
        start = self.position
        if self.text.startswith(closing * 3, start):
            return self._long_string(closing * 3)
        self.position += 1
        parts: list[str] = []
        while self.position < len(self.text):
            mark = self.text[self.position]
            if mark == "\\":
                parts.append(self._escape())
            elif mark != closing:
                chunk = _CHUNKS[closing].match(self.text, self.position)
                parts.append(chunk.group() if chunk else "")
                self.position = chunk.end() if chunk else len(self.text)
            elif mark in _APOSTROPHES and self._is_apostrophe(start):
                parts.append(mark)
                self.position += 1
            else:
                self.position += 1
                return "".join(parts)
        raise UnreadableError(f"the text that begins at {start} does not end")

    def _long_string(self, closing: str) -> str:
        end = self.text.find(closing, self.position + 3)
        if end < 0:
            raise UnreadableError(f"the text that begins at {self.position} does not end")
        said, self.position = self.text[self.position + 3 : end], end + 3
        return said

    def _is_apostrophe(self, start: int) -> bool:
        """Return whether the mark stands within a word, as in Ben's, and so does not end the text."""
        around = self.text[self.position - 1 : self.position] + self.text[self.position + 1 : self.position + 2]
        return self.position - 1 > start and len(around) == 2 and around.isalpha()

    def _escape(self) -> str:
        mark = self.text[self.position + 1 : self.position + 2]
        if not mark:
            raise UnreadableError("a backslash at the end")
        self.position += 2
        if mark in _HEX:
            digits = self.text[self.position : self.position + _HEX[mark]]
            if len(digits) == _HEX[mark] and re.fullmatch("[0-9a-fA-F]+", digits) and int(digits, 16) < 0x110000:
                self.position += len(digits)
                return chr(int(digits, 16))
        if mark in _ESCAPES:
            return _ESCAPES[mark]
        return mark if mark in "\"'\\/" else "\\" + mark


def _float(written: str) -> float:
    try:
        number = float(written)
    except ValueError as exc:
        raise UnreadableError(f"no number: {written}") from exc
    if not math.isfinite(number):
        raise UnreadableError(f"too large: {written}")
    return number
