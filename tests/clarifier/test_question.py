"""The wording of questions and what they offer."""

from __future__ import annotations

import re

import pytest
from pydantic import JsonValue

from clarifier.asking.question import OpenSlot, ask_for, confirm, options_for, still_missing
from clarifier.grounding.grounder import Grounding
from clarifier.grounding.listed import Listed, listed_for
from clarifier.grounding.phrases import purpose, slot_phrase, value_phrase
from clarifier.posterior import Moment, by_value, posterior
from memory.evidence import Evidence, Slot
from memory.language.text import Language
from memory.tools import Parameter, Tool
from tests.clarifier.samples import BOOK, PAY, SEARCH_TRAINS, call, evidence, made, need, tool


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
        "Could you tell me which train you mean, the seat class (second class or first class) and the origin?"
    )


def test_one_slot_of_two_calls_is_asked_once() -> None:
    one = open_slot(BOOK, "train_id")
    question = ask_for([one, one], TOOLS, "en")
    assert (question.text, question.slots) == ("Which train do you mean?", ("book_ticket.train_id",))


def test_in_chinese() -> None:
    booking = tool(
        "bookTicket",
        "预订火车票。",
        need("date", "乘车日期，格式为YYYY-MM-DD。"),
        need("seat_level", "座位等级，可选一等座或二等座。", enum=("一等座", "二等座")),
    )
    slots = [open_slot(booking, "seat_level"), open_slot(booking, "date")]
    question = ask_for(slots, {"bookTicket": booking}, "zh")
    assert question.text == "请告诉我乘车日期和座位等级（一等座还是二等座），好吗？"
    # an English schema is still asked about in Chinese
    assert ask_for([open_slot(SEARCH_TRAINS, "origin")], TOOLS, "zh").text == "出发地是哪里？"


def test_what_is_taken_from_habit_is_said() -> None:
    seat = Grounding(None, Slot("book_ticket", "seat_class"), BOOK.parameters[1], "second_class", "habit", 0.6)
    question = ask_for([open_slot(BOOK, "train_id")], TOOLS, "en", assumed=[seat])
    assert question.text == "Which train do you mean (second class for the seat class, as usual)?"
    booking = tool("bookTicket", "预订火车票。", need("trainId", "车次编号。"), need("seat", "座位等级。"))
    seat = Grounding(None, Slot("bookTicket", "seat"), booking.parameters[1], "二等座", "habit", 0.6)
    question = ask_for([open_slot(booking, "trainId")], {booking.name: booking}, "zh", assumed=[seat])
    assert question.text == "是哪个车次（座位等级照旧用二等座）？"


def test_a_closed_enum_has_no_other_answer() -> None:
    question = ask_for([open_slot(BOOK, "seat_class")], TOOLS, "en")
    assert question.text == "Which seat class: first class or second class?"
    pieces = [evidence("search_trains.origin", city, turn=turn) for turn, city in enumerate(("Bern", "Lyon"))]
    question = ask_for([open_slot(SEARCH_TRAINS, "origin", *pieces)], TOOLS, "en")
    assert question.text == "Which origin: Bern, Lyon or something else?"
    many = tool("t", "", need("deck", "Deck.", enum=tuple("abcdef")))
    pieces = [evidence("t.deck", deck, turn=turn) for turn, deck in enumerate("ab")]
    assert ask_for([open_slot(many, "deck", *pieces)], {"t": many}, "en").text == "Which deck: a, b or something else?"


TABLE = tool("book_table", "Book a table.", need("restaurant_id", "The ID of the restaurant."))


def seen(content: JsonValue) -> tuple[Listed, ...]:
    return listed_for(TABLE.parameters[0], [made(call("find_restaurants"), content)])


def test_what_tools_have_listed_is_offered_by_name() -> None:
    rows: JsonValue = {
        "restaurants": [
            {"restaurant_id": "R-17", "name": "Harbour Kitchen"},
            {"restaurant_id": "R-9", "name": "Olive Yard"},
        ]
    }
    slot = open_slot(TABLE, "restaurant_id")._replace(listed=seen(rows))
    question = ask_for([slot], {TABLE.name: TABLE}, "en")
    assert question.text == "Which restaurant: Harbour Kitchen or Olive Yard?"
    assert question.options == {"book_table.restaurant_id": ("R-17", "R-9")}


@pytest.mark.parametrize(
    ("content", "listed"),
    [
        ([{"id": 4, "title": "Olive Yard"}], (Listed(4, "Olive Yard"),)),
        ([{"restaurant_id": "R-9", "opening_time": "18:00", "price": "30"}], (Listed("R-9", "18:00"),)),
        ([{"restaurant_id": "R-9", "name": "Yard"}, {"restaurant_id": "R-8", "name": "Yard"}], ()),  # the same name
        (
            [
                {"restaurant_id": "R-9", "date": "2026-03-10", "opening_time": "18:00"},
                {"restaurant_id": "R-8", "date": "2026-03-10", "opening_time": "19:00"},
            ],
            (Listed("R-9", "18:00"), Listed("R-8", "19:00")),  # the day tells nothing apart
        ),
        ([{"restaurant_id": "R-9"}], ()),  # nothing to call it by
        ([{"booking_id": "B-1", "name": "Olive Yard"}], ()),  # another thing
        ("Olive Yard", ()),
    ],
)
def test_things_that_tools_list(content: JsonValue, listed: tuple[Listed, ...]) -> None:
    assert seen(content) == listed


def test_of_more_than_four_things_four_are_named_and_the_rest_counted() -> None:
    rows: list[JsonValue] = [{"id": number, "name": f"Table {number}"} for number in range(7)]
    slot = open_slot(TABLE, "restaurant_id")._replace(listed=seen(rows))
    question = ask_for([slot], {TABLE.name: TABLE}, "en")
    assert question.text == "Which restaurant: Table 0, Table 1, Table 2, Table 3 or one of 3 others?"
    assert question.options == {f"{TABLE.name}.restaurant_id": (0, 1, 2, 3)}
    five = slot._replace(listed=seen(rows[:5]))
    assert ask_for([five], {TABLE.name: TABLE}, "en").text.endswith("Table 3 or the other one?")
    assert ask_for([slot], {TABLE.name: TABLE}, "zh").text.endswith("Table 3，还是另外3个里的一个？")


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


def test_the_honest_end_says_what_is_open_and_what_there_is_to_choose() -> None:
    both = [open_slot(SEARCH_TRAINS, parameter.name) for parameter in SEARCH_TRAINS.parameters]
    assert still_missing(both, TOOLS, "en") == (
        "I still do not know the origin and the destination, so I have not done this. Tell me and I will go on."
    )
    assert still_missing(both, TOOLS, "zh") == "我还不知道出发地和目的地，所以这一步没有做。告诉我之后我再继续。"
    assert still_missing([], TOOLS, "en").startswith("I still do not know enough to go on")
    rows: JsonValue = [{"id": number, "name": f"Table {number}"} for number in range(2)]
    listed = open_slot(TABLE, "restaurant_id")._replace(listed=seen(rows))
    assert still_missing([listed], {TABLE.name: TABLE}, "en") == (
        "I still do not know which restaurant you mean (Table 0 or Table 1), so I have not done this. "
        "Tell me and I will go on."
    )


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
        (need("order_type", "The type of order, such as 'limit'."), "zh", "订单类型"),
        (need("guestNames", "Names of the guests."), "zh", "客人名称"),
        (need("days", "How long the van is needed."), "zh", "天数"),
        (need("photo", "需要用来和证件上的人像进行比对的照片编号列表。"), "zh", "照片编号列表"),
    ],
)
def test_slot_phrases(parameter: Parameter, language: Language, phrase: str) -> None:
    assert slot_phrase(parameter, language) == phrase


ENGLISH = [
    (need("after", "Earliest departure, 24-hour HH:MM."), "What is the earliest departure?"),
    (need("after", format="time"), "To look things up, what time?"),
    (need("q"), "To look things up, what are the details?"),
    (need("query"), "To look things up, what is the query?"),
    (need("travelDate"), "What is the travel date?"),
    (need("start_time", "24-hour HH:MM."), "What is the start time?"),
    (
        need("seat_class", "Seat class.", enum=("first_class", "second_class")),
        "Which seat class: first class or second class?",
    ),
    (need("stream", "Which bin or box.", enum=tuple("abcde")), "Could you tell me which bin or box?"),
    (need("count", "The number of quotes to retrieve.", type="integer"), "How many quotes?"),
    (need("guests", "How many guests come.", type="integer"), "How many guests come?"),
    (
        need("placed_at", "Where the crew finds the items.", enum=("kerbside", "back_lane")),
        "Could you tell me where the crew finds the items: kerbside or back lane?",
    ),
    (need("items", "What is to be taken, one entry a kind.", type="array"), "Could you tell me what is to be taken?"),
    (need("symbols", type="array"), "What are the symbols?"),
    (need("tripId", "Unique identifier of the trip."), "Which trip do you mean?"),
    (need("id", "The unique identifier."), "Which thing do you mean?"),
    (need("user_id", "The unique identifier of the user."), "What is your user ID?"),
    (need("card", "Library card number."), "What is the library card number?"),
    (need("message", "The text of the message."), "What should the message say?"),
    (need("recipient", "The email address of the recipient."), "What is the email address of the recipient?"),
    (need("recipient"), "Who is it for?"),
    (need("origin", "Name of the station of departure."), "Where from?"),
    (need("destination"), "Where to?"),
    (need("includeImages", "Whether to include images.", type="boolean"), "Shall I include images?"),
    (need("open", "Whether the shop is open.", type="boolean"), "Could you tell me whether the shop is open?"),
    (need("is_gift", type="boolean"), "Gift, yes or no?"),
    (need("symbol", "The stock symbol, such as 'AAPL'."), "What is the stock symbol?"),
    (need("amount", "Amount to transfer, in euros.", type="number"), "What is the amount to transfer?"),
    (need("minutes", "Length of a run.", type="integer"), "What is the length of a run?"),
    (need("max_price"), "What is the highest price?"),
    (need("postcode", "Postcode as written on post, e.g. AB1 2CD."), "What is the postcode?"),
    (need("threshold", "Degrees for frost, per cent for dry soil."), "What is the threshold?"),
]
CHINESE = [
    (need("startTime", "开打时间，24小时制。"), "开打时间是几点？"),
    (need("weekdays", "每周哪几天提醒，1为周一。", type="array"), "每周哪几天提醒？"),
    (need("hours", "延长多少小时。", type="integer", enum=(12, 24, 48)), "延长多少小时，12、24还是48？"),
    (need("payer", "运费由谁付，默认为寄方。", enum=("寄方", "收方")), "运费由谁付，寄方还是收方？"),
    (need("level", "陪练水平。", enum=("入门", "进阶", "专业")), "陪练水平要哪个，入门、进阶还是专业？"),
    (need("date", "送货日期，格式为YYYY-MM-DD。"), "送货日期是哪天？"),
    (need("receiver", "收件人。", type="object"), "收件人是谁？"),
    (need("weightKg", "重量，单位为千克。", type="number"), "重量是多少？"),
    (need("parcelId", "包裹编号，由别的工具返回。"), "是哪个包裹？"),
    (need("cardNo", "小读者的借书证号。"), "小读者的借书证号是多少？"),
    (need("userId", "用户的唯一标识。"), "您的用户编号是多少？"),
    (need("ownerPhone", "登记用的手机号。"), "登记用的手机号是多少？"),
    (need("includeImage", "是否包含图片。", type="boolean"), "是否包含图片？"),
    (need("keyword", "搜索关键词。"), "搜索关键词是什么？"),
    (need("destination"), "目的地是哪里？"),
    (need("amount", "充值金额。", type="number"), "充值金额是多少？"),
    (need("after", format="time"), "要查一查，时间是几点？"),
]


def asked_alone(parameter: Parameter, description: str, language: Language) -> str:
    taker = tool("find_thing", description, parameter)
    return ask_for([open_slot(taker, parameter.name)], {taker.name: taker}, language).text


@pytest.mark.parametrize(("parameter", "text"), ENGLISH, ids=lambda case: getattr(case, "name", ""))
def test_short_questions(parameter: Parameter, text: str) -> None:
    assert asked_alone(parameter, "Look things up.", "en") == text


@pytest.mark.parametrize(("parameter", "text"), CHINESE, ids=lambda case: getattr(case, "name", ""))
def test_short_questions_in_chinese(parameter: Parameter, text: str) -> None:
    assert asked_alone(parameter, "查一查。", "zh") == text


def test_a_question_for_several_things() -> None:
    taker = tool("book_trip", "Book a trip.", *(parameter for parameter, _ in (ENGLISH[13], ENGLISH[22], ENGLISH[8])))
    slots = [open_slot(taker, parameter.name) for parameter in taker.parameters]
    question = ask_for(slots, {taker.name: taker}, "en")
    assert question.text == "Could you tell me which trip you mean, how many quotes and whether to include images?"


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
