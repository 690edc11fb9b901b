"""The wording of questions and what they offer."""

from __future__ import annotations

import re

import pytest

from clarifier.grounding import Grounding
from clarifier.phrases import purpose, slot_phrase, value_phrase
from clarifier.posterior import Moment, by_value, posterior
from clarifier.question import OpenSlot, ask_for, confirm, options_for, still_missing
from memory.evidence import Evidence, Slot
from memory.text import Language
from memory.tools import Parameter, Tool
from tests.clarifier.samples import BOOK, PAY, SEARCH_TRAINS, evidence, need, tool


def open_slot(taker: Tool, name: str, *pieces: Evidence, is_repeat: bool = False) -> OpenSlot:
    parameter = taker.parameter(name)
    assert parameter is not None
    known = posterior(by_value(pieces), Moment(0), parameter=parameter)
    return OpenSlot(Slot(taker.name, name), parameter, known, is_repeat)


TOOLS = {one.name: one for one in (BOOK, SEARCH_TRAINS, PAY)}


def test_worst_first_and_what_was_asked_before_last() -> None:
    known = open_slot(BOOK, "seat_class", evidence("book_ticket.seat_class", "second_class"))
    unknown = open_slot(BOOK, "train_id")
    repeated = open_slot(SEARCH_TRAINS, "origin", is_repeat=True)
    # EVPI: 1 − (0.8 + ½)/1.8, 1, and 1 less the cost of asking again
    assert [round(one.worth, 4) for one in (known, unknown, repeated)] == [0.2778, 1.0, 0.0]
    question = ask_for([repeated, known, unknown], TOOLS, "en")
    assert question.slots == ("book_ticket.train_id", "book_ticket.seat_class", "search_trains.origin")
    assert question.options == {"book_ticket.seat_class": ("second_class", "first_class")}
    assert question.text == (
        "To book a train ticket and search for trains between two stations, could you tell me the train ID, "
        "the seat class (second class, first class or something else) and the origin?"
    )


def test_one_slot_of_two_calls_is_asked_once() -> None:
    one = open_slot(BOOK, "train_id")
    question = ask_for([one, one], TOOLS, "en")
    assert (question.text, question.slots) == (
        "To book a train ticket, could you tell me the train ID?",
        ("book_ticket.train_id",),
    )


def test_in_chinese() -> None:
    booking = tool(
        "bookTicket",
        "预订火车票。",
        need("date", "乘车日期，格式为YYYY-MM-DD。"),
        need("seat_level", "座位等级，可选一等座或二等座。", enum=("一等座", "二等座")),
    )
    slots = [open_slot(booking, "seat_level"), open_slot(booking, "date")]
    question = ask_for(slots, {"bookTicket": booking}, "zh")
    assert question.text == "要预订火车票，请告诉我乘车日期和座位等级（一等座、二等座，还是别的）？"
    # an English schema is still asked about in Chinese
    assert ask_for([open_slot(SEARCH_TRAINS, "origin")], TOOLS, "zh").text == "请告诉我出发地？"


def test_what_is_taken_from_habit_is_said() -> None:
    seat = Grounding(None, Slot("book_ticket", "seat_class"), BOOK.parameters[1], "second_class", "habit", 0.6)
    question = ask_for([open_slot(BOOK, "train_id")], TOOLS, "en", assumed=[seat])
    assert question.text.endswith("? I take second class for the seat class as usual unless you say otherwise.")
    question = ask_for([open_slot(BOOK, "train_id")], TOOLS, "zh", assumed=[seat])
    assert question.text.endswith("其余照旧：seat class用second class，不对请说。")


def test_options_are_two_to_four_values_that_can_be_read() -> None:
    cities = [evidence("search_trains.origin", city, turn=turn) for turn, city in enumerate("ABCDE")]
    assert options_for(open_slot(SEARCH_TRAINS, "origin", *cities)) == ("A", "B", "C", "D")
    assert options_for(open_slot(SEARCH_TRAINS, "origin", *cities[:1])) == ()
    days = [evidence("search_trains.origin", f"2026-03-0{day}") for day in (1, 2)]
    assert options_for(open_slot(SEARCH_TRAINS, "origin", *days)) == ()
    many = tool("t", "", need("kind", enum=tuple("abcde")))
    assert options_for(open_slot(many, "kind")) == ()


def test_confirmation_names_what_was_not_said() -> None:
    payer = Grounding(None, Slot("pay_invoice", "payer"), PAY.parameters[1], "Household", "habit", 0.6)
    assert confirm([(PAY, [payer])], "en").text == "Shall I pay an invoice (payer: Household)?"
    assert confirm([(PAY, [])], "en").slots == ()
    assert confirm([(PAY, [payer])], "zh").text == "我准备pay invoice（payer：Household），可以吗？"


def test_the_honest_end() -> None:
    both = list(SEARCH_TRAINS.parameters)
    assert still_missing(both, "en") == (
        "I still do not know the origin and the destination, so I have not done this. Tell me and I will go on."
    )
    assert still_missing(both, "zh") == "我还不知道出发地和目的地，所以这一步没有做。告诉我之后我再继续。"
    assert still_missing([], "en").startswith("I still do not know enough to go on")


@pytest.mark.parametrize(
    ("parameter", "language", "phrase"),
    [
        (need("travelDate"), "en", "travel date"),
        (need("userID", "The unique identifier of the user."), "en", "user ID"),
        (need("count", "The number of quotes to retrieve."), "en", "number of quotes to retrieve"),
        (need("title", "Title of the newspaper, such as 'The Post'."), "en", "title of the newspaper"),
        (need("query", "See get_help for query_syntax."), "en", "query"),
        (need("name", "名称"), "en", "name"),
        (need("desc"), "en", "description"),
        (
            need("sendTo", "The address to send the code to, such as a phone number."),
            "en",
            "address to send the code to",
        ),
        (need("city", "城市名称。"), "zh", "城市名称"),
        (need("start_date"), "zh", "开始日期"),
        (need("flux_rate"), "zh", "flux rate"),
    ],
)
def test_slot_phrases(parameter: Parameter, language: Language, phrase: str) -> None:
    assert slot_phrase(parameter, language) == phrase


@pytest.mark.parametrize(
    ("description", "language", "words"),
    [
        ("Book Dutch train tickets.", "en", "book Dutch train tickets"),
        ("Get comments of movies, or of series", "en", "get comments of movies"),
        ("Retrieval of things.", "en", ""),
        ("Wraps get_weather for you.", "en", ""),
        ("预订火车票。", "en", ""),
        ("预订火车票。", "zh", "预订火车票"),
        ("Book tickets.", "zh", ""),
        ("", "en", ""),
    ],
)
def test_purposes(description: str, language: Language, words: str) -> None:
    assert purpose(tool("t", description), language) == words


def test_values_are_read_out() -> None:
    assert value_phrase("second_class", "en") == "second class"
    assert value_phrase(True, "zh") == "是"
    assert value_phrase(["a", 2.5], "en") == "a, 2.5"
    assert value_phrase({"from_day": 3}, "en") == "from day 3"


def test_no_question_shows_a_schema() -> None:
    odd = tool(
        "fetch_userData_v2",
        "Calls the fetch_userData_v2 endpoint.",
        need("user_ref_code", "The userRefCode, see api_docs."),
        need("mode", enum=("fast_lane", "slow_lane")),
    )
    slots = [open_slot(odd, "user_ref_code"), open_slot(odd, "mode")]
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        text = ask_for(slots, {odd.name: odd}, language).text + confirm([(odd, [])], language).text
        assert not re.search(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]", text), text
