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
from memory.language.values.values import canonical_key, normal_text

_AMOUNT = re.compile(r"([+-]?\d+(?:[.,]\d+)*)[\s-]*(°\s?[cf]?|[^\W\d_]{1,12}|[€$£¥%₹₩])")
_PRICE = re.compile(r"([€$£¥₹₩]|[a-z]{3}\s)\s?(\d+(?:[.,]\d+)*)")
"""An amount behind its currency."""
_WRITTEN_ZH = re.compile(r"([零〇一二两三四五六七八九十百千万亿]+)([^\W\d_]{1,4})")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNITS = {
    word: words.split()[0]
    for words in (
        "h hr hrs hour hours 小时 个小时 钟头 个钟头",
        "min mins minute minutes 分钟",
        "day days 天",
        "week weeks 周 星期 个星期",
        "km kilometre kilometres kilometer kilometers 公里 千米",
        "kg kgs kilo kilos kilogram kilograms 公斤 千克",
        "CNY 元 块 块钱 圆 ¥",
    )
    for word in words.split()
}
"""Unit to the first of its names; currencies stand as their codes."""


def form_key(value: JsonValue) -> str:
    """Return one text for all values that mean the same.

    Case, width, Chinese script, white space and key order do not count; dates, times of day and amounts with a unit
    ("42 km", "42km"; "€1,500", "1,500 euros"; 五百块, "500元") are the same however they are written.
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
    unit = _UNITS.get(unit) or code_of("currency", unit) or unit.replace(" ", "")
    if not figures[-1].isdigit() or _THOUSANDS.fullmatch(figures):
        number = read_chinese(figures) if not figures[-1].isdigit() else float(figures.replace(",", ""))
        return None if number is None else f"{number:g} {unit}"
    return f"{figures} {unit}"


def wall_time(moment: datetime) -> datetime:
    """Return the clock time a person read at `moment`, without its zone: the one form in which all times compare."""
    return moment.replace(tzinfo=None)
