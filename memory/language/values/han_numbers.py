"""Chinese numerals: 三百五, 1亿2千万, 四分之三, 三点五公斤, 三块五."""

from __future__ import annotations

import re
from functools import lru_cache

from memory.language.values.figures import Number, finite, natural, whole
from memory.language.values.units import han_units

_LONGEST_NUMERAL = 40
"""Characters that a numeral with its scales has at most."""
_ZH_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_ZH_TENS = {"十": 10, "百": 100, "千": 1_000}
_ZH_SCALES = {"万": 10_000, "亿": 100_000_000}
_NUMERAL = "[零〇一二三四五六七八九十百千万亿两]"
MIXED = re.compile(r"(?<![A-Za-z0-9_.])(?:\d{1,15}(?:\.\d{1,9})?[百千万亿]+)+\d{0,8}(?!\d)")
"""Figures and scales in turn: 1亿2千万, 3千5."""
HAN_NUMBER = re.compile(r"(?:负|零下)?[零〇一二三四五六七八九十百千万亿两]+")
PARTS = re.compile(rf"(?P<below>{_NUMERAL}{{1,9}}|\d{{1,6}})分之(?P<above>{_NUMERAL}{{1,9}}|\d{{1,6}}(?:\.\d+)?)")
"""四分之三, and 百分之五, which is 5 (per cent)."""
KUAI = re.compile(
    r"(?P<whole>[零一二三四五六七八九十百千两]{1,9}|\d{1,6})块(?P<tenths>[一二三四五六七八九]|[1-9](?!\d))(?:毛|角|(?![\u4e00-\u9fff]))"
)
"""三块五, with the tenths that no unit names."""
POINT = re.compile(
    r"(?P<whole>[零〇一二三四五六七八九十百千两]{1,9})点(?P<decimals>[零〇一二三四五六七八九]{1,9})"
    r"(?P<scale>[万亿])?(?=[万亿倍折星度岁米升斤克吨元块个秒%％]|公[斤里分顷]|千[克米]|小时|英[里寸尺]|厘米|毫[米升克]|美元|欧元|加仑)"
)
VAGUE = (
    r"几[十百千万]|[十百千万]几|十(?:一二|二三|三四|四五|五六|六七|七八|八九)"
    r"|(?<![零一二三四五六七八九十百千万点月第年])(?:一两|一二|两三|二三|三四|三五|四五|五六|六七|七八|八九)"
    r"(?=[十百千万个天位人块元次本张件条年岁杯瓶斤])"
)
"""Numerals that leave open which of two is meant."""


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


def read_mixed(match: re.Match[str]) -> Number | None:
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


def read_parts(match: re.Match[str]) -> Number | None:
    """Return the value of a match of `PARTS`."""
    below, above = _either(match["below"]), _either(match["above"])
    if not below or above is None:
        return None
    return whole(float(above)) if match["below"] == "百" else whole(above / below)


def read_kuai(match: re.Match[str]) -> Number | None:
    """Return the value of a match of `KUAI`, in yuan."""
    first, tenths = _either(match["whole"]), _either(match["tenths"])
    return None if first is None or tenths is None else whole(first + tenths / 10)


def read_point(match: re.Match[str]) -> Number | None:
    """Return the value of a match of `POINT`."""
    first = read_chinese(match["whole"])
    decimals = "".join(str(_ZH_DIGITS[char]) for char in match["decimals"])
    number = None if first is None else finite(f"{first}.{decimals}")
    return None if number is None else whole(round(number * _ZH_SCALES.get(match["scale"] or "", 1), 6))


def _either(text: str) -> float | None:
    return finite(text) if text[0].isdecimal() else read_chinese(text)


_HALF = re.compile("半(?![天夜路途价折])")


def numerals(text: str) -> frozenset[float]:
    """Return what the Chinese numerals of a text are, whatever they count; a bare 一 says no number, 半 is a half.

    More than is read as numbers: right for saying that a text has a number, wrong for taking it from there.
    """
    found = {read_chinese(match.group()) for match in HAN_NUMBER.finditer(text) if match.group() != "一"}
    halves = {0.5} if _HALF.search(text) else set()
    return frozenset(number for number in found if number is not None) | halves


@lru_cache(maxsize=1)
def _measures() -> tuple[str, ...]:
    """Return what a number counts; units of one character only where few words have them (一两, 三角, 一日)."""
    return _COUNTERS + tuple(unit for unit in han_units() if len(unit) > 1 or unit in "升吨磅")


_COUNTERS = (
    *"个条首部本张份位人岁天周月年元块毛角分秒点页次件只箱瓶杯盒斤克米里小集章句段家间套名倍台辆",
    *("美元", "欧元", "英镑", "日元", "港币", "港元", "韩元", "加仑", "平方", "立方", "摄氏度", "公顷", "英亩", "海里"),
)


def stands_alone(text: str, match: re.Match[str]) -> bool:
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if len(match.group()) > 1 and match.group() not in ("千万", "万一", "一一", "万千"):
        return True
    closed_left = not before or not ("\u4e00" <= before <= "\u9fff") or before in "要来看查给前后共约记买订"
    closed_right = not after or not ("\u4e00" <= after <= "\u9fff")
    return (closed_left and closed_right) or (
        text.startswith(_measures(), match.end()) and before not in ("第", "那", "这")
    )
