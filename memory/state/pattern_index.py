"""Many patterns held against short texts: only those are searched whose literal parts stand in the text.

A search fails fast where a pattern begins with a literal, and these seldom do. So what any match must hold is derived
from each pattern, as code search engines do (Cox 2012, "Regular Expression Matching with a Trigram Index").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from re import _parser  # type: ignore[attr-defined]  # private; what it does not know of counts as "anything"
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
Strings = frozenset[str]

_MOST = 64
"""Strings that a part of a pattern is spelt out as."""
_EMPTY: Strings = frozenset(("",))
_UNCASED = str.maketrans("İıſ\u212a", "iisk")
"""The letters that a pattern without case takes for ASCII ones."""


class Form:
    """A pattern that is compiled when it is first held against a text: many are known, few are needed in a session.

    Args:
        pattern: As of `re.compile`.
        flags: The same.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern to search with."""
        return re.compile(self.pattern, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in `text`."""
        return self.compiled.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in `text`."""
        return self.compiled.finditer(text)

    def sub(self, replacement: str, text: str) -> str:
        """Return `text` with every match replaced."""
        return self.compiled.sub(replacement, text)


class PatternIndex(Generic[T]):
    """Patterns by the literals of which each needs one in its text.

    Args:
        entries: Each pattern with what it stands for, in the order in which they are to be tried.
    """

    def __init__(self, entries: Sequence[tuple[re.Pattern[str] | Form, T]]) -> None:
        self._entries = entries
        self._always = 0
        """The entries without any such literal, as bits by place."""
        places: dict[str, int] = {}
        for place, (pattern, _) in enumerate(entries):
            literals = needed(pattern)
            self._always |= 0 if literals else 1 << place
            for literal in literals:
                places[literal] = places.get(literal, 0) | 1 << place
        self._places = list(places.items())
        """Each literal with the entries that need one like it, as bits."""
        common = Counter(pair for literal in places for pair in _pairs(literal))
        self._by_pair: dict[int, list[tuple[str, int]]] = {}
        """The same by the rarest pair of letters in the literal, or its only letter."""
        for literal, bits in self._places:
            rarest = min(_pairs(literal), key=lambda pair: (common[pair], pair), default=ord(literal[0]))
            self._by_pair.setdefault(rarest, []).append((literal, bits))

    def __bool__(self) -> bool:
        """Whether any entry can match: there may be none left in a narrowed index."""
        return bool(self._places or self._always)

    def narrowed(self, texts: Iterable[str]) -> PatternIndex[T]:
        """Return the index of those entries that can match in one of `texts`, which is quicker for these."""
        narrow: PatternIndex[T] = object.__new__(PatternIndex)
        narrow._entries, narrow._always = self._entries, self._always
        text = _folded("\n".join(texts))
        pairs = _pairs(text) if text.isascii() else _pairs(text).union(map(ord, text))
        narrow._places = [
            place for pair in self._by_pair.keys() & pairs for place in self._by_pair[pair] if place[0] in text
        ]
        narrow._by_pair = self._by_pair
        return narrow

    def possible(self, text: str) -> Iterator[tuple[re.Pattern[str] | Form, T]]:
        """Yield the entries that can match in `text`, in order."""
        text, bits = _folded(text), self._always
        for literal, some in self._places:
            if literal in text:
                bits |= some
        while bits:
            lowest = bits & -bits
            yield self._entries[lowest.bit_length() - 1]
            bits ^= lowest

    def matches(self, text: str) -> Iterator[tuple[re.Match[str], T]]:
        """Yield the first match of each entry in `text`, in order of the entries."""
        for pattern, meaning in self.possible(text):
            if match := pattern.search(text):
                yield match, meaning


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_UNCASED).lower()


def _pairs(text: str) -> set[int]:
    """Return the neighbours in `text`, each pair of code units as one number."""
    units = text.encode("utf-16-le", "surrogatepass")
    even, odd = len(units) // 4 * 4, (len(units) - 2) // 4 * 4
    return {*memoryview(units[:even]).cast("I"), *memoryview(units[2 : 2 + odd]).cast("I")}


class _Part(NamedTuple):
    """What a part of a pattern can match."""

    exact: Strings | None
    """All texts that it matches, in lower case; `None`: they are too many."""
    needs: tuple[Strings, ...] = ()
    """Each: literals of which any match, with what stands around it, holds one."""

    @property
    def rarest(self) -> Strings:
        """Of the needs, the one that says most."""
        return max((*self.needs, self.exact or frozenset()), key=_worth)


def needed(pattern: re.Pattern[str] | Form) -> Strings:
    """Return literals of which any match of `pattern` holds one, in lower case; empty where nothing can be said."""
    rarest = _sequence(_parser.parse(pattern.pattern, pattern.flags)).rarest
    return _shortest(rarest) if _worth(rarest) else frozenset()


def _shortest(strings: Strings) -> Strings:
    """Return those that hold no other one: where none of these stands, none of the others does."""
    return frozenset(one for one in strings if not any(other in one for other in strings - {one}))


def _sequence(items: Iterable[tuple[Any, Any]]) -> _Part:
    needs: list[Strings] = []
    run, is_exact = _EMPTY, True
    for code, value in items:
        part = _part(str(code), value)
        needs.extend(part.needs)
        if part.exact is not None and len(run) * len(part.exact) <= _MOST:
            run = frozenset(before + after for before in run for after in part.exact)
        else:
            needs.append(run)
            run, is_exact = part.exact or _EMPTY, False
    return _Part(run, tuple(needs)) if is_exact else _Part(None, (*needs, run))


def _part(code: str, value: Any) -> _Part:
    match code:
        case "LITERAL":
            char = chr(value).lower()
            return _Part(frozenset((char,)) if char.isascii() or char.upper() == char else None)
        case "IN":
            return _branches([[item] for item in value])
        case "AT" | "ASSERT_NOT":
            return _Part(_EMPTY)
        case "ASSERT":
            return _Part(_EMPTY, (_sequence(value[1]).rarest,))
        case "SUBPATTERN":
            return _sequence(value[-1])
        case "BRANCH":
            return _branches(value[1])
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, repeated = value
            if most == 1:
                return _sequence(repeated) if least else _branches([repeated, ()])
            return _Part(None, (_sequence(repeated).rarest,) if least else ())
        case _:
            return _Part(None)


def _branches(branches: Sequence[Iterable[tuple[Any, Any]]]) -> _Part:
    parts = [_sequence(branch) for branch in branches]
    exact = [part.exact for part in parts if part.exact is not None]
    if len(exact) == len(parts) and len(union := frozenset().union(*exact)) <= _MOST:
        return _Part(union)
    rarest = [part.rarest for part in parts]
    return _Part(None, (frozenset().union(*rarest),) if all(map(_worth, rarest)) else ())


def _worth(strings: Strings) -> float:
    """How seldom a text holds one of `strings`: a Chinese character says about as much as three letters."""
    letters = [sum(0.5 if char == " " else 1 if char.isascii() else 3 for char in one) for one in strings]
    fewest = min(letters, default=0)
    return max(0.0, fewest - len(strings) / _MOST) if fewest >= 2 else 0.0
