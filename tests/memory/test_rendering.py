from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from memory.cutting import fit_turn
from memory.records import CallStep, Observation, QuestionStep, ToolCall, Turn
from memory.rendering import index_text, render_turn
from memory.state.extraction import extract, is_failure
from memory.tokens import count_tokens
from tests.memory.turns import asked, call, turn

TRAINS: JsonValue = [{"id": f"IC{number}", "departs": f"{number:02}:00"} for number in range(1, 21)]
BOOKING = turn(
    "t1",
    "Book the nine o'clock.",
    call("getTrains", returns={"options": TRAINS}, to="Utrecht"),
    asked("First or second class?", "Second.", "bookTrain.class"),
    call("bookTrain", returns="booked", train="IC9", seat={"class": "second"}),
    reply="Booked IC9.",
)


def test_renders_each_part_on_its_line() -> None:
    shown = Turn(
        turn_id="t1",
        request="订靠窗的座位",
        time=datetime(2026, 3, 9, 7, 36),
        steps=(
            QuestionStep(question="哪天？", answer="周四"),
            CallStep(
                calls=(ToolCall(id="1", name="book", arguments={"座": "靠窗", "n": 2}), ToolCall(id="2", name="ping")),
                observations=(Observation(content={"ok": True}), Observation(error="timed out")),
            ),
            QuestionStep(question="Anything else?"),
        ),
        reply="好了",
    )
    assert render_turn(shown) == (
        "user (2026-03-09 07:36): 订靠窗的座位\n"
        "asked: 哪天？\n"
        "answered: 周四\n"
        'call book(座="靠窗", n=2) -> {"ok": true}\n'
        "call ping() -> error: timed out\n"
        "asked: Anything else?\n"
        "reply: 好了"
    )


def test_a_bare_turn_is_its_request() -> None:
    assert render_turn(turn("t1", "hello")) == "user: hello"


def test_a_turn_that_fits_is_the_same_turn() -> None:
    assert fit_turn(BOOKING, 10_000) is BOOKING


def test_observations_shrink_first_to_what_was_taken_up() -> None:
    fitted = fit_turn(BOOKING, 120)
    assert fitted is not None
    assert render_turn(fitted) == (
        "user: Book the nine o'clock.\n"
        'call getTrains(to="Utrecht") -> {"options": [{"id": "IC1", "departs": "01:00"}, '
        '{"id": "IC2", "departs": "02:00"}, {"id": "IC3", "departs": "03:00"}, {"id": "IC9", "departs": "09:00"}, '
        '"… 16 more"]}\n'
        "asked: First or second class?\n"
        "answered: Second.\n"
        'call bookTrain(train="IC9", seat={"class": "second"}) -> booked\n'
        "reply: Booked IC9."
    )


def test_what_is_wanted_stays() -> None:
    fitted = fit_turn(turn("t1", "Trains?", call("getTrains", returns=TRAINS)), 45, wanted="The one at 17:00")
    assert fitted is not None
    assert render_turn(fitted) == (
        'user: Trains?\ncall getTrains() -> [{"id": "IC1", "departs": "01:00"}, '
        '{"id": "IC17", "departs": "17:00"}, "… 18 more"]'
    )


def test_requests_calls_and_answers_stay_to_the_last() -> None:
    barest = (
        "user: Book the nine o'clock.\n"
        'call getTrains(to="Utrecht")\n'
        "answered: Second.\n"
        'call bookTrain(train="IC9", seat={"class": "second"})'
    )
    fitted = fit_turn(BOOKING, count_tokens(barest))
    assert fitted is not None
    assert render_turn(fitted) == barest
    assert fit_turn(BOOKING, count_tokens(barest) - 1) is None


def test_a_failed_call_still_shows_that_it_failed() -> None:
    failed = turn("t1", "Pay it.", call("pay", error="the bank said no " * 50, amount=5))
    fitted = fit_turn(failed, 80)
    assert fitted is not None
    assert "error: the bank said no" in render_turn(fitted)
    assert extract(fitted, 0) == extract(failed, 0) == ()


def test_a_result_that_says_it_failed_still_says_so() -> None:
    result: JsonValue = {"items": list(range(99)), "note": "x" * 500, "status": "error"}
    fitted = fit_turn(turn("t1", "Pay it.", call("pay", returns=result, amount=5)), 20)
    assert fitted is not None
    assert render_turn(fitted) == 'user: Pay it.\ncall pay(amount=5) -> {"status": "error"}'


def test_a_budget_of_nothing_holds_nothing() -> None:
    assert fit_turn(turn("t1", "hi"), 0) is None


def test_a_turn_is_found_by_what_was_said_and_called() -> None:
    assert index_text(BOOKING) == (
        "Book the nine o'clock.\n"
        'getTrains(to="Utrecht")\n'
        "First or second class?\n"
        "Second.\n"
        'bookTrain(train="IC9", seat={"class": "second"})\n'
        "Booked IC9."
    )


results = st.fixed_dictionaries(
    {}, optional={"error": st.text(), "success": st.booleans(), "list": st.lists(st.text())}
)
contents = results | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=5), inner, max_size=12),
    max_leaves=30,
)


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
@settings(deadline=None)
@given(st.text(max_size=40), contents, st.text(max_size=300), st.integers(min_value=0, max_value=200))
def test_never_exceeds_the_budget_and_never_changes_the_evidence(
    request: str, content: JsonValue, reply: str, max_tokens: int
) -> None:
    whole = turn("t", request, call("find", returns=content, q=request), reply=reply)
    fitted = fit_turn(whole, max_tokens)
    if fitted is None:
        failure = content if is_failure(Observation(content=content)) else None
        assert count_tokens(render_turn(turn("t", request, call("find", returns=failure, q=request)))) > max_tokens
    else:
        assert count_tokens(render_turn(fitted)) <= max_tokens
        assert fitted.request == request
        assert fitted.calls == whole.calls
        assert extract(fitted, 0) == extract(whole, 0)
