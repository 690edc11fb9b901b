"""Rules that end by themselves ("until Friday", "all this month", 这个月都)."""

from __future__ import annotations

import calendar
import re
import sys
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from memory.language.values.dates import find_dates
from memory.language.values.numbers import natural
from memory.state.cues import Clause

_UNTIL = re.compile(
    r"\b(?:until|till|up to|through|by) (?!i (?:say|tell|ask)|further notice)(?P<day>(?:the )?(?:end of )?[\w' ]+)|"
    r"\ball (?:of )?(?P<all>this (?:week|"
    r"month|year))\b"
    r"|\bfor the (?:next|coming) (?P<count>\w+ )?(?P<unit>day|week|month)s?\b|\b(?P<whole>this (?:week|month))$"
    r"|(?P<zh>[这本](?:一?周|个?星期|个?月|年))(?:内|里|之内|我?都|一直)|[到至](?P<zh_day>[^，。\s到至]{1,8}?)(?:为止|"
    r"之前|前)|^[到至](?P<zh_last>[^，。\s到至]{1,8}?)(?:我们?)?(?:都|一直|一律)|^(?P<zh_before>[^，。\s到至]{1,8}?)(?:之前|以前)"
    r"|(?:接下来|未来|这)(?P<zh_count>[一二两三四五六七八九十\d]+)个?(?P<zh_unit>天|周|星期|月)"
)
_MONTH = re.compile(rf"\b(?:{'|'.join(filter(None, calendar.month_name))})\b", re.IGNORECASE)
_DAYS = {"day": 1, "week": 7, "month": 30, "天": 1, "周": 7, "星期": 7, "月": 30}
_ENGLISH_COUNTS = "one two three four five six seven eight nine ten"
_COUNTS = {word: number for number, word in enumerate(_ENGLISH_COUNTS.split(), 1)}
_COUNTS |= {char: number for number, char in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "few": 3}


_NOT_ONLY_AN_END = re.compile(r"(?:by|through|up to)\b")
"""What begins a manner or a way as often as an end: "by email"."""
_ANY_DAY = datetime(2000, 1, 3, 12)
_FAR = date(9999, 1, 1)
"""Stands for ends that no calendar has."""


class Bound(NamedTuple):
    """That a rule ends by itself."""

    end: datetime | None
    """The first moment it no longer holds, in the zone of the turn; `None`: unknown, since the turn's time is."""


def rule_bound(clauses: Sequence[Clause], now: datetime | None) -> Bound | None:
    """Return when the rule in `clauses` ends, `None` if one of the sentences with a rule does not say that it does.

    Args:
        clauses: Of one turn.
        now: Its time; relative days count from here.
    """
    ruled = dict.fromkeys(clause.sentence for clause in clauses if "standing" in clause.cues)
    found = [_sentence_bound([part for part in clauses if part.sentence == number], now) for number in ruled]
    return found[0] if found and None not in found else None


def _sentence_bound(clauses: Sequence[Clause], now: datetime | None) -> Bound | None:
    for clause in clauses:
        if match := _UNTIL.search(clause.text):
            found = {name: text for name, text in match.groupdict().items() if text}
            last = _last_day(found, now) if now is not None else None
            if last is not None and now is not None:
                return Bound(datetime.combine(last + timedelta(days=1), time(), now.tzinfo))
            is_end = "day" not in found or _NOT_ONLY_AN_END.match(match.group()) is None
            if match.start() == 0 or (is_end and (now is None or "day" not in found)) or _is_day(found, now):
                return Bound(None)
    return None


def _is_day(found: dict[str, str], now: datetime | None) -> bool:
    """Whether an end without a clock is one that a calendar knows ("by Friday", not "by email")."""
    return now is None and _last_day(found, _ANY_DAY) is not None


def _last_day(found: dict[str, str], now: datetime) -> date | None:
    unit = found.get("unit") or found.get("zh_unit")
    if unit:
        count = (found.get("count") or found.get("zh_count") or "1").strip()
        try:
            return (now + timedelta(days=_DAYS[unit] * _number(count))).date()
        except OverflowError:
            return _FAR
    names = ("day", "all", "whole", "zh", "zh_day", "zh_last", "zh_before")
    span = next((found[name] for name in names if name in found), "")
    if re.fullmatch(r"this month|[这本]个?月|(?:the )?end of (?:the|this) month|月底|这个月底", span):
        return (now.replace(day=28) + timedelta(days=4)).replace(day=1).date() - timedelta(days=1)
    if re.fullmatch(r"this week|[这本](?:一?周|个?星期)|(?:the )?end of (?:the|this) week|周末", span):
        return now.date() + timedelta(days=6 - now.weekday())
    if re.fullmatch(r"this year|[这本]年|(?:the )?end of (?:the|this) year|年底", span):
        return date(now.year, 12, 31)
    # The texts are in lower case, in which "may" is a verb, and the end of a month is its last day.
    span = _MONTH.sub(lambda month: month.group().title(), span.removeprefix("the ").replace("end of ", "in "))
    return max((one.last for one in find_dates(span, now)), default=None)


def _number(text: str) -> int:
    """Return a count in digits (the greatest one where they are more than can be counted with) or words."""
    if text.isdecimal():
        number = natural(text)
        return sys.maxsize if number is None else number
    return _COUNTS.get(text, 1)
