"""Times of day as people write them, in English and Chinese.

Conventions: figures with a colon are on the 24-hour clock as written ("8:15" is 08:15). A bare hour from 1 to 6 ("at
four", "half five", "三点") is in the afternoon, from 7 to 12 as written, unless am, pm or a part of the day says
otherwise: beside the hour, else in the same sentence where that names one half of the day only ("tonight in Milan
at 8" is 20:00). "Half five" is half past five. A number after "for" counts people ("for two tonight").
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memory.language.values.day_parts import half_of_day
from memory.language.values.numbers import natural, parse_number, read_chinese
from memory.language.values.plain import plain
from memory.language.values.taken import Taken
from memory.language.values.unsure import unsure_on_error

_HOUR_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HOUR = rf"(?:{_HOUR_WORDS}|[01]?\d|2[0-3])"
_ZH_HOUR = r"(?:[零一二两三四五六七八九十]{1,3}|[01]?\d|2[0-4])"
_ZH_PART = "凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|今晚|昨晚|明晚|夜里|半夜|夜"
_DECIMALS = r"[零〇一二三四五六七八九]+(?:[倍折星度岁米升斤克吨元块万亿]|公[斤里]|千[克米]|英[里寸尺]|厘米)"
_LEADS = "at|from|by|until|till|around|about|before|after"
_MINUTE_WORDS = (
    "oh[ -]five|ten|fifteen|twenty[ -]five|twenty|thirty[ -]five|thirty|forty[ -]five|forty|fifty[ -]five|fifty"
)
_MERIDIEM = r"(?:\s?(?P<meridiem>[ap])\.?m\b\.?)"
_PART = r"(?:\s(?:in the|at|this|tomorrow|yesterday|to)\s?(?P<part>morning|afternoon|evening|night))"

_PATTERNS = (
    re.compile(
        rf"(?<![\d:.\-])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:]){_MERIDIEM}?", re.IGNORECASE
    ),
    re.compile(rf"(?<![\d:.,])\b(?P<hour>1[0-2]|0?[1-9])(?:[.:](?P<minute>[0-5]\d))?{_MERIDIEM}", re.IGNORECASE),
    re.compile(
        rf"\b(?P<past>half|quarter|five|ten|twenty[- ]five|twenty)(?:\s(?P<side>past|to))\s"
        rf"(?P<hour>{_HOUR}|noon|midday|midnight)\b{_PART}?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:{_LEADS})\s(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d){_PART}?(?![\d.])"
        r"(?=\s?(?:[,;!?)]|\.(?!\d)|$|(?:and|or|on|sharp|then|for|tomorrow|today|tonight|please|to|in the)\b))",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:\b(?:{_LEADS})\s(?P<hour>{_HOUR_WORDS})[\s-](?P<minutes>{_MINUTE_WORDS})\b{_PART}?)(?![\s-]\w*(?:minute|{_HOUR_WORDS})\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<hour>{_HOUR_WORDS})[\s-](?P<minutes>{_MINUTE_WORDS})(?:{_MERIDIEM}|{_PART})", re.IGNORECASE),
    re.compile(
        r"(?<!\bfor\s)(?<![\d:.,])\b(?P<hour>1[0-2]|[1-9])\s"
        r"(?:in the\s(?P<part>morning|afternoon|evening)|at\s(?P<night>night))\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<![\d:.,\-])\b(?P<hour>1[0-2]|0?[1-9])(?=\s?[-–]\s?(?P<until>1[0-2]|0?[1-9])\s?(?P<meridiem>[ap])\.?m\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<past>half)\s(?P<hour>{_HOUR_WORDS})\b{_PART}?", re.IGNORECASE),
    re.compile(rf"\b(?P<hour>{_HOUR})\s?o['’]?clock\b{_PART}?", re.IGNORECASE),
    re.compile(
        rf"\b(?:at|from|by|until|till|around|about|before|after)\s(?P<hour>{_HOUR_WORDS}){_PART}?"
        r"(?=\s?(?:[.,;:!?)]|$|and\b|or\b|on\b|to\b|sharp\b|then\b|for\b|tomorrow\b|today\b))",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bat\s(?P<hour>1[0-2]|[1-9]){_PART}?"
        r"(?=\s?(?:[,;!?)]|\.(?!\d)|$|(?:and|or|on|sharp|then|for|in|tomorrow|today|tonight|please)\b))",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\bfor\s)\b(?P<hour>{_HOUR_WORDS}){_PART}", re.IGNORECASE),
    re.compile(r"(?<!after)(?<!fore)\b(?P<named>noon|midday|midnight)\b", re.IGNORECASE),
    re.compile(
        rf"(?P<zhpart>{_ZH_PART})?差(?P<zhless>一刻|[零一二三四五六七八九十\d]{{1,3}}分)(?:钟)?(?:到|不到)?(?P<hour>{_ZH_HOUR})点钟?"
    ),
    re.compile(rf"(?P<zhpart>{_ZH_PART})?(?P<hour>{_ZH_HOUR})点差(?P<zhless>一刻|[零一二三四五六七八九十\d]{{1,3}}分)"),
    re.compile(
        rf"(?P<zhpart>{_ZH_PART})?(?P<hour>{_ZH_HOUR})(?:点(?!{_DECIMALS})钟?|时(?![间候]))"
        r"(?P<zhminute>半|[一三]刻|[零一二三四五六七八九十]{1,3}分?|[0-5]?\d分?)?(?![几多也都儿不])"
    ),
    re.compile(r"(?P<zhpart>上午|下午|晚上|早上)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"),
    re.compile(r"(?P<named>正午|午夜)"),
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_PATTERNS = frozenset(pattern for pattern in _PATTERNS if "点" in pattern.pattern or "午" in pattern.pattern)
_NAMED = {"noon": "12:00", "midday": "12:00", "midnight": "00:00", "正午": "12:00", "午夜": "00:00"}
_PAST = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty five": 25}


_LONGEST_TIME = 60
"""Characters that a lone time has at most."""


class TimeSpan(NamedTuple):
    """A time of day found in a text."""

    start: int
    end: int
    value: str
    """HH:MM on the 24-hour clock."""


def _no_times(text: str) -> tuple[TimeSpan, ...]:
    return ()


@unsure_on_error(_no_times)
def find_times(text: str) -> tuple[TimeSpan, ...]:
    """Return the times of day written in `text`, in order; of overlapping readings the longest."""
    text = plain(text)
    halves = _halves_of_day(text)
    found: list[TimeSpan] = []
    has_han = _HAN.search(text) is not None
    for pattern in _PATTERNS:
        if not has_han and pattern in _HAN_PATTERNS:
            continue
        for match in pattern.finditer(text):
            half = next(half for end, half in halves if match.start() < end)
            value = _value(match, half)
            if value is not None:
                found.append(TimeSpan(match.start(), match.end(), value))
    taken = Taken()
    longest = sorted(found, key=lambda span: (span.start - span.end, span.start))
    return tuple(sorted(span for span in longest if taken.add(span.start, span.end)))


def normal_time(text: str) -> str | None:
    """Return HH:MM if the whole of `text` is a time of day, else `None`; lone figures are none."""
    text = text.strip()
    if len(text) > _LONGEST_TIME:
        return None
    clock = re.fullmatch(r"([01]?\d|2[0-3])[:：]([0-5]\d)(?::00)?", text)
    if clock:
        return f"{int(clock.group(1)):02d}:{clock.group(2)}"
    return next((span.value for span in find_times(text) if (span.start, span.end) == (0, len(text))), None)


_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")


def _halves_of_day(text: str) -> list[tuple[int, str | None]]:
    """Return the end of each sentence with the part of the day that it names, `None` where it names none or both."""
    halves: list[tuple[int, str | None]] = []
    start = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text) + 1):
        half = half_of_day((text[start:end],))
        halves.append((end, None if half is None else "evening" if half == "late" else "morning"))
        start = end
    return halves


def _value(match: re.Match[str], half: str | None) -> str | None:
    groups = match.groupdict()
    if groups.get("named"):
        return _NAMED[groups["named"].casefold()]
    hour = _figure(_HOURS.get(groups["hour"].casefold(), groups["hour"]))
    minute = _minute(groups)
    if hour is None or minute is None:
        return None
    if groups["hour"].casefold() in _HOURS:
        return _shifted(hour * 60 + (-minute if groups["side"].casefold() == "to" else minute))
    if (groups.get("side") or "").casefold() == "to" or groups.get("zhless"):
        hour, minute = hour - 1, 60 - minute
    has_colon = bool(groups.get("minute"))
    part = groups.get("part") or groups.get("night")
    part = part.casefold() if part else None
    if groups.get("until"):
        return _shifted(_start_of_range(hour, int(groups["until"]), groups["meridiem"]) * 60)
    is_bare = not (groups.get("meridiem") or part or groups.get("zhpart") or has_colon)
    if is_bare and half and 1 <= hour <= 11:
        part = half
    hour = _on_24_hours(hour, groups.get("meridiem"), part, groups.get("zhpart"), has_colon)
    return f"{hour:02d}:{minute:02d}" if 0 <= hour < 24 else None


_HOURS = {"noon": "12", "midday": "12", "midnight": "0"}


def _shifted(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _start_of_range(hour: int, until: int, meridiem: str) -> int:
    """The hour that "9–11am" begins at: in the half of its end, or in the one before where it is the later figure."""
    end = until % 12 + (12 if meridiem.casefold() == "p" else 0)
    start = hour % 12 + (12 if meridiem.casefold() == "p" else 0)
    return start if start < end else start - 12


def _figure(text: str) -> int | None:
    if text.isdecimal():
        return natural(text)
    chinese = read_chinese(text)
    number = chinese if chinese is not None else parse_number(text)
    return None if number is None else int(number)


def _minute(groups: dict[str, str | None]) -> int | None:
    if groups.get("past"):
        return _PAST[(groups["past"] or "").casefold().replace("-", " ")]
    if groups.get("minutes"):
        return _figure((groups["minutes"] or "").casefold().replace("oh", "").strip(" -"))
    if less := groups.get("zhless"):
        return 15 if less == "一刻" else _figure(less.removesuffix("分"))
    if groups.get("zhminute"):
        text = (groups["zhminute"] or "").removesuffix("分")
        return {"半": 30, "一刻": 15, "三刻": 45}.get(text) or _figure(text)
    return int(groups.get("minute") or 0)


def _on_24_hours(hour: int, meridiem: str | None, part: str | None, zh_part: str | None, has_colon: bool) -> int:
    """Return the hour with the half of the day decided (the module says how)."""
    is_late = (meridiem or "").casefold() == "p" or part in ("afternoon", "evening", "night")
    is_late = is_late or zh_part in ("中午", "下午", "傍晚", "晚上", "今晚", "昨晚", "明晚")
    is_early = (meridiem or "").casefold() == "a" or part == "morning"
    is_early = is_early or (zh_part is not None and not is_late)
    if is_late:
        if zh_part == "中午" and hour in (10, 11):
            return hour
        return 0 if hour == 12 and (part == "night" or zh_part in ("晚上", "今晚", "昨晚", "明晚")) else hour % 12 + 12
    if is_early:
        return 0 if hour == 12 and (meridiem or zh_part in ("凌晨", "半夜", "夜里", "夜")) else hour % 24
    return hour + 12 if not has_colon and 1 <= hour <= 6 else hour % 24
