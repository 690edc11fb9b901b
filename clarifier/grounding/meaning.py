"""Values in words that were meant, though nobody said them.

That nothing here sees the ground of a value is no evidence against it. What has to stand somewhere to be right (an id,
an address, a number) is left to the searches that look for it. Members of an enum are not compared by likeness: over
the development personas the member nearest to a clause by a clear lead is the right one in 5 of 10 cases.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from clarifier.grounding.choices import telling_han
from clarifier.grounding.matching import must_be_literal
from clarifier.grounding.replies import leaves_open
from clarifier.grounding.spoken import IS_CJK, normalised, terms
from clarifier.settings import MeaningSettings
from memory.language.likeness import likeness
from memory.language.read import read
from memory.language.values.times import normal_time
from memory.tools import Parameter


def is_wording(value: JsonValue, parameter: Parameter | None) -> bool:
    """Say whether a value is put in words, so that it may be right without standing anywhere: no id, number or date."""
    if not isinstance(value, str) or not any(char.isalpha() for char in value) or any(char.isdigit() for char in value):
        return False
    return not must_be_literal(value, parameter) and normal_time(value) is None and not leaves_open(value)


def is_name(value: str) -> bool:
    """Say whether a text is a name, as its capitals tell; in a script without them nothing tells."""
    return any(char.isupper() for char in value)


def meant_by(value: str, parameter: Parameter, texts: Sequence[str], settings: MeaningSettings) -> float:
    """Return how probable it is that one of `texts` means the value, in [0, 1]; 0 where it is unlike all of them.

    What may be a name has to be liker: two towns are alike, though one is not the other. In the other script a name is
    translated, and is believed where something is named at all.
    """
    return max((_meant_by(value, parameter, text, settings) for text in texts if text), default=0.0)


def _meant_by(value: str, parameter: Parameter, text: str, settings: MeaningSettings) -> float:
    is_han = IS_CJK.search(value) is not None
    is_foreign = is_han != (IS_CJK.search(text) is not None)
    may_be_name = not telling_han(value) & telling_han(text) if is_han else is_name(value)
    if is_name(value) and terms(normalised(value)) & terms(normalised(text)):  # only letters tell names apart
        return 0.0
    found = likeness(value, parameter.name, text)
    if found >= (settings.like_name if may_be_name else settings.like):
        return min(settings.most, settings.least + settings.slope * (found - settings.like))
    is_translated = is_foreign and is_name(value) and _names_something(text)
    return settings.least if is_translated else 0.0


def _names_something(text: str) -> bool:
    return any(clause.of("value") or clause.of("who") for clause in read(text).clauses)
