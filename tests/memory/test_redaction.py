from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.memory import Memory
from memory.records import CallStep, Observation, QuestionStep, Scope
from memory.state.redaction import redacted
from memory.storage.user_memory import UserMemory
from memory.strategies import STRATEGIES, open_strategy
from memory.tools import Parameter, Tool
from tests.fakes import HashingEmbedder
from tests.memory.turns import asked, call, turn

WEATHER = Tool(name="getForecast", parameters=(Parameter(name="city", is_required=True),), definition={})
MEAL = Tool(name="orderMeal", parameters=(Parameter(name="notes"),), definition={})
ORDERED = turn(
    "t1",
    "Order dinner to Ghent. I'm diabetic, so no sugar.",
    asked("Anything else? Allergies?", "我对花生过敏 谢谢"),
    call("orderMeal", returns={"label": "diabetic meal", "price": 12}, notes="diabetic, no sugar", city="Ghent"),
    reply="Ordered. The kitchen knows about your diabetes.",
)


def test_what_is_sensitive_is_masked_sentence_by_sentence_and_value_by_value() -> None:
    plain = redacted(ORDERED)
    question, made = plain.steps
    assert isinstance(question, QuestionStep)
    assert isinstance(made, CallStep)
    assert plain.request == "Order dinner to Ghent. …."
    assert (question.question, question.answer) == ("Anything else? …?", "… 谢谢")
    assert made.calls[0].arguments == {"notes": "…", "city": "Ghent"}
    assert made.observations == (Observation(content={"label": "…", "price": 12}),)
    assert plain.reply == "Ordered. …."


def test_other_turns_stay_as_they_are() -> None:
    said = turn("t", "A window seat, please", call("book", seat="window"), call("pay", error="no such account"))
    assert redacted(said) is said
    failed = redacted(turn("t", "Pay", call("pay", error="in debt")))
    assert failed.steps[0] == call("pay", error="…")


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[UserMemory]:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        yield memory.user(Scope("ada"))


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "none"])
def test_another_task_is_not_shown_it(strategy: str, ada: UserMemory) -> None:
    ada.remember_all([ORDERED, turn("t2", "News?", call("getNews", topic="sport"))])
    opened = open_strategy(strategy, ada)
    other = opened.recall("Weather for dinner in Ghent?", [WEATHER], None, 600)
    text = "\n".join(item.text for item in other.items)
    assert "diabet" not in text
    assert "过敏" not in text
    assert (strategy == "state") or "Ghent" in text
    same = opened.recall("Order dinner again", [MEAL], None, 600)
    assert "diabetic, no sugar" in "\n".join(item.text for item in same.items)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name not in ("none", "state")])
def test_who_asks_about_it_is_shown_it(strategy: str, ada: UserMemory) -> None:
    ada.remember_all([turn("t1", "我对花生过敏"), turn("t2", "News?", call("getNews"))])
    opened = open_strategy(strategy, ada)
    found = opened.recall("我对什么过敏？", [WEATHER], None, 600)
    assert "我对花生过敏" in "\n".join(item.text for item in found.items)
