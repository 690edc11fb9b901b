"""Labels for the heads: what the reference did where the agent decided (DESIGN §6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmark_adapter.data.reference import CLARIFICATION, PSEUDO_ACTIONS
from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.arguments import CORRECT, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Follower, PredictedCall, Step
from benchmark_adapter.evaluator.verdict import check_step, has_arguments_to_check
from benchmark_adapter.replay.environment import Reply
from benchmark_adapter.scoring.metrics import ScoredTurn
from clarifier.calibration.fitting import Labelled
from clarifier.calibration.heads import HeadName
from clarifier.decision import Decision


class DecisionPoint(NamedTuple):
    """A decision on proposed calls, with what the reference does there."""

    turn: ScoredTurn
    decision: Decision
    reference_acts: bool
    """Whether a call comes next on an open path of the reference."""
    reference_asks: bool
    """Whether a question does."""
    calls_are_right: bool | None
    """Whether the calls that were made are the reference's, arguments included; `None` where none were."""

    @property
    def labels(self) -> dict[HeadName, bool]:
        """What the heads can learn here.

        `p_act`: whether the reference acts. `p_calls`, where both act: whether the calls are right. `p_asked`, where
        both ask: whether the turn came out right. What would have come of the other choice is not known.
        """
        labels: dict[HeadName, bool] = {"p_act": self.reference_acts}
        if self.reference_acts and self.calls_are_right is not None:
            labels["p_calls"] = self.calls_are_right
        if self.reference_asks and self.decision.kind == "ask":
            labels["p_asked"] = self.turn.is_correct
        return labels

    @property
    def person(self) -> str:
        """Whose turn it is."""
        return self.turn.reference.session


def labelled(points: Sequence[DecisionPoint]) -> list[Labelled]:
    """Return what the heads are fitted on."""
    return [Labelled(point.decision.signals, point.person, point.labels) for point in points]


def decision_points(turns: Sequence[ScoredTurn], *, similarity: SimilarityMode) -> Iterator[DecisionPoint]:
    """Yield the decisions on proposed calls up to the first deviation of each turn, in order.

    Left out are those that sent the planner back (it comes again with the same question) and those of turns that
    failed.
    """
    for turn in turns:
        if turn.line.failure is None:
            yield from _points_of(turn, similarity)


def _points_of(turn: ScoredTurn, similarity: SimilarityMode) -> Iterator[DecisionPoint]:
    line, reference = turn.line, turn.reference
    follower = Follower(reference.answer)
    functions = functions_by_name(convert_tools(reference.tools, "stead"))
    decisions = [decision for decision in line.decisions if decision.kind != "plan_again"]
    for decision, reply in zip(decisions, line.official_replies, strict=False):
        if follower.is_over:
            return
        names = {name for step in follower.candidates().names for name in step}
        step = _reply(follower, reply)
        if decision.signals:
            yield DecisionPoint(
                turn,
                decision,
                reference_acts=bool(names - PSEUDO_ACTIONS),
                reference_asks=CLARIFICATION in names,
                calls_are_right=_is_right(step, functions, similarity) if decision.kind == "act" else None,
            )


def _reply(follower: Follower, reply: Reply) -> Step:
    if reply.calls:
        return follower.calls([PredictedCall(call.id, call.name, call.arguments) for call in reply.calls])
    return follower.text(reply.content)


def _is_right(step: Step, functions: dict[str, object], similarity: SimilarityMode) -> bool:
    if not step.accepted or step.crash is not None:
        return False
    if not has_arguments_to_check(step):
        return True
    try:
        return all(result == CORRECT for result in check_step(step, functions, similarity).results)
    except ReferenceCrashError:
        return False
