"""What a running topic, and one that is over, lend to the next request."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agent.agent import Agent
from agent.planners.rules.planner import RulesPlanner
from memory.memory import Memory
from memory.records import Scope
from memory.tools import Parameter, Tool
from tests.agent.conversations import NOW, talk
from tests.fakes import HashingEmbedder, RecordingExecutor, ScriptedUser


@pytest.mark.parametrize(
    ("lines", "time"),
    [
        (("book a table for dinner in Ghent tomorrow for two", "Blue Door at seven"), "19:00"),
        (("dinner at 7 tomorrow in Ghent please, 3 people, the first restaurant",), "19:00"),
        (("find restaurants in Ghent for tomorrow evening", "book the first one at seven for two"), "19:00"),
        (("找一下杭州明天晚上吃饭的餐厅", "订第一家，七点，两个人"), "19:00"),
        (("book a table in Ghent tomorrow for two", "Blue Door at seven"), "07:00"),  # nothing says
    ],
)
def test_a_bare_hour_is_in_the_half_of_the_day_that_the_topic_speaks_of(
    tmp_path: Path, lines: tuple[str, ...], time: str
) -> None:
    (booked,) = talk(tmp_path, *lines).arguments_of("book_table")
    assert (booked["time"], booked["date"]) == (time, "2026-03-10")


ROME = {"origin": "Turin", "destination": "Rome", "date": "2026-03-10"}


@pytest.mark.parametrize("tools", ["all", "trips"])
def test_the_earliest_of_a_new_search_is_not_taken_from_an_older_list(tmp_path: Path, tools: str) -> None:
    talked = talk(
        tmp_path,
        "show me trains from Turin to Milan tomorrow",
        "please book a train to Rome for tomorrow from Turin, the earliest, second class",
        tools=tools,
    )
    assert talked.arguments_of("search_trains") == [{**ROME, "destination": "Milan"}, ROME]
    (booked,) = talked.arguments_of("book_train")
    trips = [line for line in talked.written if line.startswith("  ← [")]
    assert str(booked["trip_id"]) not in trips[0]
    assert str(booked["trip_id"]) in trips[1]


@pytest.mark.parametrize(
    "before",
    ["find the cheapest restaurant in Ghent", "show me trains from Turin to Milan tomorrow", "weather in Rome"],
)
def test_a_booking_after_another_topic_is_of_what_it_names(tmp_path: Path, before: str) -> None:
    talked = talk(tmp_path, before, "train from Turin to Rome tomorrow, book it", "the first one, second class")
    made = [name for name, _ in talked.calls[1:]]
    assert (made, talked.calls[1][1]) == (["search_trains", "book_train"], ROME)


def test_a_table_after_a_train_needs_no_train(tmp_path: Path) -> None:
    talked = talk(tmp_path, "明天从北京去杭州的火车", "订个餐厅，杭州，明天晚上七点，两个人", "第一家")
    assert [name for name, _ in talked.calls] == ["search_trains", "search_restaurants", "book_table"]
    assert talked.calls[2][1]["time"] == "19:00"


@pytest.mark.parametrize(
    "theirs",
    [
        "book the first one for Anna, first class, aisle seat",
        "book Anna's seat for my boss, the first one, first class, aisle seat",
        "book my wife a seat on the first one, first class, aisle seat",
        "Anna is travelling too, book her the first one, first class, aisle seat",
    ],
)
def test_what_another_person_took_is_no_choice_of_ones_own(tmp_path: Path, theirs: str) -> None:
    talked = talk(tmp_path, "trains from Turin to Milan tomorrow", theirs, "book me the second one", "second class")
    first, own = talked.arguments_of("book_train")
    assert (first["travel_class"], first["seat"]) == ("first_class", "aisle")
    assert own == {"trip_id": own["trip_id"], "travel_class": "second_class"}
    assert own["trip_id"] != first["trip_id"]
    assert talked.answers[2] == ["second class"]


def test_what_another_person_took_is_no_choice_of_ones_own_in_chinese(tmp_path: Path) -> None:
    talked = talk(tmp_path, "明天北京到杭州的火车", "帮张伟订第一趟，一等座，靠窗", "给我订第二趟", "二等座")
    assert [one.get("travel_class") for one in talked.arguments_of("book_train")] == ["一等座", "二等座"]
    assert talked.answers[2] == ["二等座"]


def test_an_order_of_just_now_is_not_made_twice_but_for_another_or_hours_later_it_is(tmp_path: Path) -> None:
    coffee = Tool(
        name="order_coffee",
        description="Order a coffee.",
        parameters=(Parameter(name="size", enum=("small", "large"), is_required=True),),
        definition={},
    )
    order = "Order a large coffee"
    executor, moments = RecordingExecutor(), iter((0.0, 0.5, 0.6, 6.0))
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as opened:
        agent = Agent(opened.user(Scope("ada")), RulesPlanner(), clock=lambda: NOW + timedelta(hours=next(moments)))
        made = [
            len(agent.run(request, [coffee], executor=executor, user=ScriptedUser(["yes"])).turn.calls)
            for request in (order, order, f"{order} for my boss", order)
        ]
    assert made == [1, 0, 1, 1]
