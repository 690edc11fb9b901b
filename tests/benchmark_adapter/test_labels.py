"""Labels: what the reference did where the agent decided, from its log."""

from __future__ import annotations

from typing import Any

from benchmark_adapter.calibration.labels import DecisionPoint, decision_points, labelled
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.replay.turn_result import Failure
from benchmark_adapter.scoring.metrics import ScoredTurn
from clarifier.calibration.fitting import Labelled
from clarifier.calibration.heads import HeadName
from clarifier.decision import Act, Answer, Ask, Hint, PlanAgain
from memory.evidence import Slot
from memory.records import ToolCall
from tests.benchmark_adapter.replies import ODDS
from tests.benchmark_adapter.topics import JsonObject, call, final, question, reference_turn, scored

_SIGNALS = {"min_c": 0.5}
_ACT = Act(policy="p", odds=ODDS, signals=_SIGNALS, calls=(ToolCall(id="c", name="reserve_book"),))
_ASK = Ask(policy="p", odds=ODDS, signals=_SIGNALS, question="Which branch?", slots=("reserve_book.branch",))
_AGAIN = PlanAgain(policy="p", odds=ODDS, signals=_SIGNALS, hints=(Hint("settled", Slot("reserve_book", "branch")),))
_REPLY = Answer(policy="p", odds=ODDS, reply="Done.")
_RESERVE = call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "reserved")
_ASKS = [
    question("reserve_book", ["branch"], "Which branch?", "Old Mill."),
    call("reserve_book", {"book_id": "B-17", "branch": "Old Mill"}, "reserved", after=[0]),
    final(after=[1]),
]
_ACTS = [_RESERVE, final(after=[0])]


def reserving(branch: str, tool: str = "reserve_book") -> Reply:
    arguments = f'{{"book_id": "B-17", "branch": "{branch}"}}'
    return Reply(calls=(WrittenCall(id="c", name=tool, arguments=arguments),))


def asking() -> Reply:
    return Reply(content="Which branch?", is_question=True, slots=("reserve_book.branch",))


def done() -> Reply:
    return Reply(content="Done.")


def played(answer: list[JsonObject], *, is_correct: bool = True, **line: Any) -> ScoredTurn:
    return scored(reference_turn(*answer), is_correct=is_correct, **line)


def labels(turn: ScoredTurn) -> list[dict[HeadName, bool]]:
    return [point.labels for point in decision_points([turn], similarity="fallback")]


def test_both_act() -> None:
    right = played(_ACTS, replies=(reserving("Old Mill"), done()), decisions=(_ACT, _REPLY))
    wrong = played(_ACTS, replies=(reserving("Station"), done()), decisions=(_ACT, _REPLY), is_correct=False)
    other = played(_ACTS, replies=(reserving("Old Mill", "renew_loans"),), decisions=(_ACT,), is_correct=False)
    assert labels(right) == [{"p_act": True, "p_calls": True}]
    assert labels(wrong) == [{"p_act": True, "p_calls": False}]
    assert labels(other) == [{"p_act": True, "p_calls": False}]


def test_both_ask_and_then_act() -> None:
    replies, decisions = (asking(), reserving("Old Mill"), done()), (_ASK, _ACT, _REPLY)
    assert labels(played(_ASKS, replies=replies, decisions=decisions)) == [
        {"p_act": False, "p_asked": True},
        {"p_act": True, "p_calls": True},
    ]
    assert labels(played(_ASKS, replies=replies, decisions=decisions, is_correct=False))[0]["p_asked"] is False


def test_one_acts_where_the_other_asks() -> None:
    too_bold = played(_ASKS, replies=(reserving("Old Mill"),), decisions=(_ACT,), is_correct=False)
    too_shy = played(_ACTS, replies=(asking(),), decisions=(_ASK,), is_correct=False)
    assert labels(too_bold) == [{"p_act": False}]
    assert labels(too_shy) == [{"p_act": True}]
    (point,) = decision_points([too_bold], similarity="fallback")
    assert (point.reference_acts, point.reference_asks, point.calls_are_right) == (False, True, False)


def test_decisions_that_teach_nothing() -> None:
    unweighed = _ACT.model_copy(update={"signals": {}})
    replies = (reserving("Old Mill"), done())
    assert labels(played(_ACTS, replies=replies, decisions=(unweighed, _REPLY))) == []
    assert labels(played(_ACTS, replies=replies, decisions=(_AGAIN, _ACT, _REPLY))) == [
        {"p_act": True, "p_calls": True}
    ]
    failure = Failure(type="E", message="", traceback="")
    assert labels(played(_ACTS, replies=replies, decisions=(_ACT, _REPLY), failure=failure)) == []


def test_what_the_heads_are_fitted_on() -> None:
    turn = played(_ACTS, replies=(reserving("Old Mill"), done()), decisions=(_ACT, _REPLY))
    points: list[DecisionPoint] = list(decision_points([turn], similarity="fallback"))
    assert labelled(points) == [Labelled(_SIGNALS, "person1", {"p_act": True, "p_calls": True})]
