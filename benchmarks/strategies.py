"""Every memory strategy under each planner without a model: accuracy, tokens, wall time and peak memory.

    python -m benchmarks.strategies --data ../shared/utb-dev --toolsets ../shared/toolsets

Each cell is one `stead-bench run` in a process of its own and a fresh run directory: times and memory are whole.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

STRATEGIES = ("none", "recent", "lexical", "dense", "hybrid", "state", "stead", "full")
PLANNERS = ("rules", "oracle")
COLUMNS = ("overall", "ST", "MT", "LOI", "LOI_recoverable", "LOI_unrecoverable", "Chat", "last_third", "micro")


class Cell(NamedTuple):
    """One run."""

    planner: str
    strategy: str
    metrics: dict[str, Any]
    wall_s: float
    """Of the whole process, start-up and scoring included."""
    peak_mib: float
    """Most resident memory of the process."""


def measure(planner: str, strategy: str, options: Sequence[str]) -> Cell:
    """Run one cell and return it.

    Raises:
        SystemExit: If the run fails; its message has been printed.
    """
    with tempfile.TemporaryDirectory(prefix="stead-strategies-") as folder:
        out = Path(folder, "out.json")
        command = [
            sys.executable,
            "-m",
            "benchmark_adapter",
            "run",
            "--planner",
            planner,
            "--memory",
            strategy,
            "--json",
        ]
        started = time.perf_counter()
        with out.open("wb") as stdout:
            process = subprocess.Popen([*command, "--out", f"{folder}/run", *options], stdout=stdout)
            _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started
        if status:
            raise SystemExit(os.waitstatus_to_exitcode(status))
        return Cell(planner, strategy, json.loads(out.read_text("utf-8")), wall_s, usage.ru_maxrss / 1024)


def rows(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield a Markdown table: accuracies in per cent, recalled tokens a turn, seconds, MiB."""
    heads = ("planner", "memory", *(name.replace("LOI_", "").replace("_", " ") for name in COLUMNS))
    yield "| " + " | ".join((*heads, "over-ask", "under-ask", "tokens a turn", "wall s", "peak MiB")) + " |"
    yield "| --- | --- |" + " ---: |" * (len(COLUMNS) + 5)
    for cell in cells:
        shares = [cell.metrics["exact"][name] for name in COLUMNS]
        shares += [cell.metrics["ask"]["over_ask"], cell.metrics["ask"]["under_ask"]]
        written = ["n/a" if share is None else f"{100 * share:.1f}" for share in shares]
        tokens = cell.metrics["tokens"]["recall"] / cell.metrics["n"]
        numbers = (*written, f"{tokens:.0f}", f"{cell.wall_s:.1f}", f"{cell.peak_mib:.0f}")
        yield f"| {cell.planner} | {cell.strategy} | " + " | ".join(numbers) + " |"


def main() -> None:
    """Run every cell and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="a topic file or a folder of them; by default the bundled personas")
    parser.add_argument("--toolsets", help="folder that toolset numbers point to")
    parser.add_argument("--planner", action="append", choices=PLANNERS, help="only this planner (may be repeated)")
    parser.add_argument("--memory", action="append", choices=STRATEGIES, help="only this strategy (may be repeated)")
    given = parser.parse_args()
    options = [
        part for name in ("data", "toolsets") if getattr(given, name) for part in (f"--{name}", getattr(given, name))
    ]
    cells = []
    for planner in given.planner or PLANNERS:
        for strategy in given.memory or STRATEGIES:
            print(f"{planner}, {strategy} …", file=sys.stderr)
            cells.append(measure(planner, strategy, options))
    print("\n".join(rows(cells)))


if __name__ == "__main__":
    main()
