"""Following a turn reply by reply, and the verdict on it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, PSEUDO_ACTIONS, Action, ReferenceStep
from benchmark_adapter.errors import MalformedCallError
from benchmark_adapter.evaluator.frontier import Candidates
from benchmark_adapter.evaluator.trajectory import (
    EMPTY_REPLY,
    NO_CANDIDATE,
    Crash,
    Follower,
    Observation,
    PredictedCall,
    Step,
)
from benchmark_adapter.evaluator.verdict import StepCheck, Verdict, verdict
from tests.benchmark_adapter.enumeration import LiteralFollower

TEXT_TOOL = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "parameters": TEXT_TOOL}} for name in ("hours", "search", "weather")
]


def tool(name: str, *after: int, q: str = "x", seen: Any = "seen") -> ReferenceStep:
    return ReferenceStep(action=Action(name=name, arguments={"q": q}), observation=seen, dependency_list=after)


def question(*after: int, reply: str = "Paris.") -> ReferenceStep:
    return ReferenceStep(
        action=Action(name=CLARIFICATION, arguments={}), observation="Where?", user_input=reply, dependency_list=after
    )


def answer(*after: int) -> ReferenceStep:
    return ReferenceStep(action=Action(name=FINAL_ANSWER), observation="Done.", dependency_list=after)


def call(name: str, arguments: Any = '{"q": "x"}', call_id: str = "1") -> PredictedCall:
    return PredictedCall(call_id, name, arguments)


def test_a_turn_that_follows_the_reference_is_correct_and_optimal() -> None:
    steps = [question(), tool("search", 0, seen={"n": 1}), answer(1)]
    follower = Follower(steps)

    assert follower.text("Where do you mean?") == Step(
        0, "text", accepted=True, matched=(0,), actions=(steps[0].action,), user_reply="Paris."
    )
    assert follower.calls([call("search", call_id="c7")]) == Step(
        1,
        "calls",
        accepted=True,
        calls=(call("search", call_id="c7"),),
        matched=(1,),
        actions=(steps[1].action,),
        observations=(Observation("c7", {"n": 1}),),
    )
    assert follower.text("Here you are.") == Step(
        2, "text", accepted=True, matched=(2,), actions=(steps[2].action,), over=True
    )
    assert follower.is_over
    assert verdict(follower, TOOLS, similarity="rouge") == Verdict(
        action_label="correct",
        argument_label="correct",
        is_optimal=True,
        raw_action_label="correct",
        raw_is_optimal=True,
        n_steps=3,
        steps_left_in_log=3,
        checks=(StepCheck(1, ("correct",), ("c7",)),),
    )


def test_observations_come_in_name_order_for_ids_in_the_order_made() -> None:
    follower = Follower([tool("search", seen="found"), tool("hours", seen={"open": "8–17"}), answer(0, 1)])

    step = follower.calls([call("search", call_id="s"), call("hours", call_id="h")])

    assert step.matched == (1, 0)
    assert step.observations == (Observation("s", {"open": "8–17"}), Observation("h", "found"))
    assert [seen.text for seen in step.observations] == ['{"open": "8–17"}', "found"]


def test_a_wrong_tool_ends_the_turn_and_names_what_was_expected() -> None:
    follower = Follower([tool("search"), tool("hours"), answer(0, 1)])

    step = follower.calls([call("weather")])

    assert step == Step(0, "calls", accepted=False, reason=NO_CANDIDATE, calls=(call("weather"),), over=True)
    assert follower.candidates() == Candidates((("search",), ("hours",), ("hours", "search")), truncated=False)
    assert follower.candidates(limit=2) == Candidates((("search",), ("hours",)), truncated=True)
    outcome = verdict(follower, TOOLS, similarity="rouge")
    assert (outcome.action_label, outcome.argument_label, outcome.label) == ("error", "correct", "error")
    assert outcome.reason == NO_CANDIDATE
    with pytest.raises(ValueError, match="the turn is over"):
        follower.text("Sorry.")


def test_names_match_exactly() -> None:
    assert not Follower([tool("search"), answer(0)]).calls([call("Search")]).accepted


@pytest.mark.parametrize("name", [None, 5, ["search"]])
def test_a_name_that_is_no_text_is_no_candidate(name: Any) -> None:
    assert Follower([tool("search"), answer(0)]).calls([call(name)]).reason == NO_CANDIDATE


def test_a_name_that_is_null_beside_others_is_a_crash() -> None:
    missing: Any = None
    step = Follower([tool("search"), answer(0)]).calls([call("search"), call(missing)])

    assert step.crash is not None
    assert step.crash.type_name == "TypeError"


@pytest.mark.parametrize(("text", "reason"), [(None, EMPTY_REPLY), ("", EMPTY_REPLY), (" ", NO_CANDIDATE)])
def test_a_blank_is_text_and_nothing_is_not(text: str | None, reason: str) -> None:
    assert Follower([tool("search"), answer(0)]).text(text).reason == reason


def test_a_reply_with_calls_is_a_call_reply_whatever_it_says() -> None:
    follower = Follower([tool("search"), answer(0)])
    message = {
        "content": "Let me look.",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
    }

    assert follower.reply(message).kind == "calls"
    assert follower.reply({"content": "Done.", "tool_calls": []}).is_final_answer


@pytest.mark.parametrize(
    ("broken", "detail"),
    [
        ({"function": {"name": "search", "arguments": "{}"}}, "'id'"),
        ({"id": "1"}, "'function'"),
        ({"id": "1", "function": {"arguments": "{}"}}, "'name'"),
        ({"id": "1", "function": {"name": "search"}}, "'arguments'"),
    ],
)
def test_a_call_that_lacks_a_field_is_an_error(broken: dict[str, Any], detail: str) -> None:
    with pytest.raises(MalformedCallError) as info:
        PredictedCall.from_message(broken)
    assert info.value.detail == detail

    step = Follower([tool("search"), answer(0)]).reply({"content": None, "tool_calls": [broken]})
    assert step == Step(0, "calls", accepted=False, reason=f"parse tool_calls failed, error: {detail}", over=True)


def test_a_failed_request_ends_the_turn() -> None:
    follower = Follower([tool("search"), answer(0)])

    assert follower.failed("APITimeoutError", "Request timed out.").reason == (
        "inference exception: APITimeoutError: Request timed out."
    )
    assert verdict(follower, TOOLS, similarity="rouge").raw_action_label == "error"


def test_a_question_made_as_a_call_gets_its_own_text_back() -> None:
    follower = Follower([question(), answer(0)])

    step = follower.calls([call(CLARIFICATION, call_id="q")])

    assert step.accepted
    assert step.observations == (Observation("q", "Where?"),)
    assert step.user_reply is None


def test_a_final_answer_made_as_a_call_does_not_end_the_turn() -> None:
    follower = Follower([answer()])

    assert not follower.calls([call(FINAL_ANSWER)]).over
    assert follower.text("Done.").crash == Crash("inference", "KeyError", "1")


def test_a_text_does_not_narrow_the_paths() -> None:
    # The question is independent of the search. Of the paths open after it, the first goes on to the final answer.
    early = Follower([question(), tool("search"), answer(0)])
    early.text("Where?")
    assert early.text("That is all.") == Step(
        1, "text", accepted=True, matched=(2,), actions=(Action(name=FINAL_ANSWER),), over=True
    )
    assert verdict(early, TOOLS, similarity="rouge").is_correct

    # Here the final answer needs the search: a text after the question asks again, along a path that began otherwise.
    again = Follower([question(), tool("search"), answer(0, 1)])
    again.text("Where?")
    assert again.text("That is all.") == Step(
        1, "text", accepted=True, matched=(0,), actions=(again.answer[0].action,), user_reply="Paris."
    )


def test_calls_after_a_text_stumble_over_a_path_that_is_finished() -> None:
    # One path takes all in a single step; the question made alone leaves it among the open ones.
    follower = Follower([tool("search"), question()])

    assert follower.text("Where?").accepted
    step = follower.calls([call("search")])
    assert step.crash == Crash("inference", "IndexError", "list index out of range")
    assert step.over
    outcome = verdict(follower, TOOLS, similarity="rouge")
    assert (outcome.label, outcome.crash) == ("error", step.crash)
    assert outcome.reason == "the reference evaluator raises IndexError: list index out of range"


def test_a_missing_dependency_gives_a_verdict_not_an_exception() -> None:
    follower = Follower([tool("search", 5)])

    assert follower.is_over
    outcome = verdict(follower, TOOLS, similarity="rouge")
    assert outcome.crash == Crash("graph", "KeyError", "5")
    assert not outcome.is_correct


def test_an_empty_reference_takes_nothing() -> None:
    assert Follower([]).calls([call("search")]).reason == "current step: 0, idx_list is None"
    assert Follower([]).text("Hello.").crash == Crash("inference", "KeyError", "0")


def test_an_unfinished_turn_is_wrong() -> None:
    follower = Follower([tool("search"), answer(0)])
    follower.calls([call("search")])

    outcome = verdict(follower, TOOLS, similarity="rouge")

    assert (outcome.label, outcome.reason) == ("error", "the turn was not finished")


def test_wrong_arguments_drop_the_next_step_and_forgive_what_follows() -> None:
    follower = Follower([tool("search"), tool("hours", 0), answer(1)])
    follower.calls([call("search", '{"q": "y"}', "a")])
    follower.calls([call("weather")])

    message = "error_match: string similarity too low at 'q' (edit score: 0.00)"
    assert verdict(follower, TOOLS, similarity="rouge") == Verdict(
        action_label="correct",
        argument_label="error",
        is_optimal=False,
        raw_action_label="error",
        raw_is_optimal=False,
        n_steps=2,
        steps_left_in_log=1,
        checks=(StepCheck(0, (message,), ("a",)),),
        dropped_step=1,
        reason=message,
    )


def test_calls_of_one_tool_are_paired_by_spelling() -> None:
    follower = Follower([tool("search", q="lake"), tool("search", q="moon"), answer(0, 1)])
    # As text, the escaped m sorts before the l: each call meets the other's reference.
    follower.calls([call("search", '{"q": "lake"}', "lake"), call("search", '{"q": "\\u006doon"}', "moon")])

    (check,) = verdict(follower, TOOLS, similarity="rouge").checks
    assert check.call_ids == ("moon", "lake")
    assert not check.is_correct


@pytest.mark.parametrize("arguments", [{"q": "x"}, None])
def test_arguments_that_are_no_text_are_a_crash_with_a_verdict(arguments: Any) -> None:
    follower = Follower([tool("search"), answer(0)])
    follower.calls([call("search", arguments)])
    follower.text("Done.")

    outcome = verdict(follower, TOOLS, similarity="rouge")

    assert outcome.crash is not None
    assert (outcome.crash.stage, outcome.crash.type_name) == ("params_checker", "TypeError")
    assert (outcome.raw_action_label, outcome.label) == ("correct", "error")


def test_a_reference_tool_that_is_not_on_offer_is_a_crash_with_a_verdict() -> None:
    follower = Follower([tool("fly"), answer(0)])
    follower.calls([call("fly")])

    outcome = verdict(follower, TOOLS, similarity="rouge")

    assert outcome.crash == Crash("params_checker", "KeyError", "'fly'")


def test_optimal_counts_steps_against_the_shortest_path() -> None:
    def play(*replies: list[str]) -> bool:
        follower = Follower([tool("search"), tool("hours"), answer(0, 1)])
        for names in replies:
            follower.calls([call(name) for name in names])
        follower.text("Done.")
        return verdict(follower, TOOLS, similarity="rouge").is_optimal

    assert play(["hours", "search"])
    assert not play(["hours"], ["search"])


NAMES = ["a", "b", "c", CLARIFICATION, FINAL_ANSWER]


@st.composite
def turns(draw: st.DrawFn) -> tuple[list[ReferenceStep], list[list[str] | None]]:
    """References of up to 5 steps with pseudo-actions anywhere, and replies: names of calls, or None for a text."""
    size = draw(st.integers(0, 5))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=size, max_size=size))
    order = draw(st.permutations(range(size)))
    steps: list[ReferenceStep] = []
    for node, name in enumerate(names):
        before = order[: order.index(node)]
        after = draw(st.sets(st.sampled_from(before), max_size=2)) if before else set()
        steps.append(ReferenceStep(action=Action(name=name), dependency_list=tuple(after)))
    made = st.lists(st.sampled_from(names or NAMES), min_size=1, max_size=3)
    return steps, draw(st.lists(st.none() | made, min_size=1, max_size=6))


@settings(max_examples=400)
@given(turns())
def test_the_follower_agrees_with_the_rules_taken_literally(
    turn: tuple[list[ReferenceStep], list[list[str] | None]],
) -> None:
    steps, replies = turn
    names = [step.action.name for step in steps]
    follower = Follower(steps)
    literal = LiteralFollower(names, [step.dependency_list for step in steps], PSEUDO_ACTIONS)
    for reply in replies:
        if follower.is_over:
            break
        if reply is None:
            step, expected = follower.text("some text"), literal.text()
        else:
            step, expected = follower.calls([call(name) for name in reply]), literal.calls(reply)
        assert step.accepted == expected.accepted
        assert (step.crash.type_name if step.crash else None) == expected.crash
        if expected.matched is not None:
            assert sorted(step.matched) == expected.matched
        if expected.candidates is not None:
            assert list(follower.candidates(limit=None).names) == expected.candidates
            assert follower.frontier.count_paths() == expected.n_candidates


@pytest.mark.parametrize(("n", "limit_s"), [(8, 0.05), (64, 0.25)])
def test_many_independent_calls_take_milliseconds(n: int, limit_s: float) -> None:
    began = time.perf_counter()
    follower = Follower([*(tool(f"tool{i}") for i in range(n)), answer(*range(n))])

    assert follower.calls([call(f"tool{i}") for i in range(n)]).accepted
    assert follower.text("Done.").is_final_answer
    assert time.perf_counter() - began < limit_s  # measured: 0.2 and 0.4 ms; the reference needs 150 s for 8


def test_a_question_among_many_independent_calls_is_followed_within_bounds() -> None:
    began = time.perf_counter()
    follower = Follower([*(tool(f"tool{i}") for i in range(64)), question(), answer(*range(65))])

    assert follower.text("Where?").user_reply == "Paris."
    assert follower.frontier.truncated
    assert follower.calls([call(f"tool{i}") for i in range(64)]).accepted
    assert follower.text("Done.").is_final_answer
    assert time.perf_counter() - began < 2  # measured: 0.05 s
