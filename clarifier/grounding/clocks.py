"""Times of day whose half a text leaves open, and values of parameters that stand for days of the week."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from pydantic import JsonValue

from clarifier.grounding.spoken import mentions_in
from clarifier.settings import GroundingSettings
from memory.language.text import split_name
from memory.language.values.day_parts import Half, half_of_day, is_vague, speaks_of_half, tells_half
from memory.language.values.times import normal_time
from memory.language.values.weekdays import as_weekday
from memory.tools import Parameter

_HALF_DAY = 720
_NEAR_MINUTES = 30
_CLOCK = re.compile(r"(?:[T ]|^)(\d{1,2}:\d{2})(?::00)?(?:$|[+Z])")

_SPEAKS_OF_WEEKDAYS = re.compile(r"week-?days?|days? of the week|monday|mon\b|周一|星期|礼拜|每周|周几", re.IGNORECASE)
_SUNDAY_FIRST = re.compile(
    r"0\s*(?:=|is|for|means|stands for|为|是|表示|代表)?\s*:?\s*(?:sun|周日|星期日|周天)", re.IGNORECASE
)
_MONDAY_ZERO = re.compile(
    r"0\s*(?:=|is|for|means|stands for|为|是|表示|代表)?\s*:?\s*(?:mon|周一|星期一)", re.IGNORECASE
)
_SUNDAY_ONE = re.compile(
    r"1\s*(?:=|is|for|means|stands for|为|是|表示|代表)?\s*:?\s*(?:sun|周日|星期日|周天)", re.IGNORECASE
)


def in_half(time: str, text: str, context: Iterable[str], now: datetime | None) -> str:
    """Return the time HH:MM that `text` says, in the half of the day that it leaves open and the context tells.

    Args:
        time: As it is read from `text`.
        text: Where it is said.
        context: What else bears on it, the nearest first.
        now: The turn's clock.
    """
    minutes = _minutes(time)
    if minutes is None or minutes % _HALF_DAY < 60 or (minutes, True) not in _said_times(text, now):
        return time
    half = half_of_day((text, *context))
    meant = minutes if half is None else minutes % _HALF_DAY + (_HALF_DAY if half == "late" else 0)
    return f"{meant // 60:02d}:{meant % 60:02d}"


def names_time(
    value: str, text: str, now: datetime | None, settings: GroundingSettings, *, context: Sequence[str] = ()
) -> float | None:
    """Return how probable it is that `text` means the time of day `value`, though it does not spell it so.

    A time said without its half of the day ("half eleven", "8:15") may be in the other one: surely so where the text
    speaks of that half ("tonight") or, where it speaks of none, the nearest of the context that does; else perhaps.
    "A bit after six" may be any time of the next half hour. "From eight" is the hour. `None` where nothing leads to it.
    """
    wanted = _minutes(value)
    if wanted is None:
        return None
    vague = is_vague(text)
    found: float | None = None
    for said, is_open in _said_times(text, now):
        if is_open and said == wanted:
            return settings.derived
        if is_open and abs(said - wanted) == _HALF_DAY:
            own: Half = "late" if wanted >= _HALF_DAY else "early"
            if speaks_of_half(text, own):
                return settings.derived
            if speaks_of_half(text, "early" if own == "late" else "late"):
                continue
            if half_of_day(context) == own:
                return settings.derived
            found = settings.derived_unnamed
        elif vague and 0 < abs(said - wanted) <= _NEAR_MINUTES:
            found = settings.derived_unnamed
    if found is None and names_hour(text, value, now):
        return settings.derived_unnamed
    return found


def names_hour(text: str, value: str, now: datetime | None) -> bool:
    """Say whether `text` names the hour of a time on the hour by its number alone: "from eight" for 08:00."""
    time = normal_time(value)
    if time is None or not time.endswith(":00"):
        return False
    hour = int(time[:2])
    return any(one.kind == "number" and one.value in (hour, hour - 12) for one in mentions_in(text, now))


def hours_in(text: str, now: datetime | None) -> frozenset[int]:
    """Return the times of day that `text` names, in minutes of the half day, 0 to 719."""
    return frozenset(said % _HALF_DAY for said, _ in _said_times(text, now))


def as_weekdays(values: Sequence[JsonValue], parameter: Parameter) -> frozenset[int] | None:
    """Return the days of the week that `values` of `parameter` stand for, Monday 0; `None` where they are no such."""
    if not _SPEAKS_OF_WEEKDAYS.search(f"{' '.join(split_name(parameter.name))} {parameter.description}"):
        return None
    days = [_as_weekday(value, parameter) for value in values]
    known = [day for day in days if day is not None]
    return frozenset(known) if known and len(known) == len(days) else None


def _as_weekday(value: JsonValue, parameter: Parameter) -> int | None:
    if isinstance(value, str):
        return as_weekday(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    text = parameter.description
    if _SUNDAY_FIRST.search(text):
        return (value - 1) % 7 if 0 <= value <= 6 else None
    if _SUNDAY_ONE.search(text):
        return (value - 2) % 7 if 1 <= value <= 7 else None
    if _MONDAY_ZERO.search(text):
        return value if 0 <= value <= 6 else None
    return value - 1 if 1 <= value <= 7 else None


def _said_times(text: str, now: datetime | None) -> Iterator[tuple[int, bool]]:
    """Yield the times of day in minutes, and whether the half of the day is left open."""
    for one in mentions_in(text, now):
        if one.kind == "time" and isinstance(one.value, str) and (said := _minutes(one.value)) is not None:
            figure = re.match(r"\d{1,2}", one.text)
            is_24_hours = figure is not None and (int(figure.group()) > 12 or figure.group().startswith("0"))
            yield said, not is_24_hours and not tells_half(one.text)


def _minutes(value: str) -> int | None:
    """The time of day of a time, or of a date with a time, in minutes."""
    found = _CLOCK.search(value)
    time = normal_time(found[1] if found else value)
    return int(time[:2]) * 60 + int(time[3:]) if time is not None else None
