"""Time of the memory: acknowledging a turn, following it with the index, recalling, erasing.

    python -m benchmarks.memory [--turns N] [--embedder use] [--log-url URL] [--chroma URL …]

What a turn costs is bounded below by one write that the disk confirms, so that is measured beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from memory import Memory, Scope, Turn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--pause-ms", type=float, default=30.0, help="between two turns, as people make one")
    parser.add_argument("--embedder", default="use")
    parser.add_argument("--log-url")
    parser.add_argument("--chroma", nargs="*", default=[])
    options = parser.parse_args()
    with TemporaryDirectory(prefix="stead-memory-") as folder:
        figures: dict[str, object] = {"disk_ms": _quantiles(_disk(Path(folder) / "disk", options.turns))}
        memory = Memory.open(
            Path(folder) / "memory", embedder=options.embedder, log_url=options.log_url, chroma=options.chroma
        )
        with memory:
            user = memory.user(Scope("benchmark"))
            memory.user(Scope("warm-up")).remember(_turn(0))
            memory.wait_indexed()  # loads the model and Chroma
            turns = [_turn(number) for number in range(options.turns)]
            figures["acknowledged_ms"] = _quantiles(
                [_timed(partial(user.remember, turn), pause_ms=options.pause_ms) for turn in turns]
            )
            figures["indexed_after_ms"] = _timed(memory.wait_indexed)
            figures["recalled_at_once_ms"] = _quantiles(
                [_remembered_and_found(memory, number) for number in range(options.turns, options.turns + 20)]
            )
            figures["similar_ms"] = _quantiles(
                [_timed(lambda: user.similar(["a window seat to Paris"], 8)) for _ in range(100)]
            )
            memory.wait_indexed()
            figures["erase_one_ms"] = _timed(lambda: memory.erase(user.scope, turn_ids=["0"]))
            figures["erase_user_ms"] = _timed(lambda: memory.erase(user.scope))
            memory.erase(Scope("warm-up"))
    print(json.dumps(figures, indent=2))


def _remembered_and_found(memory: Memory, number: int) -> float:
    """Return the milliseconds from remembering a turn to finding it, the index not being waited for."""
    user, turn = memory.user(Scope("benchmark")), _turn(number)

    def run() -> None:
        user.remember(turn)
        assert user.similar([turn.request], 1)[0][0].turn_id == turn.turn_id

    return _timed(run)


def _turn(number: int) -> Turn:
    return Turn(
        turn_id=str(number), request=f"Book flight {number} to Paris, a window seat, before nine", reply="Done."
    )


def _disk(path: Path, count: int) -> list[float]:
    """Return the milliseconds of so many writes of 4 KB, each confirmed by the disk."""
    with path.open("wb", buffering=0) as file:

        def write() -> None:
            file.write(bytes(4096))
            os.fsync(file.fileno())

        return [_timed(write) for _ in range(count)]


def _timed(action: Callable[[], object], *, pause_ms: float = 0.0) -> float:
    """Return the milliseconds that `action` takes, and pause afterwards."""
    begun = time.perf_counter()
    action()
    spent_ms = (time.perf_counter() - begun) * 1000
    time.sleep(pause_ms / 1000)
    return round(spent_ms, 3)


def _quantiles(values: list[float]) -> dict[str, float]:
    return {f"p{quantile}": round(float(np.percentile(values, quantile)), 3) for quantile in (50, 95, 99)}


if __name__ == "__main__":
    main()
