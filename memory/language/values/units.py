"""Units that people name after a number, with what they are of a base unit of their kind.

Factors are exact by definition (the jin of the mainland, 500 g). The names are the tongues'.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.language.tongue import tongue, tongues
from memory.language.values.codes import code_of

Dimension = str


class Unit(NamedTuple):
    """What it measures, and how much of the base unit of that it is."""

    dimension: Dimension
    factor: float
    offset: float = 0.0
    """What zero of it is in the base unit: degrees Fahrenheit in degrees Celsius."""
    currency: str = ""
    """Of money: its ISO code; amounts in two currencies are not compared."""

    def converted(self, value: float, other: Unit) -> float | None:
        """Return what `value` of this unit is in another, `None` where nothing converts the one into the other."""
        if self.dimension != other.dimension or self.currency != other.currency:
            return None
        return (value * self.factor + self.offset - other.offset) / other.factor


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
        "data": {"mb": 1, "gb": 1000},
    }
)  # fmt: skip
_OTHERS: Mapping[str, Unit] = MappingProxyType(
    {
        "celsius": Unit("temperature", 1),
        "fahrenheit": Unit("temperature", 5 / 9, -160 / 9),
        "yuan": Unit("money", 1, currency="CNY"),
        "jiao": Unit("money", 0.1, currency="CNY"),
    }
)
_SHORT = frozenset(["g", "h", "l", "min", "sec", "li", "day", "日", "两", "里", "码", "寸", "米"])
"""Words that are units after a number but say nothing of one in a description."""
_FOLLOWING = re.compile(
    r"[\s-]?(?P<degrees>degrees?\s|°\s?)?(?P<word>[A-Za-z]+)(?![A-Za-z])|\s?(?P<han>[\u4e00-\u9fff]{1,3})"
)


@lru_cache(maxsize=1)
def units() -> Mapping[str, Unit]:
    """Return the units by each of their names."""
    sizes = {name: Unit(kind, factor) for kind, rows in _SIZES.items() for name, factor in rows.items()}
    sizes |= dict(_OTHERS)
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
        word = found["word"].casefold()
        unit = units().get(word) or (units().get(f"°{word}") if found["degrees"] else None)
        return None if unit is None else UnitSpan(unit, found.end())
    name = next((word for word in han_units() if found["han"].startswith(word)), None)
    return None if name is None else UnitSpan(units()[name], found.start("han") + len(name))


@text_cache(1024)
def units_counted_in(name: str, description: str) -> Mapping[Dimension, Unit]:
    """Return the units a parameter counts in, by dimension.

    By its name, else its description, which may name one for each kind of amount ("seconds or metres"); of a
    dimension that is named in two units nothing is known.
    """
    words = split_name(name)
    words = words[1:] if words[:1] == ("min",) else words  # the least, as in `minRating`
    named = {units()[word] for word in words if word in units()}
    if len(named) == 1:
        return {unit.dimension: unit for unit in named}
    text = description
    told = {word for word in re.findall(r"[a-z]+", text.casefold()) if word in units() and word not in _SHORT}
    for word in han_units():
        if word in text and word not in _SHORT:
            told.add(word)
            text = text.replace(word, " ")
    told |= {sign for sign in ("°c", "°f") if sign in description.casefold()}
    found = {units()[word] for word in told} | _currencies(words, description)
    several = Counter(unit.dimension for unit in found)
    return {unit.dimension: unit for unit in found if several[unit.dimension] == 1}


_IN_CURRENCY = re.compile(
    r"(?:\bin\s(?:the\s)?|\(|:\s?)(?P<money>[€£$]|[A-Z]{3}\b|[A-Za-z]{4,}(?:\s(?:dollars?|pounds?|francs?|yuan)\b)?)"
)


def _currencies(words: Iterable[str], description: str) -> set[Unit]:
    """The currencies that a parameter's name or description says its amounts are in."""
    named = {word.upper() for word in words if len(word) == 3 and code_of("currency", word) == word.upper()}
    named -= {word.upper() for word in tongue("en").words_not_codes}
    told = {match["money"] for match in _IN_CURRENCY.finditer(description)} - units().keys()
    codes = named or {code for money in told if (code := code_of("currency", money)) is not None}
    return {Unit("money", 1, currency=code) for code in codes}


def is_other_unit(unit: Unit, own: Mapping[Dimension, Unit]) -> bool:
    """Say whether an amount in `unit` is another number in what is counted in the units `own`."""
    return own.get(unit.dimension, unit) != unit
