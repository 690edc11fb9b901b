"""The core of a turn: what follows what, and what holds whatever comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advance import MAX_PLANS, advance, begin
from agent.errors import ObservationCountError, UnexpectedEventError
from agent.turn_state import (
    Answered,
    AskUser,
    Calibrate,
    Decided,
    Done,
    Event,
    Execute,
    Executed,
    Plan,
    Planned,
    Recalled,
    RecallMemory,
    Remember,
    Remembered,
    Tell,
    Told,
    TraceEntry,
    TurnState,
)
from clarifier.decision import Act, Ask, Decision, Hint, PlanAgain, Proposal
from memory.evidence import Slot
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, ToolCall
from tests.fakes import ODDS, obey

CALLS = (ToolCall(id="a", name="find"), ToolCall(id="b", name="find"), ToolCall(id="c", name="find"))
RECALL = Recall((RecallItem("turn", ("t0",), "text", 1),))


def after(*events: Event) -> TurnState:
    state = begin("hello", [], turn_id="t1")
    for event in events:
        state = advance(state, event).state
    return state


def acting(*calls: ToolCall) -> list[Event]:
    return [
        Recalled(Recall()),
        Planned(Proposal(calls=calls)),
        Decided(Act(policy="test", odds=ODDS, calls=calls)),
    ]


def test_a_turn_goes_from_recall_over_plan_and_calibrate_to_its_end() -> None:
    proposal = Proposal(reply="Hello.")
    decision = obey(after().situation, proposal)
    path: list[tuple[Event, object]] = [
        (Recalled(RECALL), Plan()),
        (Planned(proposal), Calibrate(proposal)),
        (Decided(decision), Tell("Hello.")),
        (Told(None), Remember()),
        (Remembered(), Done()),
    ]
    state = begin("hello", [], turn_id="t1")
    assert state.action == RecallMemory()
    for event, expected in path:
        state, action = advance(state, event)
        assert action == state.action == expected
    assert state.recall == RECALL
    assert state.trace == (TraceEntry(steps_before=0, proposal=proposal, decision=decision),)
    assert (state.turn.reply, state.ending) == ("Hello.", "replied")


def test_a_question_keeps_slots_and_options_and_its_answer_is_a_step() -> None:
    ask = Ask(policy="test", odds=ODDS, question="Which?", slots=("book.seat",), options={"book.seat": ("window",)})
    state = after(Recalled(Recall()), Planned(Proposal(question="?")), Decided(ask))
    assert state.action == AskUser("Which?", ("book.seat",), (("book.seat", ("window",)),))
    state, action = advance(state, Answered("aisle"))
    assert action == Plan()
    assert state.steps == (QuestionStep(question="Which?", answer="aisle", slots=("book.seat",)),)


def test_calls_are_observed_one_by_one_or_together_with_the_same_outcome() -> None:
    seen = tuple(Observation(content=call.id) for call in CALLS)
    together = after(*acting(*CALLS), Executed(seen))
    state = after(*acting(*CALLS), Executed(seen[:1]))
    assert state.action == Execute(CALLS, seen[:1])
    assert state.action.outstanding == CALLS[1:]
    assert state.steps == ()
    assert advance(state, Executed(seen[1:])).state == together
    assert together.steps == (CallStep(calls=CALLS, observations=seen),)
    assert together.action == Plan()


def test_what_was_observed_before_nothing_came_back_is_kept() -> None:
    state = after(*acting(*CALLS), Executed((Observation(content="a"),)), Executed(None))
    (step,) = state.steps
    assert isinstance(step, CallStep)
    assert [observation.error is None for observation in step.observations] == [True, False, False]
    assert (state.ending, state.action) == ("unobserved", Remember())


@pytest.mark.parametrize("count", [0, 4])
def test_too_few_or_too_many_observations_are_refused(count: int) -> None:
    with pytest.raises(ObservationCountError, match=f"expected 3, got {count}"):
        after(*acting(*CALLS), Executed((Observation(),) * count))


def test_hints_are_collected_each_once_over_the_whole_turn() -> None:
    look_up = Hint("look_up", Slot("book", "id"), suppliers=("find",))
    settled = Hint("settled", Slot("book", "seat"), value="window")

    def again(*hints: Hint) -> list[Event]:
        return [Planned(Proposal(question="?")), Decided(PlanAgain(policy="test", odds=ODDS, hints=hints))]

    state = after(Recalled(Recall()), *again(look_up), *again(settled, replace(look_up, suppliers=("find", "list"))))
    assert state.hints == (replace(look_up, suppliers=("find", "list")), settled)
    assert state.situation.hints == state.hints
    assert state.action == Plan()


def test_calls_without_an_id_or_with_one_of_before_get_one_of_their_own() -> None:
    first = after(*acting(*CALLS), Executed((Observation(),) * 3))
    proposal = Proposal(
        calls=(ToolCall(id="", name="find"), ToolCall(id="a", name="find"), ToolCall(id="", name="find"))
    )
    state = advance(first, Planned(proposal)).state
    assert isinstance(state.action, Calibrate)
    assert [call.id for call in state.action.proposal.calls] == ["call", "a-2", "call-2"]
    assert state.trace[-1].proposal == state.action.proposal


EVENTS: tuple[Event, ...] = (
    Recalled(Recall()),
    Planned(Proposal()),
    Decided(obey(after().situation, Proposal(reply="x"))),
    Executed(None),
    Answered(None),
    Told(None),
    Remembered(),
)
_STAGES: dict[str, list[Event]] = {
    "recall": [],
    "plan": [Recalled(Recall())],
    "calibrate": [Recalled(Recall()), Planned(Proposal(reply="x"))],
    "execute": acting(*CALLS),
    "ask": [
        Recalled(Recall()),
        Planned(Proposal(question="?")),
        Decided(Ask(policy="test", odds=ODDS, question="?")),
    ],
    "tell": [Recalled(Recall()), Planned(Proposal(reply="x")), Decided(obey(after().situation, Proposal(reply="x")))],
}
_ANSWERED_BY: dict[str, type[Event]] = {
    "recall": Recalled,
    "plan": Planned,
    "calibrate": Decided,
    "execute": Executed,
    "ask": Answered,
    "tell": Told,
    "remember": Remembered,
}
_STAGES["remember"] = [*_STAGES["tell"], Told(None)]
_STAGES["done"] = [*_STAGES["remember"], Remembered()]


@pytest.mark.parametrize("stage", _STAGES)
def test_only_the_event_that_answers_the_pending_action_is_taken(stage: str) -> None:
    state = after(*_STAGES[stage])
    assert state.action.kind == stage
    expected = _ANSWERED_BY.get(stage)
    for event in EVENTS:
        if type(event) is expected:
            assert advance(state, event).state != state
        else:
            with pytest.raises(UnexpectedEventError, match=f"{stage!r} and got the event {type(event).__name__!r}"):
                advance(state, event)


@st.composite
def whatever_comes(draw: st.DrawFn) -> TurnState:
    """Drive a turn to its end with a planner, a clarifier, tools and a person that do as they like."""
    state = begin(draw(st.sampled_from(["hello", "你好"])), [], turn_id="t1")
    events = 0
    while not isinstance(state.action, Done):
        state = advance(state, draw(_answer_to(state.action))).state
        events += 1
        assert events <= 3 + 6 * MAX_PLANS
    return state


def _answer_to(action: Any) -> st.SearchStrategy[Event]:
    text = st.one_of(st.just("more"), st.none()) if not isinstance(action, Tell) else st.sampled_from(["more", None])
    calls = st.lists(
        st.builds(ToolCall, id=st.sampled_from(["", "a", "b", "a-2"]), name=st.just("find")), min_size=1, max_size=3
    )
    match action:
        case RecallMemory():
            return st.just(Recalled(RECALL))
        case Plan():
            proposals = st.one_of(
                st.just(Proposal()),
                st.just(Proposal(question="?")),
                calls.map(lambda made: Proposal(calls=tuple(made))),
                st.just(Proposal(reply="x")),
            )
            return proposals.map(Planned)
        case Calibrate():
            again: Decision = PlanAgain(policy="t", odds=ODDS, hints=(Hint("unsupported", Slot("find", "")),))
            decided = obey(after().situation, action.proposal)
            return st.sampled_from([decided, decided, again]).map(Decided)
        case Execute():
            most = len(action.outstanding)
            some = st.integers(1, most).map(lambda count: Executed((Observation(content=1),) * count))
            return st.one_of(some, some, some, st.just(Executed(None)))
        case AskUser():
            return text.map(Answered)
        case Tell():
            return text.map(Told)
        case _:
            return st.just(Remembered())


@given(whatever_comes())
def test_whatever_comes_a_turn_ends_and_every_call_is_answered_once_by_its_id(state: TurnState) -> None:
    assert state.ending is not None
    assert len(state.trace) <= MAX_PLANS
    ids = [call.id for call in state.turn.calls]
    assert len(ids) == len(set(ids))
    assert all(ids)
    acted = [decision.calls for decision in state.decisions if isinstance(decision, Act)]
    steps = [step for step in state.steps if isinstance(step, CallStep)]
    assert [step.calls for step in steps] == acted
    match state.ending:
        case "replied":
            assert state.reply is not None
        case "unanswered" | "unobserved":
            assert state.reply is None
        case "gave_up":  # without a reply only where the person had the last word
            last = state.steps[-1] if state.steps else None
            assert state.reply is not None or (isinstance(last, QuestionStep) and last.answer is not None)
    assert TurnState(**state.model_dump()) == state
