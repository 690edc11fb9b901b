"""The rules planner on what people say in common words: phrases, places, bounds, counts, dictated words, names."""

from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue

from agent.planners.rules.arguments import Filler
from agent.planners.rules.kinds import kind_of
from agent.planners.rules.limits import bound_of, is_count
from agent.planners.rules.past_values import Past
from agent.planners.rules.phrases import is_mixed, phrases
from agent.planners.rules.referents import called_so, labels
from clarifier.decision import Situation
from memory.recall import Recall
from memory.records import Turn
from memory.tools import Parameter, Tool

NOW = datetime(2026, 4, 1, 6, 51)
TOWN = Parameter(name="location", description="The town.", is_required=True)
GARDENS = Tool(
    name="search_gardens",
    description="搜索公共花园。",
    parameters=(
        Parameter(name="location", description="花园所在地点", is_required=True),
        Parameter(name="category", description="花园的类别，默认为'all'", default="all"),
        Parameter(name="price_min", type="number", description="最低票价，默认为0"),
        Parameter(name="limit", type="integer", description="返回结果的数量限制，默认为10", default=10),
    ),
    definition={},
)
SEARCH = Tool(
    name="search_sounds",
    description="Search recorded sounds.",
    parameters=(
        Parameter(name="query", description="Search query", is_required=True),
        Parameter(name="limit", type="integer", description="Number of results, 10 by default", default=10),
    ),
    definition={},
)
NOTES = Tool(
    name="post_note",
    description="Post a note.",
    parameters=(
        Parameter(name="message", description="What it says", is_required=True),
        Parameter(name="tags", type="array", description="Tags", items=Parameter(name="tag")),
    ),
    definition={},
)
ROUTE = Tool(
    name="route",
    description="查询路线",
    parameters=(
        Parameter(name="end", description="终点的坐标", format="coordinates", is_required=True),
        Parameter(name="start", description="起点的坐标", format="coordinates", is_required=True),
    ),
    definition={},
)


def filled(tool: Tool, request: str) -> dict[str, JsonValue]:
    situation = Situation(request=request, tools=(tool,), now=NOW, recall=Recall())
    return Filler(situation, Past(situation)).fill(tool).arguments


@pytest.mark.parametrize(
    ("tool", "request_", "arguments"),
    [
        (SEARCH, "I want rain on tin to fall asleep to. Five will do.", {"query": "rain", "limit": 5}),
        (SEARCH, "Noor wants frogs and crickets for her film.", {"query": "frogs and crickets"}),
        (SEARCH, "Thunder tonight; search it the way I like it.", {"query": "Thunder"}),
        (GARDENS, "看看哥德堡的玫瑰类花园，三家就行。", {"location": "哥德堡", "category": "玫瑰", "limit": 3}),
        (GARDENS, "河边现在有啥？票价六十起的。", {"location": "河边", "price_min": 60}),
        (GARDENS, "池塘里的，票价低于八十的别给我看。", {"location": "池塘", "price_min": 80}),
        (NOTES, "Put it up again, it should say: Back on Friday, please.", {"message": "Back on Friday, please."}),
        (NOTES, "发一句 Zoë did it again, sorry. 就这样", {"message": "Zoë did it again, sorry."}),
        (
            ROUTE,
            "我家在 57.70,11.97，店在 57.68,12.01。骑车过去怎么走？",
            {"start": "57.70,11.97", "end": "57.68,12.01"},
        ),
    ],
)
def test_values_in_common_words(tool: Tool, request_: str, arguments: dict[str, JsonValue]) -> None:
    assert filled(tool, request_) == arguments


def test_the_words_of_both_languages_are_read_in_a_request_that_mixes_them() -> None:
    assert is_mixed("check 一下 my orders")
    assert not is_mixed("搜 foggy forest，一页五张")
    said = phrases("帮我 find 一下 oat milk，谢了", NOW)
    assert [(one.text, one.is_latin) for one in said if one.text == "oat milk"] == [("oat milk", True)]


def test_a_word_in_passing_is_no_sought_one() -> None:
    roles = {one.text: one.role for one in phrases("I found a bench. Search for owls on it, says Ada.", NOW)}
    assert roles["owls"] == "sought"
    assert roles["bench"] == "other"


def test_a_value_in_a_list_has_not_been_taken_by_another_argument() -> None:
    short = Tool(
        name="shorten_link",
        description="Shorten a link.",
        parameters=(
            Parameter(name="link", description="The URL", format="url", is_required=True),
            Parameter(name="tags", type="array", description="For tracking URL use", items=Parameter(name="tag")),
        ),
        definition={},
    )
    assert filled(short, "Shorten https://shop.example/a for me.") == {"link": "https://shop.example/a"}


def test_exact_values_are_meant_by_what_they_were_called() -> None:
    said = (Turn(turn_id="t1", request="我家在 57.70,11.97，公司在 57.68,12.01。"),)
    known = labels(said, "新家是 57.72,12.10。去公司怎么走？")
    assert known == {"家": "57.72,12.10", "公司": "57.68,12.01"}
    end, start = ROUTE.parameters
    assert called_so(end, "新家是 57.72,12.10。去公司怎么走？", known) == "57.68,12.01"
    assert called_so(start, "从家去公司", known) == "57.72,12.10"
    assert called_so(start, "去公司怎么走？", known) is None
    assert called_so(TOWN, "去公司怎么走？", known) is None


def test_bounds_and_counts() -> None:
    assert bound_of(Parameter(name="salary_min", type="number")) == "least"
    assert bound_of(Parameter(name="price", type="number", description="最高价格")) == "most"
    assert bound_of(Parameter(name="price", type="number", description="价格")) is None
    assert is_count(Parameter(name="per_page", type="integer"))
    assert not is_count(Parameter(name="quantity", type="integer", is_required=True))


def test_a_time_in_words_is_no_clock() -> None:
    assert kind_of(Parameter(name="time", format="time", default="all")) == "text"
    assert kind_of(Parameter(name="time", format="time", default="the current time")) == "time"
