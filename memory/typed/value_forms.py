"""The form in which the user state compares values whose type no schema tells, and times with and without a zone."""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import JsonValue

from memory.text_cache import text_cache
from memory.typed.dates import normal_date, normal_datetime
from memory.typed.scripts import simplified
from memory.typed.times import normal_time
from memory.typed.values import canonical_key, normal_text

_AMOUNT = re.compile(r"([+-]?\d+(?:[.,]\d+)*)[\s-]*([^\W\d_]{1,12}|[€$£¥%])")


def form_key(value: JsonValue) -> str:
    """Return one text for all values that mean the same.

    Case, width, Chinese script, white space and key order do not count; dates, times of day and amounts with a unit
    ("42 km", "42km") are the same however they are written.
    """
    return _text_key(value) if isinstance(value, str) else canonical_key(value)


@text_cache(8192)
def _text_key(value: str) -> str:
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
