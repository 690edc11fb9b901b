"""The demo toolsets and their simulator."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from agent.demo.simulator import Simulator
from agent.demo.toolsets import ALL, load_toolset, toolset_names
from agent.errors import ToolsetError
from memory.language.text import Language
from memory.records import Observation, ToolCall

LANGUAGES: tuple[Language, ...] = ("en", "zh")


def call(name: str, **arguments: JsonValue) -> ToolCall:
    return ToolCall(id="1", name=name, arguments=arguments)


def run(simulator: Simulator, name: str, **arguments: JsonValue) -> Any:
    (observation,) = simulator.execute([call(name, **arguments)])
    assert observation.error is None, observation.error
    return observation.content


def refusal(simulator: Simulator, name: str, **arguments: JsonValue) -> str:
    (observation,) = simulator.execute([call(name, **arguments)])
    assert observation.content is None
    assert observation.error is not None
    return observation.error


@pytest.fixture
def simulator() -> Simulator:
    return Simulator(load_toolset(ALL, "en"))


def test_both_languages_offer_the_same_tools_and_arguments() -> None:
    assert toolset_names() == ("trips", "weather", "dinner", "all")
    shapes = [
        [
            (tool.name, [(parameter.name, parameter.type, parameter.is_required) for parameter in tool.parameters])
            for tool in load_toolset(ALL, language).tools
        ]
        for language in LANGUAGES
    ]
    assert shapes[0] == shapes[1]
    assert [name for name, _ in shapes[0]] == [
        *("search_trains", "book_train", "cancel_train", "get_weather"),
        *("search_restaurants", "book_table", "pay_deposit"),
    ]
    assert [tool.name for tool in load_toolset("weather", "zh").tools] == ["get_weather"]


def test_an_unknown_toolset_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ToolsetError, match="no toolset is called 'ships'; choose one of trips, weather, dinner, all"):
        load_toolset("ships", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tool_of_a_language_has_a_simulation_that_returns_a_row(language: Language) -> None:
    simulator = Simulator(load_toolset(ALL, language))
    trains = run(simulator, "search_trains", origin="Turin", destination="Milan", date="2026-03-12")
    travel_class = load_toolset(ALL, language).tools[1].required[1].enum[0]
    booking = run(simulator, "book_train", trip_id=trains[0]["trip_id"], travel_class=travel_class)
    cancelled = run(simulator, "cancel_train", booking_id=booking["booking_id"])
    assert cancelled["booking_id"] == booking["booking_id"]
    assert cancelled["status"] != booking["status"]
    assert set(run(simulator, "get_weather", place="Turin")) == {"sky", "low_celsius", "high_celsius", "rain_percent"}
    houses = run(simulator, "search_restaurants", place="Turin")
    assert len({house["name"] for house in houses}) == 8
    table = run(
        simulator,
        "book_table",
        restaurant_id=houses[0]["restaurant_id"],
        date="2026-03-12",
        time="19:00",
        guests=2,
    )
    method = load_toolset(ALL, language).tools[-1].required[1].enum[0]
    paid = run(simulator, "pay_deposit", reservation_id=table["reservation_id"], method=method)
    assert paid == {**table, "method": method, "status": paid["status"]}
    assert paid["status"] != table["status"]


def test_the_same_arguments_give_the_same_rows_and_another_seed_gives_others() -> None:
    asked: dict[str, JsonValue] = {"origin": "Turin", "destination": "Milan", "date": "2026-03-12"}
    toolset = load_toolset("trips", "en")
    first = run(Simulator(toolset), "search_trains", **asked)
    assert run(Simulator(toolset), "search_trains", **asked) == first
    assert (
        run(Simulator(toolset), "search_trains", **{**asked, "origin": " TURIN"})[0]["trip_id"] == first[0]["trip_id"]
    )
    assert run(Simulator(toolset, seed=1), "search_trains", **asked) != first


def test_filters_and_order_hold(simulator: Simulator) -> None:
    asked: dict[str, JsonValue] = {"origin": "Turin", "destination": "Milan", "date": "2026-03-12"}
    departures = [train["departs"] for train in run(simulator, "search_trains", **asked)]
    assert departures == sorted(departures)
    late = run(simulator, "search_trains", **asked, depart_after=departures[2])
    assert [train["departs"] for train in late] == departures[2:]
    houses = run(simulator, "search_restaurants", place="Turin")
    price, cuisine = houses[3]["price_eur"], houses[3]["cuisine"]
    cheap = run(simulator, "search_restaurants", place="Turin", max_price=price, cuisine=cuisine)
    assert cheap == [house for house in houses if house["price_eur"] <= price and house["cuisine"] == cuisine]
    assert houses[3] in cheap
    assert len(cheap) < len(houses)


def test_in_chinese_what_cannot_be_done_is_said_in_chinese() -> None:
    simulator = Simulator(load_toolset("all", "zh"), language="zh")
    assert [
        refusal(simulator, "book_train", trip_id="G1", travel_class="二等座"),
        refusal(simulator, "book_train", travel_class="二等座"),
        refusal(simulator, "book_train", trip_id="G1", travel_class="站票"),
        refusal(simulator, "get_weather", place="杭州", wind=1),
        refusal(simulator, "fly"),
    ] == [
        "trip_id不存在：G1；请用本次会话中工具返回过的值",
        "缺少trip_id",
        'travel_class只能是"一等座", "二等座"，不能是站票',
        "get_weather没有参数wind",
        "没有叫fly的工具",
    ]


def test_what_cannot_be_done_is_an_error_and_the_other_calls_run(simulator: Simulator) -> None:
    assert refusal(simulator, "book_train", trip_id="IC1", travel_class="first_class").startswith(
        "unknown trip_id: 'IC1'"
    )
    assert refusal(simulator, "cancel_train", booking_id="B1").startswith("unknown booking_id: 'B1'")
    assert refusal(simulator, "book_train", travel_class="first_class") == "trip_id is required"
    assert refusal(simulator, "get_weather", place="") == "place is required"
    assert refusal(simulator, "get_weather", place="Turin", wind=1) == "get_weather takes no wind"
    assert refusal(simulator, "fly") == "no tool is called 'fly'"
    assert refusal(simulator, "book_train", trip_id="IC1", travel_class="third") == (
        'travel_class must be one of "first_class", "second_class"; got \'third\''
    )
    observations = simulator.execute([call("fly"), call("get_weather", place="Turin")])
    assert observations[0] == Observation(error="no tool is called 'fly'")
    assert observations[1].error is None
