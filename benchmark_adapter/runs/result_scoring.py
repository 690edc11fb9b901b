"""From result files of somebody else's harness to the numbers of a run; what they do not say is null."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark_adapter.data.dataset import DEFAULT_SEED
from benchmark_adapter.data.source import read_data
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.runs.manifest import Similarity
from benchmark_adapter.runs.result_files import FollowedTurn, follow_results
from benchmark_adapter.runs.run_directory import MANIFEST
from benchmark_adapter.scoring.exact import score_verdict
from benchmark_adapter.scoring.metrics import ScoredTurn
from benchmark_adapter.scoring.run_metrics import compute_metrics
from benchmark_adapter.scoring.turn_outcome import outcome_of
from benchmark_adapter.scoring.turn_verdict import judge

UNKNOWN = ("relaxed", "ask", "expected_cost", "calibration", "recall")
"""Parts of the metrics that need what only a run of ours keeps: the turn after its deviation, and decisions."""


def holds_results(path: Path) -> bool:
    """Whether a path is to be read as result files: a file, or a folder that is no run directory."""
    return path.is_file() or (path.is_dir() and not (path / MANIFEST).is_file())


def score_results(
    path: Path, *, data: Path | None = None, toolsets: Path | None = None, similarity: Similarity = "rouge"
) -> dict[str, Any]:
    """Return the metrics of result files, with the keys of a run's.

    Args:
        path: A result file or a folder of those of one model.
        data: The data they are of; `None`: the bundled personas.
        toolsets: Where toolset numbers point to.
        similarity: How texts are compared.

    Raises:
        DatasetError: If a file is damaged, or is not of these data.
        BenchmarkError: If the data cannot be read.
    """
    sessions = read_data(data, toolsets, DEFAULT_SEED)
    return metrics_of(path, follow_results(path, sessions), similarity)


def metrics_of(path: Path, turns: Sequence[FollowedTurn], similarity: Similarity) -> dict[str, Any]:
    """Return the metrics of followed turns, with where their results lie."""
    metrics = compute_metrics([_scored(turn, similarity) for turn in turns])
    known = {path: one for path, one in (metrics["ci95"] or {}).items() if path.partition(".")[0] not in UNKNOWN}
    seconds = sum(turn.seconds for turn in turns)
    return {
        "run_dir": str(path),
        **metrics,
        **dict.fromkeys(UNKNOWN),
        "tokens": {**metrics["tokens"], "recall": None},
        "ci95": known or None,
        "seconds": round(seconds, 3),
        "turns_per_second": round(len(turns) / seconds, 3) if seconds else None,
    }


def _scored(followed: FollowedTurn, similarity: Similarity) -> ScoredTurn:
    turn = followed.turn
    verdict = judge(turn, followed.follower, similarity=similarity, model=followed.model)
    exact = score_verdict(verdict)
    line = TurnLine(
        session=turn.session,
        turn=turn.index,
        label=exact.label,
        reason=exact.reason,
        usage=followed.usage,
        failure=followed.failure,
        seconds={"turn": followed.seconds},
    )
    return ScoredTurn(turn, line, exact, outcome=outcome_of(verdict))
