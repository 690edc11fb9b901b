"""Amounts that a text names with their unit, read in the unit that a parameter counts in.

"Eight jin" is 4 of a parameter in kilograms and never 8; "four and a half stars" is 4.5; "a quarter" is 25 per cent;
"no changes" is 0 of a parameter that counts changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from memory.language.text import split_name, stem
from memory.language.text_cache import text_cache
from memory.language.values.mentions import READ_CHARACTERS
from memory.language.values.numbers import find_numbers, finite
from memory.language.values.units import HAN_UNITS, UNITS, Dimension, Unit
from memory.tools import Parameter

_LATIN_UNIT = re.compile(r"[\s-]?([A-Za-z]+)\b")
_SHORT_UNITS = frozenset(["g", "min", "sec", "li", "day", "日", "两", "里", "码", "寸", "分", "米"])
"""Words that are units after a number but say nothing of one in a description."""
_HAN_AND_A_HALF = re.compile(r"([一二两三四五六七八九])([\u4e00-\u9fff]{1,2}?)半(?![天夜路])")
_PAIR = re.compile(r"\b(?:both|a couple|a pair)\b|俩|两口子|一对", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\s?and a half\b|\s?½|(?:[^\s\d，。,.]{1,2}?)半(?![天夜路])", re.IGNORECASE)
_HALF = re.compile(r"\bhalf an? (?P<en>[a-z]+)\b|(?<!个)半个?(?P<zh>[\u4e00-\u9fff]{1,2})", re.IGNORECASE)
_ONE = re.compile(r"\b(?<!half )(?<!of )(?:a|an|per|each|every) (?P<en>[a-z]+)\b(?! and a)", re.IGNORECASE)
_PHRASES: tuple[tuple[re.Pattern[str], Unit], ...] = (
    (re.compile(r"\bquarter of an hour\b|一刻钟", re.IGNORECASE), ("time", 900)),
    (re.compile(r"\bthree[- ]quarters of an hour\b|三刻钟", re.IGNORECASE), ("time", 2700)),
    (re.compile(r"\b(?:an )?hour and a half\b", re.IGNORECASE), ("time", 5400)),
    (re.compile(r"\ba couple of hours\b", re.IGNORECASE), ("time", 7200)),
    (re.compile(r"\ba couple of days\b", re.IGNORECASE), ("time", 172_800)),
    (re.compile(r"\ba couple of weeks\b", re.IGNORECASE), ("time", 1_209_600)),
)
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
_DIGITS = {char: number for number, char in enumerate("一二三四五六七八九", start=1)}
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


class Amount(NamedTuple):
    """A number with its unit, as a text names it."""

    value: float
    unit: Unit | None
    """Dimension and factor to its base unit; `None` for a bare number or an unknown unit."""
    start: int


def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts that the beginning of `text` names: every number, "half an hour", "four and a half stars"."""
    return _amounts(text[:READ_CHARACTERS])


@text_cache(1024)
def _amounts(text: str) -> tuple[Amount, ...]:
    return tuple(chain(_counted(text), _worded(text)))


def _counted(text: str) -> Iterator[Amount]:
    for span in find_numbers(text):
        if half := _AND_A_HALF.match(text, span.end):
            unit = _unit_at(text, half.end()) or _unit_at(text, span.end)
            yield Amount(span.value + 0.5, unit, span.start)
        else:
            yield Amount(span.value, _unit_at(text, span.end), span.start)


def _worded(text: str) -> Iterator[Amount]:
    for found in _HALF.finditer(text):
        if unit := _unit_of(found["en"] or found["zh"]):
            yield Amount(0.5, unit, found.start())
    for found in _HAN_AND_A_HALF.finditer(text):
        yield Amount(_DIGITS[found[1].replace("两", "二")] + 0.5, _unit_of(found[2]), found.start())
    for found in _PAIR.finditer(text):
        yield Amount(2, None, found.start())
    for found in _ONE.finditer(text):
        if unit := UNITS.get(found["en"].casefold()):
            yield Amount(1, unit, found.start())
    for pattern, (dimension, size) in _PHRASES:
        for found in pattern.finditer(text):
            yield Amount(size, (dimension, 1), found.start())


def unit_word(word: str) -> bool:
    """Say whether a word in lower case is the name of a unit."""
    return word in UNITS


@text_cache(1024)
def units_of(parameter: Parameter) -> Mapping[Dimension, float]:
    """Return the units a parameter counts in, by dimension, with their factors to the base unit.

    By its name, else its description, which may name one for each kind of amount ("seconds or metres"); of a
    dimension that is named in two units nothing is known.
    """
    words = split_name(parameter.name)
    words = words[1:] if words[:1] == ("min",) else words  # the least, as in `minRating`
    named = {UNITS[word] for word in words if word in UNITS}
    if len(named) == 1:
        return dict(named)
    text = parameter.description
    told = {word for word in re.findall(r"[a-z]+", text.casefold()) if word in UNITS and word not in _SHORT_UNITS}
    for word in HAN_UNITS:
        if word in text and word not in _SHORT_UNITS:
            told.add(word)
            text = text.replace(word, " ")
    found = {UNITS[word] for word in told}
    several = Counter(dimension for dimension, _ in found)
    return {dimension: factor for dimension, factor in found if several[dimension] == 1}


def is_other_unit(unit: Unit | None, parameter: Parameter | None) -> bool:
    """Say whether an amount in `unit` is another number in the unit that `parameter` counts such amounts in."""
    if parameter is None or unit is None:
        return False
    dimension, factor = unit
    return units_of(parameter).get(dimension, factor) != factor


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
        if one.unit is not None and one.unit[0] in own:
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


def lengths_of_time(text: str) -> Iterator[int]:
    """Yield the lengths of time that `text` names, in seconds: `half an hour` gives 1800."""
    for one in amounts(text):
        if one.unit is not None and one.unit[0] == "time":
            seconds = finite(one.value * one.unit[1])
            if seconds is not None:
                yield round(seconds)


def _is_same(said: float, unit: Unit, value: float, own: Mapping[Dimension, float]) -> bool:
    """Whether an amount in `unit` is `value` in the parameter's own unit of that dimension."""
    dimension, factor = unit
    return dimension in own and _near(said * factor, value * own[dimension])


def _near(a: float, b: float) -> bool:
    """Equal up to the rounding that people do when they convert: one per cent."""
    return abs(a - b) <= 0.01 * max(abs(a), abs(b))


def _unit_at(text: str, at: int) -> Unit | None:
    if found := _LATIN_UNIT.match(text, at):
        return UNITS.get(found[1].casefold())
    return _unit_of(text[at : at + 3].lstrip())


def _unit_of(words: str) -> Unit | None:
    if words.isascii():
        return UNITS.get(words.casefold())
    return next((UNITS[word] for word in HAN_UNITS if words.startswith(word)), None)


def factors(text: str) -> tuple[float, ...]:
    """Return what `text` multiplies something by that it does not name: "half of each" 0.5, "twice that" 2."""
    return (*_shares(text), *(factor for pattern, factor in _MULTIPLES if pattern.search(text)))


def _shares(text: str) -> list[float]:
    shares = [share for pattern, share in _FRACTIONS if pattern.search(text)]
    return shares + [_DIGITS[char] / 10 for char in _TENTHS.findall(text)]


def _is_share(value: float, text: str, parameter: Parameter) -> bool:
    """A quarter is 0.25, or 25 where the parameter counts per cent; 25 % of a share is 0.25."""
    shares = _shares(text)
    in_per_cent = _PER_CENT.search(f"{parameter.name} {parameter.description}") is not None
    if any(_near(share * (100 if in_per_cent else 1), value) for share in shares):
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
