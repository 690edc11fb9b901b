"""`compare`: paired differences, what is refused, and how it is shown."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmark_adapter.data.dataset import Session, load_sessions
from benchmark_adapter.data.source import data_hash
from benchmark_adapter.errors import BenchmarkError, ManifestMismatchError, MissingExtraError, RunDirectoryError
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.replay.turn_result import TurnLine
from benchmark_adapter.reports.run_comparison import ComparedMetric, Difference, RunComparison, compare_runs
from benchmark_adapter.reports.run_comparison_plot import plot_comparison
from benchmark_adapter.reports.run_comparison_table import comparison_tables
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_directory import open_run
from tests.benchmark_adapter.test_manifest import FIELDS
from tests.benchmark_adapter.topics import library_topics, write_topics


@pytest.fixture
def sessions(tmp_path: Path) -> tuple[Session, ...]:
    """Two persons of two topics each: a search, a question with a reservation, chat; then two more turns."""
    for name in ("ann", "bob"):
        write_topics(tmp_path / "data" / f"{name}.jsonl", library_topics())
    return load_sessions(tmp_path / "data")


_SEARCHED = Reply(calls=(WrittenCall(id="c", name="search_books", arguments='{"title": "Dune"}'),))
_DONE = Reply(content="Done.")


def _write(path: Path, sessions: tuple[Session, ...], *, searches: bool, turns: int = 5, **changes: Any) -> Path:
    """Write a run that says "Done." at once in every turn, after the search it needs in the first if it `searches`.

    So the chat turn (the third) is right, and the first is where it searches.
    """
    location = {"data": str(path.parent / "data"), "toolsets": None}
    fields = {**FIELDS, "data": data_hash(sessions), "similarity": "fallback", "relaxed": False, "location": location}
    with open_run(path, Manifest(**{**fields, **changes})) as run:
        for session in sessions:
            for turn in range(turns):
                replies = (_SEARCHED, _DONE) if searches and turn == 0 else (_DONE,)
                run.append(TurnLine(session=session.name, turn=turn, label="error", replies=replies))
    return path


def test_differences_are_this_less_the_first_on_the_same_draws(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    idle = _write(tmp_path / "idle", sessions, searches=False)
    searching = _write(tmp_path / "searching", sessions, searches=True, memory="full")

    found = compare_runs([idle, searching, idle])

    assert found.n == 10
    assert found.changes(found.runs[1]) == {"memory": ("stead", "full")}
    assert found.metrics["exact.ST"] == ComparedMetric(
        (0.0, 0.5, 0.0),
        # One of each person's two ST turns. A draw may take its topic twice or never.
        (Difference(0.5, [0.0, 1.0]), Difference(0.0, [0.0, 0.0])),
    )
    assert found.metrics["exact.Chat"] == ComparedMetric((1.0, 1.0, 1.0), (Difference(0.0, [0.0, 0.0]),) * 2)
    assert found.metrics["calibration.ece"] == ComparedMetric((None,) * 3, (Difference(None, None),) * 2)
    assert not any(path.startswith("relaxed") for path in found.metrics)


def test_pairing_takes_away_what_topics_have_in_common(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    one = _write(tmp_path / "one", sessions, searches=True)
    same = _write(tmp_path / "same", sessions, searches=True, seed=7)

    found = compare_runs([one, same])

    assert {metric.differences[0].difference for metric in found.metrics.values()} == {0.0, None}
    assert {str(metric.differences[0].ci95) for metric in found.metrics.values()} == {"[0.0, 0.0]", "None"}


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ([0.1, 0.2], True),
        ([-0.2, -0.1], True),
        ([-0.1, 0.2], False),
        ([0.0, 0.0], False),
        ([0.0, 0.2], False),
        (None, False),
    ],
)
def test_an_interval_leaves_0_out_if_it_has_one_sign(interval: list[float] | None, expected: bool) -> None:
    assert Difference(0.1, interval).excludes_zero == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [("data", "0" * 64), ("scorer", "0"), ("similarity", "rouge"), ("view", "extended"), ("limit", 3)],
)
def test_runs_that_did_not_measure_the_same_are_refused_by_the_field(
    tmp_path: Path, sessions: tuple[Session, ...], field: str, value: Any
) -> None:
    """Case B37: the rest of a manifest may differ, since all are scored again by one evaluator."""
    first = _write(tmp_path / "first", sessions, searches=False)
    other = _write(tmp_path / "other", sessions, searches=False, memory="full", **{field: value})

    with pytest.raises(ManifestMismatchError, match=f"other: expected equal manifests, got {field}: ") as caught:
        compare_runs([first, other])

    assert caught.value.differences.keys() == {field}  # the strategy may differ


def test_unfinished_runs_are_refused(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    first = _write(tmp_path / "first", sessions, searches=False)
    cut = _write(tmp_path / "cut", sessions, searches=False, turns=4)

    with pytest.raises(BenchmarkError, match="cut: expected 10 turns, 2 are missing"):
        compare_runs([first, cut])


def test_runs_without_their_data_are_refused(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    runs = [_write(tmp_path / name, sessions, searches=False) for name in ("first", "other")]
    write_topics(tmp_path / "data" / "ann.jsonl", library_topics()[:1])

    with pytest.raises(BenchmarkError, match="expected the data of the run"):
        compare_runs(runs)
    (tmp_path / "data").rename(tmp_path / "moved")
    with pytest.raises(BenchmarkError, match="data: nothing is there; expected a folder"):
        compare_runs(runs)
    write_topics(tmp_path / "moved" / "ann.jsonl", library_topics())
    assert compare_runs(runs, data=tmp_path / "moved").n == 10


def test_what_is_no_run_and_one_run_alone_are_refused(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    first = _write(tmp_path / "first", sessions, searches=False)

    with pytest.raises(RunDirectoryError, match=r"expected a run directory with manifest\.json"):
        compare_runs([first, tmp_path / "data"])
    with pytest.raises(BenchmarkError, match="expected at least two runs to compare, got 1"):
        compare_runs([first])


def test_json_has_runs_with_what_changed_and_every_metric(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    first = _write(tmp_path / "first", sessions, searches=False)
    other = _write(tmp_path / "other", sessions, searches=True, memory_of="bob")

    printed = json.loads(json.dumps(compare_runs([first, other]).as_json()))

    assert printed.keys() == {"n", "runs", "metrics"}
    assert printed["runs"] == [
        {"run_dir": str(first), "title": "rules planner, stead memory, benchmark policy", "changes": {}},
        {
            "run_dir": str(other),
            "title": "rules planner, stead memory of bob, benchmark policy",
            "changes": {"memory_of": [None, "bob"]},
        },
    ]
    assert printed["metrics"]["exact.ST"] == {
        "values": [0.0, 0.5],
        "differences": [{"difference": 0.5, "ci95": [0.0, 1.0]}],
    }


def _table(found: RunComparison, *, full: bool = False) -> tuple[dict[str, list[str]], str]:
    """Return the rows of the table by their first cell, and all that is printed, with single blanks."""
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(comparison_tables(found, full=full))
    printed = console.export_text()
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in printed.splitlines() if "│" in line]
    return {row[0]: row[1:] for row in rows}, " ".join(printed.split())


def test_the_table_has_settings_and_numbers_that_differ_or_matter(
    tmp_path: Path, sessions: tuple[Session, ...]
) -> None:
    first = _write(tmp_path / "first", sessions, searches=False)
    other = _write(tmp_path / "other", sessions, searches=True, memory="full", heads="f" * 64)
    found = compare_runs([first, other])
    found.metrics["exact.MT"] = ComparedMetric((0.0, 0.25), (Difference(0.25, [0.125, 0.5]),))
    found.metrics["exact.Chat"] = ComparedMetric((0.5, 0.25), (Difference(-0.25, [-0.5, 0.0]),))

    rows, text = _table(found)

    assert rows["memory"] == ["stead", "full", "", ""]
    assert rows["heads"][1] == "ffffffff"
    assert "planner" not in rows
    assert rows["exact.ST"] == ["0.0", "50.0", "+50.0", "+0.0…+100.0"]
    assert rows["exact.MT"] == ["0.0", "25.0", "+25.0*", "+12.5…+50.0"]
    assert rows["expected_cost"] == ["0.000", "0.000", "+0.000", "+0.000…+0.000"]
    assert "calibration.ece" not in rows  # neither run has it
    assert "exact.Chat" not in rows  # it may be chance, and is not among those that matter to most
    assert _table(found, full=True)[0]["exact.Chat"] == ["50.0", "25.0", "-25.0", "-50.0…+0.0"]
    assert "numbers that do not differ beyond chance; --full shows them." in text
    assert "Left out" not in _table(found, full=True)[1]


def test_of_three_runs_the_table_leaves_the_intervals_to_full(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    found = compare_runs(
        [
            _write(tmp_path / name, sessions, searches=searches, memory=name)
            for name, searches in (("none", False), ("full", True), ("dense", False))
        ]
    )

    rows, text = _table(found)

    assert rows["memory"] == ["none", "full", "", "dense", ""]
    assert rows["exact.ST"] == ["0.0", "50.0", "+50.0", "0.0", "+0.0"]
    assert "Left out: the intervals and" in text


def test_a_figure_is_drawn(tmp_path: Path, sessions: tuple[Session, ...]) -> None:
    pytest.importorskip("matplotlib")
    first = _write(tmp_path / "first", sessions, searches=False)
    others = [_write(tmp_path / name, sessions, searches=True, memory=name) for name in ("full", "dense")]

    plot_comparison(compare_runs([first, *others]), tmp_path / "figure.png")

    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize(("name", "problem"), [("figure.wav", "ends in .png"), ("none/figure.png", "cannot write")])
def test_a_figure_that_cannot_be_written_is_an_error(
    tmp_path: Path, sessions: tuple[Session, ...], name: str, problem: str
) -> None:
    pytest.importorskip("matplotlib")
    first = _write(tmp_path / "first", sessions, searches=False)

    with pytest.raises(BenchmarkError, match=problem):
        plot_comparison(compare_runs([first, first]), tmp_path / name)


def test_without_matplotlib_the_hint_says_what_to_install(
    tmp_path: Path, sessions: tuple[Session, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _write(tmp_path / "first", sessions, searches=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'stead\[plots\]'"):
        plot_comparison(compare_runs([first, first]), tmp_path / "figure.png")
