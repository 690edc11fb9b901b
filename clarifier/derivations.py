"""Values that can be worked out from what was said, though no word names them: days, durations, years, codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType

from pydantic import JsonValue

from clarifier.codes import is_code
from clarifier.matching import mentions_in
from clarifier.settings import GroundingSettings
from memory.dates import normal_date
from memory.mentions import Mention
from memory.text import split_name
from memory.times import normal_time
from memory.tools import Parameter
from memory.values import equal

_SECONDS: Mapping[str, int] = MappingProxyType(
    {"second": 1, "sec": 1, "秒": 1, "minut": 60, "min": 60, "分": 60, "hour": 3600, "小": 3600, "day": 86_400,
     "天": 86_400, "日": 86_400, "week": 604_800, "周": 604_800}
)  # fmt: skip
"""Length of a unit of time, by its stem, in Chinese by its first character."""
_IDIOMS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"\bhour and a half\b|一个半小时", re.IGNORECASE), 5400),
    (re.compile(r"\bhalf an? hour\b|\bhalf-hour\b|(?<!个)半个?小时", re.IGNORECASE), 1800),
    (re.compile(r"\bquarter of an hour\b|一刻钟", re.IGNORECASE), 900),
    (re.compile(r"(?<!half )(?<!of )\ban hour\b(?! and)", re.IGNORECASE), 3600),
)
_UNIT_OF_PARAMETER = re.compile(r"\b(second|minute|hour|day|week)s?\b|(秒|分钟|小时|天)", re.IGNORECASE)
_NEAR_DAYS = 31
"""How far a day may lie from one that was named and still be meant by it: to the end of its month."""
_DAY_WORDS = frozenset({"date", "day", "start", "end", "from", "to", "since", "until", "when", "begin", "deadline"})
_NOW_WORDS = ("current", "today", "now", "当前", "今天", "当日")
_QUOTED = re.compile(r"['\"‘“]([^'\"’”]+)['\"’”]")
_ENUMERATED = re.compile(r"(?:[\w./-]+\s*[,，、]\s*){2,}(?:(?:and|or|etc)\b\s*)?[\w./-]+")


def worked_out(
    value: JsonValue,
    parameter: Parameter,
    texts: Sequence[str],
    now: datetime | None,
    known_days: Callable[[], Collection[str]],
    *,
    is_recording: bool,
    settings: GroundingSettings,
) -> float | None:
    """Return how probable `value` is as something worked out; `None` where nothing leads to it.

    Args:
        value: A scalar.
        parameter: Of the value.
        texts: The person's words: the request, answers, then the running topic.
        now: The turn's clock.
        known_days: Dates (YYYY-MM-DD) of this conversation that a span of days may count from.
        is_recording: Whether the tool changes something: what is recorded without a date is of today.
        settings: The probabilities.
    """
    if isinstance(value, bool):
        return None
    if is_code(value, parameter):
        return settings.derived_unnamed
    if isinstance(value, (int, float)):
        if any(seconds == value * _unit(parameter) for text in texts for seconds in durations(text, now)):
            return settings.derived
        return _year(value, parameter, now, settings)
    if not isinstance(value, str):
        return None
    if (day := normal_date(value)) is not None:
        if not _takes_days(parameter):
            return None
        return _day(day, parameter, texts, now, known_days, is_recording=is_recording, settings=settings)
    if any(names_hour(text, value, now) for text in texts):
        return settings.derived_unnamed
    return settings.derived_unnamed if value.casefold() in _listed(parameter.description) else None


def durations(text: str, now: datetime | None) -> Iterator[int]:
    """Yield the lengths of time that `text` names, in seconds: `half an hour` gives 1800."""
    for pattern, seconds in _IDIOMS:
        if pattern.search(text):
            yield seconds
    for one in mentions_in(text, now):
        if one.kind == "number" and isinstance(one.value, (int, float)) and (unit := _SECONDS.get(one.unit or "")):
            yield round(one.value * unit)


def names_hour(text: str, value: str, now: datetime | None) -> bool:
    """Say whether `text` names the hour of a time on the hour by its number alone: "from eight" for 08:00."""
    time = normal_time(value)
    if time is None or not time.endswith(":00"):
        return False
    hour = int(time[:2])
    return any(one.kind == "number" and one.value in (hour, hour - 12) for one in mentions_in(text, now))


def _day(
    day: str,
    parameter: Parameter,
    texts: Sequence[str],
    now: datetime | None,
    known_days: Callable[[], Collection[str]],
    *,
    is_recording: bool,
    settings: GroundingSettings,
) -> float | None:
    """A day counted from a known one by a span that was named, one near a day that was named, or today."""
    spans = {seconds // 86_400 for text in texts[:2] for seconds in durations(text, now)}
    target = date.fromisoformat(day)
    shifted = {(target + timedelta(days=step)).isoformat() for span in spans if span for step in (-span, span)}
    if shifted and not shifted.isdisjoint(known_days()):
        return settings.derived
    named = [item for text in texts for one in mentions_in(text, now) for item in _days(one)]
    if any(abs((target - date.fromisoformat(item)).days) <= _NEAR_DAYS for item in named):
        return settings.derived_unnamed
    is_today = now is not None and target == now.date()
    speaks_of_now = any(word in parameter.description.casefold() for word in _NOW_WORDS)
    return settings.derived_unnamed if is_today and (speaks_of_now or is_recording) else None


def _takes_days(parameter: Parameter) -> bool:
    if parameter.format in ("date", "datetime") or _DAY_WORDS & set(split_name(parameter.name)):
        return True
    return re.search(r"\bdates?\b|yyyy|日期|时间", parameter.description, re.IGNORECASE) is not None


def _days(mention: Mention) -> list[str]:
    """The days a mention names, YYYY-MM-DD."""
    if mention.kind not in ("date", "date_range"):
        return []
    values = mention.value if isinstance(mention.value, list) else [mention.value]
    return [day for value in values if isinstance(value, str) and (day := normal_date(value)) is not None]


def _year(value: float, parameter: Parameter, now: datetime | None, settings: GroundingSettings) -> float | None:
    words = split_name(parameter.name)
    if now is None or not ({"year", "years"} & set(words) or parameter.description.startswith("年")):
        return None
    if equal(value, now.year):
        return settings.derived
    return settings.derived_unnamed if abs(value - now.year) == 1 else None


def _unit(parameter: Parameter) -> int:
    """Seconds in the unit a parameter counts in, by name and description; 0 where it names none."""
    found = _UNIT_OF_PARAMETER.search(f"{' '.join(split_name(parameter.name))} {parameter.description}")
    if found is None:
        return 0
    word = (found[1] or found[2]).casefold()
    return _SECONDS["minut" if word == "minute" else word if word in _SECONDS else word[0]]


@lru_cache(maxsize=1024)
def _listed(description: str) -> frozenset[str]:
    """The values a description lists, case-folded; a single example is no list."""
    runs = [re.split(r"\s*[,，、]\s*", run) for run in _ENUMERATED.findall(description)]
    found = {word.strip().casefold() for words in (_QUOTED.findall(description), *runs) for word in words}
    return frozenset(found) if len(found) > 1 else frozenset()
