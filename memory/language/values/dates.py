"""Dates as people write them, in English and Chinese, at a clock that is passed in.

Conventions, for a clock of Wednesday 1 April 2026: "Thursday", "周四" is the next such day after today (2 April, and
"Wednesday" 8 April); "this Friday", "这周五" the one of this week, Monday to Sunday (3 April), or the next if that is
past; "next Friday", "下周五" the one of next week (10 April); "last Friday" the latest before today; "the 23rd", "5号"
the next day of that number from today on; "17 March" without a year the one nearest to today; "this weekend",
"the weekend", "这周末" Saturday and Sunday of this week, "next weekend", "下周末" of the next; "last month",
"February", "二月整月" whole months, the latter nearest to today. In "from … to …" the end is the first such day after
the start. "That day", "那天" is the date named last before it. Nothing reads the machine's clock or zone.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from memory.language.values.numbers import parse_number, read_chinese

_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name[:3]: number for name, number in list(_MONTHS.items())} | {"sept": 9}
_DAYS = {name.casefold(): number for number, name in enumerate(calendar.day_name)}
_ZH_DAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_FIRST_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: number for number, word in enumerate(_FIRST_ORDINALS.split(), start=1)} | {
    "twenty-first": 21,
    "twenty-second": 22,
    "twenty-third": 23,
    "twenty-fourth": 24,
    "twenty-fifth": 25,
}
_ORDINALS |= {"twenty-sixth": 26, "twenty-seventh": 27, "twenty-eighth": 28, "twenty-ninth": 29}
_ORDINALS |= {"thirtieth": 30, "thirty-first": 31}

_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_ORDINAL_WORD = "|".join(sorted(_ORDINALS, key=len, reverse=True))
# "May" and "March" alone are too often verbs; in capitals after a preposition, or with a day or year, they are months.
_MONTH_NAME = (
    "(?P<month>"
    + "|".join(name for name in calendar.month_name if name not in ("", "May", "March"))
    + r"|(?<=in )(?:May|March)|(?<=of )(?:May|March)|(?:May|March)(?=\s\d{4}))"
)
_DAY = rf"(?P<day>(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?|{_ORDINAL_WORD})"
_WEEKDAY = "(?P<weekday>" + "|".join(_DAYS) + ")"
_ZH_NUM = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_ZH_WEEK = "(?:周|星期|礼拜)"


@dataclass(frozen=True, order=True)
class DateSpan:
    """A date, or a range of days, found in a text."""

    start: int
    end: int
    first: date
    last: date
    """Equal to `first` for a single day; otherwise the last day, included."""

    @property
    def is_range(self) -> bool:
        """Whether it covers more than one day."""
        return self.first != self.last

    @property
    def iso(self) -> str:
        """The first day as YYYY-MM-DD."""
        return self.first.isoformat()


Days = tuple[date, date]


def find_dates(text: str, now: datetime | None) -> tuple[DateSpan, ...]:
    """Return the dates and ranges of days written in `text`, in order; of overlapping readings the longest.

    Args:
        text: English, Chinese or both.
        now: The clock that relative dates count from; `None` leaves only dates that name their year.
    """
    today = None if now is None else now.date()
    found = [
        DateSpan(match.start(), match.end(), *days)
        for pattern, read in _READINGS
        for match in pattern.finditer(text)
        if (days := _safely(read, match, today)) is not None
    ]
    return _joined(text, _with_references(text, _longest(found), today))


def normal_date(text: str) -> str | None:
    """Return YYYY-MM-DD if the whole of `text` is one date with its year, else `None`."""
    text = text.strip()
    for span in find_dates(text, None) if any(char.isdigit() for char in text) else ():
        if (span.start, span.end) == (0, len(text)) and not span.is_range:
            return span.iso
    return None


def normal_datetime(text: str) -> str | None:
    """Return YYYY-MM-DDTHH:MM:SS (with the offset, if one is given) if `text` is a date with a time, else `None`."""
    if not re.match(r"\s*\d{4}-\d\d?-\d\d?[T ]\d", text):
        return None
    try:
        return datetime.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return None


def month_days(year: int, month: int) -> Days:
    """Return the first and the last day of a month."""
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def nearest(month: int, day: int, today: date) -> date | None:
    """Return the day with that month and number nearest to `today`, of two equally near the later one."""
    candidates = []
    for year in (today.year - 1, today.year, today.year + 1):
        if day <= calendar.monthrange(year, month)[1]:
            candidates.append(date(year, month, day))
    return min(candidates, key=lambda found: (abs(found - today), -found.toordinal()), default=None)


def next_numbered(day: int, start: date) -> date | None:
    """Return the first day with number `day` of its month, from `start` on."""
    year, month = start.year, start.month
    for _ in range(13):
        if day <= calendar.monthrange(year, month)[1] and date(year, month, day) >= start:
            return date(year, month, day)
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return None


def _safely(
    read: Callable[[re.Match[str], date | None], Days | None], match: re.Match[str], today: date | None
) -> Days | None:
    try:
        return read(match, today)
    except (ValueError, OverflowError):  # such as 31 February: written like a date, but none
        return None


def _longest(found: list[DateSpan]) -> list[DateSpan]:
    kept: list[DateSpan] = []
    for span in sorted(found, key=lambda span: (span.start - span.end, span.start)):
        if not any(other.start < span.end and span.start < other.end for other in kept):
            kept.append(span)
    return sorted(kept)


def _number(text: str) -> int:
    text = text.casefold()
    if text in _ORDINALS:
        return _ORDINALS[text]
    digits = re.match(r"\d+", text)
    if digits:
        return int(digits.group())
    chinese = read_chinese(text)
    number = chinese if chinese is not None else parse_number(text)
    if number is None:
        raise ValueError(text)
    return int(number)


def _one(day: date | None) -> Days | None:
    return None if day is None else (day, day)


def _read_iso(match: re.Match[str], today: date | None) -> Days | None:
    return _one(date(int(match["y"]), int(match["m"]), int(match["d"])))


def _read_day_month(match: re.Match[str], today: date | None) -> Days | None:
    month, day = _MONTHS[match["month"].casefold()], _number(match["day"])
    if match["year"]:
        return _one(date(int(match["year"]), month, day))
    return None if today is None else _one(nearest(month, day, today))


def _read_days_month(match: re.Match[str], today: date | None) -> Days | None:
    days = _read_day_month(match, today)
    return None if days is None else (days[0], days[0].replace(day=int(match["last"])))


def _read_month(match: re.Match[str], today: date | None) -> Days | None:
    month = _MONTHS[match["month"].casefold()]
    if match["year"]:
        return month_days(int(match["year"]), month)
    middle = None if today is None else nearest(month, 15, today)
    return None if middle is None else month_days(middle.year, month)


def _read_zh_date(match: re.Match[str], today: date | None) -> Days | None:
    year, month, day = match["year"], _number(match["month"]), match["day"]
    if year:
        return _one(date(_number(year), month, _number(day))) if day else month_days(_number(year), month)
    if today is None or not 1 <= month <= 12:
        return None
    middle = nearest(month, _number(day) if day else 15, today)
    if middle is None or day:
        return _one(middle)
    return month_days(middle.year, month)


def _read_numbered(match: re.Match[str], today: date | None) -> Days | None:
    day = _number(match["day"])
    if today is None or not 1 <= day <= 31:
        return None
    month = match.groupdict().get("which")
    if month:
        shift = {"this": 0, "the": 0, "next": 1, "last": -1}[month.casefold()]
        first, _ = _shifted_month(today, shift)
        return _one(first.replace(day=day))
    return _one(next_numbered(day, today))


def _shifted_month(today: date, months: int) -> Days:
    index = today.year * 12 + today.month - 1 + months
    return month_days(index // 12, index % 12 + 1)


def _monday(today: date, weeks: int = 0) -> date:
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)


_WHICH = {"this": 0, "next": 1, "last": -1, "这": 0, "本": 0, "下": 1, "上": -1, "下下": 2, "上上": -2}


def _read_weekday(match: re.Match[str], today: date | None) -> Days | None:
    if today is None:
        return None
    name = match["weekday"].casefold()
    weekday = _DAYS[name] if name in _DAYS else _ZH_DAYS[name]
    which = (match["which"] or "").casefold()
    upcoming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    if not which:
        return _one(upcoming)
    if which == "last":
        return _one(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    if which == "this":
        day = _monday(today) + timedelta(days=weekday)
        return _one(day if day >= today else upcoming)
    return _one(_monday(today, _WHICH[which]) + timedelta(days=weekday))


def _read_weekend(match: re.Match[str], today: date | None) -> Days | None:
    if today is None:
        return None
    saturday = _monday(today, _WHICH.get((match["which"] or "").casefold(), 0)) + timedelta(days=5)
    return saturday, saturday + timedelta(days=1)


def _read_period(match: re.Match[str], today: date | None) -> Days | None:
    if today is None:
        return None
    which = match["which"].casefold()
    shift = "去今明".index(which) - 1 if which in "去今明" else _WHICH[which]
    unit = match["unit"]
    if unit in ("week", "周", "个星期", "星期", "个礼拜", "礼拜"):
        monday = _monday(today, shift)
        return monday, monday + timedelta(days=6)
    if unit in ("month", "个月", "月"):
        return _shifted_month(today, shift)
    return date(today.year + shift, 1, 1), date(today.year + shift, 12, 31)


_OFFSETS = {
    "the day after tomorrow": 2, "day after tomorrow": 2, "the day before yesterday": -2, "day before yesterday": -2,
    "tomorrow": 1, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "yesterday": -1, "last night": -1, "大后天": 3, "后天": 2, "明天": 1, "明早": 1, "明晚": 1, "今天": 0, "今早": 0,
    "今晚": 0, "今日": 0, "昨天": -1, "昨晚": -1, "昨日": -1, "前天": -2, "大前天": -3,
}  # fmt: skip


def _read_offset(match: re.Match[str], today: date | None) -> Days | None:
    return None if today is None else _one(today + timedelta(days=_OFFSETS[match.group().casefold()]))


def _read_counted(match: re.Match[str], today: date | None) -> Days | None:
    if today is None:
        return None
    count = 1 if match["count"].casefold() in ("a", "an") else _number(match["count"])
    unit = match["unit"]
    days = count * (7 if unit in ("week", "周", "个星期") else 1)
    is_past = match["side"].casefold() in ("ago", "前", "之前", "以前")
    return _one(today + timedelta(days=-days if is_past else days))


def _read_month_edge(match: re.Match[str], today: date | None) -> Days | None:
    if today is None:
        return None
    first, last = _shifted_month(today, _WHICH.get((match["which"] or "").casefold(), 0))
    return _one(first if match["edge"].casefold() in ("start", "beginning", "月初") else last)


_COUNT = r"(?P<count>a|an|\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
_I = re.IGNORECASE
_READINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date | None], Days | None]], ...] = (
    (re.compile(r"(?<![\w-])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)(?![\d-])"), _read_iso),
    (
        re.compile(
            rf"(?:\b(?:{'|'.join(_DAYS)}),?\s(?:the\s)?)?(?<!\w)(?:the )?{_DAY}(?:\sof)?[\s-]{_MONTH}"
            r"(?:,?[\s-](?P<year>\d{4}))?(?!\w)",
            _I,
        ),
        _read_day_month,
    ),
    (re.compile(rf"\b{_MONTH}\s(?:the )?{_DAY}(?:,?\s(?P<year>\d{{4}}))?(?!\w)", _I), _read_day_month),
    (
        re.compile(
            rf"\b(?:(?:all|(?:the )?whole|rest) of |in |during )?(?<!\d\s){_MONTH_NAME}"
            r"(?:\s(?P<year>\d{4}))?(?![\w'’])"
        ),
        _read_month,
    ),
    (
        re.compile(
            rf"(?<![\w-]){_DAY}\s?(?:-|–|to|and)\s?(?P<last>\d\d?)(?:st|nd|rd|th)?\s{_MONTH}(?:\s(?P<year>\d{{4}}))?",
            _I,
        ),
        _read_days_month,
    ),
    (
        re.compile(
            rf"(?:(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})年)?(?P<month>{_ZH_NUM})月(?:份)?"
            rf"(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})(?:号|日)?|整月|全月|一整个?月)?"
        ),
        _read_zh_date,
    ),
    (re.compile(rf"(?<![\d月])(?P<day>{_ZH_NUM})(?:号(?![线楼])|日(?![本元]))"), _read_numbered),
    (
        re.compile(
            rf"\b(?:(?:{'|'.join(_DAYS)})\s)?the (?P<day>(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th)|{_ORDINAL_WORD})"
            r"(?: of (?P<which>this|the|next|last) month)\b",
            _I,
        ),
        _read_numbered,
    ),
    (
        re.compile(
            rf"\b(?:(?:{'|'.join(_DAYS)}),?\s)?the (?P<day>(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th))\b(?! century)", _I
        ),
        _read_numbered,
    ),
    (
        re.compile(rf"\b(?:(?:on |the )?(?P<which>this|next|last)\s)?(?:on )?{_WEEKDAY}\b(?!\sthe\s\d)", _I),
        _read_weekday,
    ),
    # 一下 ("a little") is no 下 ("next"): 查一下周四 looks up this Thursday.
    (
        re.compile(rf"(?P<which>这|本|(?<!一)下下|(?<!一)下|上上|上)?个?{_ZH_WEEK}(?P<weekday>[一二三四五六日天])"),
        _read_weekday,
    ),
    (re.compile(r"\b(?:(?P<which>this|next|last)|the|at) (?:coming )?weekend\b", _I), _read_weekend),
    (re.compile(r"(?P<which>这|本|(?<!一)下下|(?<!一)下|上上|上)?个?周末"), _read_weekend),
    (re.compile(r"\b(?P<which>this|next|last) (?P<unit>week|month|year)\b(?!['’-])", _I), _read_period),
    (
        re.compile(r"(?P<which>这|本|(?<!一)下|上)(?P<unit>周|个?星期|个?礼拜|个月|月)(?![一二三四五六日天末底初])"),
        _read_period,
    ),
    (re.compile(r"(?P<which>去|今|明)(?P<unit>年)"), _read_period),
    (re.compile("|".join(rf"\b{name}\b" if name.isascii() else name for name in _OFFSETS), _I), _read_offset),
    (re.compile(rf"\b(?P<side>in) {_COUNT} (?P<unit>day|week)s?\b(?!['’])", _I), _read_counted),
    (re.compile(rf"\b{_COUNT} (?P<unit>day|week)s? (?P<side>ago|from now)\b", _I), _read_counted),
    (
        re.compile(rf"(?P<count>{_ZH_NUM}|两)(?P<unit>天|周|个星期)(?P<side>之?[后前]|以[后前])"),
        _read_counted,
    ),
    (re.compile(r"\bthe (?P<edge>end|start|beginning) of (?P<which>this|next|last|the) month\b", _I), _read_month_edge),
    (re.compile(r"(?P<which>这个?|本|(?<!一)下个?|上个?)?(?P<edge>月底|月末|月初)"), lambda m, t: _zh_month_edge(m, t)),
)


def _zh_month_edge(match: re.Match[str], today: date | None) -> Days | None:
    if today is None or match["which"] is None:  # a bare 月底 tells the occasion rather than a date
        return None
    first, last = _shifted_month(today, _WHICH[match["which"].removesuffix("个")])
    return _one(first if match["edge"] == "月初" else last)


_REFERENCE = re.compile(
    r"\b(?P<day>(?:that|the same|that same|same) day)\b|(?P<end>\bthe end of that month\b)"
    r"|(?P<zhday>那天|当天|同一天|那一天)",
    _I,
)


def _with_references(text: str, spans: list[DateSpan], today: date | None) -> list[DateSpan]:
    """Add "that day" and "the end of that month" where a date stands before them."""
    added: list[DateSpan] = []
    for match in _REFERENCE.finditer(text):
        before = [span for span in spans if span.end <= match.start()]
        if before and not any(span.start < match.end() and match.start() < span.end for span in spans):
            day = before[-1].first
            day = month_days(day.year, day.month)[1] if match["end"] else day
            added.append(DateSpan(match.start(), match.end(), day, day))
    return sorted(spans + added)


_BETWEEN = re.compile(r"\s*(?:,\s*)?(?:to|until|till|through|-|–|—|~|到|至|and)\s*(?:the\s)?", _I)
_LEAD = re.compile(r"(?:\b(?P<between>between)|\bfrom|从|自)\s*(?:the\s)?$", _I)
_LONE_ORDINAL = re.compile(rf"(?:the )?(?P<day>{_ORDINAL_WORD}|(?:[12]\d|3[01]|[1-9])(?:st|nd|rd|th)?)\b", _I)


def _joined(text: str, spans: list[DateSpan]) -> tuple[DateSpan, ...]:
    """Join "from A to B" into one range, B counted from A where it names a bare day."""
    joined: list[DateSpan] = []
    index = 0
    while index < len(spans):
        span = spans[index]
        lead = _LEAD.search(text[max(0, span.start - 40) : span.start])
        between = _BETWEEN.match(text, span.end)
        end = _range_end(text, span, spans[index + 1 : index + 2], lead, between)
        if end is None:
            joined.append(span)
            index += 1
            continue
        joined.append(DateSpan(span.start, end.end, span.first, end.last))
        index += 1
        while index < len(spans) and spans[index].start < end.end:
            index += 1
    return tuple(joined)


def _range_end(
    text: str, span: DateSpan, following: list[DateSpan], lead: re.Match[str] | None, between: re.Match[str] | None
) -> DateSpan | None:
    if between is None or span.is_range:
        return None
    is_and = "and" in between.group().casefold()
    if is_and and not (lead and lead["between"]):
        return None
    is_open = between.group().strip() not in ("-", "–", "—", "~")
    for other in following:
        if other.start in (between.end(), between.end() - 4) and (lead or not is_and):
            last = other.last
            if last < span.first and (day := next_numbered(last.day, span.first)):
                last = day
            elif re.fullmatch(r"(?:the )?\d+(?:st|nd|rd|th)", text[other.start : other.end], _I):
                last = next_numbered(last.day, span.first) or last
            return DateSpan(span.start, other.end, span.first, last)
    lone = _LONE_ORDINAL.match(text, between.end())
    if lone and lead and is_open and (day := next_numbered(_number(lone["day"]), span.first)):
        return DateSpan(span.start, lone.end(), span.first, day)
    return None
