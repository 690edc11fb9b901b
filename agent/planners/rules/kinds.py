"""What kind of value a parameter takes, as a reader of requests needs to know it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from memory.language.text import split_name, stem
from memory.language.values.times import normal_time
from memory.tools import Parameter

ValueKind = Literal[
    "enum", "boolean", "number", "year", "date", "time", "datetime", "url", "email", "ip", "coordinates", "color",
    "country", "currency", "language", "id", "place", "text", "array", "object",
]  # fmt: skip

FLEETING: frozenset[ValueKind] = frozenset({"date", "datetime", "time"})
"""Kinds whose values hold for an occasion only."""
_BY_FORMAT: dict[str, ValueKind] = {
    "date": "date", "time": "time", "datetime": "datetime", "url": "url", "uri": "url", "email": "email", "ip": "ip",
    "coordinates": "coordinates", "hex_color": "color", "country_code": "country", "currency_code": "currency",
    "language_code": "language",
}  # fmt: skip
_ID_WORDS = frozenset(
    {"id", "ids", "identifier", "uuid", "code", "symbol", "ticker", "number", "no", "key", "ref", "token", "card"}
)
_ID_TEXT = re.compile(
    r"\bidentifier\b|\bID\b|\bticker\b|\bsymbol\b|编号|标识|代码|证号|卡号|号码|手机号|尾号|后四位|ID"
)
_PLACE_WORDS = frozenset(
    {"city", "location", "place", "region", "town", "station", "area", "origin", "destination", "address"}
)
_PLACE_TEXT = re.compile(
    r"\b(?:city|location|place|region|station|geographical)\b|城市|地点|位置|地区|站", re.IGNORECASE
)
_MONEY_OF_COUNTRY = re.compile(r"\bcurrency\b|货币|币种", re.IGNORECASE)


def kind_of(parameter: Parameter) -> ValueKind:
    """Return the kind of value that `parameter` takes."""
    words = [word.casefold() for word in split_name(parameter.name)]
    if parameter.type in ("array", "object", "boolean"):
        return parameter.type
    if parameter.enum:
        return "enum"
    if parameter.type in ("integer", "number"):
        if {"year", "years"} & set(words):
            return "year"
        return "id" if words[-1:] == ["number"] or "id" in words else "number"
    known = _BY_FORMAT.get(parameter.format or "")
    if known == "time" and isinstance(parameter.default, str) and _is_in_words(parameter.default):
        known = None  # a part of the day: 'all', 'morning'
    if known is not None and not (known == "currency" and "pair" in words):
        return known
    if (
        words
        and (words[-1] in _ID_WORDS or _ID_TEXT.search(parameter.description))
        and ("phone" not in words or "tail" in words)
    ):
        return "id"
    if _PLACE_WORDS & set(words) or (_PLACE_TEXT.search(parameter.description) and "name" not in words[:-1]):
        return "place"
    return "text"


def _is_in_words(default: str) -> bool:
    """Whether a default is neither a time nor the present one ("the current time")."""
    return normal_time(default) is None and not re.search(r"time|now|current|[现当]|\d", default, re.IGNORECASE)


def noun_stems(parameter: Parameter) -> frozenset[str]:
    """Return the stems of the words a parameter goes by: its name's, and its description's first few."""
    described = re.findall(r"[^\W\d_]+", parameter.description.split(".")[0].split(",")[0])[:8]
    return frozenset(stem(word.casefold()) for word in (*split_name(parameter.name), *described)) - FUNCTION_STEMS


FUNCTION_STEMS = frozenset(
    (
        "the",
        "a",
        "an",
        "of",
        "to",
        "for",
        "in",
        "and",
        "or",
        "is",
        "be",
        "by",
        "with",
        "from",
        "which",
        "that",
        "whether",
    )
)
_FROM_WORDS = frozenset(
    {"from", "start", "starting", "origin", "source", "base", "departure", "begin", "since", "original"}
)
_TO_WORDS = frozenset({"to", "end", "destination", "target", "arrival", "until", "new"})
_FROM_ZH = re.compile(r"开始|起始|出发|起点|基础|源|原")
_TO_ZH = re.compile(r"结束|终止|目的|终点|目标|到达")

Role = Literal["from", "to"]


def role_of(parameter: Parameter) -> Role | None:
    """Return which end of a pair (journey, period, conversion) `parameter` is, or `None`."""
    words = {word.casefold() for word in split_name(parameter.name)}
    if words & _FROM_WORDS or _FROM_ZH.search(parameter.description[:8]):
        return "from"
    return "to" if words & _TO_WORDS or _TO_ZH.search(parameter.description[:8]) else None


def is_swapped(parameter: Parameter, value: JsonValue, so_far: Mapping[str, JsonValue]) -> bool:
    """Say whether an end of a pair would be the same as the other end."""
    return role_of(parameter) is not None and kind_of(parameter) not in FLEETING and value in so_far.values()
