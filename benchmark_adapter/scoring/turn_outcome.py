"""What became of the calls of a turn, beyond the exact verdict."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.arguments import CORRECT
from benchmark_adapter.evaluator.trajectory import Step
from benchmark_adapter.evaluator.verdict import check_step, has_arguments_to_check
from benchmark_adapter.scoring.turn_verdict import TurnVerdict


@dataclass(frozen=True)
class TurnOutcome:
    """What became of a turn up to its first deviation."""

    wrong_calls: tuple[str, ...] = ()
    """Names of the calls that were made and are not the reference's: all of a refused step, else those with wrong
    arguments."""
    calls_are_right: bool = False
    """Whether no call is wrong and none of the reference is undone."""
    is_optimal: bool = False
    """Whether the reference evaluator calls the path optimal."""
    steps_in_log: int = 0
    """What it counts as progress: replies, the refused one included, less one after wrong arguments."""


NO_CALLS = TurnOutcome()
"""Of a turn without a reply."""


def outcome_of(judged: TurnVerdict) -> TurnOutcome:
    """Return what became of a judged turn."""
    checked = {check.index: check.results for check in judged.verdict.checks}
    wrong: list[str] = []
    done: set[int] = set()
    for step in judged.follower.steps:
        if step.kind != "calls":
            continue
        if not step.accepted:
            wrong += [call.name for call in step.calls]
            continue
        done.update(step.matched)
        if has_arguments_to_check(step):
            results = checked.get(step.index) or _check(step, judged)
            names = sorted(call.name for call in step.calls)
            wrong += [name for name, result in zip(names, results, strict=True) if result != CORRECT]
    wanted = {node for node, one in enumerate(judged.turn.answer) if one.is_tool_call}
    verdict = judged.verdict
    return TurnOutcome(tuple(wrong), not wrong and wanted <= done, verdict.is_optimal, verdict.steps_left_in_log)


def _check(step: Step, judged: TurnVerdict) -> tuple[str, ...]:
    """Return what the argument check says of each call in order of names; where it would raise, of all."""
    try:
        return check_step(step, judged.functions, judged.similarity).results
    except ReferenceCrashError as exc:
        return (str(exc),) * len(step.calls)
