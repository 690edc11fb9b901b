from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue

from memory.evidence import Evidence, Kind, Slot, Source
from memory.records import Step, Turn
from memory.state.extraction import extract, extract_all
from tests.memory.turns import asked, call, turn


def said(turn_: Turn) -> list[tuple[str, JsonValue, Source, Kind]]:
    """Return the evidence of one turn in short."""
    return [(str(piece.slot), piece.value, piece.source, piece.kind) for piece in extract(turn_, 0)]


def kinds(request: str, *steps: Step) -> dict[str, Kind]:
    """Return the kind by argument."""
    return {piece.slot.argument: piece.kind for piece in extract(turn("t", request, *steps), 0)}


def test_every_argument_of_a_call_is_evidence() -> None:
    time = datetime(2026, 3, 9, 7, 36)
    booked = Turn(turn_id="t7", request="Book it", steps=(call("book", seats=2, extras=["wifi"]),), time=time)
    assert extract(booked, 7) == (
        Evidence(Slot("book", "seats"), 2, "accepted_call", "plain", "t7", 7, time),
        Evidence(Slot("book", "extras"), ["wifi"], "accepted_call", "plain", "t7", 7, time),
    )


def test_fields_of_objects_speak_for_themselves_too() -> None:
    found = call("find", filter={"price": {"max": 20}, "open": True}, page=1)
    assert said(turn("t", "Find one", found)) == [
        ("find.filter", {"price": {"max": 20}, "open": True}, "accepted_call", "plain"),
        ("find.filter.price", {"max": 20}, "accepted_call", "plain"),
        ("find.filter.price.max", 20, "accepted_call", "plain"),
        ("find.filter.open", True, "accepted_call", "plain"),
        ("find.page", 1, "accepted_call", "plain"),
    ]


def test_a_value_used_twice_in_a_turn_speaks_once() -> None:
    twice = turn("t", "Both please", call("weather", city="Ghent", days=1), call("weather", city="GHENT", days=2))
    assert [(slot, value) for slot, value, _, _ in said(twice)] == [
        ("weather.city", "Ghent"),
        ("weather.days", 1),
        ("weather.days", 2),
    ]


@pytest.mark.parametrize(
    "step",
    [
        call("pay", error="no such account", amount=5),
        call("pay", returns={"error": "no such account"}, amount=5),
        call("pay", returns={"status": "FAILED"}, amount=5),
        call("pay", returns={"success": False}, amount=5),
    ],
)
def test_a_call_that_failed_says_nothing(step: Step) -> None:
    assert said(turn("t", "Pay 5", step)) == []


@pytest.mark.parametrize("returns", [{"error": None}, {"error": ""}, {"status": "ok"}, "error-free", None, []])
def test_a_call_that_did_not_fail_speaks(returns: JsonValue) -> None:
    assert said(turn("t", "Pay 5", call("pay", returns=returns, amount=5))) == [
        ("pay.amount", 5, "accepted_call", "plain")
    ]


def test_what_tools_return_is_never_evidence() -> None:
    noisy = turn("t", "Any news?", call("news", returns={"preferred_seat": "aisle"}), reply="Your seat is now aisle.")
    assert said(noisy) == []


def test_an_answer_speaks_for_the_slots_asked_for() -> None:
    answered = turn(
        "t",
        "Book the nine o'clock.",
        asked("Which class?", "Second, nine euros for a wider seat is too much.", "book.class"),
        call("book", **{"class": "second_class", "train": "IC9"}),
    )
    assert said(answered) == [
        ("book.class", "second_class", "accepted_call", "plain"),
        ("book.train", "IC9", "accepted_call", "plain"),
    ]
    literal = turn("t", "Weather then", asked("Where?", "17 March, Venlo.", "past.city", "past.date"), past_weather())
    assert said(literal) == [("past.city", "Venlo", "answer", "plain"), ("past.date", "2026-03-17", "answer", "plain")]


def past_weather() -> Step:
    return call("past", city="Venlo", date="2026-03-17")


def test_where_the_slots_are_unknown_only_what_the_answer_adds_was_answered() -> None:
    answered = turn("t", "Venlo weather", asked("When?", "In Venlo, on 17 March."), past_weather())
    assert said(answered) == [
        ("past.city", "Venlo", "accepted_call", "plain"),
        ("past.date", "2026-03-17", "answer", "plain"),
    ]


def test_an_unanswered_question_and_a_call_before_it_take_no_answer() -> None:
    assert said(turn("t", "Weather", past_weather(), asked("Where?", "Venlo"))) == [
        ("past.city", "Venlo", "accepted_call", "plain"),
        ("past.date", "2026-03-17", "accepted_call", "plain"),
    ]


def test_an_exception_is_about_the_value_of_its_clause() -> None:
    assert kinds(
        "Audit in Hamburg on the 23rd. I sleep in Bonn, so seven o'clock is fine for once. Bonn to Hamburg.",
        call("trains", origin="Bonn", to="Hamburg", date="2026-04-23", time="07:00"),
    ) == {"origin": "plain", "to": "plain", "date": "plain", "time": "one_off"}


def test_a_hypothesis_stays_in_its_clause() -> None:
    assert kinds("If it were up to Ann, the aisle, but I'm alone.", call("book", seat="aisle")) == {"seat": "plain"}


def test_a_bare_exception_is_about_its_neighbour() -> None:
    assert kinds(
        "Leave at 16:07. A call the whole ride, so first class, that leg only.",
        call("book", time="16:07", level="first_class"),
    ) == {"time": "plain", "level": "one_off"}


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ("Just this once make it the aisle.", "one_off"),
        ("Only today, the aisle please.", "one_off"),
        ("The aisle this time only.", "one_off"),
        ("这次就坐aisle吧", "one_off"),
        ("就这一次 aisle", "one_off"),
        ("这笔走aisle", "one_off"),
        ("The aisle. Just this once.", "one_off"),
        ("From now on the aisle.", "standing"),
        ("I always take the aisle.", "standing"),
        ("Every time: the aisle.", "standing"),
        ("以后都坐aisle", "standing"),
        ("往后只要aisle", "standing"),
        ("每次都选aisle", "standing"),
        ("If it were up to Ann I'd have the aisle.", "hypothetical"),
        ("I would take the aisle.", "hypothetical"),
        ("要是坐aisle就好了", "hypothetical"),
        ("如果有aisle的话", "hypothetical"),
        ("My sister-in-law wants an aisle.", "other_person"),
        ("An aisle for my wife.", "other_person"),
        ("Aisle, it's for her.", "other_person"),
        ("她要aisle", "other_person"),
        ("我妹想坐aisle", "other_person"),
        ("帮同事订个aisle", "other_person"),
        ("I would like the aisle.", "plain"),
        ("I'd really like the aisle.", "plain"),
        ("It'd be great if you could book the aisle.", "plain"),
        ("I suppose the aisle.", "plain"),
        ("The aisle, I am looking for them everywhere.", "plain"),
        ("The aisle now, just now.", "plain"),
        ("Aisle, next to my wife.", "plain"),
        ("和她坐一起 aisle", "plain"),
        ("三点以后的 aisle", "plain"),
    ],
)
def test_reads_how_a_value_is_meant(request_: str, kind: Kind) -> None:
    assert kinds(request_, call("book", seat="aisle")) == {"seat": kind}


def test_cues_stand_at_word_boundaries() -> None:
    assert kinds("Halways Street, the formerly Thistime Inn, aisle.", call("book", seat="aisle")) == {"seat": "plain"}


def test_what_is_for_somebody_else_is_so_throughout() -> None:
    assert kinds(
        "Not for me. My sister-in-law in Breda wants an outing for twelve. It's her employer's money, so 0.7.",
        call("outings", people=12, price=0.7, indoors=True),
    ) == {"people": "other_person", "price": "other_person", "indoors": "other_person"}


def test_of_two_like_calls_only_the_one_meant_is_for_somebody_else() -> None:
    both = [call("cut", at="15:00", length="long"), call("cut", at="16:00", length="short")]
    found = extract(turn("t", "A haircut for me at 15:00, long. And one for my son, short at 16:00.", *both), 0)
    assert [(piece.value, piece.kind) for piece in found] == [
        ("15:00", "plain"),
        ("long", "plain"),
        ("16:00", "other_person"),
        ("short", "other_person"),
    ]


def test_a_rule_about_a_slot_by_its_name_or_the_only_value_left() -> None:
    assert kinds("给csv 这类数据以后都这格式", call("get", city="杭州", format="CSV"))["format"] == "standing"
    paid = call("pay", account="acc_7", amount=139, date="2026-03-11")
    assert kinds("猫粮139 除了房租我啥都走微信", paid) == {"account": "standing", "amount": "plain", "date": "plain"}


def test_an_exception_takes_the_values_that_nobody_names() -> None:
    assert kinds("罐头96 这笔有满减 走招行", call("pay", account="acc_c7", amount=96)) == {
        "account": "one_off",
        "amount": "plain",
    }


def test_a_correction_replaces_the_value_before() -> None:
    log = [
        turn("t1", "Font, 68.", call("create", account="a1", amount=68)),
        turn("t2", "Typo, it was 86.", call("update", account="a1", amount=86)),
    ]
    assert [(piece.turn_id, piece.slot.argument, piece.value, piece.source) for piece in extract_all(log)] == [
        ("t1", "account", "a1", "accepted_call"),
        ("t2", "account", "a1", "accepted_call"),
        ("t2", "amount", 86, "correction"),
    ]


@pytest.mark.parametrize("request_", ["Actually, Ghent.", "不对 是Ghent", "改成Ghent", "I meant Ghent."])
def test_corrections_in_both_languages(request_: str) -> None:
    log = [turn("t1", "Weather", call("weather", city="Gent")), turn("t2", request_, call("weather", city="Ghent"))]
    assert [(piece.value, piece.source) for piece in extract_all(log)] == [("Ghent", "correction")]


def test_another_value_without_a_correcting_word_corrects_nothing() -> None:
    log = [turn("t1", "Ghent?", call("weather", city="Ghent")), turn("t2", "And Oslo?", call("weather", city="Oslo"))]
    assert [(piece.value, piece.source) for piece in extract_all(log)] == [
        ("Ghent", "accepted_call"),
        ("Oslo", "accepted_call"),
    ]


@pytest.mark.parametrize("request_", ["I actually liked that. Oslo?", "No problem. Oslo?", "Change the page to Oslo."])
def test_words_that_only_look_like_a_correction(request_: str) -> None:
    log = [turn("t1", "Ghent?", call("weather", city="Ghent")), turn("t2", request_, call("weather", city="Oslo"))]
    assert [piece.source for piece in extract_all(log)] == ["accepted_call", "accepted_call"]


def test_a_correction_of_something_else_leaves_other_tools_alone() -> None:
    log = [
        turn("t1", "Weather", call("weather", city="Ghent", unit="C")),
        turn("t2", "Actually, book Oslo.", call("hotel", city="Oslo", stars=3)),
    ]
    assert [piece.value for piece in extract_all(log)] == ["Ghent", "C", "Oslo", 3]


@pytest.mark.parametrize("request_", ["Undo that.", "Cancel it, please.", "撤销刚才那个"])
def test_what_is_undone_in_the_next_turn_says_nothing(request_: str) -> None:
    log = [turn("t1", "Pay", call("pay", to="Ann")), turn("t2", request_, call("revoke", id="p1"))]
    assert [(piece.slot.tool, piece.value) for piece in extract_all(log)] == [("revoke", "p1")]


def test_an_undo_is_about_what_was_done_and_named() -> None:
    before = turn("t1", "Look and pay", call("getBalance", of="a1"), call("pay", to="Ann"), call("order", item="tea"))
    anything, tea = turn("t2", "Undo that."), turn("t2", "Cancel the tea.")
    assert [piece.value for piece in extract_all([before, anything])] == ["a1"]
    assert [piece.value for piece in extract_all([before, tea])] == ["a1", "Ann"]


def test_an_undo_two_turns_later_is_no_undo_of_it() -> None:
    log = [turn("t1", "Pay", call("pay", to="Ann")), turn("t2", "Thanks"), turn("t3", "Undo that.")]
    assert [piece.value for piece in extract_all(log)] == ["Ann"]


def test_nothing_said_is_no_evidence() -> None:
    assert extract_all([]) == ()
    assert said(turn("t", "Good morning!")) == []


@pytest.mark.parametrize(
    ("slots", "answer", "rules"),
    [
        (("book.seat",), "second, always", {"seat"}),
        (("book.seat",), "Always second class to Ghent on Friday", {"seat"}),
        (("book.seat",), "the cheap one, always", {"seat"}),  # in words that no call holds
        (("book.seat", "book.to"), "Always second to Ghent", {"seat", "to"}),
        (("other.seat",), "second, always", set()),
        ((), "second, always", {"seat"}),  # which slots were asked for is unknown
    ],
)
def test_a_rule_in_an_answer_is_about_what_was_asked_for(slots: tuple[str, ...], answer: str, rules: set[str]) -> None:
    booked = call("book", seat="second", to="Ghent", wifi=True, id="A7")
    found = kinds("Book it", asked("Which?", answer, *slots), booked)
    assert {argument for argument, kind in found.items() if kind == "standing"} == rules


@pytest.mark.parametrize(
    ("request_", "value", "kind"),
    [
        ("The lift is broken, so put me on the ground floor", "ground", "one_off"),
        ("I'm carrying two crates, so which rooms are on the ground floor?", "ground", "plain"),
        ("I'm in a rush, get me a cab", "cab", "one_off"),
        ("I usually get the small one but I'm starving, large please", "large", "one_off"),
        ("We moved house, send it to Elm Road", "Elm Road", "plain"),
        ("I'm vegan, so order the tofu", "tofu", "plain"),
        ("手机没电了，用现金付", "现金", "one_off"),
        ("搬家了，地址写文一路", "文一路", "plain"),
        ("From Monday on, use the north gate", "north", "standing"),
        ("Every invoice should go to Bea", "Bea", "standing"),
        ("定个规矩：周报发给老刘", "老刘", "standing"),
        ("What would it cost with the premium plan?", "premium", "hypothetical"),
        ("替小李点份炒饭", "炒饭", "other_person"),
    ],
)
def test_reasons_rules_and_suppositions(request_: str, value: str, kind: str) -> None:
    assert kinds(request_, call("do", what=value))["what"] == kind


@pytest.mark.parametrize(
    "request_",
    ["Hang on, we're five.", "Not four, five", "that's too few, 5", "不是四个，五个", "订错了，五个", "打住，五个"],
)
def test_further_ways_to_put_right_what_was_just_done(request_: str) -> None:
    log = [turn("t1", "A table for 4", call("book", n=4)), turn("t2", request_, call("book", n=5))]
    assert [(piece.value, piece.source) for piece in extract_all(log)] == [(5, "correction")]
