"""The form in which the user state compares values whose type no schema tells, and times with and without a zone."""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import JsonValue

from memory.language.text_cache import text_cache
from memory.language.values.codes import code_of
from memory.language.values.dates import normal_date, normal_datetime
from memory.language.values.numbers import read_chinese
from memory.language.values.scripts import simplified
from memory.language.values.times import normal_time
from memory.language.values.units import units
from memory.language.values.values import canonical_key, normal_text

_AMOUNT = re.compile(r"([+-]?\d+(?:[.,]\d+)*)[\s-]*(°\s?[cf]?|[^\W\d_]{1,12}|[€$£¥%₹₩])")
_PRICE = re.compile(r"([€$£¥₹₩]|[a-z]{3}\s)\s?(\d+(?:[.,]\d+)*)")
"""An amount behind its currency."""
_WRITTEN_ZH = re.compile(r"([零〇一二两三四五六七八九十百千万亿]+)([^\W\d_]{1,4})")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"[+-]?\d+(?:\.\d+)?")
_MONEY_RATHER = ("pound", "pounds", "元", "块", "块钱")
_SIGNS = {"元": "CNY", "块": "CNY", "块钱": "CNY", "圆": "CNY", "¥": "CNY"}
"""Money by another name than its code."""


def form_key(value: JsonValue) -> str:
    """Return one text for all values that mean the same.

    Case, width, Chinese script, white space and key order do not count; dates, times of day and amounts with a unit
    ("42 km", "42km"; "1.5 hours", "90 minutes"; "€1,500", "1,500 euros"; 五百块, "500元") are the same
    however they are written.
    """
    return _text_key(value) if isinstance(value, str) else canonical_key(value)


@text_cache(8192)
def _text_key(value: str) -> str:
    if any(char.isdigit() for char in value) and len(value) <= 40:
        for read in (normal_date, normal_time, normal_datetime):
            if (form := read(value)) is not None:
                return canonical_key(form)
    if len(value) <= 40 and (amount := _amount(simplified(normal_text(value)))) is not None:
        return canonical_key(amount)
    return canonical_key(simplified(value))


def _amount(text: str) -> str | None:
    """Return an amount with its unit in one form ("1500 EUR" for "€1,500" and "1,500 euros"), `None` if it is none."""
    if price := _PRICE.fullmatch(text):
        unit, figures = price.groups()
    elif amount := (_AMOUNT.fullmatch(text) or _WRITTEN_ZH.fullmatch(text)):
        figures, unit = amount.groups()
    else:
        return None
    unit = unit.strip()
    is_plain = not figures[-1].isdigit() or _THOUSANDS.fullmatch(figures) or _DECIMAL.fullmatch(figures)
    if not is_plain:
        return f"{figures} {_unit_name(unit)}"
    number = float(figures.replace(",", "")) if figures[-1].isdigit() else read_chinese(figures)
    known = units().get(unit) if unit not in _MONEY_RATHER else None
    if known is not None and (known.offset or known.currency):
        known = None
    if number is None or known is None:
        return None if number is None else f"{number:g} {_unit_name(unit)}"
    return f"{number * known.factor:.12g} {known.dimension}"


def _unit_name(unit: str) -> str:
    return _SIGNS.get(unit) or code_of("currency", unit) or unit.replace(" ", "")


def wall_time(moment: datetime) -> datetime:
    """Return the clock time a person read at `moment`, without its zone: the one form in which all times compare."""
    return moment.replace(tzinfo=None)
