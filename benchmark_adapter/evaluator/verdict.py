"""The verdict on a turn: action label, argument label and optimality as the reference evaluator gives them.

Arguments are checked after a turn, from its log, and only where the names were accepted (conformance notes, 24-29).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmark_adapter.data.reference import PSEUDO_ACTIONS, Action
from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.arguments import CORRECT, check_arguments, functions_by_name
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Crash, Follower, Step

Label = Literal["correct", "error"]

UNFINISHED = "the turn was not finished"


@dataclass(frozen=True)
class StepCheck:
    """What the argument check said about one step."""

    index: int
    """The step's position in the log."""
    results: tuple[str, ...]
    """`correct` or a message for each call, in the order they were compared."""
    call_ids: tuple[str, ...]
    """The predicted calls in that order."""

    @property
    def is_correct(self) -> bool:
        return all(result == CORRECT for result in self.results)


@dataclass(frozen=True)
class Verdict:
    """How a turn is scored."""

    action_label: Label
    """After the argument check, which turns it to `correct` at the first step with wrong arguments."""
    argument_label: Label
    """`correct` also where nothing was checked."""
    is_optimal: bool
    raw_action_label: Label
    """Before the argument check."""
    raw_is_optimal: bool
    n_steps: int
    """Replies in the log, the refused one included."""
    steps_left_in_log: int
    """The same after the argument check, which drops the step after the first with wrong arguments."""
    checks: tuple[StepCheck, ...] = ()
    """Steps whose arguments were checked, in order; only the last can be wrong."""
    dropped_step: int | None = None
    """Position of the dropped step; steps after it stay."""
    reason: str | None = None
    """Why the turn is wrong, in the words of the first thing that was; None if it is correct."""
    crash: Crash | None = None
    """Set where the reference evaluator raises instead of giving a verdict; the labels then are ours."""

    @property
    def label(self) -> Label:
        return "correct" if self.is_correct else "error"

    @property
    def is_correct(self) -> bool:
        return self.crash is None and self.action_label == self.argument_label == "correct"


def verdict(follower: Follower, tools: Sequence[Mapping[str, Any]], *, similarity: SimilarityMode) -> Verdict:
    """Return the verdict on a turn that was followed to its end; one that was not is wrong.

    Args:
        follower: With the turn's log.
        tools: The tools on offer as `convert_tools` gives them for the model.
        similarity: Second similarity of texts.
    """
    steps = follower.steps
    finished = bool(steps) and steps[-1].is_final_answer
    raw_label: Label = "correct" if finished else "error"
    raw_optimal = finished and follower.graph is not None and len(steps) == follower.graph.shortest_length
    if follower.crash is not None:
        return _crashed(follower.crash, raw_label, raw_optimal, len(steps), ())
    functions = functions_by_name(tools)
    checks: list[StepCheck] = []
    for step in steps:
        if not step.accepted:
            break
        if not has_arguments_to_check(step):
            continue
        try:
            check = check_step(step, functions, similarity)
        except ReferenceCrashError as exc:
            crash = Crash("params_checker", exc.type_name, exc.detail)
            return _crashed(crash, raw_label, raw_optimal, len(steps), tuple(checks))
        checks.append(check)
        if not check.is_correct:
            return _wrong_arguments(check, raw_label, raw_optimal, len(steps), tuple(checks))
    return Verdict(
        action_label=raw_label,
        argument_label="correct",
        is_optimal=raw_optimal,
        raw_action_label=raw_label,
        raw_is_optimal=raw_optimal,
        n_steps=len(steps),
        steps_left_in_log=len(steps),
        checks=tuple(checks),
        reason=None if finished else (steps[-1].reason if steps else None) or UNFINISHED,
    )


def check_step(step: Step, functions: Mapping[str, Any], similarity: SimilarityMode) -> StepCheck:
    """Return the argument check of one accepted step with calls.

    Predicted calls are sorted by name and argument text, reference calls by name and JSON text; so the pairing of
    several calls of one tool depends on how the model spells them.

    Raises:
        ReferenceCrashError: Where the reference evaluator raises.
    """
    try:
        predicted = sorted(step.calls, key=lambda call: (call.name, call.arguments))
    except TypeError as exc:
        raise ReferenceCrashError("TypeError", str(exc)) from exc
    expected = sorted((action.name, argument_text(action)) for action in step.actions)
    return StepCheck(
        index=step.index,
        results=tuple(
            check_arguments(functions, name, call.arguments, reference, similarity)
            for call, (name, reference) in zip(predicted, expected, strict=True)
        ),
        call_ids=tuple(call.id for call in predicted),
    )


def argument_text(action: Action) -> str:
    """Return the arguments of a reference action as the JSON text that predictions are compared with.

    Arguments that the data set holds as text become a JSON string, which no object can match.
    """
    return json.dumps(action.arguments, ensure_ascii=False)


def has_arguments_to_check(step: Step) -> bool:
    """Whether a step, once accepted, has its arguments checked: calls that stand for no question or final answer."""
    return step.kind == "calls" and not any(action.name in PSEUDO_ACTIONS for action in step.actions)


def _wrong_arguments(
    wrong: StepCheck, raw_label: Label, raw_optimal: bool, n_steps: int, checks: tuple[StepCheck, ...]
) -> Verdict:
    dropped = wrong.index + 1 if wrong.index + 1 < n_steps else None
    return Verdict(
        action_label="correct",
        argument_label="error",
        is_optimal=False,
        raw_action_label=raw_label,
        raw_is_optimal=raw_optimal,
        n_steps=n_steps,
        steps_left_in_log=n_steps - (dropped is not None),
        checks=checks,
        dropped_step=dropped,
        reason=next(result for result in wrong.results if result != CORRECT),
    )


def _crashed(crash: Crash, raw_label: Label, raw_optimal: bool, n_steps: int, checks: tuple[StepCheck, ...]) -> Verdict:
    return Verdict(
        action_label=raw_label,
        argument_label="error" if crash.stage == "params_checker" else "correct",
        is_optimal=False,
        raw_action_label=raw_label,
        raw_is_optimal=raw_optimal,
        n_steps=n_steps,
        steps_left_in_log=n_steps,
        checks=checks,
        reason=crash.reason,
        crash=crash,
    )
