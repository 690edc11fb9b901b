"""What fitted heads are worth: every person of finished runs is played with heads that were fitted on the others.

    python -m benchmarks.heads RUN... [--signals fusion,none] [--json]

The runs are the first row, with the heads they were made with; one row follows for each choice of signals. Labels come
from the runs alone, so that nobody is played with heads that have seen him.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from benchmark_adapter.calibration.calibrate import Pool, fit, read_pool, write_heads
from benchmark_adapter.runs.launch import RunOptions, prepare
from benchmark_adapter.runs.manifest import Manifest
from benchmark_adapter.runs.run_scoring import judged_turns, read_with_data
from benchmark_adapter.runs.runner import play
from benchmark_adapter.scoring.metrics import ScoredTurn
from benchmark_adapter.scoring.run_metrics import compute_metrics
from clarifier.calibration.heads import Ablation, load_heads

_SHOWN = {
    "exact.overall": "exact",
    "exact.micro": "micro",
    "exact.LOI": "LOI",
    "ask.over_ask": "over-ask",
    "ask.under_ask": "under-ask",
    "ask.f1": "ask F1",
    "expected_cost": "cost",
    "calibration.ece": "ECE",
    "calibration.brier": "Brier",
    "calibration.auroc": "AUROC",
}
"""Metric path to heading."""


def replayed(
    pool: Pool, runs: Sequence[Path], ablation: Ablation, *, policy: str | None = None
) -> Iterator[ScoredTurn]:
    """Yield every turn of the runs, played again with heads that were fitted on all other persons.

    Args:
        pool: The decisions of the runs.
        runs: Their directories.
        ablation: What the heads look at.
        policy: `None`: that of the runs.
    """
    for path in runs:
        run, sessions = read_with_data(path)
        for session in sessions:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "heads.json"
                write_heads(file, fit(pool.without([session.name]), ablation, keep=load_heads()))
                options = _options(run.manifest, file, Path(folder) / "run", policy)
                launch = replace(prepare(options), sessions=(session,))
                with launch.open() as made:
                    play(launch.sessions, launch.setup, made)
                    yield from (turn.scored for turn in judged_turns(made, launch.sessions))


def _options(manifest: Manifest, heads: Path, out: Path, policy: str | None) -> RunOptions:
    data, toolsets = manifest.location["data"], manifest.location["toolsets"]
    return RunOptions(
        data=Path(data) if data else None,
        toolsets=Path(toolsets) if toolsets else None,
        planner=manifest.planner,  # type: ignore[arg-type]  # a run was made with it
        memory=manifest.memory,
        memory_of=manifest.memory_of,
        budget=manifest.budget,
        policy=policy or manifest.policy,
        heads=str(heads),
        view=manifest.view,
        similarity=manifest.similarity,
        model=manifest.model,
        base_url=manifest.base_url,
        seed=manifest.seed,
        limit=manifest.limit,
        relaxed=False,
        out=out,
    )


def _at(metrics: Mapping[str, Any], path: str) -> float | None:
    value: Any = metrics
    for name in path.split("."):
        value = value[name]
    return value if value is None else float(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the persons of the runs again and print one row a choice of heads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--signals", default="fusion", help="comma-separated: none, stated, posterior, fusion")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    pool = read_pool(given.runs)
    own = [turn.scored for path in given.runs for turn in judged_turns(*read_with_data(path))]
    rows = {"as they were run": own}
    for name in given.signals.split(","):
        if name not in get_args(Ablation):
            parser.error(f"expected --signals out of {', '.join(get_args(Ablation))}, got {name!r}")
        rows[f"fitted on the others, signals: {name}"] = list(replayed(pool, given.runs, name))
    found = {row: compute_metrics(turns) for row, turns in rows.items()}
    shown = {row: {path: _at(metrics, path) for path in _SHOWN} for row, metrics in found.items()}
    if given.json:
        print(json.dumps(shown))
        return 0
    table = Table(title=f"{len(own)} turns of {len(pool.persons)} persons", title_justify="left")
    table.add_column("heads")
    for heading in _SHOWN.values():
        table.add_column(heading, justify="right")
    for row, values in shown.items():
        table.add_row(row, *("n/a" if value is None else f"{value:.3f}" for value in values.values()))
    Console(width=140).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
