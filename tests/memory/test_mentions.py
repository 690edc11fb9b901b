"""Typed mentions; the clock is Wednesday 1 April 2026."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime

import pytest
from pydantic import JsonValue

from memory.language.values.codes import code_of, currency_of
from memory.language.values.enum_mentions import enum_mention
from memory.language.values.mentions import READ_CHARACTERS, mentions
from memory.tools import Parameter

NOW = datetime(2026, 4, 1, 6, 51)


def named(text: str, *kinds: str) -> list[tuple[str, JsonValue]]:
    return [(m.kind, m.value) for m in mentions(text, NOW) if not kinds or m.kind in kinds]


def test_a_request_with_names_a_date_and_a_time() -> None:
    text = "Thursday, a meeting in Utrecht. Rotterdam Centraal to Utrecht Centraal, from 8:15."
    assert named(text) == [
        ("date", "2026-04-02"),
        ("name", "Utrecht"),
        ("name", "Rotterdam Centraal"),
        ("name", "Utrecht Centraal"),
        ("time", "08:15"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see http://a.example/pack.exe, please", [("url", "http://a.example/pack.exe")]),
        ("这个 http://a.example/dl，干净吗", [("url", "http://a.example/dl")]),
        ("mail angus@harbour.example.", [("email", "angus@harbour.example")]),
        ("the 7am IC2827 or RST-5521", [("time", "07:00"), ("id", "IC2827"), ("id", "RST-5521")]),
        ("tx_8812 u_abc26 LIB-HFX", [("id", "tx_8812"), ("id", "u_abc26"), ("id", "LIB-HFX")]),
        ("at 44.6488,-63.5752 or 10.0.0.1", [("coordinates", "44.6488,-63.5752"), ("ip", "10.0.0.1")]),
        ("paint it #ff8800", [("color", "#ff8800")]),
        ("play “blue moon” and 《稻香》", [("quoted", "blue moon"), ("quoted", "稻香")]),
        ("from the sixth of this month to the eighteenth", [("date_range", ["2026-04-06", "2026-04-18"])]),
    ],
)
def test_what_is_told_by_its_form(text: str, found: list[tuple[str, JsonValue]]) -> None:
    assert [pair for pair in named(text) if pair[0] != "name"] == found


def test_numbers_carry_their_unit_or_currency() -> None:
    text = "250 grams, 18,500 Swedish kronor, €13.40, 5-minute steps and one of them"
    assert [(m.value, m.unit) for m in mentions(text, NOW) if m.kind == "number"] == [
        (250, "gram"),
        (18500, "SEK"),
        (13.4, "EUR"),
        (5, "minut"),
    ]
    assert [(m.value, m.unit) for m in mentions("评论看8条", NOW) if m.kind == "number"] == [(8, "条")]
    assert [(m.value, m.unit) for m in mentions("三个人", NOW) if m.kind == "number"] == [(3, "个人")]


@pytest.mark.parametrize(
    ("text", "kind", "codes"),
    [
        ("bills in zloty, in Canadian money", "currency", ["PLN", "CAD"]),
        ("Swiss francs or 5 USD", "currency", ["CHF", "USD"]),
        ("100人民币换日元", "currency", ["CNY", "JPY"]),
        ("Germany and the Netherlands, not turkey", "country", ["DE", "NL"]),
        ("德国和上海", "country", ["DE", "CN"]),
        ("Halifax", "country", ["CA"]),
        ("in French, 或者日语", "language", ["fr", "ja"]),
    ],
)
def test_codes(text: str, kind: str, codes: list[str]) -> None:
    assert [m.value for m in mentions(text, NOW) if m.kind == kind] == codes


def test_code_of_a_name_or_code() -> None:
    assert (code_of("country", "the Netherlands"), code_of("country", "nl"), code_of("country", "Elbonia")) == (
        "NL",
        "NL",
        None,
    )
    assert (code_of("currency", "欧元"), currency_of("CA"), currency_of("ZZ")) == ("EUR", "CAD", None)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I want to see The Third Man again. The cat left.", ["The Third Man"]),
        ("A Night to Remember and One Piece", ["A Night to Remember", "One Piece"]),
        ("Find the Bank of Nova Scotia, that's BNS", ["Bank of Nova Scotia", "BNS"]),
        ("Deciding between Noor's bike and the tram", ["Noor"]),
        ("Halifax.", ["Halifax"]),
        ("I'm sure I'd go", []),
        ("下周末想溜去上海", ["上海"]),
        ("整个歌单 lofi calm 15首", ["lofi calm"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert [m.value for m in mentions(text, NOW) if m.kind == "name"] == names


def test_cues_bear_on_the_words_after_them() -> None:
    assert named("the menu without the nutrition bits, unrounded", "no") == [
        ("no", "nutrition bits"),
        ("no", "rounded"),
    ]
    assert named("include album art", "yes") == [("yes", "album art")]
    assert named("不要图片，带上专辑", "yes", "no") == [("no", "图片"), ("yes", "专辑")]


SEATS = Parameter(name="seat", enum=("first_class", "second_class"))
UNITS = Parameter(name="units", enum=("C", "F"), description="Optional values are 'C' (Celsius) or 'F' (Fahrenheit)")
STEPS = Parameter(name="interval", enum=("1min", "5min", "15min", "daily"))
METRICS = Parameter(name="m", type="array", items=Parameter(name="m", enum=("failedLogins", "successfulLogins")))


@pytest.mark.parametrize(
    ("text", "parameter", "values"),
    [
        ("so first class, that leg only", SEATS, ["first_class"]),
        ("Second. Nine euros, come on.", SEATS, []),
        ("In Celsius, if you please", UNITS, ["C"]),
        ("for a cat", UNITS, []),
        ("in five-minute steps", STEPS, ["5min"]),
        ("pull it that way, 15min", STEPS, ["15min"]),
        ("only failed logins", METRICS, ["failedLogins"]),
        ("second class, or first class", SEATS, ["second_class", "first_class"]),
    ],
)
def test_allowed_values(text: str, parameter: Parameter, values: list[str]) -> None:
    assert [m.value for m in enum_mention(text, parameter)] == values


def test_an_answer_may_name_an_allowed_value_by_what_tells_it_apart() -> None:
    assert [m.value for m in enum_mention("Second. Nine euros, come on.", SEATS, partial=True)] == ["second_class"]


def test_a_request_is_read_in_milliseconds() -> None:
    text = "Carrier audit in Hamburg on the 23rd, seven o'clock is fine. Köln Hbf to Hamburg Hbf, 18,500 kronor. " * 4
    mentions(text, NOW)
    start = time.perf_counter()
    for _ in range(10):
        mentions(text, NOW)
    assert (time.perf_counter() - start) / 10 < 0.05  # measured: 3 ms


def test_a_time_said_with_its_day_is_a_time_and_a_date() -> None:
    found = mentions("after half eleven tonight", datetime(2026, 7, 3, 21, 48))
    assert [(one.kind, one.text, one.value) for one in found if one.kind in ("date", "time")] == [
        ("time", "half eleven", "23:30"),
        ("date", "tonight", "2026-07-03"),
    ]


def test_of_a_long_text_the_beginning_is_read() -> None:
    filler = "so " * (READ_CHARACTERS // 3 - 10)
    text = f"{filler}7 tins {'so ' * 20}8 tins"
    assert len(filler) + 6 < READ_CHARACTERS < len(text) - 6
    assert named(text, "number") == [("number", 7)]
    assert mentions(text, NOW) == mentions(text[:READ_CHARACTERS], NOW)


def test_places_far_into_a_text_read_as_they_do_at_its_beginning() -> None:
    said = "Sugar, 250 grams for €5, [3, 4] and A-17; to France, the one in New Zealand, not the two US dollars."
    near, far = "well " * 10, "well " * 1000
    assert [replace(m, start=m.start - len(far), end=m.end - len(far)) for m in mentions(far + said, NOW)] == [
        replace(m, start=m.start - len(near), end=m.end - len(near)) for m in mentions(near + said, NOW)
    ]
    assert named(said, "number", "currency", "country", "id") == [
        ("number", 250),
        ("currency", "EUR"),
        ("number", 5),
        ("number", 3),
        ("number", 4),
        ("id", "A-17"),
        ("country", "FR"),
        ("country", "NZ"),
        ("number", 2),
        ("country", "US"),
        ("currency", "USD"),
    ]
