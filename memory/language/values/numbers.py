"""Numbers as people write them, in English and Chinese: digits with separators and multipliers, and number words."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from memory.language.values.plain import READ_CHARACTERS, plain
from memory.language.values.taken import Taken
from memory.language.values.units import han_units
from memory.language.values.unsure import unsure_on_error

Number = int | float
_LONGEST_NUMERAL = 40
"""Characters that a Chinese numeral with its scales has at most."""

_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = {word: value for value, word in enumerate(_UNIT_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "lakh": 100_000, "million": 1_000_000, "crore": 10_000_000,
           "billion": 1_000_000_000, "trillion": 1_000_000_000_000}  # fmt: skip
_DIGIT_SCALES = {"k": 1_000, "m": 1_000_000, "bn": 1_000_000_000, "dozen": 12} | _SCALES  # a small m is metres
_SHARES = {"half": 0.5, "a half": 0.5, "quarter": 0.25, "a quarter": 0.25, "three quarters": 0.75,
           "½": 0.5, "¼": 0.25, "¾": 0.75}  # fmt: skip
_ZH_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_ZH_TENS = {"十": 10, "百": 100, "千": 1_000}
_ZH_SCALES = {"万": 10_000, "亿": 100_000_000}

_WORD = "(?:" + "|".join(sorted([*_UNITS, *_TENS], key=len, reverse=True)) + ")"
_SCALE = "(?:" + "|".join(_SCALES) + ")"
_AFTER_SCALE = "(?:" + "|".join(f"(?<={scale})" for scale in _SCALES) + ")"
_SIGN = r"(?:(?:minus|negative)\s)?"
_WORDS = re.compile(
    rf"\b(?:half a dozen|(?:a |(?:{_WORD}) )?dozen"
    rf"|{_SIGN}(?:an? (?={_SCALE}))?(?:{_WORD}|{_SCALE})"
    rf"(?:[ -](?:{_WORD}|{_SCALE})|{_AFTER_SCALE} and {_WORD})*)\b",
    re.IGNORECASE,
)
_PART_OF = re.compile(rf"\b(?P<share>half|(?:a |three )?quarters?) (?:of )?an? (?P<scale>{_SCALE})\b", re.IGNORECASE)
_AND_PART = re.compile(
    rf"\b(?P<whole>\d{{1,6}}|{_WORD}) and (?P<share>a half|a quarter|three quarters)\b(?! (?:past|to)\b)"
    rf"(?: (?P<scale>{_SCALE})\b)?|(?P<digits>(?<![\w.])\d{{1,6}})?\s?(?P<sign>[½¼¾])",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.])(?:[-+]|(?i:(?<!\d\s)\b(?:minus|negative)\s)|负|零下)?"
    r"(?:\d{1,3}(?:[,，]\d{3})+|\d+)(?:\.\d+)?"
    r"(?i:\s?(?:hundred|thousand|lakh|million|crore|billion|trillion|dozen)\b)?(?:(?<=\d)(?:k|bn|K|M)\b|[百千万亿]+(?!\d))?"
    r"(?![\d])"
)
_MIXED = re.compile(r"(?<![A-Za-z0-9_.])(?:\d{1,15}(?:\.\d{1,9})?[百千万亿]+)+\d{0,8}(?!\d)")
"""Figures and scales in turn: 1亿2千万, 3千5."""
_SPACED = re.compile(r"(?<![\w.,])(?<!\d )[-+]?\d{1,3}(?: \d{3})+(?![\d.]|,\d| \d)(?:,\d{1,2}(?!\d))?")
_COMMA = re.compile(r"(?<![\w.,])[-+]?\d+,(?:\d{1,2}|\d{4,9})(?=\s?(?:[€£$%°]|(?:kg|g|km|cm|mm|m|l|ml|litres?|liters?"
                    r"|kilos?|euros?|eur|hours?|miles?|metres?|meters?|stars?)\b))", re.IGNORECASE)  # fmt: skip
_LISTED = re.compile(r"[\[(]\s*[-+]?\d+(?:\.\d+)?(?:\s*,\s*[-+]?\d+(?:\.\d+)?)+\s*[\])]")
_SEPARATE = re.compile(r"[-+]?\d+(?:\.\d+)?")
_ZH_NUMBER = re.compile(r"(?:负|零下)?[零〇一二三四五六七八九十百千万亿两]+")


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
    if len(text) > READ_CHARACTERS:
        return None
    for span in find_numbers(text):
        if (span.start, span.end) == (0, len(text)):
            return span.value
    return None


def find_numbers(text: str) -> tuple[NumberSpan, ...]:
    """Return the numbers written in `text`, in order, without overlaps; within brackets commas separate.

    A lone Chinese numeral is one only where it stands before a measure word or alone, since most of them are
    parts of words (一下, 三国).
    """
    return read_numbers(text).spans


class Numbers(NamedTuple):
    """What a text says of numbers."""

    spans: tuple[NumberSpan, ...]
    unread: tuple[tuple[int, int], ...]
    """Where something stands that looks like a number and could be two: "three fifty", "1.500"."""


@unsure_on_error(lambda text: Numbers((), ((0, len(text)),)))
def read_numbers(text: str) -> Numbers:
    """Return the numbers of `text` as `find_numbers` does, with what looks like one and is not surely read."""
    text = plain(text)
    spans: list[NumberSpan] = []
    unread = [match.span() for match in _DUBIOUS.finditer(text)]
    taken = Taken(unread)
    listed = Taken(match.span() for match in _LISTED.finditer(text))
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            if pattern is _SEPARATE and not listed.overlaps(match.start(), match.start() + 1):
                continue
            if pattern is _ZH_NUMBER and not _stands_alone(text, match):
                continue
            value = read(match)
            if not taken.add(match.start(), match.end()):
                continue
            if value is None:
                unread.append(match.span())
            else:
                spans.append(NumberSpan(match.start(), match.end(), value))
    return Numbers(tuple(sorted(spans)), tuple(sorted(unread)))


def read_chinese(text: str) -> int | None:
    """Return the value of a Chinese numeral ("十二", "三百五" = 350, "二〇二六"), `None` if it is not one."""
    if len(text) > 1 and all(char in _ZH_DIGITS for char in text):
        return natural("".join(str(_ZH_DIGITS[char]) for char in text))
    total = section = digit = 0
    last_scale = 1
    if len(text) > _LONGEST_NUMERAL:
        return None
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


def _read_digits(match: re.Match[str]) -> Number | None:
    parts = re.fullmatch(
        r"(minus\s|negative\s|负|零下|[-+])?([\d,，]+(?:\.\d+)?)\s?([A-Za-z]+|[百千万亿]+)?",
        match.group(),
        re.IGNORECASE,
    )
    if parts is None:
        return None
    digits, scale = re.sub("[,，]", "", parts.group(2)), parts.group(3)
    sign = -1 if (parts.group(1) or "+") != "+" else 1
    if not scale and (exact := natural(digits)) is not None:
        return sign * exact
    number = finite(digits)
    if number is not None and scale:
        factor = _DIGIT_SCALES.get(scale.casefold()) or read_chinese(scale)
        number = finite(round(number * (factor or 1), 9))
    return None if number is None else whole(sign * number)


def _read_spaced(match: re.Match[str]) -> Number | None:
    """The value of "1 500"; groups that need not belong together ("rooms 101 102") have none."""
    figures = match.group()
    first, *groups = re.split(r"[ ,]", figures.lstrip("-+"))
    if len(first) == 3 and not groups[-1].endswith("0"):
        return None
    number = finite(figures.replace(" ", "").replace(",", "."))
    return None if number is None else whole(number)


def _read_comma(match: re.Match[str]) -> Number | None:
    number = finite(match.group().replace(",", "."))
    return None if number is None else whole(number)


def _read_share(match: re.Match[str]) -> Number | None:
    groups = match.groupdict()
    share = _SHARES.get((groups["share"] or groups.get("sign") or "").casefold())
    first = _word_value(groups.get("whole") or groups.get("digits") or "zero")
    if share is None or first is None:
        return None
    return whole((first + share) * _SCALES.get((groups.get("scale") or "").casefold(), 1))


def _word_value(word: str) -> Number | None:
    return natural(word) if word.isdecimal() else _UNITS.get(word.casefold()) or _TENS.get(word.casefold(), 0)


def _read_words(match: re.Match[str]) -> Number | None:
    """Words of a number in an order that one number has; "three fifty" is 3.50 or 350, and none."""
    text = match.group().casefold()
    if text.endswith("dozen"):
        first = text.removesuffix("dozen").strip()
        return 6 if first == "half a" else 12 * (_UNITS.get(first) or _TENS.get(first) or 1)
    words = re.findall(r"[a-z]+", text)
    sign = -1 if words[0] in ("minus", "negative") else 1
    total = current = 0
    before = ""
    for word in words:
        if word in _UNITS or word in _TENS:
            follows = before in _TENS and 1 <= _UNITS.get(word, 0) <= 9
            if (before in _UNITS or before in _TENS) and not follows:
                return None
            current += _UNITS.get(word, 0) or _TENS.get(word, 0)
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total += (current or 1) * _SCALES[word]
            current = 0
        before = word
    return sign * (total + current)


def _read_mixed(match: re.Match[str]) -> Number | None:
    total = section = 0.0
    number: float | None = None
    last, figures = 1, ""
    for token in re.findall(r"\d+(?:\.\d+)?|[百千万亿]", match.group()):
        if token in _ZH_TENS:
            last = _ZH_TENS[token]
            section += (1 if number is None else number) * last
            number = None
        elif token in _ZH_SCALES:
            last = _ZH_SCALES[token]
            part = section + (number or 0)
            total = total + part * last if part else total * last
            section, number = 0.0, None
        else:
            number, figures = float(token), token
    if number is not None and len(figures) == 1:  # 1万5 is 15,000
        number *= max(last // 10, 1)
    result = finite(total + section + (number or 0))
    return None if result is None else whole(result)


def _read_han(match: re.Match[str]) -> Number | None:
    figures = match.group().removeprefix("负").removeprefix("零下")
    number = read_chinese(figures) if figures else None
    return None if number is None else number if figures == match.group() else -number


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Number | None]], ...] = (
    (_SEPARATE, _read_digits),
    (_PART_OF, _read_share),
    (_AND_PART, _read_share),
    (_SPACED, _read_spaced),
    (_COMMA, _read_comma),
    (_MIXED, _read_mixed),
    (_DIGITS, _read_digits),
    (_WORDS, _read_words),
    (_ZH_NUMBER, _read_han),
)
_DUBIOUS = re.compile(
    r"(?<![\w.,])\d{1,3}(?:\.\d{3})+(?![\d.]|,\d)(?=\s?(?:[€$£]|euros?\b|eur\b))"
    r"|(?<![\w.,])\d{1,3}(?:\.\d{3})+,\d{1,2}"
    r"|\b(?:a few|several|some|many|dozens of|a couple) (?:hundred|thousand|million|billion)s?\b"
    r"|几[十百千万]|[十百千万]几",
    re.IGNORECASE,
)
"""Amounts that are vague, or whose point may be one or stand between thousands."""


@lru_cache(maxsize=1)
def _measures() -> tuple[str, ...]:
    """Return what a number counts; units of one character only where few words have them (一两, 三角, 一日)."""
    return _COUNTERS + tuple(unit for unit in han_units() if len(unit) > 1 or unit in "升吨磅")


_COUNTERS = (
    *"个条首部本张份位人岁天周月年元块毛角分秒点页次件只箱瓶杯盒斤克米里小集章句段家间套名倍台辆",
    *("美元", "欧元", "英镑", "日元", "港币", "港元", "韩元", "加仑", "平方", "立方", "摄氏度", "公顷", "英亩", "海里"),
)


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if len(match.group()) > 1 and match.group() not in ("千万", "万一", "一一", "万千"):
        return True
    closed_left = not before or not ("\u4e00" <= before <= "\u9fff") or before in "要来看查给前后共约记买订"
    closed_right = not after or not ("\u4e00" <= after <= "\u9fff")
    return (closed_left and closed_right) or (
        text.startswith(_measures(), match.end()) and before not in ("第", "那", "这")
    )
