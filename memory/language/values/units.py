"""Units that people name after a number, with what they are of a base unit of their kind.

Factors are exact by definition (the jin of the mainland, 500 g). The names are the tongues'.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.language.tongue import tongues

Dimension = str


class Unit(NamedTuple):
    """What it measures, and how much of the base unit of that it is."""

    dimension: Dimension
    factor: float


_SIZES: Mapping[Dimension, Mapping[str, float]] = MappingProxyType(
    {
        "mass": {
            "mg": 0.001, "g": 1, "liang": 50, "jin": 500, "kg": 1000, "tonne": 1_000_000,
            "ounce": 28.349523125, "pound": 453.59237,
        },
        "length": {
            "mm": 0.001, "cm": 0.01, "m": 1, "li": 500, "km": 1000,
            "inch": 0.0254, "foot": 0.3048, "yard": 0.9144, "mile": 1609.344,
        },
        "volume": {"ml": 0.001, "litre": 1},
        "time": {
            "second": 1, "minute": 60, "quarter_hour": 900, "hour": 3600, "day": 86_400, "week": 604_800,
            "fortnight": 1_209_600,
        },
        "money": {"yuan": 1, "jiao": 0.1},
        "data": {"mb": 1, "gb": 1000},
    }
)  # fmt: skip
_SHORT = frozenset(["g", "h", "l", "min", "sec", "li", "day", "日", "两", "里", "码", "寸", "米"])
"""Words that are units after a number but say nothing of one in a description."""
_FOLLOWING = re.compile(r"[\s-]?(?P<word>[A-Za-z]+)(?![A-Za-z])|\s?(?P<han>[\u4e00-\u9fff]{1,3})")


@lru_cache(maxsize=1)
def units() -> Mapping[str, Unit]:
    """Return the units by each of their names."""
    sizes = {name: Unit(kind, factor) for kind, rows in _SIZES.items() for name, factor in rows.items()}
    return MappingProxyType(
        {word: sizes[name] for words in tongues() for name, forms in words.units.items() for word in forms}
    )


@lru_cache(maxsize=1)
def han_units() -> tuple[str, ...]:
    """Return the Chinese names, the longest first: of two that a text begins with the first is meant."""
    return tuple(sorted((word for word in units() if not word.isascii()), key=len, reverse=True))


def is_unit(word: str) -> bool:
    """Say whether a word in lower case is the name of a unit."""
    return word in units()


class UnitSpan(NamedTuple):
    """A unit and the place past its name."""

    unit: Unit
    end: int


def unit_at(text: str, place: int) -> UnitSpan | None:
    """Return the unit whose name stands at `place`, a blank or a hyphen before it aside."""
    found = _FOLLOWING.match(text, place)
    if found is None:
        return None
    if found["word"]:
        unit = units().get(found["word"].casefold())
        return None if unit is None else UnitSpan(unit, found.end())
    name = next((word for word in han_units() if found["han"].startswith(word)), None)
    return None if name is None else UnitSpan(units()[name], found.start("han") + len(name))


@text_cache(1024)
def units_counted_in(name: str, description: str) -> Mapping[Dimension, float]:
    """Return the units a parameter counts in, by dimension, with their factors to the base unit.

    By its name, else its description, which may name one for each kind of amount ("seconds or metres"); of a
    dimension that is named in two units nothing is known.
    """
    words = split_name(name)
    words = words[1:] if words[:1] == ("min",) else words  # the least, as in `minRating`
    named = {units()[word] for word in words if word in units()}
    if len(named) == 1:
        return dict(named)
    text = description
    told = {word for word in re.findall(r"[a-z]+", text.casefold()) if word in units() and word not in _SHORT}
    for word in han_units():
        if word in text and word not in _SHORT:
            told.add(word)
            text = text.replace(word, " ")
    found = {units()[word] for word in told}
    several = Counter(unit.dimension for unit in found)
    return {unit.dimension: unit.factor for unit in found if several[unit.dimension] == 1}
