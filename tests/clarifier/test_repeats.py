"""How often a call is made in a turn: what changes once, what reads twice, more only after something new."""

from __future__ import annotations

import pytest

from clarifier.repeats import is_same_deed, is_spent
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall
from tests.fakes import make_tool

OK, SAME, BAD = Observation(content=1), Observation(content=1), Observation(error="no")
A = ToolCall(id="a", name="a", arguments={"x": 1})


def made(name: str, observation: Observation) -> Step:
    return CallStep(calls=(ToolCall(id="i", name=name, arguments={"x": 1}),), observations=(observation,))


ANSWER = QuestionStep(question="Sure?", answer="yes")
SILENCE = QuestionStep(question="Sure?", answer=None)
ROWS: list[tuple[list[Step], bool, bool]] = [
    ([], False, False),
    ([made("a", OK)], True, True),
    ([made("a", BAD)], True, False),
    ([made("a", BAD), made("a", BAD)], True, True),
    ([made("a", BAD), SILENCE], True, False),
    ([made("a", BAD), ANSWER], False, False),
    ([made("a", BAD), made("b", OK)], False, False),
    ([made("b", OK), made("a", BAD), made("b", SAME)], True, False),
    ([made("a", OK), made("b", OK)], True, False),
    ([made("b", OK), made("a", OK), made("b", SAME), made("a", OK), made("b", SAME)], True, True),
    ([made("a", OK), ANSWER], True, True),
]
"""Steps; whether the call is spent where it changes something, and where it reads."""


@pytest.mark.parametrize(("steps", "changing", "reading"), ROWS)
def test_a_call_is_made_again_only_after_something_new(steps: list[Step], changing: bool, reading: bool) -> None:
    assert (is_spent(A, steps, is_reading=False), is_spent(A, steps, is_reading=True)) == (changing, reading)


def test_an_optional_argument_makes_no_other_deed() -> None:
    tool = make_tool("pay", "to")
    one, noted, other = (
        ToolCall(id="", name="pay", arguments=dict(arguments))
        for arguments in ({"to": "Tom"}, {"to": "tom", "note": "hi"}, {"to": "Ann"})
    )
    assert (is_same_deed(one, noted, tool), is_same_deed(one, other, tool)) == (True, False)
