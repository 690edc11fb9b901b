"""Values that can be worked out from what was said, though no word names them: days, durations, years, codes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime, timedelta

from pydantic import JsonValue

from clarifier.grounding.choices import speech_for, unclaimed
from clarifier.grounding.clocks import names_time
from clarifier.grounding.codes import is_code
from clarifier.grounding.spoken import mentions_in
from clarifier.settings import GroundingSettings
from memory.language.text import split_name
from memory.language.text_cache import text_cache
from memory.language.values.amounts import factors, lengths_of_time
from memory.language.values.dates import normal_date
from memory.language.values.mentions import Mention
from memory.language.values.times import normal_time
from memory.language.values.values import equal
from memory.tools import Parameter

_DAY_S = 86_400
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
    beside: Sequence[JsonValue] = (),
    before: Callable[[], Collection[JsonValue]] = tuple,
    purpose: str = "",
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
        beside: What other calls have for the argument: words for those say nothing of this one.
        before: What the argument was before, which half as much or twice as much may be said of.
        purpose: What the tool and the argument are for, in words.
    """
    if isinstance(value, bool):
        return None
    if is_code(value, parameter):
        return settings.derived_unnamed
    if isinstance(value, (int, float)):
        return _year(value, parameter, now, settings) or _multiple(value, texts[:2], before, settings)
    if not isinstance(value, str):
        return None
    if (day := normal_date(value)) is not None:
        if not _takes_days(parameter):
            return None
        return _day(day, parameter, texts, now, known_days, is_recording=is_recording, settings=settings)
    if normal_time(value.rpartition("T")[2]) is not None:
        context = (*texts, purpose)
        heard = (names_time(value, text, now, settings, context=context) for text in texts)
        return max((found for found in heard if found), default=None)
    return _of_list(value, parameter, texts, now, settings, beside)


def is_listed(value: str, parameter: Parameter) -> bool:
    """Say whether the description lists the value among others."""
    return value.casefold() in _listed(parameter.description)


def _of_list(
    value: str,
    parameter: Parameter,
    texts: Sequence[str],
    now: datetime | None,
    settings: GroundingSettings,
    beside: Sequence[JsonValue],
) -> float | None:
    """A value that the description lists, unless the person named another one of the list in this turn."""
    listed = _listed(parameter.description)
    if value.casefold() not in listed:
        return None
    members = unclaimed(value, listed, beside)
    heard = {speech_for(value.casefold(), members, text, parameter.description, now) for text in texts[:2]}
    return settings.derived_unnamed if heard & {"stated", "meant"} or "other" not in heard else None


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
    spans = {seconds // _DAY_S for text in texts[:2] for seconds in lengths_of_time(text)}
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


def _multiple(
    value: float, texts: Sequence[str], before: Callable[[], Collection[JsonValue]], settings: GroundingSettings
) -> float | None:
    """A share or a multiple of what the argument was before: "the same, but half of each"."""
    named = {factor for text in texts for factor in factors(text)}
    if not named or value == 0:
        return None
    known = [one for one in before() if isinstance(one, (int, float)) and not isinstance(one, bool)]
    is_so = any(math.isclose(value, one * factor) for one in known for factor in named)
    return settings.derived_unnamed if is_so else None


@text_cache(1024)
def _listed(description: str) -> tuple[str, ...]:
    """The values a description lists, case-folded; a single example is no list."""
    runs = [re.split(r"\s*[,，、]\s*", run) for run in _ENUMERATED.findall(description)]
    words = dict.fromkeys(word.strip().casefold() for words in (_QUOTED.findall(description), *runs) for word in words)
    return tuple(words) if len(words) > 1 else ()
