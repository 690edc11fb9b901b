"""The command `stead-bench state`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmark_adapter.cli import app

TOLD = {
    "id": "seat-1",
    "language": "en",
    "kind": 2,
    "note": "a key of its owner",
    "turns": [{"request": "From now on an aisle seat"}],
}


def _file(folder: Path, *expectations: dict[str, object]) -> Path:
    path = folder / "dialogues.jsonl"
    path.write_text(json.dumps({**TOLD, "expect": list(expectations)}) + "\n", encoding="utf-8")
    return path


def test_tells_false_beliefs_from_misses(tmp_path: Path) -> None:
    expected = [{"said": "aisle", "stands": "off"}, {"said": "window", "stands": "current"}]
    result = CliRunner().invoke(app, ["state", str(_file(tmp_path, *expected)), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "right": 0,
        "total": 1,
        "missed": 1,
        "false": 1,
        "by_kind": {"2": {"right": 0, "total": 1}},
        "by_language": {"en": {"right": 0, "total": 1}},
        "failures": [
            {"dialogue": "seat-1", "is": "false", "expected": {"said": "aisle", "stands": "off"}},
            {"dialogue": "seat-1", "is": "missed", "expected": {"said": "window", "stands": "current"}},
        ],
    }


def test_a_dialogue_is_right_where_all_holds(tmp_path: Path) -> None:
    path = _file(tmp_path, {"said": "aisle", "stands": "rule"})
    result = CliRunner().invoke(app, ["state", str(path.parent)])
    assert result.exit_code == 0
    assert "1 of 1 dialogues right" in result.stdout


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"id": "x", "turns": [], "expect": [{"stands": "gone"}]}'])
def test_says_what_is_no_dialogue(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content, encoding="utf-8")
    result = CliRunner().invoke(app, ["state", str(path)])
    assert result.exit_code == 2
    assert str(path) in result.stderr
    assert "docs/state-dialogues.md" in result.stderr
