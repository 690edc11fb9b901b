"""Amounts that a text names with their unit, read in the unit that a parameter counts in.

"Eight jin" is 4 of a parameter in kilograms and never 8; "four and a half stars" is 4.5; "a quarter" is 25 per cent;
"no changes" is 0 of a parameter that counts changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memory.language.text import split_name, stem
from memory.language.values.amounts import Amount, amounts, shares
from memory.language.values.numbers import finite
from memory.language.values.units import Dimension, Unit, units_counted_in
from memory.language.values.units import is_other_unit as is_other
from memory.tools import Parameter

_PER_CENT = re.compile(r"%|\bper ?cent\b|\bpercentage\b|_pct\b|百分", re.IGNORECASE)
_NONE_OF = re.compile(
    r"\b(?:no|without(?: any)?|not any|zero|never|don['’]t want(?: any)?)\s(?:more\s|extra\s|further\s)?"
    r"([\w-]+(?:\s[\w-]+)?)",
    re.IGNORECASE,
)
_NONE_OF_CHINESE = re.compile(r"(?:不要|不用|不想|不许|不|别|莫|无需|无|没有|免)([\u4e00-\u9fff]{1,4})")
_STRAIGHT = re.compile(
    r"\bdirect(?:ly)?\b|\bnon-?stop\b|\bstraight (?:through|there)\b|直达|直飞|一趟车", re.IGNORECASE
)
_INTERRUPTIONS = frozenset(
    map(stem, ("change", "changes", "transfers", "stops", "stopovers", "layovers", "connections"))
)
_INTERRUPTIONS_CHINESE = re.compile("换乘|中转|转机|经停")


def units_of(parameter: Parameter) -> Mapping[Dimension, Unit]:
    """Return the units a parameter counts in, by dimension."""
    return units_counted_in(parameter.name, parameter.description)


def is_other_unit(unit: Unit | None, parameter: Parameter | None) -> bool:
    """Say whether an amount in `unit` is another number in the unit that `parameter` counts such amounts in."""
    if parameter is None or unit is None:
        return False
    return is_other(unit, units_of(parameter))


def measured(value: float, text: str, parameter: Parameter) -> bool:
    """Say whether `text` names an amount that is `value` in the unit of `parameter`."""
    if finite(value) is None:
        return False
    own = units_of(parameter)
    for one in amounts(text):
        if one.unit is not None and own:
            if _is_same(one.value, one.unit, value, own):
                return True
        elif not own and one.unit is None and _near(one.value, value):
            return True
    return _is_share(value, text, parameter) or (value == 0 and _names_none(text, parameter))


def speaks_of(value: float, text: str, parameter: Parameter) -> bool:
    """Say whether `text` names `value` as an amount of what the parameter counts: in its unit, or beside its name."""
    if finite(value) is None:
        return False
    own, telling = units_of(parameter), counted_things(parameter)
    for one in amounts(text):
        if one.unit is not None and one.unit.dimension in own:
            if _is_same(one.value, one.unit, value, own):
                return True
        elif _near(one.value, value) and telling & set(_near_words(text, one.start)):
            return True
    return False


def speaks_of_another(value: float, text: str, parameter: Parameter) -> bool:
    """Say whether `text` names an amount of what the parameter counts, and not `value`."""
    if isinstance(value, bool) or finite(value) is None or speaks_of(value, text, parameter):
        return False
    own, telling = units_of(parameter), counted_things(parameter)
    return any(
        one.unit[0] in own if one.unit is not None else bool(telling & set(_near_words(text, one.start)))
        for one in amounts(text)
    )


def _near_words(text: str, at: int) -> Iterator[str]:
    """The stems of the words of the clause around a place."""
    start = max((found.end() for found in _CLAUSE.finditer(text, 0, at)), default=0)
    end = _CLAUSE.search(text, at)
    return (stem(word) for word in re.findall(r"[a-z]+", text[start : end.start() if end else None].casefold()))


def _is_same(said: float, unit: Unit, value: float, own: Mapping[Dimension, Unit]) -> bool:
    """Whether an amount in `unit` is `value` in the parameter's own unit of that dimension."""
    meant = unit.converted(said, own[unit.dimension]) if unit.dimension in own else None
    return meant is not None and _near(meant, value)


def _near(a: float, b: float) -> bool:
    """Equal up to the rounding that people do when they convert: one per cent."""
    return abs(a - b) <= 0.01 * max(abs(a), abs(b))


def _is_share(value: float, text: str, parameter: Parameter) -> bool:
    """A quarter is 0.25, or 25 where the parameter counts per cent; 25 % of a share is 0.25."""
    named = shares(text)
    in_per_cent = _PER_CENT.search(f"{parameter.name} {parameter.description}") is not None
    if any(_near(share * (100 if in_per_cent else 1), value) for share in named):
        return True
    return 0 < value < 1 and any(
        _near(one.value, value * 100) for one in amounts(text) if _PER_CENT.match(text[_end(text, one) :].lstrip())
    )


def _end(text: str, amount: Amount) -> int:
    found = re.compile(r"\d+(?:\.\d+)?").match(text, amount.start)
    return found.end() if found else amount.start


def _names_none(text: str, parameter: Parameter) -> bool:
    """Whether `text` wants none of what the parameter counts."""
    telling = counted_things(parameter)
    named = {stem(word.casefold()) for found in _NONE_OF.findall(text) for word in found.split()}
    if telling & named:
        return True
    if any(things[:2] in parameter.description for things in _NONE_OF_CHINESE.findall(text) if len(things) > 1):
        return True
    interrupts = telling & _INTERRUPTIONS or _INTERRUPTIONS_CHINESE.search(parameter.description)
    return bool(interrupts) and _STRAIGHT.search(text) is not None


_CLAUSE = re.compile(r"[,;:!?，。；：！？]|\.(?:\s|$)")
_SIZE_TEXT = "max min maximum minimum most least number count limit total num of the a an allowed how many"
_SIZE_WORDS = frozenset(map(stem, _SIZE_TEXT.split()))


def counted_things(parameter: Parameter) -> frozenset[str]:
    """Return the stems of the words of a parameter's name that say what it counts."""
    return frozenset(map(stem, split_name(parameter.name))) - _SIZE_WORDS


_COUNTING_TEXT = (
    "quantity qty count number pieces places seats tickets people persons passengers adults copies units guests amount"
)
_COUNTING = frozenset(map(stem, _COUNTING_TEXT.split()))


def counts(parameter: Parameter) -> bool:
    """Say whether a parameter counts things: a quantity, a number of seats."""
    words = {stem(word) for word in split_name(parameter.name)}
    return bool(words & _COUNTING) or any(word in parameter.description for word in ("数量", "件数", "人数", "份数"))
