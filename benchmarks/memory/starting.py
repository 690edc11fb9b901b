"""What starting costs: importing the package, and the first recall of a fresh process."""

from __future__ import annotations

import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.memory.timing import Figures, median_of, opened, timed_ms
from benchmarks.memory.workload import turn
from memory import Scope

RUNS = 7

_FIRST_RECALL = """
import sys, time
begun = time.perf_counter()
from memory import Memory, Scope, open_strategy
from benchmarks.memory.workload import query, tools
imported = time.perf_counter()
with Memory.open(sys.argv[1], embedder=sys.argv[2]) as memory:
    user = memory.user(Scope("starting"))
    turns = user.turns()
    read = time.perf_counter()
    recall = open_strategy("stead", user).recall(query(1), tools(), None, 600)
    recalled = time.perf_counter()
    assert recall.items and len(turns) == int(sys.argv[3])
    print(*((later - begun) * 1000 for later in (imported, read, recalled)))
"""
_LOADED = "import sys; before = set(sys.modules); {}; print(*sorted(set(sys.modules) - before))"


def first_recall(folder: Path, *, turns: int = 200, embedder: str = "use") -> Figures:
    """Measure a fresh process from its start to its first recall, the model being loaded on the way."""
    with opened(folder, embedder) as memory:
        memory.user(Scope("starting")).remember_all(turn(number) for number in range(turns))
        memory.wait_indexed()
    [place] = folder.glob("memory-*")
    command = [sys.executable, "-c", _FIRST_RECALL, str(place), embedder, str(turns)]
    stages: list[str] = []
    whole, processor, bare = [], [], []
    for _ in range(RUNS):
        bare.append(timed_ms(partial(_output, [sys.executable, "-c", "pass"])))
        begun_s = _processor_s()
        whole.append(timed_ms(lambda: stages.append(_output(command))))
        processor.append((_processor_s() - begun_s) * 1000)
    imported, read, recalled = zip(*([float(part) for part in stage.split()] for stage in stages), strict=True)
    return {
        "turns": turns,
        "bare_interpreter_ms": median_of(bare),
        "imported_after_ms": median_of(imported),
        "turns_read_after_ms": median_of(read),
        "recalled_after_ms": median_of(recalled),
        "whole_process_ms": median_of(whole),
        "whole_process_processor_ms": median_of(processor),
    }


def importing() -> Figures:
    """Measure `import memory` and `from memory import Memory`, beside the standard modules that either loads."""
    return {statement: _imported(statement) for statement in ("import memory", "from memory import Memory")}


def _imported(statement: str) -> Figures:
    loaded = _output([sys.executable, "-c", _LOADED.format(statement)]).split()
    standard = [module for module in loaded if module.partition(".")[0] in sys.stdlib_module_names]
    bare, alone, ours = f"import {', '.join(['sys', *standard])}", [], []
    for _ in range(2 * RUNS):
        alone.append(timed_ms(partial(_output, [sys.executable, "-c", bare])))
        ours.append(timed_ms(partial(_output, [sys.executable, "-c", statement])))
    more = [mine - theirs for mine, theirs in zip(ours, alone, strict=True)]
    return {"standard_modules_ms": median_of(alone), "ms": median_of(ours), "more_ms": median_of(more)}


def _processor_s() -> float:
    """Return the processor time of the processes that this one started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
