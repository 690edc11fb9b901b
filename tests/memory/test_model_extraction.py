from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.evidence import PERSON, Evidence, Slot
from memory.records import Turn
from memory.state.corrections import correction
from memory.state.model_extraction import ModelExtractor
from memory.state.user_state import fold
from tests.memory.turns import asked, call, turn

LOG = [
    turn("t1", "I love Chinese food", call("book", seat="window")),
    turn("t2", "We keep three hens", asked("Anything else?", "a goat")),
]


class Scripted:
    """Answers from a script, the last entry again and again, and keeps the prompts."""

    def __init__(self, *script: str | Exception) -> None:
        self.script: Sequence[str | Exception] = script
        self.prompts: list[str] = []

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        answer = self.script[min(len(self.prompts), len(self.script)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def found(text: str | Exception, log: Sequence[Turn] = LOG[1:]) -> list[Evidence]:
    return list(ModelExtractor(Scripted(text))(log))


def entry(topic: str, value: str, **more: object) -> str:
    return json.dumps([{"topic": topic, "value": value, **more}], ensure_ascii=False)


def test_what_the_person_said_is_added() -> None:
    assert found(f"Here you are:\n```json\n{entry('animals', 'three hens')}\n```") == [
        Evidence(Slot(PERSON, "animals"), "three hens", "request", "plain", "t2", 0)
    ]
    assert [one.value for one in found(entry("animals", "a goat"))] == ["a goat"]
    assert [one.kind for one in found(entry("animals", "three hens", kind="one_off"))] == ["one_off"]


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "no",
        "[",
        "[]",
        "{}",
        "null",
        "[" * 50_000 + "]" * 50_000,
        '[1, null, "x"]',
        entry("animals", "four hens"),  # not what was said
        entry("", "three hens"),
        entry("book.seat", "three hens"),  # no topic of its own
        entry("@person", "three hens"),
        entry("animals", ""),
        entry("animals", "three hens", kind="delete"),
        entry("religion", "three hens"),
        json.dumps([{"topic": "animals", "value": ["three hens"]}]),
    ],
)
def test_garbage_adds_nothing(garbage: str) -> None:
    assert found(garbage) == []


@given(st.text() | st.lists(st.fixed_dictionaries({"topic": st.text(), "value": st.text()})).map(json.dumps))
def test_whatever_a_model_says_takes_nothing_away(answer: str) -> None:
    plain, more = fold(LOG), fold(LOG, extractor=ModelExtractor(Scripted(answer)))
    assert {slot: more.slots[slot] for slot in plain.slots} == plain.slots


def test_a_model_that_fails_adds_nothing_and_is_asked_again() -> None:
    model = Scripted(ConnectionError("down"), entry("animals", "three hens"))
    extractor = ModelExtractor(model)
    assert list(extractor(LOG[1:])) == []
    assert [one.value for one in extractor(LOG[1:])] == ["three hens"]
    assert [one.value for one in extractor(LOG[1:])] == ["three hens"]
    assert len(model.prompts) == 2
    assert "We keep three hens\na goat" in model.prompts[0]


def test_a_correction_is_not_shown_to_it() -> None:
    model = Scripted("[]")
    assert list(ModelExtractor(model)([correction(Slot("book", "seat"), "aisle", turn_id="c1")])) == []
    assert model.prompts == []
