"""Numbers as people write them, in English and Chinese: digits with separators and multipliers, and number words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from memory.language.values.figures import Number as Number
from memory.language.values.figures import finite as finite
from memory.language.values.figures import natural as natural
from memory.language.values.figures import whole as whole
from memory.language.values.han_numbers import (
    HAN_NUMBER,
    KUAI,
    MIXED,
    PARTS,
    POINT,
    VAGUE,
    read_kuai,
    read_mixed,
    read_parts,
    read_point,
    stands_alone,
)
from memory.language.values.han_numbers import read_chinese as read_chinese
from memory.language.values.plain import READ_CHARACTERS, plain
from memory.language.values.taken import Taken
from memory.language.values.unsure import unsure_on_error

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

_WORD = "(?:" + "|".join(sorted([*_UNITS, *_TENS], key=len, reverse=True)) + ")"
_SCALE = "(?:" + "|".join(_SCALES) + ")"
_AFTER_SCALE = "(?:" + "|".join(f"(?<={scale})" for scale in _SCALES) + ")"
_SIGN = r"(?:(?:minus|negative)\s)?"
_WORDS = re.compile(
    rf"\b(?:half a dozen|(?:(?:a )?couple (?:of )?|a |(?:{_WORD}) )?dozen"
    rf"|{_SIGN}(?:an? (?={_SCALE}))?(?:{_WORD}|{_SCALE})"
    rf"(?:[ -](?:{_WORD}|{_SCALE})|{_AFTER_SCALE} and {_WORD})*)\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"(?<![\w/.,])(?:(?P<whole>\d{1,4}) (?P<n>[1-9])/(?P<d>[2-9])(?![\d/])"
    r"|(?P<above>[1-9])/(?P<below>[2-9])(?=\s(?:of|an?|cups?|tea|table|inch|miles?|hours?|litres?|pounds?|kg|oz)\b))"
)
_PARTS_IN_WORDS = {"quarter": 4, "third": 3, "fifth": 5, "tenth": 10}
_BELOW_ZERO = re.compile(
    rf"(?<![\w.])(?P<number>\d{{1,4}}|{_WORD})(?: degrees?)? below(?: zero)?\b(?! \w)", re.IGNORECASE
)
_IN_WORDS = re.compile(
    rf"\b(?P<whole>{_WORD}) point (?P<decimals>{_WORD}(?:[ -]{_WORD})*)(?: (?P<scale>{_SCALE})\b)?"
    rf"|\b(?P<count>an?|\d{{1,4}}|{_WORD}) (?P<of>{_SCALE}) and a (?P<share>half|quarter)\b"
    rf"|\b(?P<parts>one|two|three|four) (?P<part>quarter|third|fifth|tenth)s?\b(?! (?:past|to|of an?)\b)",
    re.IGNORECASE,
)
_MILLIONS = re.compile(r"(?<=[€$£¥₹])(?P<digits>\d{1,6}(?:\.\d{1,4})?)\s?(?:m|mn|mio)\b", re.IGNORECASE)
_PART_OF = re.compile(rf"\b(?P<share>half|(?:a |three )?quarters?) (?:of )?an? (?P<scale>{_SCALE})\b", re.IGNORECASE)
_AND_PART = re.compile(
    rf"\b(?P<whole>\d{{1,6}}|{_WORD}) and (?P<share>a half|a quarter|three quarters)\b(?! (?:past|to)\b)"
    rf"(?: (?P<scale>{_SCALE})\b)?|(?P<digits>(?<![\w.])\d{{1,6}})?\s?(?P<sign>[½¼¾])",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.])(?:[-+]|(?i:(?<!\d\s)\b(?:minus|negative)\s)|负|零下)?"
    r"(?:\d{1,3}(?:[,，'’]\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|(?=\.\d)|\d+)(?:\.\d+)?"
    r"(?i:\s?(?:hundred|thousand|lakh|million|crore|billion|trillion|dozen)\b)?(?:(?<=\d)(?:k|bn|K|M)\b|[百千万亿]+(?!\d))?"
    r"(?![\d])"
)
_SPACED = re.compile(r"(?<![\w.,])(?<!\d )[-+]?[1-9]\d{0,2}(?: \d{3})+(?:,\d{1,2}(?!\d)|(?![\d.]|,\d| \d))(?!/)")
_COMMA = re.compile(r"(?<![\w.,])[-+]?\d+,(?:\d{1,2}|\d{4,9})(?=\s?(?:[€£$%°]|(?:kg|g|km|cm|mm|m|l|ml|litres?|liters?"
                    r"|kilos?|euros?|eur|hours?|miles?|metres?|meters?|stars?)\b))", re.IGNORECASE)  # fmt: skip
_LISTED = re.compile(r"[\[(]\s*[-+]?\d+(?:\.\d+)?(?:\s*,\s*[-+]?\d+(?:\.\d+)?)+\s*[\])]")
_SEPARATE = re.compile(r"[-+]?\d+(?:\.\d+)?")


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
    readers = (reader for needed, group in _READERS if needed.search(text) for reader in group)
    for pattern, read in readers:
        for match in pattern.finditer(text):
            if pattern is _SEPARATE and not listed.overlaps(match.start(), match.start() + 1):
                continue
            if pattern is HAN_NUMBER and not stands_alone(text, match):
                continue
            value = read(match)
            if not taken.add(match.start(), match.end()):
                continue
            if value is None:
                unread.append(match.span())
            else:
                spans.append(NumberSpan(match.start(), match.end(), value))
    return Numbers(tuple(sorted(spans)), tuple(sorted(unread)))


def _read_digits(match: re.Match[str]) -> Number | None:
    parts = re.fullmatch(
        r"(minus\s|negative\s|负|零下|[-+])?([\d,，'’]+(?:\.\d+)?|\.\d+)\s?([A-Za-z]+|[百千万亿]+)?",
        match.group(),
        re.IGNORECASE,
    )
    if parts is None:
        return None
    digits, scale = re.sub("[,，'’]", "", parts.group(2)), parts.group(3)
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
        if "couple" in first:
            return 24
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


def _read_fraction(match: re.Match[str]) -> Number | None:
    if match["whole"]:
        return whole(int(match["whole"]) + int(match["n"]) / int(match["d"]))
    return whole(int(match["above"]) / int(match["below"]))


def _read_below_zero(match: re.Match[str]) -> Number | None:
    number = _word_value(match["number"])
    return None if number is None else -number


def _read_in_words(match: re.Match[str]) -> Number | None:
    """The value of "two point five million", "a million and a half", "three quarters"."""
    if match["parts"]:
        return whole(_UNITS[match["parts"].casefold()] / _PARTS_IN_WORDS[match["part"].casefold()])
    if match["of"]:
        count = 1 if match["count"].casefold() in ("a", "an") else _word_value(match["count"]) or 0
        return whole((count + _SHARES[match["share"].casefold()]) * _SCALES[match["of"].casefold()])
    decimals = [_word_value(word) for word in re.findall(r"[a-z]+", match["decimals"].casefold())]
    if len(decimals) > 9 or any(one is None or one > 9 for one in decimals):
        return None
    number = finite(f"{_word_value(match['whole'])}.{''.join(map(str, decimals))}")
    return None if number is None else whole(round(number * _SCALES.get((match["scale"] or "").casefold(), 1), 6))


def _read_millions(match: re.Match[str]) -> Number | None:
    return whole(round(float(match["digits"]) * 1_000_000, 2))


def _read_han(match: re.Match[str]) -> Number | None:
    figures = match.group().removeprefix("负").removeprefix("零下")
    number = read_chinese(figures) if figures else None
    return None if number is None else number if figures == match.group() else -number


_Read = Callable[[re.Match[str]], Number | None]
_HAN = re.compile(r"[\u4e00-\u9fff]")
_FIGURE = re.compile(r"\d")
_NUMBER_WORD = re.compile(rf"{_WORD}|{_SCALE}|dozen|half|quarter|[½¼¾]", re.IGNORECASE)
_READERS: tuple[tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], _Read], ...]], ...] = (
    (_FIGURE, ((_SEPARATE, _read_digits),)),
    (_NUMBER_WORD, ((_PART_OF, _read_share), (_AND_PART, _read_share))),
    (_FIGURE, ((_SPACED, _read_spaced), (_COMMA, _read_comma))),
    (_HAN, ((PARTS, read_parts), (KUAI, read_kuai), (POINT, read_point))),
    (_FIGURE, ((_FRACTION, _read_fraction), (_MILLIONS, _read_millions), (_BELOW_ZERO, _read_below_zero))),
    (_NUMBER_WORD, ((_BELOW_ZERO, _read_below_zero), (_IN_WORDS, _read_in_words))),
    (_FIGURE, ((_IN_WORDS, _read_in_words), (MIXED, read_mixed), (_DIGITS, _read_digits))),
    (_NUMBER_WORD, ((_WORDS, _read_words),)),
    (_HAN, ((HAN_NUMBER, _read_han),)),
)
"""What is read in which order, each with what a text has to have for it; of overlapping readings the first holds."""
_DUBIOUS = re.compile(
    r"(?<![\w.,])\d{1,3}(?:\.\d{3})+(?![\d.]|,\d)(?=\s?(?:[€$£]|euros?\b|eur\b))"
    r"|(?<![\w.,])\d{1,3}(?:\.\d{3})+,\d{1,2}"
    r"|(?<![\w.,(\[/-])(?<!\d )\d+,\d{1,2}(?![\d,])(?!\s?(?:and|or|[€$£%°]|[a-z]{1,9}\b))"
    r"|(?<![\w.])\d+(?:e\d+|x[0-9a-f]+|_\d+)\b"
    r"|\b(?:a few|several|some|many|dozens of|a couple) (?:hundred|thousand|million|billion)s?\b"
    r"|\b\w+ grand\b(?=$|[.,!?])"
    rf"|{VAGUE}",
    re.IGNORECASE,
)
"""Amounts that are vague, or whose point may be one or stand between thousands."""
