"""What people say to a question that is no answer to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.demo.toolbox import Toolbox
from agent.planners.rules.own_request import is_own_request
from tests.agent.conversations import NOW, talk


@pytest.mark.parametrize(
    ("slots", "said"),
    [
        ("search_trains.date", "what's the weather?"),
        ("search_trains.date", "what's the weather in Paris tomorrow?"),
        ("search_trains.date", "no, I meant the weather in Paris"),
        ("search_trains.date", "hmm, how is the weather there?"),
        ("search_trains.date", "cancel the train"),
        ("search_trains.date", "book a table for two"),
        ("search_trains.date", "hi"),
        ("search_trains.origin", "I need a restaurant first"),
        ("get_weather.place", "no, I meant the trains to Milan"),
        ("cancel_train.booking_id", "I like window seats"),
        ("book_table.restaurant_id book_table.guests", "any trains to Milan?"),
        ("cancel_train.booking_id", "Pay the deposit"),
        ("search_trains.origin", "thanks! btw I'm vegetarian"),
        ("search_trains.origin", "I'm tired today"),
        ("search_trains.date", "天气怎么样？"),
        ("search_trains.date", "不，我是说天气"),
        ("search_trains.date", "帮我订个餐厅"),
        ("book_train.travel_class", "有餐厅吗？"),
    ],
)
def test_what_asks_for_something_else_is_a_request_of_its_own(slots: str, said: str) -> None:
    assert is_own_request(said, slots.split(), Toolbox("all").tools_for(said), NOW)


@pytest.mark.parametrize(
    ("slots", "said"),
    [
        ("search_trains.date", "Friday?"),
        ("search_trains.date", "could you do Friday?"),
        ("search_trains.date", "no, I meant to Paris"),
        ("search_trains.date", "the day after tomorrow, by train please"),
        ("search_trains.date", "on the 12th, and tell me the weather too"),
        ("search_trains.date", "forget it"),
        ("search_trains.date", "why?"),
        ("search_trains.date", "hm, let me see"),
        ("search_trains.origin", "how about Turin?"),
        ("book_table.restaurant_id", "what about the Blue Door?"),
        ("book_table.restaurant_id", "which is the cheapest?"),
        ("book_table.guests", "make it two"),
        ("pay_deposit.booking_id", "yes please, book it"),
        ("search_trains.date", "周五可以吗？"),
        ("search_trains.date", "后天吧，顺便查下天气"),
        ("book_train.travel_class", "我要二等座，谢谢"),
        ("nothing.known", "what's the weather?"),
    ],
)
def test_answers_and_what_leaves_the_question_open_are_none(slots: str, said: str) -> None:
    assert not is_own_request(said, slots.split(), Toolbox("all").tools_for(said), NOW)


def test_a_request_in_place_of_an_answer_is_run_next_and_fills_nothing(tmp_path: Path) -> None:
    answers, calls, _ = talk(tmp_path, "a train from Turin to Milan please", "what's the weather in Paris tomorrow?")
    assert answers == [[None], []]
    assert calls == [("get_weather", {"place": "Paris", "date": "2026-03-10"})]


def test_a_correction_changes_what_was_said_and_the_question_stays_open(tmp_path: Path) -> None:
    answers, calls, _ = talk(tmp_path, "a train from Turin to Milan please", "no, I meant to Paris", "tomorrow")
    assert answers == [["no, I meant to Paris"], []]
    assert calls == [("search_trains", {"origin": "Turin", "destination": "Paris", "date": "2026-03-10"})]


def test_a_greeting_after_an_open_question_is_no_place(tmp_path: Path) -> None:
    _, calls, _ = talk(tmp_path, "a table for dinner please", "why do you need that?", "hi")
    assert calls == []


@pytest.mark.parametrize(("said", "day"), [("whatever", "2026-03-10"), ("no, I meant Friday", "2026-03-13")])
def test_an_answer_after_the_turn_keeps_what_the_open_request_said(tmp_path: Path, said: str, day: str) -> None:
    _, calls, _ = talk(tmp_path, "what's the weather tomorrow?", said, "Turin")
    assert calls == [("get_weather", {"place": "Turin", "date": day})]
