"""Amounts said in one unit for parameters that take another: "two days" for hours, "八斤" for kilograms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.planners.rules.utterance import LOOK_AROUND, Said, Text
from memory.language.values.amounts import Amount, amounts
from memory.language.values.numbers import whole
from memory.language.values.units import Unit, is_other_unit, units_counted_in
from memory.tools import Parameter

LIKELY_RATIO = 100
"""Between units of time, up to which one is readily meant by the other: hours by days, but not by weeks."""
_OFTEN_WHEN = (86_400, 604_800)
"""Seconds of what "a day" and "a week" tell as often when or how often."""
_FOR = re.compile(r"\bfor\s$", re.IGNORECASE)


def measured(parameter: Parameter, text: Text) -> Iterator[Said]:
    """Yield the amounts that `text` says in any unit of the measure that `parameter` takes, in its unit."""
    own = units_counted_in(parameter.name, parameter.description)
    for one in amounts(text.text) if own else ():
        if one.unit is None or one.unit.dimension not in own or not _is_length(one, text.text):
            continue
        unit = own[one.unit.dimension]
        value = one.unit.converted(one.value, unit)
        if value is not None:
            strength = _strength(one.unit, unit.factor, is_worded=one.value in (0.25, 0.5, 1))
            yield Said(whole(round(value, 6)), one.start, one.end, strength)


def other_units(parameter: Parameter, text: Text) -> frozenset[int]:
    """Return where amounts begin whose number is another in the unit of `parameter`."""
    own = units_counted_in(parameter.name, parameter.description)
    return frozenset(one.start for one in amounts(text.text) if one.unit and is_other_unit(one.unit, own))


def _is_length(one: Amount, text: str) -> bool:
    """Whether an amount without its number ("an hour", "a week") is how much, not how often or when."""
    if not one.article or one.unit is None:
        return True
    if one.article not in ("a", "an"):
        return False
    tells_when = one.unit.dimension == "time" and one.unit.factor in _OFTEN_WHEN
    return not tells_when or _FOR.search(text, max(0, one.start - LOOK_AROUND), one.start) is not None


def _strength(unit: Unit, factor: float, *, is_worded: bool) -> float:
    ratio = max(unit.factor, factor) / min(unit.factor, factor)
    if ratio == 1 or is_worded:
        return 1.0
    return 0.9 if ratio <= LIKELY_RATIO or unit.dimension != "time" else 0.6
