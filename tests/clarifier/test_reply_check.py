"""Replies that are not true to what the turn did: sent back once, then made honest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import JsonValue

from clarifier.clarifier import decide
from clarifier.decision import Answer, Decision, PlanAgain, Proposal, Situation
from clarifier.policy import open_policy
from clarifier.reply_check import DEED_TOLD, FIGURE_TOLD
from memory.records import CallStep, Observation, ToolCall
from memory.tools import Parameter, Tool

LIGHT = Tool(
    name="turn_on_light",
    description="Turn on a light.",
    parameters=(Parameter(name="room", is_required=True),),
    definition={},
)
TRAINS = Tool(name="search_trains", description="Search trains.", parameters=(), definition={})


def done(name: str, content: JsonValue = None, *, error: str | None = None) -> CallStep:
    call = ToolCall(id="1", name=name, arguments={})
    return CallStep(calls=(call,), observations=(Observation(content=content, error=error),))


def decided(reply: str, *steps: CallStep, understands: bool = False, is_kept: bool = True) -> tuple[Decision, Decision]:
    """Return what is decided at first, and where the planner is sent back and insists."""
    situation = Situation(request="turn on the hall light", tools=(LIGHT, TRAINS), steps=steps, is_kept=is_kept)
    proposal = Proposal(reply=reply, understands=understands)
    first = decide(situation, proposal, policy=open_policy("product"))
    if not isinstance(first, PlanAgain):
        return first, first
    return first, decide(replace(situation, hints=first.hints), proposal, policy=open_policy("product"))


def test_a_deed_that_no_call_did_goes_back_once_and_is_then_owned_up_to() -> None:
    first, then = decided("Done, the hall light is on")
    assert isinstance(first, PlanAgain)
    assert first.hints[0].slot == DEED_TOLD
    assert isinstance(then, Answer)
    assert then.reply == "To be honest: I have not done this, no tool has done it in this turn."


@pytest.mark.parametrize(
    "step", [done("turn_on_light", error="no such room"), done("search_trains", [])], ids=["failed", "looked up"]
)
def test_neither_a_failure_nor_a_look_up_is_the_deed(step: CallStep) -> None:
    first, _ = decided("I've turned on the hall light.", step)
    assert isinstance(first, PlanAgain)


def test_another_deed_is_not_the_one_that_is_claimed() -> None:
    first, _ = decided("I've sent Ann your message.", done("turn_on_light"))
    assert isinstance(first, PlanAgain)


def test_what_was_done_may_be_said() -> None:
    first, _ = decided("Done, I've turned on the hall light.", done("turn_on_light"))
    assert isinstance(first, Answer)


def test_nothing_is_noted_while_memory_is_paused() -> None:
    assert isinstance(decided("I have saved that for the future.")[0], Answer)
    _, then = decided("I have saved that for the future.", is_kept=False)
    assert isinstance(then, Answer)
    assert then.reply == "To be honest: memory is paused, so I have kept nothing of this."


ROWS: list[JsonValue] = [{"train": "IC-1", "price": 23, "departs": "17:30"}, {"train": "IC-2", "price": 50}]


@pytest.mark.parametrize(
    ("reply", "is_given"),
    [
        ("IC-1 leaves at 17:30 and costs 23 euros.", True),
        ("IC-1 leaves at 5:30 pm; both cost 73 together, IC-2 is 27 dearer.", True),
        ("IC-1 leaves at 18:45.", False),
        ("IC-1 costs 31 euros.", False),
    ],
)
def test_figures_of_a_model_stand_in_the_results_or_follow_from_them(reply: str, is_given: bool) -> None:
    first, then = decided(reply, done("search_trains", ROWS), understands=True)
    assert isinstance(first, Answer) == is_given
    if isinstance(first, PlanAgain):
        assert first.hints[0].slot == FIGURE_TOLD
        assert isinstance(then, Answer)
        assert then.reply.startswith(reply)
        assert then.reply.endswith("please check it.)")
