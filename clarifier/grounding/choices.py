"""Which member of a list of allowed values a text speaks for.

A member that stands in the text is stated. One that shares with it a word (or Chinese character, or times of day) that
no other member has is meant, unless the text states another member. All of it compares members with one another: what
is told by every member tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
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
    names = tuple(str(member) for member in members)
    return _speech_for(str(value), names, text, description, now)


@text_cache(4096)
def _speech_for(value: str, members: tuple[str, ...], text: str, description: str, now: datetime | None) -> Speech:
    source = normalised(text)
    if not source:
        return "silent"
    named = _named(members, text, description)
    if value in named or _states(source, value, description):
        return "stated"
    others = [member for member in members if normal_text(member) != normal_text(value)]
    if any(other in named or _states(source, other, description) for other in others if not _is_common(other)):
        return "other"
    if _means(source, text, value, others, now):
        return "meant"
    return "foreign" if _is_foreign(source, members, description) else "silent"


def unclaimed(value: JsonValue, members: Sequence[JsonValue], claimed: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Return the members but those, other than `value`, that other calls have: what is said for them is for those."""
    taken = {normal_text(str(one)) for one in claimed} - {normal_text(str(value))}
    return tuple(member for member in members if normal_text(str(member)) not in taken)


def speaks_for_another(
    value: JsonValue, members: Sequence[JsonValue], text: str, description: str, now: datetime | None
) -> bool:
    """Say whether `text` speaks for a member other than `value`, and for that one not at all."""
    if speech_for(value, members, text, description, now) in ("stated", "meant"):
        return False
    return any(speech_for(one, members, text, description, now) in ("stated", "meant") for one in members)


def stated_member(members: Sequence[JsonValue], text: str, description: str, now: datetime | None) -> JsonValue:
    """Return the one member of a closed list that `text` states; `None` where it states none or several."""
    found = [one for one in members if speech_for(one, members, text, description, now) == "stated"]
    return found[0] if len(found) == 1 else None


def glosses(value: str, parameter: Parameter) -> tuple[str, ...]:
    """Return what the description says `value` stands for: `'C' (Celsius)` gives `celsius`."""
    return _glosses(normalised(value), parameter.description)


@text_cache(4096)
def _glosses(value: str, description: str) -> tuple[str, ...]:
    return tuple(normalised(gloss).strip() for name, gloss in _GLOSS.findall(description) if normalised(name) == value)


@text_cache(1024)
def _named(members: tuple[str, ...], text: str, description: str) -> frozenset[str]:
    """The members named in the text in other words ("five-minute steps", "专辑" for an album), if not turned down."""
    parameter = Parameter(name="choice", enum=members, description=description)
    return frozenset(str(one.value) for one in enum_mention(text, parameter) if _affirmed(text, one.start))


def _states(source: str, member: str, description: str) -> bool:
    """Whether a member, its words in another form, or its gloss stands in the text, and is not turned down there."""
    wanted = normalised(member)
    forms = {wanted, " ".join(split_name(member)), *_glosses(wanted, description)}
    if any(_stands(source, form) for form in forms if form):
        return True
    words = [stem(word) for word in split_name(member) if not IS_CJK.search(word)]
    if not words or IS_CJK.search(member) or any(len(word) < 3 for word in words):
        return False
    return any(_affirmed(source, found.start()) for found in _in_other_form(tuple(words)).finditer(source))


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


def _means(source: str, text: str, value: str, others: Sequence[str], now: datetime | None) -> bool:
    """Whether the text has something of `value` that no other member has."""
    times = {(int(hour) % 12) * 60 + int(minute) for hour, minute in _TIME.findall(value)}
    if times:
        return times <= hours_in(text, now)
    said = terms(_TURNED_DOWN.sub(" ", source))
    own = _words(value) - frozenset().union(*map(_words, others)) - _COMMON_WORDS
    if any(_is_said(word, said) for word in own):
        return True
    characters = telling_han(value) - set("".join(others))
    return sum(char in source for char in characters) * 2 > len(characters)


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


def _words(member: str) -> frozenset[str]:
    return frozenset(stem(word) for word in split_name(member) if len(word) > 1 and not IS_CJK.search(word))


def _is_common(member: str) -> bool:
    """Whether a member is a word that stands in any text by chance."""
    return member.casefold() in _BY_CHANCE


def _is_foreign(source: str, members: Sequence[str], description: str) -> bool:
    is_chinese = IS_CJK.search(source) is not None
    told = " ".join(members)
    return is_chinese != (IS_CJK.search(told) is not None) and any(char.isalpha() for char in told)
