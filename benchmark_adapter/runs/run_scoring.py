"""From the replies of a run to its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agent.providers import Prices
from benchmark_adapter.data.dataset import Session
from benchmark_adapter.data.source import BUNDLED, data_hash, read_data
from benchmark_adapter.errors import BenchmarkError
from benchmark_adapter.runs.run_directory import RunDirectory, read_run
from benchmark_adapter.runs.runner import limited
from benchmark_adapter.scoring.exact import score_verdict
from benchmark_adapter.scoring.metrics import ScoredTurn
from benchmark_adapter.scoring.relaxed import PlayedTurn, score_relaxed
from benchmark_adapter.scoring.run_metrics import compute_metrics
from benchmark_adapter.scoring.turn_outcome import outcome_of
from benchmark_adapter.scoring.turn_verdict import follow, judge
from benchmark_adapter.scoring.value_sources import Earlier


class Finished(NamedTuple):
    """A run with its numbers."""

    run: RunDirectory
    metrics: dict[str, Any]


class JudgedTurn(NamedTuple):
    """A turn with its scores, and as it was played."""

    scored: ScoredTurn
    played: PlayedTurn


def score_run(path: Path, *, data: Path | None = None, toolsets: Path | None = None) -> Finished:
    """Score a run directory again, from its replies and the data it was made with.

    Args:
        path: The run directory.
        data: Where the data lie now; `None`: where the run found them.
        toolsets: Likewise.

    Raises:
        RunDirectoryError: If there is no run, or it is not finished.
        BenchmarkError: If the data are not there or are not those of the run.
    """
    run, sessions = read_with_data(path, data=data, toolsets=toolsets)
    return Finished(run, measure(run, sessions))


def read_with_data(
    path: Path, *, data: Path | None = None, toolsets: Path | None = None
) -> tuple[RunDirectory, tuple[Session, ...]]:
    """Return a run and the sessions it was made with; arguments and errors as for `score_run`."""
    run = read_run(path)
    manifest = run.manifest
    located = manifest.location
    if data is None and located["data"] is not None:
        data = Path(located["data"])
        toolsets = toolsets or (Path(located["toolsets"]) if located["toolsets"] else None)
    every = read_data(data, toolsets, manifest.seed)
    if data_hash(every) != manifest.data:
        raise BenchmarkError(
            f"{path}: expected the data of the run (hash {manifest.data[:12]}), got {data or BUNDLED} with hash "
            f"{data_hash(every)[:12]}; give --data and --toolsets of the run"
        )
    return run, limited(every, manifest.limit)


def measure(run: RunDirectory, sessions: Sequence[Session]) -> dict[str, Any]:
    """Return the metrics of a run, with where it lies and how long its turns took.

    Raises:
        BenchmarkError: If turns are missing.
    """
    scored = [turn.scored for turn in judged_turns(run, sessions)]
    seconds = sum(turn.line.seconds.get("turn", 0.0) for turn in scored)
    return {
        "run_dir": str(run.path),
        **compute_metrics(scored, seed=run.manifest.seed),
        "seconds": round(seconds, 3),
        "turns_per_second": round(len(scored) / seconds, 3) if seconds else None,
        **_cost(run, scored),
    }


def _cost(run: RunDirectory, turns: Sequence[ScoredTurn]) -> dict[str, float]:
    """Return what the model cost in US dollars, also after deviations; nothing where the profile states no prices."""
    if run.manifest.prices is None:
        return {}
    prices = Prices.model_validate(run.manifest.prices)
    return {"cost_usd": round(sum(prices.cost(turn.line.usage + turn.line.usage_after) for turn in turns), 6)}


def judged_turns(run: RunDirectory, sessions: Sequence[Session]) -> list[JudgedTurn]:
    """Return every turn of a run with its scores, in playing order.

    Raises:
        BenchmarkError: If turns are missing.
    """
    judged: list[JudgedTurn] = []
    missing, similarity = 0, run.manifest.similarity
    for session in sessions:
        for position, turn in enumerate(session.turns):
            line = run.line(session.name, turn.index)
            if line is None:
                missing += 1
                continue
            verdict = judge(turn, follow(turn, line.official_replies), similarity=similarity)
            exact, earlier = score_verdict(verdict), Earlier(session.turns[:position])
            played = PlayedTurn(turn, line.replies, earlier, similarity)
            relaxed = score_relaxed(played, exact) if run.manifest.relaxed else None
            judged.append(JudgedTurn(ScoredTurn(turn, line, exact, relaxed, outcome_of(verdict), earlier), played))
    if missing:
        raise BenchmarkError(
            f"{run.path}: expected {missing + len(judged)} turns, {missing} are missing; "
            "start the same `stead-bench run` again, it goes on where it stopped"
        )
    return judged
