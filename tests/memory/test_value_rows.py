"""What the readers of values make of texts: the rows of `values.jsonl`, worked out with a calendar."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory.language.values.amounts import amounts, lengths_of_time
from memory.language.values.codes import find_codes
from memory.language.values.dates import find_dates
from memory.language.values.doubts import doubts
from memory.language.values.numbers import find_numbers
from memory.language.values.times import find_times
from memory.language.values.weekdays import weekdays_in

ROWS = [json.loads(line) for line in Path(__file__).with_name("values.jsonl").read_text(encoding="utf-8").splitlines()]


def _dates(text: str, now: datetime | None) -> list[str]:
    return [f"{one.first}/{one.last}" if one.is_range else one.iso for one in find_dates(text, now)]


def _amounts(text: str, now: datetime | None) -> list[str]:
    return [
        f"{one.value * one.unit.factor + one.unit.offset:.10g} {one.unit.dimension}" if one.unit else f"{one.value:g}"
        for one in amounts(text)
    ]


READERS: dict[str, Callable[[str, datetime | None], list[Any]]] = {
    "dates": _dates,
    "doubts": lambda text, now: [f"{one.kind}: {one.text}" for one in doubts(text, now)],
    "times": lambda text, now: [one.value for one in find_times(text)],
    "numbers": lambda text, now: [one.value for one in find_numbers(text)],
    "amounts": _amounts,
    "durations": lambda text, now: list(lengths_of_time(text)),
    "weekdays": lambda text, now: sorted(sorted(days) for days in weekdays_in(text)),
    "currency": lambda text, now: [one.code for one in find_codes("currency", text)],
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['reader']}: {row['text']}")
def test_a_value_is_read(row: dict[str, Any]) -> None:
    now = datetime.fromisoformat(row["clock"]) if "clock" in row else None
    assert READERS[row["reader"]](row["text"], now) == row["found"]
    if "words" in row:
        assert [row["text"][one.start : one.end] for one in find_dates(row["text"], now)] == row["words"]
