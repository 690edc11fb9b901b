"""Amounts with their units, and shares: "half a litre", "an hour and a half", 一个半小时, "2 hours 15 minutes"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory.language.text_cache import text_cache
from memory.language.values.money import currency_beside
from memory.language.values.numbers import find_numbers, finite, read_chinese
from memory.language.values.plain import plain
from memory.language.values.taken import Taken
from memory.language.values.units import Unit, unit_at, units
from memory.language.values.unsure import unsure_on_error


class Amount(NamedTuple):
    """A number with its unit, as a text names it."""

    value: float
    unit: Unit | None
    """Dimension and factor to its base unit; `None` for a bare number or an unknown unit."""
    start: int
    end: int
    article: str = ""
    """What stands for the number where none is said: "a", "an", "per", "each", "every"."""


def _nothing(text: str) -> tuple[Amount, ...]:
    return ()


@text_cache(1024)
@unsure_on_error(_nothing)
def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts that the beginning of `text` names, in order: every number, and what a unit is one or half of.

    Parts of one amount in two units ("an hour and 20 minutes", 1小时20分钟) are one, in the smaller unit.
    """
    text = plain(text)
    taken = Taken()
    found: list[Amount] = []
    for read in (_in_short, _shares_of_units, _counted, _worded):
        found += [one for one in read(text) if taken.add(one.start, one.end)]
    return tuple(_joined(text, sorted(found, key=lambda one: one.start)))


def lengths_of_time(text: str) -> Iterator[int]:
    """Yield the lengths of time that `text` names, in seconds: `half an hour` gives 1800."""
    for one in amounts(text):
        if one.unit is not None and one.unit.dimension == "time":
            seconds = finite(one.value * one.unit.factor)
            if seconds is not None:
                yield round(seconds)


_SHORT = re.compile(
    r"(?<![\w.])(?P<hours>\d{1,2})\s?h(?:rs?)?\s?(?P<minutes>[0-5]?\d)(?:\s?m(?:ins?)?)?(?!\w)", re.IGNORECASE
)
_ITS_OWN = r"(?<!and )(?:a |one )"
_SHARE_OF_UNIT = re.compile(
    rf"(?<!and a )\b(?P<share>half|(?:{_ITS_OWN}|three[- ])?quarters?|(?:{_ITS_OWN}|two[- ])?thirds?)"
    r"[ -](?:of )?(?:an? )?"
    r"(?=(?P<unit>[a-z]+)\b)|(?<![个\d一二两三四五六七八九十])(?P<han>半)个?(?=[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_AND_SHARE = re.compile(r"\s?and (?:a (?P<half>half)|a quarter)\b(?! past| to)|(?P<han>半)(?![天夜路])", re.IGNORECASE)
_HAN_HALF = re.compile(r"[^\s\d，。,.]{0,2}?半(?![天夜路])")
_ONE = re.compile(r"\b(?P<article>an?|per|each|every)\s(?=[a-z]+\b)", re.IGNORECASE)
_COUPLE = re.compile(r"\ba (?:couple|pair) of(?= [a-z]+)", re.IGNORECASE)
_HAN_AND_A_HALF = re.compile(r"([一二两三四五六七八九])([\u4e00-\u9fff]{1,2}?)半(?![天夜路])")
_PAIR = re.compile(r"\b(?:both|a couple|a pair)\b|俩|两口子|一对", re.IGNORECASE)


def _in_short(text: str) -> Iterator[Amount]:
    """Yield "1h30", in minutes."""
    for found in _SHORT.finditer(text):
        minutes = 60 * int(found["hours"]) + int(found["minutes"])
        yield Amount(minutes, units()["minute"], found.start(), found.end())


def _shares_of_units(text: str) -> Iterator[Amount]:
    """Yield "half an hour", "three quarters of a mile", 半小时."""
    for found in _SHARE_OF_UNIT.finditer(text):
        if named := unit_at(text, found.end()):
            words = (found["share"] or "half").casefold()
            share = 1 / 3 if "third" in words else 0.25 if "quarter" in words else 0.5
            share *= 3 if words.startswith("three") else 2 if words.startswith("two") else 1
            yield Amount(share, named.unit, found.start(), named.end)


def _counted(text: str) -> Iterator[Amount]:
    beside = currency_beside(text)
    for span in find_numbers(text):
        half = _HAN_HALF.match(text, span.end)
        if half and (unit := unit_at(text, half.end()) or unit_at(text, span.end)):
            yield Amount(span.value + 0.5, unit.unit, span.start, max(unit.end, half.end()))
        elif half:
            yield Amount(span.value + 0.5, None, span.start, half.end())
        elif unit := unit_at(text, span.end):
            yield _with_share(text, Amount(span.value, unit.unit, span.start, unit.end))
        else:
            code = beside(span.start, span.end)
            unit_of_money = Unit("money", 1, currency=code) if code else None
            yield Amount(span.value, unit_of_money, span.start, span.end)
    for found in _HAN_AND_A_HALF.finditer(text):
        named = unit_at(text, found.start(2))
        number = read_chinese(found[1]) or 0
        yield Amount(number + 0.5, named and named.unit, found.start(), found.end())


def _worded(text: str) -> Iterator[Amount]:
    for found in _COUPLE.finditer(text):
        if named := unit_at(text, found.end()):
            yield Amount(2, named.unit, found.start(), named.end)
    for found in _PAIR.finditer(text):
        yield Amount(2, None, found.start(), found.end())
    for found in _ONE.finditer(text):
        if named := unit_at(text, found.end()):
            yield _with_share(text, Amount(1, named.unit, found.start(), named.end, found["article"].casefold()))


def _with_share(text: str, amount: Amount) -> Amount:
    """Return an amount with the half or quarter that follows its unit: "an hour and a half"."""
    if share := _AND_SHARE.match(text, amount.end):
        more = 0.5 if share["half"] or share["han"] else 0.25
        return amount._replace(value=amount.value + more, end=share.end())
    return amount


_AND = re.compile(r"(?:\s|,\s?)?(?:and\s|零|又)?")


def _joined(text: str, found: list[Amount]) -> Iterator[Amount]:
    """Yield the amounts, those side by side in a greater and a smaller unit of one kind as one in the smaller."""
    whole: Amount | None = None
    for one in found:
        if whole is None or not _goes_on(text, whole, one):
            if whole is not None:
                yield whole
            whole = one
        elif whole.unit is not None and one.unit is not None:
            more = whole.unit.converted(whole.value, one.unit) or 0
            whole = Amount(more + one.value, one.unit, whole.start, one.end)
    if whole is not None:
        yield whole


def _goes_on(text: str, whole: Amount, part: Amount) -> bool:
    """Whether `part` is the rest of an amount: "2 hours" and "15 minutes"."""
    if whole.unit is None or part.unit is None or whole.unit.currency != part.unit.currency:
        return False
    if whole.unit.dimension != part.unit.dimension or part.article:
        return False
    is_smaller = part.unit.factor < whole.unit.factor and part.value * part.unit.factor < whole.unit.factor
    return is_smaller and _AND.fullmatch(text, whole.end, part.start) is not None


_OF = re.compile(r"\s?(?:[a-z]+\s)?of\s(?P<thing>[a-z][a-z-]*(?:\s(?!and\b|of\b)[a-z-]+)?)", re.IGNORECASE)


def amounts_of_things(text: str) -> Iterator[tuple[float, str]]:
    """Yield what is named with how much of it: "250 grams of flour, 500 of milk"."""
    for one in amounts(text):
        if (of := _OF.match(text, one.end)) and not one.article:
            yield one.value, of["thing"]


_FRACTIONS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"\bthree[- ]quarters?\b|四分之三|¾", re.IGNORECASE), 0.75),
    (re.compile(r"\b(?:a|one)[- ]quarter\b(?! (?:past|to|of an))|四分之一|¼", re.IGNORECASE), 0.25),
    (re.compile(r"\btwo[- ]thirds\b|三分之二", re.IGNORECASE), 2 / 3),
    (re.compile(r"\b(?:a|one)[- ]third\b|三分之一", re.IGNORECASE), 1 / 3),
    (re.compile(r"\b(?:a|one)[- ]fifth\b|五分之一", re.IGNORECASE), 0.2),
    (re.compile(r"\b(?:a|one)[- ]tenth\b|十分之一", re.IGNORECASE), 0.1),
    (re.compile(r"\bhalf(?:way)?\b(?! (?:past|an?\b|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
                r"|一半|对半", re.IGNORECASE), 0.5),
)  # fmt: skip
_MULTIPLES: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"\b(?:twice|double[ds]?|doubling)\b|[两二]倍|翻倍|加倍|翻一?番", re.IGNORECASE), 2),
    (re.compile(r"\b(?:triple[ds]?|thrice|three times)\b|三倍", re.IGNORECASE), 3),
    (re.compile(r"\bhalve[ds]?\b|减半|对折", re.IGNORECASE), 0.5),
)
_TENTHS = re.compile(r"([一二三四五六七八九])成")


def shares(text: str) -> tuple[float, ...]:
    """Return the shares that `text` names: "a quarter" 0.25, 三成 0.3."""
    text = plain(text)
    named = [share for pattern, share in _FRACTIONS if pattern.search(text)]
    return (*named, *((read_chinese(char) or 0) / 10 for char in _TENTHS.findall(text)))


def factors(text: str) -> tuple[float, ...]:
    """Return what `text` multiplies something by that it does not name: "half of each" 0.5, "twice that" 2."""
    return (*shares(text), *(factor for pattern, factor in _MULTIPLES if pattern.search(plain(text))))
