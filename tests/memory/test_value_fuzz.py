"""No text makes a reader of values raise or take long, whatever it is of: words that they know, signs, rubbish."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from babel import Locale
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.language.tongue import tongues
from memory.language.values import unsure
from memory.language.values.amounts import amounts, amounts_of_things, factors, lengths_of_time
from memory.language.values.codes import code_of, find_codes
from memory.language.values.dates import find_dates, normal_date, normal_datetime
from memory.language.values.day_parts import half_of_day, is_part_of_day
from memory.language.values.doubts import doubts
from memory.language.values.mentions import mentions
from memory.language.values.numbers import find_numbers, parse_number, read_chinese
from memory.language.values.time_ranges import time_ranges
from memory.language.values.times import find_times, normal_time
from memory.language.values.unsure import unsure_on_error
from memory.language.values.value_forms import form_key
from memory.language.values.values import equal
from memory.language.values.weekdays import weekdays_in

CLOCKS = (datetime(2026, 2, 28), datetime(2028, 2, 29), datetime(1, 1, 1), datetime(9999, 12, 31), None)
READERS: dict[str, Callable[[str, datetime | None], object]] = {
    "amounts": lambda text, now: (amounts(text), list(lengths_of_time(text)), list(amounts_of_things(text))),
    "factors": lambda text, now: factors(text),
    "codes": lambda text, now: [
        (find_codes(kind, text), code_of(kind, text)) for kind in ("country", "currency", "language")
    ],
    "dates": lambda text, now: (find_dates(text, now), find_dates(text, now, order="day-month"), normal_date(text)),
    "datetimes": lambda text, now: normal_datetime(text),
    "halves": lambda text, now: (half_of_day([text]), is_part_of_day(text)),
    "doubts": doubts,
    "numbers": lambda text, now: (find_numbers(text), parse_number(text), read_chinese(text)),
    "times": lambda text, now: (find_times(text), normal_time(text), list(time_ranges(text))),
    "weekdays": lambda text, now: weekdays_in(text),
    "forms": lambda text, now: (form_key(text), equal(text, text + "1")),
    "mentions": mentions,
}


def _words() -> list[str]:
    """Every word that the readers know, and what glues words together."""
    known = {"half", "quarter", "minus", "dozen", "million", "between", "from", "next", "last", "the", "of", "after"}
    known |= {"every other", "in", "on", "by", "ago", "week", "and a half", "o'clock", "pm", "noon", "twenty", "three"}
    known |= {*"半万亿三十两号月年点到每一个", "零下", "上个", "下下", "之前"}
    for words in tongues():
        known |= {name for forms in (*words.weekdays, *words.months) for name in forms}
        known |= {*words.ordinals, *words.offsets, *words.past, *words.week}
        known |= {name for table in (words.units, words.feasts) for forms in table.values() for name in forms}
    locale = Locale("en")
    known |= {*map(str, locale.currency_symbols.values()), *map(str, locale.currencies)}
    known |= {"US$", "hk$", "¥", "１２", "ＵＳ＄", "½", "٣", "²", "Ⅷ", "31", "29", "0", "1 500", "1,5", "9" * 30}
    return sorted(known)


_CASES = st.sampled_from((str, str.upper, str.title, str.swapcase))
_WORD = st.builds(lambda word, case: case(word), st.sampled_from(_words()), _CASES)
_ODD = st.sampled_from(
    ["\ud800", "\u202e", "\u200d", "\x00", "\ufeff", "👨‍👩‍👧", "🇩🇪", "İ", "ı", "ſ", "\u212a", "ß", "\u0301"]
)
_GLUE = st.sampled_from([" ", "", "-", "/", ".", ",", "，", "：", ":", "'s ", "\n", " to ", "到"])
TEXTS = st.one_of(
    st.lists(st.tuples(st.one_of(_WORD, _WORD, _WORD, _ODD), _GLUE), max_size=8).map(
        lambda parts: "".join(word + glue for word, glue in parts)
    ),
    st.text(max_size=30),
    st.text(alphabet="0123456789/.-:, +年月日号点万", max_size=16),
)


@pytest.fixture(autouse=True)
def _strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let errors out that a turn would not see."""

    def fail(reader: str, digest: str, error: str) -> None:
        raise AssertionError(f"{reader}: {error}")

    monkeypatch.setattr(unsure, "_log_once", fail)


def _checked(name: str, text: str, now: datetime | None) -> None:
    READERS[name](text, now)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, now=st.sampled_from(CLOCKS))
def test_no_text_makes_a_reader_raise(name: str, text: str, now: datetime | None) -> None:
    _checked(name, text, now)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, now=st.sampled_from(CLOCKS))
def test_none_of_many_texts_does(name: str, text: str, now: datetime | None) -> None:
    _checked(name, text, now)


@given(text=TEXTS, now=st.sampled_from(CLOCKS))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_places_are_those_of_the_words(text: str, now: datetime | None) -> None:
    for one in mentions(text, now):
        assert 0 <= one.start <= one.end <= len(text)
        assert text[one.start : one.end].startswith(one.text)
    for doubt in doubts(text, now):
        assert text[doubt.start : doubt.end] == doubt.text


@pytest.mark.parametrize(
    "piece",
    ["1 ", "9", "(1,", "half a ", "Monday to ", "3月", " ", "a1_", "US$", "一", "at 8. ", "\ud800", "周一到", "1/2/"],
)
def test_a_megabyte_takes_no_longer_than_its_beginning(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    for name in READERS:
        began = time.process_time()
        _checked(name, text, CLOCKS[0])
        assert time.process_time() - began < 5, name


@pytest.fixture
def loud() -> Iterator[list[str]]:
    """The messages that the guard logs."""
    heard: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("memory.language.values.unsure")
    logger.addHandler(handler)
    yield heard
    logger.removeHandler(handler)


def test_an_error_of_a_reader_is_unsure_and_told_once_without_the_words(
    monkeypatch: pytest.MonkeyPatch, loud: list[str]
) -> None:
    monkeypatch.undo()

    @unsure_on_error(len)
    def broken(text: str) -> int:
        raise KeyError(text)

    assert [broken("my us$"), broken("my us$")] == [6, 6]
    assert len(loud) == 1
    assert "KeyError" in loud[0]
    assert "us$" not in loud[0]
