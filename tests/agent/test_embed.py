"""The example of the README runs as printed there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_example_asks_once_and_then_acts_on_the_answer() -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "embed.py")]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, timeout=120, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    first, second = run.stdout.split("Ada:")[1:]
    assert first.count("asked: ") == 1
    assert "made:  book_desk {'date': '2026-03-12', 'floor': 'garden'}" in first
    assert "asked: " not in second
    assert "made:  book_desk {'date': '2026-03-17', 'floor': 'garden'}" in second
    assert "why:   book_desk.date = 2026-03-17 (request, 1.00)" in second
    assert second.rstrip().endswith("t1")
