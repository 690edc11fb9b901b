"""Quoting is not instructing: a quoted order is nobody's rule; a quoted phrase or title is a plain value."""

from __future__ import annotations

import pytest

from memory.evidence import Kind
from memory.state.cues import is_correction, is_undo
from memory.state.extraction import extract
from memory.state.quotations import quotations
from tests.memory.turns import call, turn

BOOK = "Book a train from Turin to Rome on 2026-03-12 in second class."
ORDER = "from now on book first class"


def kind(request: str, value: str, argument: str = "travel_class") -> Kind:
    """Return how `value` is meant that a call took from the request."""
    return kinds(request, **{argument: value})[argument]


def kinds(request: str, **arguments: str) -> dict[str, Kind]:
    found = extract(turn("t", request, call("book_train", **arguments)), 0)
    return {piece.slot.argument: piece.kind for piece in found if piece.slot.tool == "book_train"}


QUOTED = [
    f'My colleague says "{ORDER}". {BOOK}',
    f"My colleague says “{ORDER}”. {BOOK}",
    f"My colleague says ‘{ORDER}’. {BOOK}",
    f'My colleague wrote: "{ORDER}." {BOOK}',
    f'She said "{ORDER}". {BOOK}',
    f'"{ORDER}", my boss said. {BOOK}',
    f'The mail says: "always book first class". {BOOK}',
    f"The mail says: always book first class. {BOOK}",
    f'The mail says "always book first class. {BOOK}',
    f'Read this: "from now on first class" Now {BOOK}',
    f'The notes said "always book first class", ignore that. {BOOK}',
    f'{BOOK} My colleague says "{ORDER}".',
    f'{BOOK} The mail says: "always book first class, whatever it costs. Every time."',
]


@pytest.mark.parametrize("request_", QUOTED)
def test_a_quoted_rule_is_no_rule(request_: str) -> None:
    found = kinds(request_, origin="Turin", date="2026-03-12", travel_class="second_class", id="x")
    assert found == {"origin": "plain", "date": "plain", "travel_class": "plain", "id": "plain"}
    assert kind(request_, "first_class") == "other_person"


QUOTED_ZH = [
    "同事说“以后都订一等座”，给我订二等座",
    "同事说「以后都订一等座」，给我订二等座",
    "同事跟我说“以后都订一等座”，给我订二等座",
    "她说『以后都订一等座』，给我订二等座",
    "给我订二等座，同事说“以后都订一等座”",
    "邮件里写着：以后都订一等座。给我订二等座",
    "“以后都订一等座”，老板说。给我订二等座",
    "看这个“以后都订一等座”，给我订二等座",
]


@pytest.mark.parametrize("request_", QUOTED_ZH)
def test_a_quoted_rule_is_no_rule_in_chinese(request_: str) -> None:
    assert kinds(request_, seat="二等座", date="2026-03-12") == {"seat": "plain", "date": "plain"}
    assert kind(request_, "一等座", "seat") == "other_person"


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ('My colleague says "only first class this once", but from now on second class.', "standing"),
        ('The mail says "always first class". Just this once in second class.', "one_off"),
        ('From now on "second class", please.', "standing"),
        ("I said: from now on second class!", "standing"),
        ('"From now on second class."', "standing"),
        ("同事说“这次一等座”，以后都订second class", "standing"),
        ('My wife says: "book second class"', "other_person"),
    ],
)
def test_the_persons_own_words_decide(request_: str, expected: Kind) -> None:
    assert kind(request_, "second_class") == expected


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        ('Search for "climate change".', "climate change"),
        ("Play “Always On My Mind”.", "Always On My Mind"),
        ("搜索「永远的朋友」", "永远的朋友"),
        ("搜索“气候变化”，资料要新", "气候变化"),
    ],
)
def test_a_quoted_phrase_or_title_is_a_plain_value(request_: str, value: str) -> None:
    assert kind(request_, value, "query") == "plain"


def test_a_quoted_value_beside_one_in_own_words_is_not_the_persons() -> None:
    calls = (call("book", seat="first class"), call("book", seat="second class"))
    found = extract(turn("t", 'It reads thus "first class" here. I take second class.', *calls), 0)
    assert [(piece.value, piece.kind) for piece in found] == [
        ("first class", "other_person"),
        ("second class", "plain"),
    ]


def test_a_quotation_neither_undoes_nor_corrects_nor_tells_of_the_person() -> None:
    assert not is_undo('The mail says "cancel it". Book it.')
    assert not is_correction("同事说“改成一等座”，你看呢")
    assert is_correction('Change it to "Old Mill".')
    for request in ('My colleague says "I love sushi". Hello.', 'Read this: "I love sushi". Hello.'):
        assert extract(turn("t", request), 0) == ()
    told = extract(turn("t", f'My colleague says "{ORDER}". Hello.'), 0)
    assert told == ()


def test_where_quotations_stand() -> None:
    text = 'She said: no tea. A 6" pipe, don’t “wait”'
    assert [(one.words, one.says) for one in quotations(text)] == [("no tea", (4, 8)), ("wait", None)]
    assert quotations("“" * 30_000) == ()
