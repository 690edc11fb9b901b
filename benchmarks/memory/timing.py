"""Clocks, quantiles and the state of the machine."""

from __future__ import annotations

import gc
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from memory import Memory
from memory.embedder import Embedder

Figures = dict[str, Any]
"""Figures by name, as they go into JSON; milliseconds where a name says nothing else."""


def timed_ms(action: Callable[[], object]) -> float:
    """Return the milliseconds that `action` takes."""
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def quantiles_ms(values: Sequence[float]) -> Figures:
    """Return median, 95th percentile and number of readings."""
    return {
        "p50": round(float(np.percentile(values, 50)), 3),
        "p95": round(float(np.percentile(values, 95)), 3),
        "n": len(values),
    }


def median_of(readings: Sequence[float]) -> Figures:
    """Return the median of a few whole runs, and all of them: how far they lie apart is part of the answer."""
    return {"median": round(median(readings), 3), "runs": [round(reading, 3) for reading in sorted(readings)]}


def median_quantiles(runs: Sequence[Sequence[float]]) -> Figures:
    """Return the medians over runs of each run's quantiles."""
    each = [quantiles_ms(run) for run in runs]
    return {
        **{name: round(median(run[name] for run in each), 3) for name in ("p50", "p95")},
        "n": sum(len(run) for run in runs),
        "runs": len(runs),
    }


def disk_ms(folder: Path, count: int, *, size: int = 4096) -> list[float]:
    """Return the milliseconds of so many appends of `size` bytes, each confirmed by the disk."""
    with (folder / "disk").open("wb", buffering=0) as file:

        def write() -> None:
            file.write(bytes(size))
            os.fsync(file.fileno())

        return [timed_ms(write) for _ in range(count)]


def resident_mib() -> float | None:
    """Return the memory of this process in MiB, `None` where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    gc.collect()
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
    return round(int(line.split()[1]) / 1024, 1)


def machine() -> Figures:
    """Return what ran this and how busy it was."""
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_1_5_15_min": [round(load, 2) for load in os.getloadavg()],
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1),
    }


def opened(folder: Path, embedder: Embedder | str, **options: Any) -> Memory:
    """Open a memory in a new folder below `folder`, or in that of this embedder that is there."""
    name = embedder if isinstance(embedder, str) else embedder.fingerprint
    return Memory.open(folder / f"memory-{name.replace(':', '-')}", embedder=embedder, **options)
