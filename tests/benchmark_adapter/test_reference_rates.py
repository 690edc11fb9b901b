"""Sessions, optimal paths and progress, by hand and against the reference evaluator's own metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.data.dataset import load_sessions
from benchmark_adapter.runs.launch import oracles
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.official import write_official
from benchmark_adapter.runs.run_directory import open_run
from benchmark_adapter.runs.run_scoring import measure
from benchmark_adapter.runs.runner import Setup, play
from benchmark_adapter.scoring.bootstrap import point
from benchmark_adapter.scoring.metrics import ScoredTurn, draws_once
from benchmark_adapter.scoring.reference_rates import reference_rates, session_rate
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import call, final, library_topics, reference_turn, scored, write_topics
from tests.fakes import HashingEmbedder, obey

_TWO_STEPS = [call("search_books", {"title": "Dune"}), final(after=[0])]


def _turn(person: str, task_type: str, *, optimal: bool = False, steps: int = 0, right: bool = False) -> ScoredTurn:
    reference = reference_turn(*_TWO_STEPS, session=person, task_type=task_type)
    return scored(reference, is_correct=right, is_optimal=optimal, steps_in_log=steps)


def _rates(turns: list[ScoredTurn]) -> dict[str, dict[str, float | None]]:
    rates = reference_rates(turns, draws_once(turns))
    return {name: {key: point(value) for key, value in pair.items()} for name, pair in rates.items()}


def test_rates_are_pooled_or_the_mean_over_persons_with_0_for_who_has_no_such_turn() -> None:
    turns = [
        _turn("ann", "Parallel Multi-Tool", optimal=True),
        _turn("ann", "Mixed Multi-Tool", optimal=False, steps=1),
        _turn("ann", "Sequential Multi-Tool", optimal=True, steps=3),  # more steps than the reference has
        _turn("ann", "Single-Tool", optimal=True, steps=2),  # counts in neither
        _turn("bob", "Single-Tool", optimal=True, steps=2),
    ]

    assert _rates(turns) == {
        "optimal": {"macro": 0.25, "micro": 0.5},  # ann 1 of 2, bob none: 0
        "progress": {"macro": 0.5, "micro": 1.0},  # ann (1 + 3) of (2 + 2)
    }


def test_rates_of_nothing_are_undefined() -> None:
    assert _rates([]) == {key: {"macro": None, "micro": None} for key in ("optimal", "progress")}
    assert _rates([_turn("ann", "Chat")]) == {key: {"macro": 0.0, "micro": None} for key in ("optimal", "progress")}


def test_a_session_is_right_if_every_turn_is() -> None:
    turns = [_turn("ann", "Chat", right=True), _turn("ann", "Chat"), _turn("bob", "Chat", right=True)]

    assert session_rate(turns) == {"macro": 0.5, "micro": 0.5}
    assert session_rate([]) == {"macro": None, "micro": None}


@pytest.mark.parametrize("strategy", ["full", "none"])
def test_they_are_the_numbers_of_the_metric_files(tmp_path: Path, strategy: str) -> None:
    types = iter(["Sequential Multi-Tool", "Mixed Multi-Tool", "Chat", "Parallel Multi-Tool", "Mixed Multi-Tool"])
    topics: list[dict[str, Any]] = library_topics()
    for topic in topics:
        topic["task_types"] = [next(types) for _ in topic["task_types"]]
    write_topics(tmp_path / "data" / "ann.jsonl", topics)
    sessions = load_sessions(tmp_path / "data")
    setup = Setup(oracles(sessions), obey, strategy, 0, HashingEmbedder(), similarity="fallback")
    with open_run(tmp_path / "run", Manifest(**{**FIELDS, "similarity": "fallback"})) as run:
        play(sessions, setup, run)
        ours = measure(run, sessions)["reference"]
        (path,) = write_official(run, sessions).rglob("*_metric.json")

    theirs = json.loads(path.read_text())
    assert ours == {
        "sessions": dict.fromkeys(("macro", "micro"), theirs["total_info"]["session"]["accuracy"]),
        "optimal": dict.fromkeys(("macro", "micro"), theirs["optimal_info"]["Total"]["accuracy"]),
        "progress": dict.fromkeys(("macro", "micro"), theirs["progress_info"]["Total"]["rate"]),
    }
    assert 0 < ours["progress"]["micro"] < 1
