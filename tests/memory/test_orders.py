"""Rules that are given without a call, what ends them, and what refusals reach."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.evidence import PERSON, Slot
from memory.records import Turn
from memory.state.orders import Order, ends_rule, is_rule_unsaid, lasts_so, order_of, told_when
from memory.state.refusals import is_kind_of
from memory.state.user_state import UserState, fold
from memory.tools import Parameter, Tool
from tests.memory.turns import call, turn


def told(*requests: str) -> UserState:
    """Return the state after one request a day."""
    days = enumerate(requests, start=4)
    return fold(
        [Turn(turn_id=f"t{day}", request=said, time=datetime(2026, 5, day, 9, tzinfo=UTC)) for day, said in days]
    )


def values(state: UserState, topic: str) -> list[tuple[object, str, bool]]:
    found = state.slots[Slot(PERSON, topic)].candidates
    return [(one.value, one.status, one.is_negated) for one in found]


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("from now on send my receipts to Ann", Order("my receipts to Ann", "", False)),
        ("always round the tip up", Order("round the tip up", "the tip up", False)),
        ("forward mail to Ann from now on", Order("forward mail to Ann", "mail to Ann", False)),
        ("send bills by post from now on except the ones for Ivo", Order("bills by post", "", False)),
        ("don't ever show me flats above 900", Order("flats above 900", "", True)),
        ("wake me at seven from now on", Order("wake at seven", "wake", False)),
        ("never schedule lunches before noon", Order("schedule lunches before noon", "lunches before noon", True)),
        ("when I am abroad always pay by card", Order("pay by card", "pay", False)),
        ("the bus always leaves early", None),
        ("people always tell me", None),
        ("I always dreamed of Peru", None),
        ("that is always good to hear", None),
        ("always happy to help", None),
        ("I always want the big cup", Order("the big cup", "", False)),
        ("the late train is fine from now on", Order("the late train", "", False)),
        ("以后都订三等舱", Order("三等舱", "三等舱", False)),
        ("空调以后都设26度", Order("空调设26度", "空调", False)),
        ("以后记账改用欧元", Order("记账用欧元", "记账", False)),
        ("我的会议以后都不要安排在周一", Order("周一", "会议", True)),
        ("以后再说吧", None),
    ],
)  # fmt: skip
def test_what_a_clause_with_the_cue_of_a_rule_orders(words: str, order: Order | None) -> None:
    assert order_of(words) == order


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        ("ok stop adding the olives", True),
        ("no need to remind me any more", True),
        ("please don't send them again", True),
        ("别再推新闻了", True),
        ("don't worry", False),
        ("never mind that again", False),
        ("不用", False),
    ],
)
def test_what_ends_a_rule(words: str, ends: bool) -> None:
    assert ends_rule(words) is ends


def test_a_newer_order_of_the_same_thing_closes_the_older_one() -> None:
    state = told("Going forward, set the boiler to 60 degrees", "From now on set the boiler to 55 degrees")
    assert values(state, "boiler") == [
        ("set the boiler to 55 degrees", "current", False),
        ("set the boiler to 60 degrees", "superseded", False),
    ]


def test_a_refusal_closes_what_was_ordered_under_another_topic() -> None:
    state = told("always put a bag of crisps into my basket", "stop putting crisps in")
    assert ("bag of crisps into my basket", "superseded", False) in values(state, "bag")
    assert not [held for one in state.slots.values() for held in one.current if "crisps" in str(held.value)]


def test_something_else_in_the_place_of_it_is_a_refusal() -> None:
    state = told("always copy my boss on quotes", "from now on copy Lena instead of my boss")
    assert values(state, "boss")[-1] == ("copy my boss on quotes", "superseded", False)
    assert values(state, "lena")[0][1:] == ("current", False)


def test_an_order_that_is_bounded_ends_by_itself() -> None:
    state = told("Until May 6th, leave my parcels with the porter", "Hello", "Hi", "Good morning")
    assert values(state, "parcel") == [("leave my parcels with the porter", "expired", False)]


def test_a_call_that_takes_an_order_up_says_it_alone() -> None:
    request = "From now on book me an aisle seat."
    state = fold([turn("t0", request, call("book", seat="aisle"))])
    assert [str(slot) for slot in state.slots] == ["book.seat"]


def test_a_rule_that_names_a_choice_ends_the_habit_of_a_tool() -> None:
    log = [turn("t0", "Book it", call("book", seat="window")), turn("t1", "From now on always an aisle seat")]
    seat = Parameter(name="seat", enum=("aisle", "window"))
    found = fold(log).lookup(Tool(name="book", parameters=(seat,), definition={}), seat)
    assert found is not None
    assert {one.value: one.status for one in found.candidates} == {"aisle": "current", "window": "superseded"}


def test_of_two_rules_that_name_choices_the_newer_one_holds() -> None:
    log = [turn("t0", "以后都订二等座"), turn("t1", "算了，以后还是订一等座吧")]
    seat = Parameter(name="grade", enum=("一等座", "二等座"))
    found = fold(log).lookup(Tool(name="book", parameters=(seat,), definition={}), seat)
    assert found is not None
    assert {one.value: one.status for one in found.candidates} == {"一等座": "current", "二等座": "superseded"}


@pytest.mark.parametrize(
    ("special", "general", "is_kind"),
    [
        ("a side of fries", "fries", True),
        ("running in the park", "running", True),
        ("running shoes", "running in the park", False),
        ("每天推送财经新闻", "财经新闻", True),
        ("tea", "", False),
    ],
)
def test_what_is_of_a_kind(special: str, general: str, is_kind: bool) -> None:
    assert is_kind_of(special, general) is is_kind


def test_what_orders_something_lasting_without_a_cue() -> None:
    lasting = [
        "remind me about bins every Monday",
        "keep my step goal at 8,000",
        "never go over 40 euros",
        "每天七点叫我",
    ]
    assert all(map(is_rule_unsaid, lasting))
    assert not any(map(is_rule_unsaid, ["remind me every hour today", "never mind", "keep me posted", "今天七点叫我"]))


def test_a_clause_that_only_says_that_it_lasts() -> None:
    assert all(map(lasts_so, ["以后都这样", "以后都是", "from now on", "往后都按这个来吧"]))
    assert not any(map(lasts_so, ["以后再说", "以后都订靠窗", "from now on tea"]))


def test_an_order_to_be_told_is_what_its_context_says() -> None:
    whole = "warn me whenever the tank drops below 20 litres"
    assert told_when("warn me", "whenever the tank drops below 20 litres") == Order(whole, "warn", False)
    assert told_when("wake me", "when we arrive") is None
