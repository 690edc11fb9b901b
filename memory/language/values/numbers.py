"""Numbers as people write them, in English and Chinese: digits with separators and multipliers, and number words."""

from __future__ import annotations

import math
import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

from memory.language.values.taken import Taken
from memory.language.values.units import HAN_UNITS

Number = int | float

_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = {word: value for value, word in enumerate(_UNIT_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_DIGIT_SCALES = {"k": 1_000, "m": 1_000_000, "bn": 1_000_000_000} | _SCALES  # a small m is metres or minutes
_ZH_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_ZH_TENS = {"十": 10, "百": 100, "千": 1_000}
_ZH_SCALES = {"万": 10_000, "亿": 100_000_000}

_WORD = "(?:" + "|".join(sorted([*_UNITS, *_TENS], key=len, reverse=True)) + ")"
_SCALE = "(?:" + "|".join(_SCALES) + ")"
_WORDS = re.compile(
    rf"\b(?:half a dozen|(?:a |(?:{_WORD}) )?dozen|(?:an? (?={_SCALE}))?"
    rf"(?:{_WORD}|{_SCALE})(?:(?:[ -]| and )(?:{_WORD}|{_SCALE}))*)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.])[-+]?(?:\d{1,3}(?:[,，]\d{3})+|\d+)(?:\.\d+)?"
    r"(?:\s?(?:hundred|thousand|million|billion)\b|(?:k|bn|K|M)\b|[百千万亿]+)?"
    r"(?![\d])"
)
_LISTED = re.compile(r"[\[(]\s*[-+]?\d+(?:\.\d+)?(?:\s*,\s*[-+]?\d+(?:\.\d+)?)+\s*[\])]")
_SEPARATE = re.compile(r"[-+]?\d+(?:\.\d+)?")
_ZH_NUMBER = re.compile(r"[零〇一二三四五六七八九十百千万亿两]+")


def finite(value: str | float) -> float | None:
    """Return a number, or the digits of one, as a float; `None` if it is no number or beyond what a float holds."""
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None


def natural(digits: str) -> int | None:
    """Return digits as an integer, exactly; `None` if they are none or more than a float can hold."""
    return int(digits) if digits.isdecimal() and finite(digits) is not None else None


class NumberSpan(NamedTuple):
    """A number found in a text."""

    start: int
    end: int
    value: Number


def parse_number(text: str) -> Number | None:
    """Return the number that the whole of `text` writes ("1.2k", "18,500", "twenty-one", "三百五"), else `None`."""
    text = unicodedata.normalize("NFKC", text).strip()
    for span in find_numbers(text):
        if (span.start, span.end) == (0, len(text)):
            return span.value
    return None


def find_numbers(text: str) -> tuple[NumberSpan, ...]:
    """Return the numbers written in `text`, in order, without overlaps; within brackets commas separate.

    A lone Chinese numeral is one only where it stands before a measure word or alone, since most of them are
    parts of words (一下, 三国).
    """
    spans: list[NumberSpan] = []
    taken = Taken()
    listed = Taken(match.span() for match in _LISTED.finditer(text))
    for pattern, read in (
        (_SEPARATE, _read_digits),
        (_DIGITS, _read_digits),
        (_WORDS, _read_words),
        (_ZH_NUMBER, read_chinese),
    ):
        for match in pattern.finditer(text):
            if pattern is _SEPARATE and not listed.overlaps(match.start(), match.start() + 1):
                continue
            value = read(match.group())
            if value is None or (pattern is _ZH_NUMBER and not _stands_alone(text, match)):
                continue
            if taken.add(match.start(), match.end()):
                spans.append(NumberSpan(match.start(), match.end(), value))
    return tuple(sorted(spans))


def read_chinese(text: str) -> int | None:
    """Return the value of a Chinese numeral ("十二", "三百五" = 350, "二〇二六"), `None` if it is not one."""
    if len(text) > 1 and all(char in _ZH_DIGITS for char in text):
        return natural("".join(str(_ZH_DIGITS[char]) for char in text))
    total = section = digit = 0
    last_scale = 1
    for position, char in enumerate(text):
        if char in _ZH_DIGITS:
            digit = _ZH_DIGITS[char]
            last_scale = 1 if char in "零〇" else last_scale
        elif char in _ZH_TENS:
            last_scale = _ZH_TENS[char]
            section += (digit or (1 if char == "十" or position == 0 else 0)) * last_scale
            digit = 0
        elif char in _ZH_SCALES:
            last_scale = _ZH_SCALES[char]
            total += (section + digit) * last_scale or last_scale
            section = digit = 0
        else:
            return None
    if digit and last_scale >= 100:  # 三百五 is 350, 两万三 is 23,000
        digit *= last_scale // 10
    return total + section + digit


def whole(value: float) -> Number:
    """Return a whole float as an integer and any other number (one that is not finite, too) as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _read_digits(text: str) -> Number | None:
    match = re.fullmatch(r"([-+]?[\d,，]+(?:\.\d+)?)\s?([A-Za-z]+|[百千万亿]+)?", text)
    if match is None:
        return None
    digits, scale = match.group(1).replace(",", "").replace("，", ""), match.group(2)
    if not scale and (exact := natural(digits)) is not None:
        return exact
    number = finite(digits)
    if number is not None and scale:
        factor = _DIGIT_SCALES.get(scale.casefold()) or read_chinese(scale)
        number = finite(round(number * (factor or 1), 9))
    return None if number is None else whole(number)


def _read_words(text: str) -> Number | None:
    text = text.casefold()
    if text.endswith("dozen"):
        first = text.removesuffix("dozen").strip()
        return 6 if first == "half a" else 12 * (_UNITS.get(first) or _TENS.get(first) or 1)
    words = re.findall(r"[a-z]+", text)
    if any(a in _UNITS and b in _TENS for a, b in pairwise(words)):
        return None  # "three fifty" is 3.50 or 350
    total = current = 0
    for word in words:
        if word in _UNITS or word in _TENS:
            current += _UNITS.get(word, 0) or _TENS.get(word, 0)
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total += (current or 1) * _SCALES[word]
            current = 0
    return total + current


_MEASURES = (
    *"个条首部本张份位人岁天周月年元块毛角分秒点页次件只箱瓶杯盒斤克米里小集章句段家间套名倍台辆",
    *(unit for unit in HAN_UNITS if len(unit) > 1 or unit in "升吨磅"),
    *("美元", "欧元", "英镑", "日元", "港币", "港元", "韩元", "加仑", "平方", "立方", "摄氏度", "公顷", "英亩", "海里"),
)
"""What a number counts; one-character units only where they are no part of common words (一两, 三角, 一日)."""


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if len(match.group()) > 1 and match.group() not in ("千万", "万一", "一一", "万千"):
        return True
    closed_left = not before or not ("\u4e00" <= before <= "\u9fff") or before in "要来看查给前后共约记买订"
    closed_right = not after or not ("\u4e00" <= after <= "\u9fff")
    return (closed_left and closed_right) or (
        text.startswith(_MEASURES, match.end()) and before not in ("第", "那", "这")
    )
