"""Typed equality and casts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from memory.errors import CastError
from memory.language.values.numbers import NumberSpan, find_numbers, finite, natural, parse_number, read_chinese
from memory.language.values.values import canonical_key, cast, equal
from memory.tools import Parameter

SEAT = Parameter(name="seat", enum=("first_class", "second_class"))
COUNT = Parameter(name="count", type="integer")
DAY = Parameter(name="day", format="date")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("a", "b", "parameter"),
    [
        (5, 5.0, None),
        ("1.2k", 1200, None),
        ("twelve", 12, None),
        ("三百五", 350, None),
        ("007", "7", COUNT),
        ("12 March 2026", "2026-03-12", None),
        ("8:15", "08:15", None),
        ("2026-03-12 08:15", "2026-03-12T08:15:00", None),
        ("ＡＢＣ　d", " abc D", None),
        ("Second Class", "second_class", SEAT),
        (["EUR", 5], ["eur", 5.0], None),
        ({"a": 1, "b": "x"}, {"b": "X", "a": 1.0}, None),
    ],
)
def test_equal(a: JsonValue, b: JsonValue, parameter: Parameter | None) -> None:
    assert equal(a, b, parameter)
    assert equal(b, a, parameter)


@pytest.mark.parametrize(
    ("a", "b", "parameter"),
    [
        (True, 1, None),
        ("true", True, None),
        ("007", "7", None),
        (None, "", None),
        ("second class", "second_class", None),
        (["a", "b"], ["b", "a"], None),
        (["a"], "a", None),
        ({"a": 1}, {"a": 1, "b": None}, None),
        ("2026-03-12", "2026-03-13", DAY),
    ],
)
def test_unequal(a: JsonValue, b: JsonValue, parameter: Parameter | None) -> None:
    assert not equal(a, b, parameter)
    assert not equal(b, a, parameter)


@given(JSON)
def test_every_value_equals_itself_and_has_one_key(value: JsonValue) -> None:
    assert equal(value, value)
    assert canonical_key(value) == canonical_key(value)


def test_canonical_key_ignores_key_order_case_width_and_number_form() -> None:
    assert canonical_key({"b": 2.0, "a": "ＡB"}) == canonical_key({"a": "ab", "b": 2}) == '{"a": "ab", "b": 2}'
    assert canonical_key(True) != canonical_key(1)


@pytest.mark.parametrize(
    ("value", "parameter", "result"),
    [
        ("1.2k", COUNT, 1200),
        (3.0, Parameter(name="x", type="number"), 3),
        (2825, Parameter(name="id"), "2825"),
        ("2026/3/12", DAY, "2026-03-12"),
        ("8:15", Parameter(name="t", format="time"), "08:15"),
        ("second class", SEAT, "second_class"),
        ("Yes", Parameter(name="b", type="boolean"), True),
        ("EUR", Parameter(name="to", type="array", items=Parameter(name="to")), ["EUR"]),
        (["EUR"], Parameter(name="to"), "EUR"),
        ('["5", 6]', Parameter(name="n", type="array", items=COUNT), [5, 6]),
        (
            {"quantity": "250", "name": "flour"},
            Parameter(name="o", type="object", properties=(Parameter(name="quantity", type="number"),)),
            {"quantity": 250, "name": "flour"},
        ),
    ],
)
def test_cast(value: JsonValue, parameter: Parameter, result: JsonValue) -> None:
    cast_value = cast(value, parameter)
    assert cast_value == result
    assert type(cast_value) is type(result)


@pytest.mark.parametrize(
    ("value", "parameter"),
    [
        (5.5, COUNT),
        (True, COUNT),
        ("many", COUNT),
        ("third class", SEAT),
        (True, Parameter(name="t")),
        (1, Parameter(name="b", type="boolean")),
        ("{broken", Parameter(name="o", type="object")),
        ([1, 2], Parameter(name="t")),
    ],
)
def test_an_uncertain_cast_is_refused(value: JsonValue, parameter: Parameter) -> None:
    with pytest.raises(CastError) as caught:
        cast(value, parameter)
    assert caught.value.value == value
    assert caught.value.parameter == parameter.name


def test_numbers_as_written() -> None:
    text = "18,500 kronor, twenty-one crates, half a dozen of them, 3.5 million, 十五首, 两万三, 看8条"
    assert [span.value for span in find_numbers(text)] == [18500, 21, 6, 3_500_000, 15, 23_000, 8]
    wholes = ("1.2k", "a dozen", "two hundred and fifty", "一百二十", "x5", "three fifty")
    assert [parse_number(text) for text in wholes] == [1200, 12, 250, 120, None, None]


HUGE = 10**400
NINES = "9" * 400


def test_numbers_beyond_a_float_are_kept_where_they_are_exact_and_else_refused() -> None:
    whole_number, number = Parameter(name="n", type="integer"), Parameter(name="n", type="number")
    assert (cast(HUGE, whole_number), cast(HUGE, number)) == (HUGE, HUGE)
    assert equal(HUGE, HUGE, number)
    assert not equal(HUGE, 7, number)
    assert cast(HUGE, Parameter(name="n", type="string")) == "1" + 400 * "0"
    for parameter in (whole_number, number):
        for value in (math.inf, -math.inf, math.nan, NINES, NINES + ".5", NINES + "k"):
            with pytest.raises(CastError):
                cast(value, parameter)


def test_figures_beyond_a_float_are_no_numbers() -> None:
    assert [finite(one) for one in (HUGE, math.inf, math.nan, NINES, "nan", "x", 7, "2.5")] == [None] * 6 + [7.0, 2.5]
    assert [natural(one) for one in (NINES, "9" * 5000, "-1", "", "042")] == [None, None, None, None, 42]
    assert find_numbers(f"a table for {NINES} people at 8") == (NumberSpan(423, 424, 8),)
    assert [read_chinese(char * 5000) for char in "九"] == [None]
    assert parse_number("12345678901234567891") == 12345678901234567891
