"""What others say is no word of the person's own."""

from __future__ import annotations

import pytest

from clarifier.grounding.grounder import Grounding, ground_call
from clarifier.grounding.own_words import hands_over, own_words
from clarifier.grounding.sources import Sources
from clarifier.settings import Settings
from memory.records import Turn
from tests.clarifier.samples import call, evidence, made, need, past, situation, state, tool

BOOK_SEAT = tool(
    "book_seat",
    "Book a seat on a train.",
    need("train", "The train's number."),
    need("seat_class", "The class.", enum=("first class", "second class")),
)
SEND = tool("send_note", "Send a note.", need("text", "What the note says."))


def classed(request: str, value: str = "first class") -> Grounding:
    found = ground_call(
        call("book_seat", train="IC-7", seat_class=value), BOOK_SEAT, Sources(situation(request, BOOK_SEAT)), Settings()
    )
    return found[1]


@pytest.mark.parametrize(
    "request_",
    [
        'Colin says "book first class". Get me on IC-7 tomorrow.',
        "Get me on IC-7 tomorrow. My boss told me to book first class, the old snob.",
        "He said I should go first class. Just put me on IC-7, please.",
    ],
)
def test_what_others_want_is_not_what_the_person_wants(request_: str) -> None:
    found = classed(request_)
    assert (found.grounds, found.is_missing) == ("none", True)


@pytest.mark.parametrize(
    "request_",
    [
        "Book IC-7 for me tomorrow, first class.",
        "My boss told me to book first class",  # there is nothing else: it is the request
        "My boss told me to book first class, please do",
        'I said "first class" and IC-7, did I not?',
    ],
)
def test_the_persons_own_words_count(request_: str) -> None:
    assert (classed(request_).grounds, classed(request_).probability) == ("request", 1.0)


def test_words_keep_their_places() -> None:
    quoted = '"at nine"'
    assert own_words('Anna says: "at nine". I want it at ten.') == f"Anna says: {' ' * len(quoted)}. I want it at ten."
    assert own_words("他让我订一等座。你给我看看明天的票") == "       。你给我看看明天的票"
    assert own_words('Play "Hey Jude" in the kitchen') == 'Play "Hey Jude" in the kitchen'


def test_somebodys_words_may_be_handed_on() -> None:
    request = 'Send the team what Anna wrote: "The lift is out until Friday". Nothing else.'
    assert hands_over(request, "The lift is out until Friday")
    assert not hands_over(request, "Friday")
    sources = Sources(situation(request, SEND))
    (found,) = ground_call(call("send_note", text="The lift is out until Friday"), SEND, sources, Settings())
    assert (found.grounds, found.probability) == ("request", 1.0)


def test_a_value_used_for_another_recurs_for_another() -> None:
    """Who "he" is the topic tells; the person's own call does not take the value over."""
    report = tool("get_report", "Get a reading report.", need("card_no", "The library card."))
    remind = tool("set_reminder", "Set a reminder.", need("card_no", "The library card."))
    turn = Turn(turn_id="t0", request="给他设个提醒", steps=(made(call("set_reminder", card_no="TS-508"), "ok"),))
    piece = evidence("set_reminder.card_no", "TS-508", kind="other_person")
    items = (state(piece), past(turn, piece, kind="topic"))
    for request, grounds in (("把他的报告给我看看", "topic"), ("把我的报告给我看看", "none")):
        sources = Sources(situation(request, report, remind, items=items))
        (found,) = ground_call(call("get_report", card_no="TS-508"), report, sources, Settings())
        assert found.grounds == grounds
