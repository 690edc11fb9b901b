"""A run that was killed goes on to the very files of one that was not."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from tests.benchmark_adapter.commands import finish, repeated, start, timeless_files, turns_done
from tests.benchmark_adapter.topics import library_topics, write_topics

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]


def _data(folder: Path, *names: str, rounds: int) -> None:
    for name in names:
        write_topics(folder / "topics" / f"{name}.jsonl", repeated(library_topics(), rounds))


def _kill_after(folder: Path, turns: int, run: str, *arguments: str) -> None:
    """Start a run and kill it once it has at least `turns` turns."""
    with start(folder, *arguments, "--out", run) as process:
        try:
            deadline = time.monotonic() + 100
            while turns_done(folder / run) < turns:
                assert process.poll() is None, "the run ended before it was killed"
                assert time.monotonic() < deadline
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("planner", "names", "rounds", "kills"),
    [
        ("oracle", ["ann", "bob"], 4, [3, 25]),
        ("rules", ["ann"], 2, [4]),
    ],
)
def test_files_after_kills_are_those_of_an_uninterrupted_run(
    tmp_path: Path, planner: str, names: list[str], rounds: int, kills: list[int]
) -> None:
    _data(tmp_path, *names, rounds=rounds)
    arguments = ["run", "--data", "topics", "--planner", planner]
    whole = finish(tmp_path, *arguments, "--out", "whole")
    assert whole.returncode == 0, whole.stderr

    for turns in kills:
        _kill_after(tmp_path, turns, "killed", *arguments)
        assert turns <= turns_done(tmp_path / "killed") < len(names) * rounds * 5
        assert not (tmp_path / "killed" / "metrics.json").exists()
    resumed = finish(tmp_path, *arguments, "--out", "killed")

    assert resumed.returncode == 0, resumed.stderr
    assert timeless_files(tmp_path / "killed") == timeless_files(tmp_path / "whole")
    assert turns_done(tmp_path / "whole") == len(names) * rounds * 5


def test_two_at_once_make_the_same_files_also_after_a_kill(tmp_path: Path) -> None:
    _data(tmp_path, "ann", "bob", "cid", rounds=3)
    arguments = ["run", "--data", "topics", "--planner", "oracle"]
    assert finish(tmp_path, *arguments, "--out", "one").returncode == 0

    both = finish(tmp_path, *arguments, "--concurrency", "2", "--out", "two")
    _kill_after(tmp_path, 10, "killed", *arguments, "--concurrency", "2")
    resumed = finish(tmp_path, *arguments, "--concurrency", "2", "--out", "killed")

    assert (both.returncode, resumed.returncode) == (0, 0), both.stderr + resumed.stderr
    one = timeless_files(tmp_path / "one")
    assert timeless_files(tmp_path / "two") == one
    assert timeless_files(tmp_path / "killed") == one
