"""Whether a text supports a value: literally, by a typed mention, by a code's name, or by its words.

Boundaries are kept: `son` is not supported by `person`, nor 5 by `15`. Nothing here knows where the text comes from.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Literal, NamedTuple

from pydantic import JsonValue

from clarifier.codes import is_looked_up
from clarifier.settings import GroundingSettings
from memory.dates import normal_date
from memory.mentions import Mention, mentions
from memory.text import normalise, split_name, stem
from memory.times import normal_time
from memory.tools import Parameter
from memory.values import equal

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_IS_CJK = re.compile(f"[{_CJK}]")
_TERM = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IDENTIFIER = re.compile(r"^(?=\S+$)(?:.*[@/\\#=]|.*\d.*[^\W\d]|.*[^\W\d].*\d|.*\w[_:]\w|.*\w\.\w{2,})", re.DOTALL)
_GLOSS = re.compile(
    r"['\"‘“]?([\w-]+)['\"’”]?\s*"
    r"(?:\(|（|\brepresents\b|\bmeans\b|\bstands for\b|表示|代表|:\s)\s*([^,.;()（），。；'\"]+)"
)
_WORKED_OUT = frozenset({"date", "date_range", "country", "currency", "language"})
"""Kinds of mentions whose value is not in the words themselves."""
_LITERAL_FORMATS = ("email", "url", "uuid", "ip", "ipv4", "ipv6", "phone")
_EMPTY_WORDS_TEXT = (
    "a an the of to for in on at by and or with is are be my your our their this that it its i me we you whether "
    "include included including show get data information value if default"
)
_EMPTY_WORDS = frozenset(_EMPTY_WORDS_TEXT.split())


class Match(NamedTuple):
    """How far a text supports a value."""

    strength: float
    """In (0, 1]; 1 where the text states the value."""
    how: Literal["stated", "derived", "words"]
    """`derived`: worked out from the words (a date at the clock, a code from a name); `words`: not in one piece."""


def match(
    value: JsonValue, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    """Return how `text` supports the scalar `value` of `parameter`, `None` where it does not."""
    if not text or value is None or isinstance(value, (list, dict)):
        return None
    if isinstance(value, bool):
        return _match_flag(text, parameter, settings)
    if isinstance(value, (int, float)):
        return _match_mention(value, text, parameter, now, settings)
    return _match_text(value, text, parameter, now, settings)


def is_identifier(value: JsonValue) -> bool:
    """Say whether a value is an id, address, url or code: something that is either right to the letter or wrong."""
    if not isinstance(value, str) or _IDENTIFIER.match(value.strip()) is None:
        return False
    return normal_date(value) is None and normal_time(value) is None


def must_be_literal(value: JsonValue, parameter: Parameter | None) -> bool:
    """Say whether a value is right to the letter or wrong, by its own form or by what its parameter takes."""
    takes_literals = parameter is not None and (is_looked_up(parameter) or parameter.format in _LITERAL_FORMATS)
    return takes_literals or is_identifier(value)


def contains(text: str, value: str) -> bool:
    """Say whether `text` holds `value` in one piece, case and width aside, not cut out of a longer word."""
    return _holds(normalise_cached(text), normalise(value))


@lru_cache(maxsize=4096)
def normalise_cached(text: str) -> str:
    """Return `memory.text.normalise(text)`; one decision reads the same few texts for many values."""
    return normalise(text)


@lru_cache(maxsize=1024)
def mentions_in(text: str, now: datetime | None) -> tuple[Mention, ...]:
    """Return `memory.mentions.mentions(text, now)`, remembered."""
    return tuple(mentions(text, now))


def _match_text(
    value: str, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    wanted, source = normalise(value), normalise_cached(text)
    if not wanted:
        return None
    if _holds(source, wanted) or ("_" in wanted and _holds(source, wanted.replace("_", " "))):
        return Match(1.0, "stated")
    if found := _match_mention(value, text, parameter, now, settings):
        return found
    if is_identifier(value) and not (parameter is not None and parameter.enum):
        return None
    if parameter is not None and any(_holds(source, gloss) for gloss in _glosses(value, parameter)):
        return Match(1.0, "stated")
    if normal_date(value) is not None:
        return None
    if must_be_literal(value, parameter):
        return None
    return _match_words(wanted, source, settings)


def _match_mention(
    value: str | float, text: str, parameter: Parameter | None, now: datetime | None, settings: GroundingSettings
) -> Match | None:
    for one in mentions_in(text, now):
        named = one.value if isinstance(one.value, list) else [one.value]
        if any(equal(item, value, parameter) for item in named):
            is_derived = one.kind in _WORKED_OUT
            return Match(settings.derived, "derived") if is_derived else Match(1.0, "stated")
    return None


def _match_flag(text: str, parameter: Parameter | None, settings: GroundingSettings) -> Match | None:
    """A flag is spoken of where a telling word of its name stands in the text; which way is left to the planner."""
    if parameter is None:
        return None
    telling = {stem(word) for word in split_name(parameter.name) if word not in _EMPTY_WORDS and len(word) > 2}
    words = _terms(normalise_cached(text))
    if telling & words or any(len(one) > 4 and one in word for one in telling for word in words):
        return Match(settings.paraphrase, "words")
    return None


def _match_words(wanted: str, source: str, settings: GroundingSettings) -> Match | None:
    needed = _terms(wanted) - _EMPTY_WORDS
    if not needed:
        return None
    share = len(needed & _terms(source)) / len(needed)
    is_composed = len(needed) >= settings.composed_words
    if share <= (settings.share_of_composed if is_composed else settings.share_of_words):
        return None
    return Match(share * settings.paraphrase, "words")


def _holds(source: str, wanted: str) -> bool:
    """Both normalised; a boundary is needed where `wanted` begins or ends with a letter or digit of an alphabet."""
    start = source.find(wanted)
    while wanted and start >= 0:
        end = start + len(wanted)
        if not (_joined(source, start) or _joined(source, end)):
            return True
        start = source.find(wanted, start + 1)
    return False


def _joined(source: str, at: int) -> bool:
    """Whether the characters on both sides of position `at` belong to one word."""
    if at <= 0 or at >= len(source):
        return False
    left, right = source[at - 1], source[at]
    if not (_is_letter(left) and _is_letter(right)):
        return False
    return not (_IS_CJK.match(left) or _IS_CJK.match(right))


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"


@lru_cache(maxsize=4096)
def _terms(normalised: str) -> frozenset[str]:
    """Stems of the words, bigrams of CJK runs (single characters where a run is one)."""
    terms: set[str] = set()
    for run in _TERM.findall(normalised):
        if _IS_CJK.match(run):
            terms.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            terms.add(stem(run))
    return frozenset(terms)


@lru_cache(maxsize=1024)
def _glosses(value: str, parameter: Parameter) -> tuple[str, ...]:
    """What the description says `value` stands for: `'C' (Celsius)` gives `celsius`."""
    return tuple(
        normalise(gloss) for name, gloss in _GLOSS.findall(parameter.description) if normalise(name) == normalise(value)
    )
