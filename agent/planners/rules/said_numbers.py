"""Numbers as a text says them, by their unit, by the noun beside them, or by their kind alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.planners.rules.kinds import FUNCTION_STEMS, noun_stems
from agent.planners.rules.limits import bound_of, is_count
from agent.planners.rules.measures import measured, other_units
from agent.planners.rules.utterance import LOOK_AROUND, Said, Text, before
from memory.language.text import split_name, stem
from memory.language.values.bounds import bound_said, counts_results
from memory.language.values.mentions import Mention
from memory.tools import Parameter

_CJK = re.compile(r"[\u4e00-\u9fff]")
_PERSONS = ("people", "person", "adult", "guest", "人", "个人", "位")
_UNIT_OF: dict[str, tuple[str, ...]] = {
    "people": ("people", "person", "us", "adult", "guest", "人", "个人", "位"),
    "participant": ("people", "person", "us", "人", "team", "位"),
    "passenger": _PERSONS,
    "guest": _PERSONS,
    "diner": _PERSONS,
    "traveller": _PERSONS,
    "party": _PERSONS,
    "day": ("day", "天", "日"),
    "minute": ("minute", "min", "分"),
    "duration": ("minute", "hour", "min", "分", "小"),
    "expiration": ("minute", "hour"),
    "hour": ("hour", "钟", "小"),
    "count": ("条", "句", "首", "个", "remark", "comment", "line", "time", "次", "把", "本", "份", "result"),
    "limit": ("条", "句", "首", "个", "名", "result", "item"),
    "size": ("result", "条"),
    "page": ("page", "页"),
    "period": ("day", "天"),
    "quantity": ("gram", "克", "斤", "个"),
    "piece": ("piece",),
    "price": ("money", "cost", "budget", "price"),
}
_STEMMED_UNITS = {stem(noun): frozenset(stem(unit) for unit in units) for noun, units in _UNIT_OF.items()}


def numbers(parameter: Parameter, text: Text, kind: str) -> Iterator[Said]:
    """A number is meant by its unit or by the parameter's noun beside it; else by its kind alone."""
    nouns = noun_stems(parameter)
    all_nouns = {stem(word) for word in split_name(parameter.name)} - FUNCTION_STEMS
    name_nouns = (all_nouns - _GENERIC_NOUNS) or all_nouns
    units = frozenset().union(*(_STEMMED_UNITS.get(noun, frozenset()) for noun in all_nouns)) | name_nouns
    is_money = bool({"amount", "price", "budget", "cost", "valu"} & all_nouns)
    if kind == "year":
        yield from _years(text)
        return
    yield from measured(parameter, text)
    readings = _Reading(parameter, nouns, name_nouns, units, is_money)
    others = other_units(parameter, text)
    for mention in text.of_kind("number"):
        if mention.start in others:
            continue
        strength = readings.strength(mention, text)
        if strength > 0.3 and not text.in_focus(mention.start):
            strength -= 0.2
        yield Said(mention.value, mention.start, mention.end, strength)


@dataclass(frozen=True)
class _Reading:
    """What tells that a number is meant for a parameter; the nouns and units are stems."""

    parameter: Parameter
    nouns: frozenset[str]
    name_nouns: set[str]
    units: frozenset[str]
    is_money: bool

    def strength(self, mention: Mention, text: Text) -> float:
        """Return how surely a number is meant, in [0.1, 1]."""
        unit = mention.unit or ""
        beside = _beside(text.text, mention)
        if unit and (unit in self.units or (unit in self.nouns and len(unit) > 2)):
            return 1.0
        if beside & self.name_nouns or (beside & self.nouns - _GENERIC_NOUNS):
            return 0.9 + 0.02 * len(beside & self.name_nouns)
        if beside & self.units or ("人" in self.units and _counts_people(text.text, mention)):
            return 0.85
        if self.is_money and unit.isupper() and len(unit) == 3:
            return 0.95
        if _zh_beside(text.text, mention, self.parameter):
            return 0.9
        if (bound := bound_of(self.parameter)) is not None and bound == bound_said(
            text.text, mention.start, mention.end
        ):
            return 0.9
        if is_count(self.parameter) and counts_results(text.text, mention.end):
            return 0.85
        return 0.1 if unit in _ALL_UNITS else 0.3  # 0.1: it counts something else


def _counts_people(text: str, mention: Mention) -> bool:
    """Whether a number says for how many: "for two tonight", "for 4, please"."""
    return bool(
        re.search(r"\bfor\s$", before(text, mention), re.IGNORECASE)
        and re.match(
            r"\s*(?:[,.;!?)]|$|(?:on|at|in|to|tonight|today|tomorrow|this|next|please)\b)",
            text[mention.end :],
            re.IGNORECASE,
        )
    )


_ALL_UNITS = frozenset().union(*_STEMMED_UNITS.values())
_GENERIC_NOUNS = frozenset(
    stem(word) for word in ("number", "value", "amount", "default", "type", "level", "maximum", "result", "results")
)


def _years(text: Text) -> Iterator[Said]:
    for mention in text.of_kind("number"):
        if isinstance(mention.value, int) and 1900 <= mention.value <= 2100:
            yield Said(mention.value, mention.start, mention.end, 1.0)
    for mention in text.of_kind("date", "date_range"):
        first = mention.value[0] if isinstance(mention.value, list) else mention.value
        yield Said(int(str(first)[:4]), mention.start, mention.end, 0.8)
    whole = re.search(r"\b(?:whole|this|the) year\b|今年|全年", text.text, re.IGNORECASE)
    if whole and text.now is not None:
        yield Said(text.now.year, whole.start(), whole.end(), 0.9)


def _beside(text: str, mention: Mention) -> set[str]:
    """Return the stems of the three words before and the two after a number, within its sentence and clause."""
    ahead = re.findall(r"[A-Za-z]+", re.split(r"[;.:!?]\s", before(text, mention))[-1])[-3:]
    following = text[mention.end : mention.end + LOOK_AROUND]
    after = re.findall(r"[A-Za-z]+", re.split(r"[,;.:!?](?:\s|$)", following)[0])[:2]
    return {stem(word.casefold()) for word in (*ahead, *after)}


def _zh_beside(text: str, mention: Mention, parameter: Parameter) -> bool:
    around = text[max(0, mention.start - 4) : mention.start]
    words = [around[i : i + 2] for i in range(len(around) - 1) if _CJK.match(around[i])]
    return any(word in parameter.description for word in words if _CJK.match(word[1:]))
