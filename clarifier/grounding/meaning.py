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


def may_be_name(value: str, *, said: str = "") -> bool:
    """Say whether a text may be a name, as its capitals tell; Chinese may where `said` has less than half of it."""
    if IS_CJK.search(value):
        telling = telling_han(value)
        return len(telling & telling_han(said)) * 2 < max(1, len(telling))
    return any(char.isupper() for char in value)


def meant_by(value: str, parameter: Parameter, texts: Sequence[str], settings: MeaningSettings) -> float:
    """Return how probable it is that one of `texts` means the value, in [0, 1]; 0 where it is unlike all of them.

    What may be a name has to be liker: two towns are alike, though one is not the other. In the other script a name is
    translated, and is believed where something is named at all.
    """
    return max((_meant_by(value, parameter, text, settings) for text in texts if text), default=0.0)


def _meant_by(value: str, parameter: Parameter, text: str, settings: MeaningSettings) -> float:
    is_foreign = (IS_CJK.search(value) is None) != (IS_CJK.search(text) is None)
    is_name = may_be_name(value, said=text)
    if is_name and terms(normalised(value)) & terms(normalised(text)):  # only letters tell names apart
        return 0.0
    found = likeness(value, parameter.name, text)
    if found >= (settings.like_name if is_name else settings.like):
        return min(settings.most, settings.least + settings.slope * (found - settings.like))
    return settings.least if is_foreign and is_name and _names_something(text) else 0.0


def _names_something(text: str) -> bool:
    return any(clause.of("value") or clause.of("who") for clause in read(text).clauses)
