"""For whom a request is."""

from __future__ import annotations

import pytest

from clarifier.grounding.beneficiaries import is_for_other, was_for_other
from memory.records import CallStep, Observation, ToolCall, Turn


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("book a train for my wife", True),
        ("book my wife a train to Milan", True),
        ("get the kids two tickets", True),
        ("book her the first one", True),
        ("帮张伟订第一趟", True),
        ("替同事订一张", True),
        ("帮我订第一趟", False),
        ("给店里买的筷子到了没有，帮我看看", False),
        ("put my milk next to whole milk for the kids", False),
        ("book us the first one", False),
        ("book my usual seat", False),
        ("send my mum the tickets", False),  # the tickets are the speaker's
    ],
)
def test_an_order_says_whom_it_is_for(request_: str, expected: bool) -> None:
    assert is_for_other(request_) is expected


@pytest.mark.parametrize(
    ("request_", "arguments", "expected"),
    [
        ("book the first one for Anna", {"trip_id": "IC1"}, True),
        ("find a train for Milan", {"destination": "Milan"}, False),  # a value of the call
        ("book the first one for Friday", {"trip_id": "IC1"}, False),
        ("book the first one for me", {"trip_id": "IC1"}, False),
    ],
)
def test_a_name_that_no_call_took_is_whom_a_turn_was_for(
    request_: str, arguments: dict[str, str], expected: bool
) -> None:
    step = CallStep(calls=(ToolCall(id="1", name="book", arguments={**arguments}),), observations=(Observation(),))
    assert was_for_other(Turn(turn_id="t1", request=request_, steps=(step,))) is expected
    assert was_for_other(Turn(turn_id="t1", request=request_)) is False
