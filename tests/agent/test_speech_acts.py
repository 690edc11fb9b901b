"""What the clauses of a request do, and what is called for it: the planner `rules` acts on orders alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.planners.rules.speech_acts import Act, acts_of
from tests.agent.conversations import talk

BOOKING = "Book the first train from Milan to Rome on Friday, second class"


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("What exactly did you cancel?", ("question",)),
        ("Wait, which trip have you cancelled there", ("question",)),
        ("Is there a fee for cancelling?", ("question",)),
        ("Could I still cancel the hotel?", ("question",)),
        ("Tell me what you booked", ("question",)),
        ("You've booked the wrong train", ("question",)),
        ("I'd like to know what you cancelled", ("question",)),
        ("I didn't ask you to cancel anything", ("question",)),
        ("If I cancel, do I get money back?", ("question", "question")),
        ("如果取消，会扣钱吗", ("question", "question")),
        ("我没让你取消啊", ("question",)),
        ("Next time book first class", ("rule",)),
        ("leave it for now", ("dismissal",)),
        ("不订了", ("dismissal",)),
        ("刚才是你把票退了吗", ("question",)),
        ("退票手续费是多少", ("question",)),
        ("能不能退票", ("question",)),
        ("你把我的票取消了", ("question",)),
        ("By default, get me tables outside", ("rule", "rule")),
        ("Every time I fly, reserve an aisle seat", ("rule", "rule")),
        ("Reserve me a window seat, from now on", ("rule", "rule")),
        ("In future order the vegetarian menu", ("rule",)),
        ("往后订餐厅都要靠窗的位子", ("rule",)),
        ("从现在起给我订靠窗的", ("rule",)),
        ("My daughter can't stand mushrooms", ("fact",)),
        ("My sister just moved to Bologna", ("fact",)),
        ("I'm diabetic", ("fact",)),
        ("I live in Genoa now, not in Turin", ("fact", "fact")),
        ("我女儿对花生过敏", ("fact",)),
        ("我上个月搬到青岛了", ("fact",)),
        ("forget it, it's fine", ("dismissal", "dismissal")),
        ("算了，没事", ("dismissal", "dismissal")),
    ],
)
def test_what_orders_nothing(text: str, acts: tuple[Act, ...]) -> None:
    assert acts_of(text) == acts


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("I need a taxi at nine", ("order",)),
        ("we're out of milk, two litres as always", ("fact", "order")),
        ("Would you cancel the table for me?", ("order",)),
        ("Could I have a table for two at eight?", ("order",)),
        ("Is there a table for two tomorrow at eight?", ("order",)),
        ("I don't need the hotel any more", ("order",)),
        ("I won't make it on Friday, cancel the table", ("order", "order")),
        ("I'm vegetarian, book a table for two at eight tomorrow", ("fact", "order")),
        ("I prefer the window, the first one please", ("fact", "order")),
        ("What's the cheapest train to Rome on Friday? Book it.", ("question", "order")),
        ("Always book me first class. And book Milan–Rome on Friday", ("rule", "order")),
        ("Book it and always take first class", ("order", "rule")),
        ("If there is a table at eight, book it", ("order", "order")),
        ("Book the train I always take", ("order",)),
        ("订我每次都坐的那趟", ("order",)),
        ("能帮我取消火车票吗", ("order",)),
        ("把周五的票取消吧", ("order",)),
        ("我周五去不了了，票退了吧", ("order", "order")),
        ("我素食，帮我订明晚八点两个人的位子", ("fact", "order")),
        ("以后都坐一等座，现在订周五米兰到罗马的", ("rule", "order")),
        ("牛奶没了，老样子两升", ("order", "order")),
        ("Yes", ("order",)),
    ],
)
def test_what_orders_something(text: str, acts: tuple[Act, ...]) -> None:
    assert acts_of(text) == acts


@pytest.mark.parametrize(
    "text",
    [
        "Why have you cancelled my train?",
        "Is it possible to cancel my train?",
        "你什么时候取消了我的车票",
        "取消火车票要扣多少钱？",
        "In future please book me a first class train",
        "每次都帮我买一等座的火车票",
        "My husband hates spicy food and he loves sushi",
        "我老公不吃海鲜，他爱吃泰国菜",
        "no, leave it",
        "不用了",
    ],
)
def test_nothing_is_called_without_an_order(text: str, tmp_path: Path) -> None:
    talked = talk(tmp_path, BOOKING, text)
    assert [name for name, _ in talked.calls] == ["search_trains", "book_train"]


def test_a_question_about_a_deed_is_told_to_be_one(tmp_path: Path) -> None:
    talked = talk(tmp_path, BOOKING, "Did you cancel my train?", "你取消了什么？")
    assert [line.partition(" ")[2] for line in talked.written if "question" in line or "提问" in line] == [
        "I take that as a question, so I have changed nothing, and no tool here answers it. Tell me outright what "
        "to do if you would like something done.",
        "这句我当作提问，所以什么都没有改动，这里也没有工具能回答。要办事的话，请直接说要办什么。",
    ]


def test_a_polite_request_is_an_order(tmp_path: Path) -> None:
    talked = talk(tmp_path, BOOKING, "Would you cancel my train please?")
    assert [name for name, _ in talked.calls] == ["search_trains", "book_train", "cancel_train"]


def test_a_polite_request_in_chinese_is_asked_about(tmp_path: Path) -> None:
    talked = talk(tmp_path, "订周五米兰到罗马的第一趟火车，二等座", "能帮我取消火车票吗")
    assert any("是哪个订单" in line for line in talked.written)


@pytest.mark.parametrize(
    ("look_up", "pick"),
    [("Find trains from Milan to Turin on Monday", "the earliest one"), ("查一下周一米兰到都灵的火车", "最便宜的")],
)
def test_a_pick_of_a_new_list_cancels_nothing(look_up: str, pick: str, tmp_path: Path) -> None:
    assert talk(tmp_path, BOOKING, look_up, pick).arguments_of("cancel_train") == []


@pytest.mark.parametrize(
    ("lines", "origins"),
    [
        (["I live in Genoa. Get me a train to Bologna tomorrow.", "home, obviously"], ["Genoa"]),
        (["I live in Genoa", "Get me a train to Bologna tomorrow.", "it's from my place"], ["Genoa"]),
        (["Get me a train to Bologna tomorrow.", "from my house"], []),
        (["Get me a train to Bologna tomorrow.", "right here"], []),
        (["我住在无锡", "帮我订明天去上海的火车", "就从我家走"], ["无锡"]),
        (["帮我订明天去上海的火车", "当然从家里"], []),
    ],
)
def test_home_is_the_home_city_and_no_name(lines: list[str], origins: list[str], tmp_path: Path) -> None:
    assert [arguments.get("origin") for arguments in talk(tmp_path, *lines).arguments_of("search_trains")] == origins


def test_a_rule_and_an_order_beside_it_book_by_the_rule(tmp_path: Path) -> None:
    talked = talk(tmp_path, "Always book me first class. And book the first train Milan–Rome on Friday", "yes")
    assert [name for name, _ in talked.calls] == ["search_trains", "book_train"]
    assert [arguments["travel_class"] for arguments in talked.arguments_of("book_train")] == ["first_class"]
