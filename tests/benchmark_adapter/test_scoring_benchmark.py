"""The benchmark of scoring: its turns are what they are called, and its bounds are told when they do not hold."""

from __future__ import annotations

import json

import pytest

from benchmark_adapter.scoring.exact import score_turn
from benchmarks import scoring
from benchmarks.scoring import Reading, bound_lines, chain, diamonds, independent, replies_to, turn_of


def test_the_shapes_are_what_they_are_called() -> None:
    assert independent(3) == [(), (), ()]
    assert chain(3) == [(), (0,), (1,)]
    assert diamonds(6) == [(), (0,), (0,), (1, 2), (3,), (4,)]


def test_replies_make_every_call_as_soon_as_it_may_be_made_or_one_at_a_time() -> None:
    together = replies_to(diamonds(4), together=True)
    one_by_one = replies_to(diamonds(4), together=False)

    assert [[call.name for call in reply.calls] for reply in together] == [
        ["tool_000"],
        ["tool_001", "tool_002"],
        ["tool_003"],
        [],
    ]
    assert [len(reply.calls) for reply in one_by_one] == [1, 1, 1, 1, 0]
    assert score_turn(turn_of(diamonds(4)), together, similarity="fallback").label == "correct"


def test_a_bound_that_does_not_hold_is_told_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readings = [Reading(shape, calls, bound / 2, None) for (shape, calls), bound in scoring.BOUNDS_S.items()]
    slow = [*readings[1:], Reading("independent calls", 8, 0.020, None)]
    monkeypatch.setattr(scoring, "all_readings", lambda enumerate_to: slow)

    assert [holds for holds, _ in bound_lines(readings)] == [True, True, True, True]
    assert scoring.main(["--json"]) == 1
    bounds = json.loads(capsys.readouterr().out)["bounds"]
    assert (
        bounds["8 independent calls: 20.00 ms (7,500 times faster than recorded); the bound of 15 ms does NOT hold"]
        is False
    )
    assert list(bounds.values()) == [False, True, True, True]


def test_every_figure_is_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(scoring, "INDEPENDENT", (2, 8, 64))
    monkeypatch.setattr(scoring, "BESIDE_QUESTION", (2,))
    monkeypatch.setattr(scoring, "LONG", (200,))
    monkeypatch.setattr(scoring, "REPEATS", 1)
    # A busy machine may miss a bound here; that all rows are there does not depend on it.
    scoring.main(["--json", "--enumerate-to", "2"])

    rows = json.loads(capsys.readouterr().out)["readings"]
    assert [(row["shape"], row["calls"]) for row in rows] == [
        *[("independent calls", n) for n in (2, 8, 64)],
        ("calls, question", 2),
        ("chain", 200),
        ("diamonds", 200),
        ("listing all paths", 2),
        *[("recorded reference", n) for n in (7, 8)],
    ]
    assert all(row["seconds"] > 0 for row in rows)
    assert all(row["peak_bytes"] > 0 for row in rows[:-2])
