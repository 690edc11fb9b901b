"""Which member of a list of allowed values a text speaks for.

A member that stands in the text is stated. One that shares with it a word (or Chinese character, or times of day) that
no other member has is meant, unless the text states another member. All of it compares members with one another: what
is told by every member tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Literal

from pydantic import JsonValue

from clarifier.grounding.clocks import hours_in
from clarifier.grounding.spoken import IS_CJK, holds, normalised, terms
from memory.language.text import split_name, stem
from memory.language.text_cache import text_cache
from memory.language.values.enum_mentions import enum_mention
from memory.language.values.values import normal_text
from memory.tools import Parameter

Speech = Literal["stated", "meant", "other", "silent", "foreign"]
"""`stated`, `meant`: the text speaks for the value; `other`: it states another member and not this one; `silent`: it
speaks for none; `foreign`: it is in another script than the members, so that nothing can be compared."""

_GLOSS = re.compile(
    r"['\"‘“]?([\w-]+)['\"’”]?\s*"
    r"(?:\(|（|\brepresents\b|\bmeans\b|\bstands for\b|表示|代表|[:：=]\s?)\s*([^,.;()（），。；、'\"]+)"
)
_NOT = re.compile(
    r"(?:\b(?:no|not|never|without|instead of|rather than|except|anything but|don['’]t want|do not want|nor)"
    r"\s(?:more |the |a |an |in |any |by |on )*|不要|不用|不是|而不是|别|莫|除了|不)$",
    re.IGNORECASE,
)
_TURNED_DOWN = re.compile(
    r"\b(?:no|not|never|without|instead of|rather than|except)\s(?:more |the |a |an |any )*[\w-]+"
)
_COMMON_HAN = frozenset("不一的了是在有大小中上下个人来到要类天点分店场格用子里外")
_COMMON_WORDS_TEXT = (
    "a an the of to for in on at by and or with is are be my your our it its this that other others none any all class "
    "type level mode only first last new open set get off out up one two you they we"
)
_COMMON_WORDS = frozenset(map(stem, _COMMON_WORDS_TEXT.split()))
_BY_CHANCE_TEXT = "none all any other others no yes on off open new old first last only now me best top"
_BY_CHANCE = frozenset(_BY_CHANCE_TEXT.split())
_SHORTEST_STEM = 4
"""Letters of a word that may be part of a compound: `hand` of `handbuilding`."""
_TIME = re.compile(r"(?<!\d)([01]?\d|2[0-3]):([0-5]\d)(?!\d)")


def speech_for(
    value: JsonValue, members: Sequence[JsonValue], text: str, description: str, now: datetime | None
) -> Speech:
    """Return how `text` bears on the member `value` of a closed list.

    Args:
        value: One of the members, as they are spelled.
        members: All allowed values; those that are no text are compared as written.
        text: What the person said.
        description: Of the parameter; it may gloss members (`'C' (Celsius)`).
        now: The turn's clock.
    """
    return _heard(members, text, description).speech(str(value), now)


def _heard(members: Sequence[JsonValue], text: str, description: str) -> _Heard:
    return _heard_of(tuple(map(str, members)), text, description)


@text_cache(256)
def _heard_of(members: tuple[str, ...], text: str, description: str) -> _Heard:
    return _Heard(_choice(members), text, description)


class _Choice:
    """What of a list of allowed values no text changes."""

    def __init__(self, members: tuple[str, ...]) -> None:
        self.members = members
        self.normal = {member: normal_text(member) for member in members}
        told = " ".join(members)
        self.is_chinese = IS_CJK.search(told) is not None
        self.has_letters = any(char.isalpha() for char in told)
        self._with_word: dict[str, set[str]] = {}
        self._with_character: dict[str, set[str]] = {}
        for member, normal in self.normal.items():
            for word in _words(member):
                self._with_word.setdefault(word, set()).add(normal)
            for char in member if self.is_chinese else ():
                self._with_character.setdefault(char, set()).add(normal)

    def own_words(self, value: str) -> frozenset[str]:
        """Return the words of `value` that no other member has."""
        return self._own(_words(value), self._with_word, value) - _COMMON_WORDS

    def own_characters(self, value: str) -> frozenset[str]:
        """Return the Chinese characters of `value` that no other member has."""
        characters = frozenset(char for char in value if IS_CJK.match(char))
        return self._own(characters, self._with_character, value) - _COMMON_HAN

    def with_own(self, words: frozenset[str], source: str) -> list[str]:
        """Return the members that may be meant by a text of these words: all others have nothing of their own in it."""
        starts = {word[:_SHORTEST_STEM] for word in words}
        return [
            member
            for member in self.members
            if _TIME.search(member)
            or any(word in words or word[:_SHORTEST_STEM] in starts for word in _words(member))
            or (self.is_chinese and any(char in source and IS_CJK.match(char) for char in member))
        ]

    def _own(self, parts: frozenset[str], having: Mapping[str, set[str]], value: str) -> frozenset[str]:
        itself = {normal_text(value)}
        return frozenset(part for part in parts if having.get(part, itself) <= itself)


@lru_cache(maxsize=64)
def _choice(members: tuple[str, ...]) -> _Choice:
    return _Choice(members)


class _Heard:
    """What a text says of a list of allowed values; each of them is compared with it once."""

    def __init__(self, choice: _Choice, text: str, description: str) -> None:
        self._choice, self._text, self._description = choice, text, description
        self._source = normalised(text)
        self._said = terms(_TURNED_DOWN.sub(" ", self._source))
        self._named = _named(choice.members, text, description) if self._source else frozenset()

    @cached_property
    def stated(self) -> tuple[str, ...]:
        """The members that stand in the text."""
        return tuple(member for member in self._choice.members if self._states(member)) if self._source else ()

    def speech(self, value: str, now: datetime | None) -> Speech:
        """Return how the text bears on `value`."""
        if not self._source:
            return "silent"
        if self._states(value):
            return "stated"
        normal = normal_text(value)
        if any(self._choice.normal[other] != normal and not _is_common(other) for other in self.stated):
            return "other"
        if self._means(value, now):
            return "meant"
        is_chinese = IS_CJK.search(self._source) is not None
        is_foreign = is_chinese != self._choice.is_chinese and self._choice.has_letters
        return "foreign" if is_foreign else "silent"

    def spoken_for(self, now: datetime | None) -> Iterator[str]:
        """Yield the members that the text states or means."""
        if not self._source:
            return
        yield from self.stated
        for member in self._choice.with_own(self._said, self._source):
            if self.speech(member, now) == "meant":
                yield member

    def _states(self, value: str) -> bool:
        return value in self._named or _states(self._source, value, self._description)

    def _means(self, value: str, now: datetime | None) -> bool:
        """Whether the text has something of `value` that no other member has."""
        times = {(int(hour) % 12) * 60 + int(minute) for hour, minute in _TIME.findall(value)}
        if times:
            return times <= hours_in(self._text, now)
        if any(_is_said(word, self._said) for word in self._choice.own_words(value)):
            return True
        characters = self._choice.own_characters(value)
        return sum(char in self._source for char in characters) * 2 > len(characters)


def unclaimed(value: JsonValue, members: Sequence[JsonValue], claimed: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Return the members but those, other than `value`, that other calls have: what is said for them is for those."""
    taken = {normal_text(str(one)) for one in claimed} - {normal_text(str(value))}
    if not taken:
        return tuple(members)
    return tuple(member for member in members if normal_text(str(member)) not in taken)


def speaks_for_another(
    value: JsonValue, members: Sequence[JsonValue], text: str, description: str, now: datetime | None
) -> bool:
    """Say whether `text` speaks for a member other than `value`, and for that one not at all."""
    if speech_for(value, members, text, description, now) in ("stated", "meant"):
        return False
    return next(_heard(members, text, description).spoken_for(now), None) is not None


def stated_member(members: Sequence[JsonValue], text: str, description: str, now: datetime | None) -> JsonValue:
    """Return the one member of a closed list that `text` states; `None` where it states none or several."""
    stated = frozenset(_heard(members, text, description).stated)
    found = [one for one in members if str(one) in stated]
    return found[0] if len(found) == 1 else None


def glosses(value: str, parameter: Parameter) -> tuple[str, ...]:
    """Return what the description says `value` stands for: `'C' (Celsius)` gives `celsius`."""
    return _glosses(normalised(value), parameter.description)


def _glosses(value: str, description: str) -> tuple[str, ...]:
    return _all_glosses(description).get(value, ())


@lru_cache(maxsize=1024)
def _all_glosses(description: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, gloss in _GLOSS.findall(description):
        found[normalised(name)] = (*found.get(normalised(name), ()), normalised(gloss).strip())
    return found


@text_cache(1024)
def _named(members: tuple[str, ...], text: str, description: str) -> frozenset[str]:
    """The members named in the text in other words ("five-minute steps", "专辑" for an album), if not turned down."""
    parameter = Parameter(name="choice", enum=members, description=description)
    return frozenset(str(one.value) for one in enum_mention(text, parameter) if _affirmed(text, one.start))


def _states(source: str, member: str, description: str) -> bool:
    """Whether a member, its words in another form, or its gloss stands in the text, and is not turned down there."""
    forms, words = _forms(member)
    if any(_stands(source, form) for form in (*forms, *_glosses(forms[0], description)) if form):
        return True
    if not words or not all(word in source for word in words):
        return False
    return any(_affirmed(source, found.start()) for found in _in_other_form(words).finditer(source))


@lru_cache(maxsize=16_384)
def _forms(member: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how a member may be written, in normal form first, and the stems that tell it in other forms, if any."""
    names = split_name(member)
    words = tuple(stem(word) for word in names if not IS_CJK.search(word))
    is_telling = not IS_CJK.search(member) and all(len(word) >= 3 for word in words)
    return (normalised(member), " ".join(names)), words if is_telling else ()


@text_cache(1024)
def _in_other_form(stems: tuple[str, ...]) -> re.Pattern[str]:
    """The words with whatever English endings, in a row: `mattress` in `mattresses`."""
    return re.compile(r"[\s_-]?".join(rf"\b{re.escape(word)}(?:e?s|ed|ing|e|ly|y)?\b" for word in stems))


def _stands(source: str, wanted: str) -> bool:
    if not holds(source, wanted):
        return False
    places = [found.start() for found in re.finditer(re.escape(wanted), source)]
    return any(_affirmed(source, place) for place in places)


def _affirmed(source: str, place: int) -> bool:
    return _NOT.search(source[max(0, place - 24) : place]) is None


def telling_han(text: str) -> frozenset[str]:
    """Return the Chinese characters of a text that do not stand in every other one."""
    return frozenset(char for char in text if IS_CJK.match(char)) - _COMMON_HAN


def _is_said(word: str, said: frozenset[str]) -> bool:
    """Whether a stem is among those said, or made of one, or part of one."""
    if word in said:
        return True
    if len(word) < _SHORTEST_STEM:
        return False
    return any(
        len(one) >= _SHORTEST_STEM and one not in _COMMON_WORDS and (word.startswith(one) or one.startswith(word))
        for one in said
    )


@lru_cache(maxsize=16_384)
def _words(member: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split_name(member) if len(word) > 1 and not IS_CJK.search(word))


def _is_common(member: str) -> bool:
    """Whether a member is a word that stands in any text by chance."""
    return member.casefold() in _BY_CHANCE
