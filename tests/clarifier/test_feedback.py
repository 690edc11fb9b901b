"""Feedback: what became of calls, and how it moves the threshold of the very next turn."""

from __future__ import annotations

import pytest

from clarifier.calibration.feedback import AdaptiveStep, Outcome, after_feedback, outcomes
from clarifier.decision import Odds
from clarifier.policy import BenchmarkPolicy, ProductPolicy, Stakes
from memory.evidence import Slot
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.state.corrections import correction
from memory.state.user_state import fold

NINE: list[Outcome | None] = ["accepted"] * 9
SEAT = Slot("book_ticket", "seat_class")


def booking(turn_id: str, seat: str, *, request: str = "Book the IC-7", error: str | None = None) -> Turn:
    call = ToolCall(id="c", name="book_ticket", arguments={"train_id": "IC-7", "seat_class": seat})
    step = CallStep(calls=(call,), observations=(Observation(content=None if error else "booked", error=error),))
    return Turn(turn_id=turn_id, request=request, steps=(step,), reply="Done.")


def said(turn_id: str, request: str) -> Turn:
    return Turn(turn_id=turn_id, request=request, reply="All right.")


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (said("t2", "What is the weather like?"), "accepted"),
        (said("t2", "Undo that, please"), "undone"),
        (booking("t2", "first_class", request="Actually, first class instead"), "corrected"),
        (booking("t2", "second_class", request="Actually the same again for Ben"), "accepted"),
        (correction(SEAT, "first_class", turn_id="t2"), "corrected"),
        (correction(SEAT, "second_class", turn_id="t2", is_negated=True), "corrected"),
        (correction(SEAT, "second_class", turn_id="t2"), "accepted"),
        (correction(Slot("order_meal", "dish"), "soup", turn_id="t2"), "accepted"),
    ],
)
def test_what_the_next_turn_says_of_a_call(after: Turn, outcome: Outcome) -> None:
    assert outcomes([booking("t1", "second_class"), after])[0] == outcome


def test_where_nothing_is_known_of_a_call() -> None:
    assert outcomes([]) == ()
    assert outcomes([booking("t1", "second_class")]) == (None,)
    turns = [said("t1", "Hello"), booking("t2", "second_class", error="full"), said("t3", "Undo that")]
    assert outcomes(turns) == (None, None, None)


def test_the_threshold_rises_with_each_correction_and_comes_back() -> None:
    step = AdaptiveStep(target=0.1, rate=0.1, most=0.3)
    assert step.shift([]) == 0.0
    assert step.shift(["undone"]) == pytest.approx(0.09)  # 0.1·(1 − 0.1)
    assert step.shift(["corrected", None, "accepted"]) == pytest.approx(0.08)  # less 0.1·0.1
    assert step.shift(["corrected", *NINE]) == pytest.approx(0.0)
    assert step.shift(NINE * 6) == 0.0  # never bolder than the costs
    assert step.shift(["undone"] * 50) == 0.3


@pytest.mark.parametrize("wrong", [{"target": 0}, {"target": 1}, {"rate": 0}, {"most": 1.5}])
def test_a_step_that_makes_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected a target"):
        AdaptiveStep(**wrong)


def test_an_undo_counts_at_once() -> None:
    turns = [booking("t1", "second_class"), booking("t2", "second_class"), said("t3", "Undo that")]
    odds, stakes = Odds(p_act=0.9, p_calls=0.72, p_asked=0.8), Stakes(effect="write")
    policy = ProductPolicy()
    assert policy.acts(odds, stakes)  # 0.72 ≥ 0.8 − 1/10
    before, after = after_feedback(policy, turns[:2]), after_feedback(policy, turns)
    assert before == policy
    # Accepted, then undone: −0.01 is held at 0, then 0.09; 0.72 < 0.7 + 0.09.
    assert isinstance(after, ProductPolicy)
    assert after.shift == pytest.approx(0.09)
    assert not after.acts(odds, stakes)
    # The state has let go of what was undone, too.
    assert [one.turn_ids for one in fold(turns[:2]).slots[SEAT].candidates] == [("t1", "t2")]
    assert [one.turn_ids for one in fold(turns).slots[SEAT].candidates] == [("t1",)]


def test_other_policies_have_no_such_threshold() -> None:
    policy = BenchmarkPolicy()
    assert after_feedback(policy, [booking("t1", "second_class"), said("t2", "Undo that")]) is policy
