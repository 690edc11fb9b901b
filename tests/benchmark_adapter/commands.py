"""Running `stead-bench` as a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.shared import ROOT

COMMAND = [sys.executable, "-m", "benchmark_adapter"]
CLOCKS = frozenset({"seconds", "turns_per_second"})
"""Keys of what a clock said; all else of a run's files is the same whenever it is repeated."""

_LATENCY = re.compile(r'(?<="latency": )\[[^\]]*\]')
"""What a clock said, in the files of the reference layout."""


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a process that knows no endpoint, and no commit, which may change between two runs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "STEAD_"))}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "GIT_DIR": str(folder / "no-repository"),
        "COLUMNS": "80",
    }


def heed_interrupts() -> None:
    """Let Ctrl-C reach this process; a child inherits that it is ignored, as it is under `nohup`."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `stead-bench` in `folder`."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=None if sys.platform == "win32" else heed_interrupts,
    )


def finish(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `stead-bench` in `folder` to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def timeless_files(run: Path) -> dict[str, bytes | str | list[str]]:
    """Return the files of a run directory without what clocks said and where it lies; text otherwise as it stands."""
    return {
        "manifest.json": (run / "manifest.json").read_bytes(),
        "turns.jsonl": [_timeless(line) for line in (run / "turns.jsonl").read_text("utf-8").splitlines()],
        "metrics.json": _timeless((run / "metrics.json").read_text("utf-8"), "run_dir"),
        "official": [
            f"{path.relative_to(run)}: {_LATENCY.sub('', path.read_text('utf-8'))}"
            for path in sorted((run / "official").rglob("*.json*"))
        ],
        "others": sorted(path.name for path in run.iterdir()),
    }


def turns_done(run: Path) -> int:
    """Return how many whole lines `turns.jsonl` has."""
    path = run / "turns.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _timeless(text: str, *others: str) -> str:
    value = json.loads(text)
    return json.dumps({key: value[key] for key in value if key not in CLOCKS.union(others)}, ensure_ascii=False)


def repeated(topics: Sequence[dict[str, Any]], times: int) -> list[dict[str, Any]]:
    """Return the topics over and over, a month apart, with ids and gold evidence of their own."""
    made = []
    for round_ in range(times):
        for topic in topics:
            text = json.dumps(topic).replace("topic_", f"round{round_}_topic_")
            year = 2026 + round_ // 12
            made.append(json.loads(text.replace("2026-03-", f"{year}-{round_ % 12 + 1:02}-")))
    return made
