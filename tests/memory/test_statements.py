"""What people say of themselves in passing (CASES B02, B03, B08, B29, B30)."""

from __future__ import annotations

import pytest

from memory.evidence import PERSON, Kind, Slot, Source
from memory.language.text import tokenise
from memory.records import Turn
from memory.state.extraction import extract
from memory.state.user_state import fold
from memory.strategies._history import History
from memory.strategies._state_lines import state_items
from memory.tools import Parameter, Tool
from tests.memory.turns import asked, call, turn

Said = tuple[str, object, Kind]
FOOD = Slot(PERSON, "food")


def said(text: str) -> list[Said]:
    """Return topic, value and kind of what a request without calls says, but what that means for other topics."""
    found = extract(turn("t", text), 0)
    return [(piece.slot.argument, piece.value, piece.kind) for piece in found if not piece.is_twin]


def log(*requests: str) -> list[Turn]:
    """Return a turn a request: t1, t2, … in order."""
    return [turn(f"t{number}", request) for number, request in enumerate(requests, start=1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love Chinese food", [("food", "Chinese food", "plain")]),
        ("I can't stand Chinese food any more", [("food", "Chinese food", "negated")]),
        ("Honestly I don't like window seats.", [("seat", "window seats", "negated")]),
        ("I prefer window seats to aisle seats", [("seat", "window seats", "plain")]),
        ("I'm a big fan of jazz and blues", [("jazz", "jazz", "plain"), ("blue", "blues", "plain")]),
        ("I don't eat pork", [("pork", "pork", "negated")]),
        ("I usually take the 8:15 train.", [("train", "8:15 train", "plain")]),
        ("I only drink lactose-free milk", [("milk", "lactose-free milk", "plain")]),
        ("At home it's lactose-free milk in my cup or nothing.", [("milk", "lactose-free milk", "plain")]),
        ("Let the bank go, bought TRP", [("has", "bank", "negated"), ("has", "TRP", "plain")]),
        ("I sold the boat and put the lot into Acme", [("has", "boat", "negated"), ("has", "Acme", "plain")]),
        ("I speak German and Dutch", [("does", "German", "plain"), ("does", "Dutch", "plain")]),
        ("I work at Acme", [("employer", "Acme", "standing")]),
        ("I also work at Acme", [("employer", "Acme", "plain")]),
        ("My name is Jo and I live in Berlin", [("name", "Jo", "standing"), ("home city", "Berlin", "standing")]),
        ("My favourite airline is KLM", [("airline", "KLM", "standing")]),
        ("my shoe size is 42", [("shoe size", "42", "standing")]),
        ("From now on window seats, please", [("seat", "window seats", "standing")]),
        ("From now on I prefer aisle seats", [("seat", "aisle seats", "standing")]),
        ("Never book aisle seats from now on", [("seat", "aisle seats", "negated")]),
        ('"I strongly dislike floral patterns."', [("pattern", "floral patterns", "negated")]),
        ("I have a phobia of birds, so no zoos", [("bird", "birds", "negated")]),
        ("I prefer not to have any smart devices", [("device", "smart devices", "negated")]),
        ("I avoid watching any kind of reality shows", [("show", "reality shows", "negated")]),
        ("I avoid hotels that are part of a chain", [("hotel", "hotels that are part of a chain", "negated")]),
        ("I avoid pop and prefer blues", [("pop", "pop", "negated"), ("blue", "blues", "plain")]),
        ("I have a soft spot for old films", [("film", "old films", "plain")]),
        ("Turns out I actually enjoy running now", [("running", "running", "plain")]),
        ("I don't like anything more than a good thriller", [("thriller", "good thriller", "plain")]),
        ("I used to work at Globex, now I'm with Initech", [("employer", "Initech", "standing")]),
        ("I quit smoking and stopped eating sugar", [("smoking", "smoking", "negated"), ("sugar", "sugar", "negated")]),
        ("I hardly ever drink wine", [("wine", "wine", "negated")]),
        ("Never ever book me on Ryanair", [("ryanair", "Ryanair", "negated")]),
        ("My doctor keeps telling me that I love salt", []),
        ("说实话我更爱喝茶", [("茶", "茶", "plain")]),
        ("比起火车我更喜欢飞机", [("飞机", "飞机", "plain")]),
        ("如果我喜欢茶", []),
        ("我戒了糖，也不再吃甜品了", [("糖", "糖", "negated"), ("甜品", "甜品", "negated")]),
        ("我同事都爱喝奶茶，也爱吃糖", [("奶茶", "奶茶", "other_person")]),
        ("我以前在腾云上班，现在在远景", [("employer", "远景", "standing")]),
        ("最近对歌剧没感觉了", [("歌剧", "歌剧", "negated")]),
        ("千万别给我订春秋航空", [("春秋航空", "春秋航空", "negated")]),
        ("据我姐说我只穿黑色", []),
        ("My wife hates aisle seats", [("seat", "aisle seats", "other_person")]),
        ("I prefer this one just this once", []),
        ("我喜欢靠窗的座位", [("座位", "靠窗的座位", "plain")]),
        ("我一般坐靠窗的座位", [("座位", "靠窗的座位", "plain")]),
        ("我受不了中餐了", [("中餐", "中餐", "negated")]),
        ("我爱吃中餐", [("中餐", "中餐", "plain")]),
        ("我不吃香菜", [("香菜", "香菜", "negated")]),
        ("我不喜歡靠窗的座位了", [("座位", "靠窗的座位", "negated")]),
        ("以後都坐靠過道的位置", [("位置", "靠過道的位置", "standing")]),
        ("我妻子討厭靠窗的座位", [("座位", "靠窗的座位", "other_person")]),
        ("我妈喜欢靠窗的座位", [("座位", "靠窗的座位", "other_person")]),
        ("我搬到上海了", [("home city", "上海", "standing")]),
        ("我在腾讯上班", [("employer", "腾讯", "standing")]),
        ("以后都坐靠窗", [("靠窗", "靠窗", "standing")]),
        ("以后别再订红眼航班", [("红眼航班", "红眼航班", "negated")]),
        ("把旧车卖了", [("has", "旧车", "negated")]),
        ("刚买了辆自行车", [("has", "自行车", "plain")]),
    ],
)
def test_reads_what_is_said_in_passing(text: str, expected: list[Said]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I would like a table for two",
        "I'd love some tea",
        "I want to fly to Oslo",
        "Do I like this?",
        "The one I like is gone",
        "If I work at night, wake me",
        "What does she like?",
        "I like it",
        "I love that",
        "Call me a cab",
        "call me later",
        "I like how you did that",
        "How can I manage my dog's behavior?",
        "It's always interesting to hear that",
        "I gave up at February",
        "always tell me what you did before you go on with the rest of it",
        "我想周游世界",
        "你喜欢什么",
        "我叫了外卖",
        "下午三点叫我起床",
        "",
    ],
)
def test_requests_and_questions_say_nothing(text: str) -> None:
    assert said(text) == []


def test_a_hypothesis_and_an_exception_are_kept_as_such() -> None:
    assert said("In theory I like window seats") == [("seat", "window seats", "hypothetical")]
    assert said("Also, I use the tram this once") == [("does", "tram", "one_off")]


def test_what_a_call_took_up_is_not_said_twice() -> None:
    booked = turn("t", "I always take the aisle", call("book", seat="aisle"))
    assert [(str(piece.slot), piece.kind) for piece in extract(booked, 0)] == [("book.seat", "standing")]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Do you prefer window seats?", "Yes, please", [("seat", "window seats", "plain", "answer")]),
        ("你喜欢靠窗的座位吗？", "对", [("座位", "靠窗的座位", "plain", "answer")]),
        ("Do you prefer window seats?", "No idea", []),
        ("Do you prefer window seats?", None, []),
        ("You might like window seats.", "Yes", []),
    ],
)
def test_a_suggestion_counts_once_adopted(
    question: str, answer: str | None, expected: list[tuple[str, str, Kind, Source]]
) -> None:
    asked_turn = turn("t", "Book it", asked(question, answer))
    found = [(piece.slot.argument, piece.value, piece.kind, piece.source) for piece in extract(asked_turn, 0)]
    assert found == expected


def test_b02_a_change_of_mind_leaves_one_value_and_the_history() -> None:
    turns = log("I love Chinese food", "I can't stand Chinese food any more", "I can't stand Chinese food any more")
    candidates = fold(turns).slots[FOOD].candidates
    assert [(one.value, one.is_negated, one.status, one.since, one.until) for one in candidates] == [
        ("Chinese food", True, "current", 1, None),
        ("Chinese food", False, "superseded", 0, 1),
    ]
    assert fold(turns).slots[FOOD].current == ()
    before = fold(turns, as_of=0).slots[FOOD].candidates
    assert [(one.value, one.is_negated, one.status, one.until) for one in before] == [
        ("Chinese food", False, "current", None)
    ]


def test_b02_in_chinese_and_back_again() -> None:
    turns = log("我爱吃中餐", "我受不了中餐了", "我又喜欢中餐了", "我现在还喜欢中餐")
    candidates = fold(turns).slots[Slot(PERSON, "中餐")].candidates
    assert [(one.is_negated, one.status, one.since, one.until) for one in candidates] == [
        (False, "current", 2, None),
        (True, "superseded", 1, 2),
        (False, "superseded", 0, 1),
    ]


def test_b03_additive_facts_retire_nothing() -> None:
    state = fold(log("I work at X", "I run X's GitHub org", "I like coffee", "I also like tea", "I love Thai food"))
    assert {str(slot): [one.value for one in held.current] for slot, held in state.slots.items()} == {
        "@person.employer": ["X"],
        "@person.does": ["X's GitHub org"],
        "@person.coffee": ["coffee"],
        "@person.tea": ["tea"],
        "@person.food": ["Thai food"],
    }
    statuses = {one.status for held in state.slots.values() for one in held.candidates}
    assert statuses == {"current"}


def test_facts_of_which_there_is_one_replace_each_other_unless_they_come_on_top() -> None:
    moved = fold(log("I live in Ghent", "We moved to Oslo last year")).slots[Slot(PERSON, "home city")]
    assert [(one.value, one.status) for one in moved.candidates] == [("Oslo", "current"), ("Ghent", "superseded")]
    both = fold(log("I work at Acme", "I also work at Bolt")).slots[Slot(PERSON, "employer")]
    assert [one.value for one in both.current] == ["Bolt", "Acme"]


def test_b29_two_wishes_in_chinese_are_two_things() -> None:
    state = fold(log("我喜欢周游世界", "我喜欢在周末吃夜宵"))
    assert [[one.value for one in held.current] for held in state.slots.values()] == [["周游世界"], ["在周末吃夜宵"]]


def test_b30_paraphrases_are_one_value_with_all_their_evidence() -> None:
    turns = log("my name is Furkan", "Ich heiße Furkan", "我叫Furkan", "call me Furkan", "My name's furkan.")
    (candidate,) = fold(turns).slots[Slot(PERSON, "name")].candidates
    assert (candidate.value, candidate.turn_ids) == ("furkan", ("t1", "t2", "t3", "t4", "t5"))
    assert candidate.support == 5


class Shelf:
    def __init__(self, turns: list[Turn]) -> None:
        self._turns = turns

    def turns(self) -> list[Turn]:
        return self._turns

    def similar(self, queries: object, k: int) -> list[list[object]]:
        return []


def lines(turns: list[Turn], request: str, *tools: Tool) -> list[str]:
    return [item.text for item in state_items(History(Shelf(turns)).snapshot(), tools, tokenise(request), 200)]  # type: ignore[arg-type]  # a shelf without vectors


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("要靠窗的", ['said 3 turns ago: "我一般坐靠窗的座位"']),
        ("Find me a place with Chinese food", ['said 1 turn ago: "I hate Chinese food"']),
        ("cafe", ['said 2 turns ago: "My favourite café is Café naïve"']),
        ("Something else entirely", []),
    ],
)
def test_b08_recall_shows_what_the_request_has_a_word_of(request_: str, expected: list[str]) -> None:
    turns = log("我一般坐靠窗的座位", "My favourite café is Café naïve", "I hate Chinese food")
    assert [line.replace("rule", "1x") for line in lines(turns, request_)] == expected


@pytest.mark.parametrize(
    ("statement", "parameter", "value"),
    [
        ("I prefer window seats", Parameter(name="seat", enum=("window", "aisle")), "window"),
        ("我喜欢靠窗的座位", Parameter(name="seat", enum=("靠窗", "过道")), "靠窗"),
        ("I live in Ghent", Parameter(name="home_city"), "Ghent"),
        ("My name is Furkan", Parameter(name="passengerName"), "Furkan"),
        ("My email is f@example.org", Parameter(name="recipient"), "f@example.org"),
    ],
)
def test_a_statement_fills_an_argument_of_its_concept(statement: str, parameter: Parameter, value: str) -> None:
    tool = Tool(name="book", parameters=(parameter,), definition={})
    found = fold(log(statement)).lookup(tool, parameter)
    assert found is not None
    assert [(one.value, one.evidence[0].value, one.similarity < 1) for one in found.current] == [(value, value, True)]


def test_what_is_not_wanted_fills_nothing_and_is_shown() -> None:
    seat = Parameter(name="seat", enum=("window", "aisle"))
    tool = Tool(name="book", parameters=(seat,), definition={})
    found = fold(log("I hate aisle seats")).lookup(tool, seat)
    assert found is not None
    assert (found.current, [one.value for one in found.unwanted]) == ((), ["aisle"])
    assert lines(log("I hate aisle seats"), "Book", tool) == ['book.seat = not "aisle" (once, 1 turn ago)']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We have two cats", [("has", "two cats", "plain")]),
        ("We have a meeting tomorrow", []),
        ("I don't have a car", [("has", "car", "negated")]),
        ("I switched from Firefox to Brave", [("has", "Brave", "plain"), ("has", "Firefox", "negated")]),
        ("I'm learning Greek", [("does", "Greek", "plain")]),
        ("I swim three times a week", [("does", "swim", "plain")]),
        ("I take the train tomorrow", []),
        ("I'm a dentist", [("is", "dentist", "plain")]),
        ("I'm a bit tired", []),
        ("Our dog is called Rex", [("dog", "Rex", "standing")]),
        ("I'm vegan", [("diet", "vegan", "standing")]),
        ("我家有两个孩子", [("has", "孩子", "plain")]),
        ("我有个问题", []),
        ("我没有车", [("has", "车", "negated")]),
        ("宝马卖掉了", [("has", "宝马", "negated")]),
        ("恐怖游戏我不玩的", [("恐怖游戏", "恐怖游戏", "negated")]),
        ("我在 Google 上班", [("employer", "Google", "standing")]),
        ("我会弹吉他", [("does", "弹吉他", "plain")]),
    ],
)
def test_reads_what_people_have_do_and_are(text: str, expected: list[Said]) -> None:
    assert said(text) == expected


def test_what_was_given_up_is_given_up_wherever_it_was_said() -> None:
    state = fold(log("I eat meat every day.", "I drive a Volvo.", "I've stopped eating meat.", "Sold the Volvo."))
    assert [
        (slot.argument, one.value, one.status, one.is_negated)
        for slot, held in state.slots.items()
        for one in held.candidates
    ] == [
        ("does", "meat", "current", True),
        ("does", "meat", "superseded", False),
        ("has", "Volvo", "current", True),
        ("has", "Volvo", "superseded", False),
        ("meat", "meat", "current", True),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like rock, folk and blues", ["rock", "folk", "blues"]),
        ("我喜欢苹果、梨和桃", ["苹果", "梨", "桃"]),
        ("I play tennis, so book a court", ["tennis"]),
        ("我吃不了香菜", ["香菜"]),
        ("别给我推荐网红店", ["网红店"]),
        ("我喝茶不喝咖啡", ["茶", "咖啡"]),
        ("我每天都喝茶，也养了一只猫", ["茶", "猫"]),
        ("I went to a fair", []),
        ("I'm learning a lot", []),
        ("They always get excited", []),
        ("I started a few days ago", []),
        ("I got a great shot at the tournament", []),
    ],
)
def test_lists_subjects_left_out_and_stories(text: str, expected: list[str]) -> None:
    assert [value for _, value, _ in said(text)] == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("You like spicy food, right?", "right", [("food", "spicy food", "plain")]),
        ("Do you still work at Shell?", "yes", [("employer", "Shell", "standing")]),
        ("Do you eat meat?", "no, I don't", [("meat", "meat", "negated")]),
        ("Shall I always use the blue card from now on?", "sure", [("card", "blue card", "standing")]),
        ("Shall I book the aisle?", "sure", []),
        ("Are you diabetic?", "yes", []),
        ("您喜欢安静的座位，对吧？", "对的", [("座位", "安静的座位", "plain")]),
        ("您平时坐地铁吗？", "是的", [("地铁", "地铁", "plain")]),
        ("您爱喝酒吗？", "不", [("酒", "酒", "negated")]),
        ("您爱喝茶还是咖啡？", "对", []),
        ("要不要订靠窗的？", "好", []),
    ],
)
def test_what_a_question_suggests_is_said_by_who_answers_it(question: str, answer: str, expected: list[Said]) -> None:
    found = fold([turn("t1", "Hello", reply=question), turn("t2", answer)])
    assert [
        (slot.argument, piece.value, piece.kind)
        for slot, held in found.slots.items()
        for one in held.candidates
        for piece in one.evidence
    ] == expected
