from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from pydantic import JsonValue

from memory.language.values.scripts import simplified
from memory.language.values.value_forms import form_key, wall_time


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ghent", "GHENT"),
        ("Ｇｈｅｎｔ", "ghent"),
        ("new  york", "New York"),
        ("臺北", "台北"),
        ("靠窗的座位，後排", "靠窗的座位，后排"),
        ("2026-03-09", "9 March 2026"),
        ("9:05", "09:05"),
        ("42 km", "42km"),
        ("30-min", "30 min"),
        ("21 °C", "21°c"),
        ("€1,500", "1,500 euros"),
        ("15 EUR", "€15"),
        ("2 hours", "2h"),
        ("五百块", "500元"),
        ("¥50", "50 元"),
        ("三公里", "3 km"),
        (5, 5.0),
        (["Ghent"], ["ghent"]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_values_that_mean_the_same_have_one_form(one: JsonValue, other: JsonValue) -> None:
    assert form_key(one) == form_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5", 5),
        (True, 1),
        ("Ghent", "Gent"),
        ("42 km", "42 m"),
        ("€15", "$15"),
        ("1,500 euros", "1.5 euros"),
        ("42 km", "42"),
        ("A-12", "A12"),
        (None, ""),
        ("007", "7"),
    ],
)
def test_other_values_do_not(one: JsonValue, other: JsonValue) -> None:
    assert form_key(one) != form_key(other)


def test_times_compare_as_people_read_them() -> None:
    naive = datetime(2026, 3, 9, 0, 30)
    assert wall_time(naive.replace(tzinfo=timezone(timedelta(hours=8)))) == wall_time(naive) == naive


def test_only_chinese_changes_its_script() -> None:
    assert simplified("預算五百以內 in Café") == "预算五百以内 in Café"
    assert simplified("naïve") == "naïve"
