"""What is said to a question: rows of what it is, and whether it may fill the slots."""

from __future__ import annotations

import pytest

from clarifier.asking.answering import agrees, gives_value, refuses
from memory.language.speech import answer_kind
from memory.records import QuestionStep
from memory.tools import Parameter, Tool

HOTEL = Tool(
    name="book_hotel",
    description="Book a hotel.",
    parameters=(
        Parameter(name="chain", type="string", is_required=True),
        Parameter(name="breakfast", type="boolean"),
        Parameter(name="message", type="string"),
    ),
    definition={},
)
KINDS = {
    "Which hotel chain?": {
        "value": ("Marriott please", "Hilton", "anything but Hilton", "the second one then"),
        "thanks": ("thanks", "谢谢", "hm"),
        "yes": ("yes", "👍", "好的"),
        "no": ("no", "不要"),
        "either": ("A or B",),
        "tells": ("I'm tired today", "thanks! btw I'm vegetarian"),
        "asks": ("what's the weather there", "why do you ask?"),
        "off": ("never mind",),
    },
    "转多少钱？": {"off": ("算了，小王的不要了",), "value": ("五十",), "asks": ("天气怎么样",)},
}


def test_answers_are_typed() -> None:
    wrong = {
        said: found
        for question, kinds in KINDS.items()
        for kind, texts in kinds.items()
        for said in texts
        if (found := answer_kind(said, question)) != kind
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("slot", "said", "is_value"),
    [
        ("book_hotel.chain", "Marriott please", True),
        ("book_hotel.chain", "yes", False),
        ("book_hotel.chain", "👍", False),
        ("book_hotel.chain", "A or B", False),
        ("book_hotel.chain", "whatever", False),
        ("book_hotel.breakfast", "yes", True),
        ("book_hotel.message", "I'm tired today", True),
    ],
)
def test_only_a_value_fills_a_slot(slot: str, said: str, is_value: bool) -> None:
    step = QuestionStep(question="Which one?", answer=said, slots=(slot,))
    assert gives_value(step, (HOTEL,)) == is_value


CONSENT = "Shall I book a train (train: IC-1)?"


@pytest.mark.parametrize("said", ["yes", "go ahead", "👍", "好的", "absolutely"])
def test_a_yes_agrees(said: str) -> None:
    assert agrees(said, CONSENT)
    assert not refuses(said, CONSENT)


@pytest.mark.parametrize(
    "said", ["no, wait", "not yet", "don't", "Don't book train IC-1.", "取消", "别订了", "never mind then"]
)
def test_a_no_refuses(said: str) -> None:
    assert refuses(said, CONSENT)


@pytest.mark.parametrize("said", ["thanks", "hm, what would go?", "what does it cost?", "no worries, do it"])
def test_the_rest_is_neither(said: str) -> None:
    assert not agrees(said, CONSENT)
    assert not refuses(said, CONSENT)
