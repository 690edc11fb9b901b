"""`stead-bench verify`: what it prints and with which status it ends."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchmark_adapter.cli import app
from tests.benchmark_adapter.test_conformance import CRASH, PATHS, write
from tests.shared import shared_path

SEGMENTS = {
    "case_id": "own-3",
    "total_turns": 5,
    "segments": [["first_third", 0, 2], ["middle_third", 2, 4], ["last_third", 4, 5]],
}
WRONG = {**SEGMENTS, "case_id": "own-4", "total_turns": 4}


def _verify(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


def _packed(path: Path, *lines: Any) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))


def _message(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_families_packed_or_not_that_all_agree_end_with_0(tmp_path: Path) -> None:
    write(tmp_path / "paths.jsonl", PATHS, CRASH)
    _packed(tmp_path / "segments.jsonl.gz", SEGMENTS)

    result = _verify(tmp_path, "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "families": {"paths": {"agree": 2, "total": 2}, "segments": {"agree": 1, "total": 1}},
        "agree": 3,
        "total": 3,
    }


def test_a_disagreement_ends_with_1_and_is_named(tmp_path: Path) -> None:
    write(tmp_path / "segments.jsonl", SEGMENTS, WRONG)

    as_json, as_table = _verify(tmp_path, "--json"), _verify(tmp_path)

    assert (as_json.exit_code, as_table.exit_code) == (1, 1)
    assert json.loads(as_json.stdout) == {
        "families": {"segments": {"agree": 1, "total": 2}},
        "agree": 1,
        "total": 2,
    }
    # Four turns are cut 2, 1, 1.
    assert "segments own-4 (line 2): [1][2]: got 3, expected 4" in " ".join(as_table.stdout.split())


def test_a_vector_whose_replay_raises_disagrees_and_the_others_still_count(tmp_path: Path) -> None:
    broken = {"case_id": "own-5", "model_name": "m", "profiles": [], "official": {}}
    write(tmp_path / "metrics.jsonl", broken)
    write(tmp_path / "segments.jsonl", SEGMENTS)

    result = _verify(tmp_path)

    assert result.exit_code == 1
    assert "metrics own-5 (line 1): the replay raises AttributeError" in " ".join(result.stdout.split())
    assert json.loads(_verify(tmp_path, "--json").stdout)["families"] == {
        "metrics": {"agree": 0, "total": 1},
        "segments": {"agree": 1, "total": 1},
    }


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (['{"case_id": "x"'], ":2: expected one JSON value a line, got text that fails"),
        (['{"case_id": "x"}'], ":2: expected a vector of family 'segments'; total_turns: Field required"),
        (["7"], ":2: expected a vector of family 'segments'; the line: Input should be a valid dictionary"),
        (["", '{"case_id": "x", "total_turns": "many", "segments": []}'], ":3: expected a vector"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_broken_line_ends_with_2_and_is_named_with_its_file(
    tmp_path: Path, lines: Sequence[str], problem: str, packed: bool
) -> None:
    text = "\n".join([json.dumps(SEGMENTS), *lines]).encode()
    path = tmp_path / ("segments.jsonl.gz" if packed else "segments.jsonl")
    path.write_bytes(gzip.compress(text) if packed else text)

    assert f"{path}{problem}" in _message(_verify(tmp_path, "--json"))


def test_a_folder_without_vectors_ends_with_2(tmp_path: Path) -> None:
    assert "expected a file of at least one family (paths, arguments, " in _message(_verify(tmp_path))
    assert "expected a folder of conformance vectors, found none" in _message(_verify(tmp_path / "gone"))
    (tmp_path / "paths.jsonl.gz").write_bytes(b"no archive")
    assert "paths.jsonl.gz: cannot be read" in _message(_verify(tmp_path))


def test_a_recorded_set_that_lacks_families_agrees(tmp_path: Path) -> None:
    for name in ("convert.jsonl", "segments.jsonl"):
        (tmp_path / name).write_bytes(shared_path("conformance", name).read_bytes())

    result = _verify(tmp_path, "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["families"] == {
        "convert": {"agree": 38, "total": 38},
        "segments": {"agree": 33, "total": 33},
    }
