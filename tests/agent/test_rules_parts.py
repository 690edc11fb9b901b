"""The parts of the rules planner: kinds of parameters, entries meant, values said, clauses that ask."""

from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue

from agent.planners.rules.composites import composite
from agent.planners.rules.descriptions import described_day, new_thing, restriction
from agent.planners.rules.entries import Group, choose, field_for, groups_of, is_place_alone, preferred, remaining
from agent.planners.rules.kinds import kind_of, role_of
from agent.planners.rules.results import told
from agent.planners.rules.said_values import said_values
from agent.planners.rules.segments import asking_sentences, clauses
from agent.planners.rules.things import things
from agent.planners.rules.tool_text import content_terms
from agent.planners.rules.utterance import Text
from agent.planners.rules.verbs import (
    asks_what_can_be_done,
    deeds_of,
    deeds_said,
    is_bare_statement,
    is_conditional,
    is_greeting,
    is_small_talk,
    is_thanks,
    says_again,
)
from memory.records import CallStep, Observation, ToolCall
from memory.tools import Parameter, Tool

NOW = datetime(2026, 4, 1, 6, 51)
HOTELS: list[dict[str, JsonValue]] = [
    {"id": "H-1", "name": "Seaview", "price": 80, "rating": 4.1, "checkin": "14:00"},
    {"id": "H-2", "name": "Old Mill", "price": 65, "rating": 4.6, "checkin": "15:00"},
    {"id": "H-3", "name": "Harbour Rest", "price": 70, "rating": 3.9, "checkin": "16:00"},
]


def make(*parameters: Parameter) -> Tool:
    return Tool(name="find_rooms", description="Find rooms.", parameters=parameters, definition={})


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        (Parameter(name="seat", enum=("a", "b")), "enum"),
        (Parameter(name="n", type="integer"), "number"),
        (Parameter(name="train_number", type="integer"), "id"),
        (Parameter(name="year", type="integer"), "year"),
        (Parameter(name="day", format="date"), "date"),
        (Parameter(name="to", format="currency_code"), "currency"),
        (Parameter(name="roomId"), "id"),
        (Parameter(name="city"), "place"),
        (Parameter(name="title", description="The title of the film."), "text"),
        (Parameter(name="tags", type="array"), "array"),
    ],
)
def test_kind(parameter: Parameter, kind: str) -> None:
    assert kind_of(parameter) == kind


def test_role() -> None:
    names = ("startDate", "to_currency", "origin", "destination_station", "name")
    assert [role_of(Parameter(name=name)) for name in names] == ["from", "to", "from", "to", None]


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("Take the Old Mill.", 1),
        ("The one with check-in at 16:00.", 2),
        ("The first one, please.", 0),
        ("Whatever's cheapest.", 1),
        ("The best rated.", 1),
        ("Not Seaview and not the Old Mill.", 2),
        ("要最便宜的", 1),
        ("第二个", 1),
        ("Any of them?", None),
        ("Book one, second class.", None),
        ("A second-hand bookshop nearby?", None),
    ],
)
def test_the_entry_meant(text: str, index: int | None) -> None:
    assert choose(HOTELS, text, NOW) == (None if index is None else HOTELS[index])


def test_no_entry_and_a_lone_entry() -> None:
    assert choose([], "the first", NOW) is None
    assert choose(HOTELS[:1], "that one", NOW) == HOTELS[0]


def test_the_field_for_a_parameter() -> None:
    group = Group(tuple(HOTELS), "hotels")
    names = ("hotel_id", "id", "name", "room_id", "rating")
    assert [field_for(Parameter(name=name), group) for name in names] == ["id", "id", "name", None, "rating"]
    assert field_for(Parameter(name="pageId"), Group(({"page_id": "p"},))) == "page_id"


def test_past_choices_tell_which_is_preferred() -> None:
    cheap, dear = HOTELS[1], HOTELS[0]
    assert preferred(HOTELS, [(cheap, HOTELS)]) == cheap
    assert preferred(HOTELS, [(dear, HOTELS)]) == dear
    assert preferred(HOTELS, []) is None
    assert preferred(HOTELS, [(cheap, HOTELS), (dear, HOTELS)]) is None


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (Parameter(name="guests", type="integer", description="The number of people."), "a room for three people", 3),
        (Parameter(name="guests", type="integer"), "for two tonight in Milan at 8", 2),
        (Parameter(name="guests", type="integer"), "3 people", 3),
        (Parameter(name="guests", type="integer"), "三个人", 3),
        (Parameter(name="days", type="integer"), "four days and not one more", 4),
        (Parameter(name="minutes", type="integer", description="Length in minutes."), "for half an hour", 30),
        (Parameter(name="include_images", type="boolean"), "without the images", False),
        (Parameter(name="include_images", type="boolean"), "with images", True),
        (Parameter(name="rounding", type="boolean"), "unrounded, please", False),
        (Parameter(name="to", format="currency_code"), "18,500 Swedish kronor in euros", "EUR"),
        (Parameter(name="from", format="currency_code"), "18,500 Swedish kronor in euros", "SEK"),
        (Parameter(name="check_in", format="date"), "from 3 May to 9 May", "2026-05-03"),
        (Parameter(name="indicator", description="The kind, such as 'SMA', 'EMA'."), "the SMA of it", "SMA"),
        (Parameter(name="customer_number"), "Customer number HB-20417.", "HB-20417"),
        (Parameter(name="destination"), "Köln Hbf to Hamburg Hbf", "Hamburg Hbf"),
        (Parameter(name="origin"), "Köln Hbf to Hamburg Hbf", "Köln Hbf"),
        (Parameter(name="memo", description="交易的备注"), "记一笔 备注猫粮", "猫粮"),
    ],
)
def test_values_said(parameter: Parameter, text: str, value: JsonValue) -> None:
    assert said_values(parameter, make(parameter), Text(text, NOW))[0].value == value


def test_an_hour_alone_answers_when() -> None:
    parameter = Parameter(name="time", format="time")
    answer = Text("Münster Hbf, nine. She'll change four times.", NOW, is_answer=True)
    assert [said.value for said in said_values(parameter, make(parameter), answer)] == ["09:00"]


def test_asides_are_not_read() -> None:
    parameter = Parameter(name="guests", type="integer", description="The number of people.")
    text = Text("If it were up to him it would be nine people, but a room for two people.", NOW)
    assert [said.value for said in said_values(parameter, make(parameter), text)] == [2]


def test_sentences_that_ask() -> None:
    text = "My knee is bad today. What is the weather like? He laughed. Give me four days."
    assert [part.text for part in asking_sentences(text)] == ["What is the weather like", "Give me four days"]
    assert [part.text for part in asking_sentences("Second one: 4,320")] == ["Second one: 4,320"]
    assert [part.text for part in clauses("评论看8条 链接也来一个")] == ["评论看8条", "链接也来一个"]


def test_deeds() -> None:
    tool = Tool(name="cancelBooking", definition={})
    assert deeds_of(tool) == {"cancel"}
    assert deeds_said("Please cancel it") == {"cancel"}
    assert deeds_said("帮我取消") == {"cancel"}


def test_small_talk() -> None:
    assert is_small_talk("Do you think I was right?")
    assert is_small_talk("陪我聊聊")
    assert not is_small_talk("What is the weather in Halifax?")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hi", (True, False, False, False)),
        ("你好！", (True, False, False, False)),
        ("Hello, what can you do?", (False, True, False, False)),
        ("你能做什么？", (False, True, False, False)),
        ("Thanks a lot!", (False, False, True, False)),
        ("好的，谢谢", (False, False, True, False)),
        ("I always take second class.", (False, False, False, True)),
        ("我一直坐二等座。", (False, False, False, True)),
        ("By the way, I'm vegetarian, and I always want a window seat on trains.", (False, False, False, True)),
        ("Actually, I changed my mind: from now on I prefer aisle seats.", (False, False, False, True)),
        ("对了，我吃素，火车我一般坐二等座，靠窗。", (False, False, False, True)),
        ("我改主意了，以后都坐一等座，靠过道", (False, False, False, True)),
        ("I want a window seat to Turin", (False, False, False, False)),
        ("我改主意了，帮我订一等座", (False, False, False, False)),
        ("Hi, weather in Turin", (False, False, False, False)),
        ("thanks, now book it", (False, False, False, False)),
        ("I always take second class, so book it", (False, False, False, False)),
        ("I like the first one", (False, False, False, False)),
        ("我喜欢第二个", (False, False, False, False)),
    ],
)
def test_what_asks_for_nothing(text: str, told: tuple[bool, bool, bool, bool]) -> None:
    assert (is_greeting(text), asks_what_can_be_done(text), is_thanks(text), is_bare_statement(text)) == told


def test_what_is_asked_for_once_more() -> None:
    told = {"Book it again": True, "another one": True, "再订一张": True, "Book it": False, "订这个": False}
    assert {text: says_again(text) for text in told} == told


def test_a_value_that_all_entries_share_and_a_piece_of_a_date_single_none_out() -> None:
    shared = {"origin": "Turin", "destination": "Milan", "date": "2026-12-03"}
    trains = [{"trip_id": trip, "departs": departs, **shared} for trip, departs in (("IC1", "07:32"), ("IC2", "12:30"))]
    now = datetime(2026, 11, 29, 19, 50)

    assert choose(trains, "Book a train from Turin to Milan on 2026-12-03, second class", now) is None
    assert choose(trains, "Book the 12:30 from Turin to Milan", now) == trains[1]


def amounts(words: str, name: str, description: str) -> list[object]:
    parameter = Parameter(name=name, type="number", description=description, is_required=True)
    tool = Tool(name="keep", description="Keep it.", parameters=(parameter,), definition={})
    return [said.value for said in said_values(parameter, tool, Text(words, None)) if said.strength >= 0.9]


def test_amounts_are_read_in_the_unit_of_the_parameter() -> None:
    assert amounts("Keep it two days longer.", "hours", "How many hours.") == [48]
    assert amounts("续两个礼拜", "days", "续借天数") == [14]
    assert amounts("一箱八斤", "weightKg", "重量，单位为公斤") == [4]
    assert amounts("for an hour", "minutes", "Length in minutes.") == [60]
    assert amounts("It is 1.5 km away.", "metres", "Distance.") == [1500]
    assert amounts("我两个礼拜去一次", "hours", "时长，单位为小时") == []  # weeks are seldom meant in hours


def test_a_day_is_described_by_what_happened_then() -> None:
    described = described_day("The weather for the day the flatbed got stuck.")
    assert described == ("flatb", "got", "stuck")
    assert described_day("What was it like on that day?") is None
    assert described_day("那天那边热不热") is None


def test_a_new_thing_takes_nothing_of_the_topic() -> None:
    fish = Parameter(name="fish_name", description="The name of the fish.", is_required=True)
    tool = Tool(name="fish_facts", description="Tell of a fish.", parameters=(fish,), definition={})
    thing = new_thing("He would have one particular fish at Christmas.")
    assert thing is not None
    assert thing.may_be(fish, tool)
    assert new_thing("Tell me more of that fish.") is None


def test_a_description_restricts_an_argument() -> None:
    wheel = Parameter(name="direction", description="Rotation of the wheel; wheel sessions only.")
    assert restriction(wheel) == {"wheel"}
    assert restriction(Parameter(name="direction", description="Rotation of the wheel.")) == frozenset()


def test_results_are_told_without_echoes_and_with_what_is_left_counted() -> None:
    call = ToolCall(id="c1", name="list_courts", arguments={"day": "2026-03-12"})
    courts: list[JsonValue] = [{"court_id": f"C-{n}", "name": f"Court {n}", "price": n} for n in range(1, 8)]
    assert told({"day": "2026-03-12", "courts": courts, "note": None}, call, "en") == (
        "7 courts:\n1. Court 1: price 1\n2. Court 2: price 2\n3. Court 3: price 3\n4. Court 4: price 4\n"
        "5. Court 5: price 5\nand 2 more"
    )
    assert told({"day": "2026-03-12", "open": True, "tags": ["a", "b"]}, call, "zh") == "open 是，tags a、b"
    assert told({"day": "2026-03-12"}, call, "en") == ""
    assert told([], call, "zh") == "没有结果"
    assert told("All clear.", call, "en") == "All clear."


def test_what_is_turned_down_is_left_out_of_several() -> None:
    loans: list[dict[str, JsonValue]] = [{"title": "A Year on Clay Soil"}, {"title": "Ash Glazes"}, {"title": "Salt"}]
    assert remaining(loans, "Renew them all, except the clay soil one.", None) == loans[1:]
    assert remaining(loans, "Renew them all.", None) == loans


def listed(thing: Parameter, number: Parameter) -> Parameter:
    element = Parameter(name="", type="object", properties=(thing, number))
    return Parameter(name="items", type="array", is_required=True, items=element)


def test_allowed_things_take_the_number_before_them_or_one() -> None:
    kind = Parameter(name="kind", is_required=True, enum=("sofa", "lamp", "chair"))
    items = listed(kind, Parameter(name="count", type="integer", is_required=True))
    text = Text("The sofa goes, and three chairs.", NOW)
    assert things(items, make(items), text, []) == [{"kind": "sofa", "count": 1}, {"kind": "chair", "count": 3}]


def test_listed_things_are_named_beside_their_number() -> None:
    wool = Parameter(name="wool_id", is_required=True)
    items = listed(wool, Parameter(name="skeins", type="integer", is_required=True))
    entries = ({"wool_id": "W-1", "name": "Merino grey"}, {"wool_id": "W-2", "name": "Alpaca white"})
    text = Text("Four skeins of the alpaca, two of the merino.", NOW)
    expected = [{"wool_id": "W-2", "skeins": 4}, {"wool_id": "W-1", "skeins": 2}]
    assert things(items, make(items), text, [Group(entries)]) == expected
    assert things(items, make(items), text, []) is None


def test_a_person_is_read_around_a_phone_number() -> None:
    fields = [Parameter(name=name, is_required=True) for name in ("name", "phone", "address")]
    receiver = Parameter(name="receiver", type="object", properties=tuple(fields))
    text = Text("Send it to Ann Lee, 5550134778, 12 Mill Row. No hurry.", NOW)
    assert things(receiver, make(receiver), text, []) == {
        "name": "Ann Lee",
        "phone": "5550134778",
        "address": "12 Mill Row",
    }
    assert things(receiver, make(receiver), Text("Send it to Ann Lee, 12 Mill Row.", NOW), []) is None


def test_an_allowed_span_is_meant_by_its_ends_on_either_clock() -> None:
    slot = Parameter(name="slot", is_required=True, enum=("08:00-10:00", "14:00-16:00", "20:00-22:00"))
    for words, value in (("两点到四点那班", "14:00-16:00"), ("14:00-16:00 please", "14:00-16:00")):
        assert [said.value for said in said_values(slot, make(slot), Text(words, NOW))][:1] == [value]
    assert said_values(slot, make(slot), Text("八点到十点那班", NOW))[0].value == "08:00-10:00"


def test_a_list_of_bare_ids_gives_values_and_one_of_words_does_not() -> None:
    step = CallStep(
        calls=(ToolCall(id="c1", name="find_cells", arguments={}),),
        observations=(Observation(content={"cells": ["NM-L03", "NM-L04"], "dates": ["today"]}),),
    )
    cells = groups_of([step])[0]
    assert cells.entries == ({"id": "NM-L03"}, {"id": "NM-L04"})
    assert field_for(Parameter(name="cellId"), cells) == "id"
    assert len(groups_of([step])) == 2  # the record itself and the cells


def test_plural_ids_take_the_ids_of_a_list() -> None:
    assert field_for(Parameter(name="loan_ids", type="array"), Group(({"loan_id": "L-1"},))) == "loan_id"


@pytest.mark.parametrize(
    ("words", "is_so"),
    [
        ("See how full it is and book if there is a seat.", True),
        ("If it were up to him we would walk.", False),
        ("先验 要是红的就接着出细节", True),
        ("Book it.", False),
    ],
)
def test_what_depends_on_how_something_turns_out(words: str, is_so: bool) -> None:
    assert is_conditional(words) == is_so


def test_a_place_in_a_list_alone() -> None:
    places = {
        "the first one": True,
        "第一个吧": True,
        "First Avenue": False,
        "the first one in Oslo": False,
        "Oslo": False,
    }
    assert {text: is_place_alone(text) for text in places} == places


def test_a_number_of_things_names_no_tool() -> None:
    assert "两个" not in content_terms("两个人")


def test_an_answer_gives_an_object_what_it_requires() -> None:
    name = Parameter(name="name", description="Full name of the guest.", is_required=True)
    email = Parameter(name="email", format="email", description="Email of the guest.")
    guest = Parameter(name="guest", type="object", description="The guest.", properties=(name, email), is_required=True)
    words = "it is for me, Maya Lund, maya@example.org"
    told = {"name": "Maya Lund", "email": "maya@example.org"}
    assert composite(guest, make(guest), Text(words, NOW, is_answer=True)) == told
    assert composite(guest, make(guest), Text("the one with the beard", NOW, is_answer=True)) is None
