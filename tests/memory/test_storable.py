"""What JSON cannot hold becomes text, with a mark, and is read back from the log as it was stored."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from memory.records import CallStep, Observation, ToolCall, Turn
from memory.storable import storable, storable_text
from memory.storage.turn_log import decode_turn, encode_turn


class Seat(BaseModel):
    name: str
    price: Decimal


@dataclass
class Trip:
    at: date


class Colour(Enum):
    RED = "red"


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


ROWS: list[tuple[Any, Any, tuple[str, ...]]] = [
    ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}, ()),
    (datetime(2026, 12, 15, 10, 0), "2026-12-15T10:00:00", ("result: datetime",)),
    ({"day": date(2026, 12, 15)}, {"day": "2026-12-15"}, ("day: date",)),
    ([time(9, 30)], ["09:30:00"], ("0: time",)),
    ({"price": Decimal("12.50")}, {"price": "12.50"}, ("price: Decimal",)),
    ({"raw": b"ok"}, {"raw": "ok"}, ("raw: bytes",)),
    ({"raw": b"\xff\xfe"}, {"raw": "//4="}, ("raw: bytes",)),
    ({"x": [math.nan, math.inf]}, {"x": ["nan", "inf"]}, ("x.0: float", "x.1: float")),
    ({"say": "half \ud83d"}, {"say": "half \\ud83d"}, ("say: surrogates",)),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001", ("result: UUID",)),
    (PurePosixPath("/a"), "/a", ("result: PurePosixPath",)),
    (Colour.RED, "red", ()),
    (Seat(name="4A", price=Decimal("1")), {"name": "4A", "price": "1"}, ("price: Decimal",)),
    (Trip(date(2026, 1, 2)), {"at": "2026-01-02"}, ("at: date",)),
    ({1: (2, 3)}, {"1": [2, 3]}, ()),
    (Mute(), "<Mute, which does not show itself: RuntimeError>", ("result: Mute",)),
]


@pytest.mark.parametrize(("value", "stored", "marks"), ROWS)
def test_any_result_can_be_stored(value: Any, stored: Any, marks: tuple[str, ...]) -> None:
    assert storable(value) == (stored, marks)
    observation = Observation.of(value)
    step = CallStep(calls=(ToolCall(id="1", name="f"),), observations=(observation,))
    turn = Turn(turn_id="t", request="x", steps=(step,))
    assert decode_turn(encode_turn(turn), "here") == turn


def test_what_holds_itself_ends() -> None:
    ring: list[object] = []
    ring.append(ring)
    assert storable(ring).marks[0].endswith(": list")


def test_an_observation_without_marks_is_written_as_ever() -> None:
    assert Observation(content=1).model_dump_json() == '{"content":1,"error":null}'


def test_text_without_halves_of_emojis_stays() -> None:
    assert storable_text("a 🙂") == "a 🙂"
