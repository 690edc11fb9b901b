"""Amounts in other words and other units."""

from __future__ import annotations

import pytest

from clarifier.grounding.measures import is_other_unit, measured, speaks_of, units_of
from memory.language.values.units import Unit
from memory.tools import Parameter
from tests.clarifier.samples import need

WEIGHT = need("weight_kg", "Weight of the parcel.", type="number")


@pytest.mark.parametrize(
    ("parameter", "units"),
    [
        (WEIGHT, {"mass": 1000}),
        (need("weight", "重量，单位为千克。"), {"mass": 1000}),
        (need("weight", "数量，单位为斤。"), {"mass": 500}),
        (need("length", "Length in minutes."), {"time": 60}),
        (need("skipAfterRainMm"), {"length": 0.001}),
        (need("distance", "Kilometres or miles."), {}),
        (need("reach", "How far, in minutes or yards."), {"time": 60, "length": 0.9144}),
        (need("reach", "Minutes, hours or yards."), {"length": 0.9144}),
        (need("min_rating"), {}),
        (need("age", "Age of the guest."), {}),
        (need("amount_eur"), {"money": 1}),
        (need("amount", "Amount in euros."), {"money": 1}),
        (need("amount", "Amount in euros or in dollars."), {}),
        (need("amount", "Amount of money."), {}),
        (need("target", "Temperature in °C."), {"temperature": 1}),
    ],
)
def test_the_units_a_parameter_counts_in(parameter: Parameter, units: dict[str, float]) -> None:
    assert {dimension: unit.factor for dimension, unit in units_of(parameter).items()} == units


@pytest.mark.parametrize(
    ("value", "text", "parameter"),
    [
        (20, "68 degrees Fahrenheit", need("target", "Temperature in Celsius.")),
        (50, "50 euros to Ben", need("amount", "Amount in EUR.")),
        (3, "六斤的箱子", WEIGHT),
        (1.5, "这个三斤", WEIGHT),
        (0.5, "500 grams of flour", WEIGHT),
        (1.36, "about three pounds", WEIGHT),
        (30, "for half an hour", need("length", "Length in minutes.")),
        (1800, "for half an hour", need("length", "Length in seconds.")),
        (300, "within five minutes' walk", need("reach", "Seconds or yards.")),
        (1760, "一英里以内", need("reach", "Seconds or yards.")),
        (48, "放两天", need("hours", "延长多少小时。")),
        (14, "续两个礼拜", need("days", "天数。")),
        (8, "five miles at least", need("distance_km")),
        (24, "two dozen eggs", need("eggs")),
        (2, "the both of us", need("guests")),
        (4.5, "four and a half stars", need("rating")),
        (4.5, "四星半以下的不要", need("minRating", "最低评分。")),
        (25, "if it drops below a quarter", need("threshold", "Per cent full.")),
        (0.25, "a quarter of it", need("share", "Share to sell, 0 to 1.")),
        (0.15, "15% of it", need("share", "Share to sell, 0 to 1.")),
        (30, "留三成", need("level", "百分比。")),
        (0, "and no changing, please", need("max_changes")),
        (0, "no stops", need("maxStops")),
        (0, "a direct train", need("max_changes", "Most changes allowed.")),
        (0, "要直达的", need("transfers", "最多换乘次数。")),
        (0, "不要换乘", need("max", "最多换乘次数。")),
    ],
)
def test_amounts_that_are_said_otherwise(value: float, text: str, parameter: Parameter) -> None:
    assert measured(value, text, parameter)


@pytest.mark.parametrize(
    ("value", "text", "parameter"),
    [
        (68, "68 degrees Fahrenheit", need("target", "Temperature in Celsius.")),
        (50, "50 dollars to Ben", need("amount", "Amount in EUR.")),
        (6, "六斤的箱子", WEIGHT),
        (5, "no more than a quarter", need("threshold", "Per cent full.")),
        (30, "for half an hour", need("length", "Length in seconds.")),
        (4, "four and a half stars", need("rating")),
        (0, "no changes", need("max_price")),
        (0, "a direct question", need("threshold")),
        (25, "quarter past four", need("threshold", "Per cent full.")),
        (389, "two weeks", need("days", "Number of days.")),
    ],
)
def test_amounts_that_are_not_said(value: float, text: str, parameter: Parameter) -> None:
    assert not measured(value, text, parameter)


def test_a_number_in_another_unit_is_another_number() -> None:
    assert is_other_unit(Unit("mass", 500), WEIGHT)
    assert not is_other_unit(Unit("mass", 1000), WEIGHT)
    assert not is_other_unit(Unit("time", 60), WEIGHT)
    assert is_other_unit(Unit("money", 1, currency="USD"), need("amount", "Amount in EUR."))
    assert not is_other_unit(None, WEIGHT)


def test_an_aside_speaks_of_an_amount_by_its_unit_or_its_name() -> None:
    skip = need("skip_after_rain_mm", "Millimetres of rain.", type="number")
    aside = "He's off. And while it's in my head: from now on it's 8 mm before you skip a watering, not 4."
    assert [speaks_of(value, aside, skip) for value in (8, 4, 0.8)] == [True, False, False]
    guests = need("guests", "How many come.", type="integer")
    assert speaks_of(6, "We are six guests as a rule, all by 8.", guests)
    assert not speaks_of(8, "We are six guests as a rule, all by 8.", guests)
