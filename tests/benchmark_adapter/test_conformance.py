"""Agreement with recordings of the reference evaluator, and the replay itself."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.errors import DatasetError
from benchmark_adapter.evaluator.comparison import first_difference
from benchmark_adapter.evaluator.conformance import FAMILIES, Disagreement, FamilyReport, Report, verify, verify_family
from benchmark_adapter.evaluator.similarity import SimilarityMode
from tests.shared import shared_path

FIRST_SHORTEST = [[0, 1]]
PATHS = {
    "case_id": "own-1",
    "nodes": [{"name": "b", "dependency_list": []}, {"name": "a", "dependency_list": []}],
    "official": {
        "n_paths": 3,
        "min_length": 1,
        "n_shortest": 1,
        "first_shortest": FIRST_SHORTEST,
        "sha256_of_all_paths": "d09fc4b6c16a1f3a9930cbe634dc331a889b4bf90de3c6d95fe7c616b1f90d89",
        "paths": [[[0], [1]], [[1], [0]], [[0, 1]]],
    },
}
NO_PATHS = {"n_paths": 0, "min_length": 99999, "n_shortest": 0, "first_shortest": None, "paths": []}
CYCLES = [
    {
        "case_id": f"own-cycle-{index}",
        "nodes": [{"name": "a", "dependency_list": one} for one in before],
        "official": NO_PATHS | {"sha256_of_all_paths": hashlib.sha256(b"[]").hexdigest()},
    }
    for index, before in enumerate(([[1], [0]], [[0]], [[1], [0], []]))
]
CRASH = {
    "case_id": "own-2",
    "nodes": [{"name": "a", "dependency_list": [5]}],
    "official": {"raises": {"type": "KeyError", "message": "5"}},
}


def recorded(family: str) -> Path:
    folder = shared_path("conformance")
    names = (f"{family}.jsonl", f"{family}.jsonl.gz")
    return next(path for path in (folder / name for name in names) if path.is_file())


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("similarity", ["rouge", "fallback"])
@pytest.mark.parametrize(
    "family",
    [
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("arguments", "trajectory", "sessions", "metrics")),
        *(name for name in FAMILIES if name not in ("arguments", "trajectory", "sessions", "metrics")),
    ],
)
def test_every_recording_agrees(family: str, similarity: SimilarityMode) -> None:
    report = verify_family(family, recorded(family), similarity=similarity)

    assert report.disagreements == ()
    assert report.agree == report.total > 0


def test_a_folder_reports_by_family(tmp_path: Path) -> None:
    write(tmp_path / "paths.jsonl", PATHS, CRASH)
    with gzip.open(tmp_path / "segments.jsonl.gz", "wt", encoding="utf-8") as file:
        rows = [["first_third", 0, 1], ["middle_third", 1, 1], ["last_third", 1, 1]]
        file.write(json.dumps({"case_id": "own-3", "total_turns": 1, "segments": rows}))
    (tmp_path / "notes.jsonl").write_text("not a family", encoding="utf-8")

    report = verify(tmp_path)

    assert report.all_agree
    assert report.as_json() == {
        "families": {"paths": {"agree": 2, "total": 2}, "segments": {"agree": 1, "total": 1}},
        "agree": 3,
        "total": 3,
    }


def test_a_graph_with_a_cycle_has_no_path_and_the_recorded_length_of_none(tmp_path: Path) -> None:
    path = write(tmp_path / "paths.jsonl", *CYCLES)

    assert verify_family("paths", path) == FamilyReport(3, 3)


def test_a_disagreement_says_where(tmp_path: Path) -> None:
    wrong = PATHS | {"official": PATHS["official"] | {"first_shortest": [[1, 0]]}}  # type: ignore[operator]
    path = write(tmp_path / "paths.jsonl", CRASH, wrong)

    assert verify_family("paths", path) == FamilyReport(
        1, 2, (Disagreement("own-1", 2, "first_shortest[0][0]: got 0, expected 1"),)
    )
    assert not Report({"paths": FamilyReport(1, 2)}).all_agree


@pytest.mark.parametrize(
    ("family", "line", "problem"),
    [
        ("paths", {"case_id": "x"}, r"expected a vector of family 'paths'; nodes: Field required"),
        ("paths", [], r"expected a vector of family 'paths'; the line: Input should be a valid dictionary"),
        ("trajectory", {"case_id": "x", "tools": [], "answer_list": [{}]}, r"answer_list\.0\.action: Field required"),
    ],
)
def test_a_broken_vector_is_told_with_file_and_line(tmp_path: Path, family: str, line: Any, problem: str) -> None:
    path = write(tmp_path / f"{family}.jsonl", line)

    with pytest.raises(DatasetError, match=problem) as info:
        verify(tmp_path)
    assert (info.value.path, info.value.line) == (path, 1)


def test_a_folder_without_families_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="expected a file of at least one family"):
        verify(tmp_path)
    with pytest.raises(DatasetError, match="expected a folder of conformance vectors, found none"):
        verify(tmp_path / "gone")


def test_a_truncated_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "paths.jsonl.gz").write_bytes(gzip.compress(json.dumps(PATHS).encode())[:-9])

    with pytest.raises(DatasetError, match=r"paths\.jsonl\.gz: cannot be read"):
        verify(tmp_path)


@pytest.mark.parametrize(
    ("got", "expected", "difference"),
    [
        ({"a": [1, {"b": (2,)}]}, {"a": [1, {"b": [2]}]}, None),
        (0.1 + 0.2, 0.3, None),
        (float("nan"), float("nan"), None),
        (1, 1.0, None),
        (1, True, "value: got 1, expected True"),
        ("1", 1, "value: got '1', expected 1"),
        ({"a": 1}, {"a": 1, "b": None}, "b: got nothing, expected None"),
        ({"a": 1, "b": 2}, {"a": 1}, "b: got 2, expected nothing"),
        ({"a": [1, 2]}, {"a": [1]}, "a: got 2 items, expected 1"),
        (0.3 + 1e-9, 0.3, "value: got 0.300000001, expected 0.3"),
    ],
)
def test_first_difference(got: Any, expected: Any, difference: str | None) -> None:
    assert first_difference(got, expected) == difference
