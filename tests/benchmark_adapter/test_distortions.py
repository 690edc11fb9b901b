"""Planners that invent or always ask are what they are said to be, and the clarifier catches both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.distortions import Asking, Inventing, cell, obey
from clarifier.clarifier import decide
from clarifier.decision import Act, Ask, Proposal, Situation, StatedSource
from clarifier.policy import open_policy
from memory.evidence import Slot
from memory.records import QuestionStep, ToolCall
from tests.clarifier.samples import SEND_EMAIL, situation
from tests.fakes import ScriptedPlanner

WHERE = situation("Please write to Ben that I am late for dinner", SEND_EMAIL)
PARTIAL = Proposal(
    calls=(ToolCall(id="c", name="send_email", arguments={"message": "I am late for dinner"}),),
    sources=({"message": StatedSource("request")},),
    understands=True,
)


def inventing(seed: int, where: Situation = WHERE) -> Proposal:
    return Inventing(ScriptedPlanner([PARTIAL]), seed).plan(where)


def test_the_inventor_fills_what_is_required_and_makes_up_where_it_comes_from() -> None:
    proposal = inventing(1)
    assert proposal == inventing(1)
    assert proposal != inventing(2)
    (call,), (sources,) = proposal.calls, proposal.sources
    assert str(call.arguments["recipient"]).endswith("@example.com")
    assert sources["recipient"].quote is not None
    assert sources["recipient"].quote in WHERE.request
    assert sources["message"] == StatedSource("request")


@pytest.mark.parametrize("seed", range(8))
def test_an_invented_address_is_done_without_a_clarifier_and_asked_for_with_it(seed: int) -> None:
    """Case B16."""
    proposal = inventing(seed)
    assert isinstance(obey(WHERE, proposal), Act)
    asked = decide(WHERE, proposal, policy=open_policy("benchmark"))
    assert isinstance(asked, Ask)
    assert asked.slots == ("send_email.recipient",)


def test_the_asker_asks_until_it_is_told_not_to() -> None:
    """Case B17."""
    asker = Asking(ScriptedPlanner([PARTIAL] * 3))
    first = asker.plan(WHERE)
    assert first.question_slots == (Slot("send_email", "recipient"), Slot("send_email", "message"))
    assert first.calls == ()
    told = replace(WHERE, steps=(QuestionStep(question=first.question or "", answer="ben@firm.example"),))
    assert asker.plan(told) == PARTIAL


@pytest.mark.slow
def test_both_are_caught_over_whole_data_and_the_honest_one_is_left_alone() -> None:
    exact = {
        make: cell(make, "sources", data=None, memory="full").metrics["exact"]["micro"]
        for make in ("honest", "inventing", "asking")
    }
    assert exact["honest"] >= 0.98
    assert exact["inventing"] >= 0.92  # without a clarifier 0.84
    assert exact["asking"] >= 0.6  # without one 0.21
