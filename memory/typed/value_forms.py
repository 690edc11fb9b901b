"""The form in which the user state compares values whose type no schema tells, and times with and without a zone."""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import JsonValue

from memory.text_cache import text_cache
from memory.typed.dates import normal_date, normal_datetime
from memory.typed.numbers import parse_number
from memory.typed.scripts import simplified
from memory.typed.times import normal_time
from memory.typed.values import canonical_key, normal_text

_AMOUNT = re.compile(r"([+-]?\d+(?:[.,]\d+)*)[\s-]*(°\s?[cf]?|[^\W\d_]{1,12}|[€$£¥%])")
_YUAN = re.compile(r"(\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千万亿]{2,})\s?(?:元|块钱?|圆)")


def form_key(value: JsonValue) -> str:
    """Return one text for all values that mean the same.

    Case, width, Chinese script, white space and key order do not count; dates, times of day and amounts with a unit
    ("42 km", "42km", 五百块, "500元") are the same however they are written.
    """
    return _text_key(value) if isinstance(value, str) else canonical_key(value)


@text_cache(8192)
def _text_key(value: str) -> str:
    yuan = _YUAN.fullmatch(simplified(normal_text(value))) if len(value) <= 20 else None
    if yuan is not None and (number := parse_number(yuan[1])) is not None:
        return canonical_key(f"{number:g} 元")
    if any(char.isdigit() for char in value) and len(value) <= 40:
        for read in (normal_date, normal_time, normal_datetime):
            if (form := read(value)) is not None:
                return canonical_key(form)
        if amount := _AMOUNT.fullmatch(normal_text(value)):
            return canonical_key(f"{amount[1]} {amount[2]}")
    return canonical_key(simplified(value))


def wall_time(moment: datetime) -> datetime:
    """Return the clock time a person read at `moment`, without its zone: the one form in which all times compare."""
    return moment.replace(tzinfo=None)
