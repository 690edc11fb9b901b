from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.evidence import PERSON, Evidence, Slot
from memory.memory import Memory
from memory.records import Scope, Turn
from memory.state.corrections import correction
from memory.state.model_extraction import ModelExtractor, Tally
from memory.state.user_state import fold
from memory.strategies import open_strategy
from tests.fakes import HashingEmbedder
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
        Evidence(Slot(PERSON, "animals"), "three hens", "request", "plain", "t2", 0, is_added=True)
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


@pytest.mark.parametrize("kind", ["standing", "negated"])
def test_what_it_adds_closes_nothing(kind: str) -> None:
    log = [turn("t1", "I love Chinese food"), turn("t2", "Chinese food? Well. Thai food, you know")]
    said = json.dumps([{"topic": "food", "value": value, "kind": kind} for value in ("Chinese food", "Thai food")])
    model = Scripted(said, "[]")
    state = fold(log, extractor=ModelExtractor(model)).slots[Slot(PERSON, "food")]
    assert [one.value for one in state.candidates if one.status == "superseded"] == []
    assert [one.value for one in state.current if one.turn_ids[0] == "t1"] == ["Chinese food"]


def test_what_a_turn_says_by_itself_is_not_counted_twice() -> None:
    model = Scripted(entry("cuisine", "Chinese food"))
    plain, more = fold(LOG[:1]), fold(LOG[:1], extractor=ModelExtractor(model))
    assert more == plain


def test_a_model_that_fails_adds_nothing_and_is_asked_again() -> None:
    model = Scripted(ConnectionError("down"), entry("animals", "three hens"))
    extractor = ModelExtractor(model)
    assert list(extractor(LOG[1:])) == []
    assert [one.value for one in extractor(LOG[1:])] == ["three hens"]
    assert [one.value for one in extractor(LOG[1:])] == ["three hens"]
    assert len(model.prompts) == 2
    assert "We keep three hens\na goat" in model.prompts[0]
    assert extractor.tally == Tally(asked=2, failed=1, kept=1, refused=0)


def test_a_model_that_is_down_is_waited_for_once_a_reading() -> None:
    model = Scripted(ConnectionError("down"))
    assert list(ModelExtractor(model)(LOG)) == []
    assert len(model.prompts) == 1


def test_a_long_log_is_read_bit_by_bit_newest_first() -> None:
    log = [turn(f"t{number}", f"We keep {number} hens") for number in range(5)]
    model = Scripted("[]")
    extractor = ModelExtractor(model, most_at_once=2)
    asked_for = []
    for _ in range(4):
        list(extractor(log))
        asked_for.append(len(model.prompts))
    assert asked_for == [2, 4, 5, 5]
    assert "We keep 4 hens" in model.prompts[0]
    assert "We keep 0 hens" in model.prompts[-1]


def test_what_is_refused_is_counted() -> None:
    answers = json.dumps(
        [
            {"topic": "animals", "value": "three hens"},
            {"topic": "animals", "value": "four hens"},
            {"topic": "religion", "value": "three hens"},
            7,
        ]
    )
    extractor = ModelExtractor(Scripted(answers, "I cannot help with that."))
    assert [one.value for one in extractor(LOG[1:])] == ["three hens"]
    assert list(extractor(LOG[:1])) == []
    assert extractor.tally == Tally(asked=2, failed=0, kept=1, refused=4)


@pytest.mark.parametrize("strategy", ["state", "stead"])
def test_a_memory_opened_with_it_recalls_what_it_adds(strategy: str, tmp_path: Path) -> None:
    extractor = ModelExtractor(Scripted(entry("pets", "Three hens", kind="standing"), "no list at all"))
    with Memory.open(tmp_path, embedder=HashingEmbedder(), extractor=extractor) as memory:
        ada = memory.user(Scope("ada"))
        recalling = open_strategy(strategy, ada)
        for remembered in (turn("t0", "Three hens live with us"), LOG[0]):
            ada.remember(remembered)
            recalling.observe(remembered)
            recalled = recalling.recall("Which hens?", [], None, 600)
        assert "Three hens" in "\n".join(item.text for item in recalled.items if item.kind == "state")
        assert extractor.tally == Tally(asked=2, failed=0, kept=1, refused=1)
        ada.forget_turns(["t0"])
        left = recalling.recall("Which hens?", [], None, 600)
        assert "hens" not in "\n".join(item.text for item in left.items)


def test_a_correction_is_not_shown_to_it() -> None:
    model = Scripted("[]")
    assert list(ModelExtractor(model)([correction(Slot("book", "seat"), "aisle", turn_id="c1")])) == []
    assert model.prompts == []
