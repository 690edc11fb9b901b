"""Sessions, optimal paths and progress as the reference evaluator counts them (conformance notes, 45-47).

As there, a person without such turns enters a macro average with 0. Turns that ended in an error of ours or the
endpoint's count as wrong and the session goes on; the reference would end it there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from benchmark_adapter.evaluator.reference_metrics import MIXED, PARALLEL, SEQUENTIAL
from benchmark_adapter.scoring.bootstrap import Draws, Values
from benchmark_adapter.scoring.metrics import ScoredTurn, by_person

_OPTIMAL_TYPES, _PROGRESS_TYPES = frozenset({PARALLEL, MIXED}), frozenset({SEQUENTIAL, MIXED})


def reference_rates(turns: Sequence[ScoredTurn], draws: Draws) -> dict[str, dict[str, Values]]:
    """Return each rate as the mean over persons (`macro`) and over all (`micro`).

    `optimal`: of the parallel and mixed turns, those right in as few steps as can be. `progress`: of the reference's
    steps in sequential and mixed turns, those that were made; the refused one counts too, so it can exceed 1.
    """
    is_optimal = [turn.outcome.is_optimal for turn in turns]
    steps = [turn.outcome.steps_in_log for turn in turns]
    could_be = [turn.reference.task_type in _OPTIMAL_TYPES for turn in turns]
    progresses = [turn.reference.task_type in _PROGRESS_TYPES for turn in turns]
    return {
        "optimal": _rates(draws, np.where(could_be, is_optimal, 0), could_be),
        "progress": _rates(
            draws,
            np.where(progresses, steps, 0),
            np.where(progresses, [len(turn.reference.answer) for turn in turns], 0),
        ),
    }


def session_rate(turns: Sequence[ScoredTurn]) -> dict[str, float | None]:
    """Return the share of persons whose every turn is right; a person is one session, so both averages are one."""
    persons = by_person(turns)
    rate = sum(all(turn.is_correct for turn in person) for person in persons) / len(persons) if persons else None
    return {"macro": rate, "micro": rate}


def _rates(draws: Draws, part: ArrayLike, whole: ArrayLike) -> dict[str, Values]:
    return {"macro": draws.share_by_person(part, whole, empty=0.0), "micro": draws.share(part, whole)}
