"""A process that is killed at any moment loses nothing that was acknowledged, and its index heals."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory import Memory, Scope, Turn
from tests.fakes import HashingEmbedder

ANN = Scope("ann")
TURNS = 1000
LIVES = 24

WRITER = """
import os, sys, time
import chromadb
from memory import Memory, Scope, Turn
from tests.fakes import HashingEmbedder

def write(folder, start, end):
    with Memory.open(folder, embedder=HashingEmbedder(dimensions=64)) as memory:
        upsert = memory._index.upsert
        def announced(*arguments):
            os.write(1, b"indexing\\n")
            upsert(*arguments)
            os.write(1, b"indexed\\n")
        memory._index.upsert = announced
        user = memory.user(Scope("ann"))
        for number in range(start, end):
            user.remember(Turn(turn_id=str(number), request=f"turn number {number}", reply="r" * (number % 50)))
            os.write(1, b"%d\\n" % number)
        time.sleep(600)

for line in sys.stdin:  # starting Python once saves most of the time of this test
    folder, start, end = line.split()
    child = os.fork()
    if not child:
        write(folder, int(start), int(end))
    os.write(1, b"pid %d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"dead\\n")
"""


class Writers:
    """Starts writers, one after the other, and kills them."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._folder = folder

    def life(self, start: int, end: int, *, kill_at: str, delay_s: float) -> list[str]:
        """Run a writer, kill it so long after it printed a line that begins with `kill_at`, and return its lines."""
        assert self._process.stdin is not None
        print(self._folder, start, end, file=self._process.stdin, flush=True)
        lines: list[str] = []
        pid = 0
        while not (lines and lines[-1] == "dead"):
            lines.append(self._line())
            if lines[-1].startswith("pid "):
                pid = int(lines.pop().split()[1])
            if pid and kill_at in lines:
                time.sleep(delay_s)
                os.kill(pid, signal.SIGKILL)
                pid, kill_at = 0, "never"
        return lines[:-1]

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the writers are gone"
        return line.removesuffix("\n")


@pytest.fixture
def writers(tmp_path: Path) -> Iterator[Writers]:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", WRITER]  # one forks beside Chroma's threads
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Writers(process, tmp_path)
        finally:
            process.kill()


@pytest.mark.slow
def test_killed_at_random_moments_of_a_thousand_appends(writers: Writers, tmp_path: Path) -> None:
    """Half of the lives end while turns are appended, half while the index is written, each after a random delay."""
    rng = random.Random(1)
    kept = kills_in_the_index = 0
    for life in range(LIVES):
        end = max(kept + 2, (life + 1) * TURNS // LIVES)
        in_index = life % 2 == 1
        kill_at = "indexing" if in_index else str(rng.randrange(kept, end))
        lines = writers.life(kept, end, kill_at=kill_at, delay_s=rng.choice((0, 0, rng.uniform(0, 0.02))))
        acknowledged = [int(line) for line in lines if line.isdigit()]
        assert acknowledged == list(range(kept, kept + len(acknowledged)))
        kills_in_the_index += lines.count("indexing") > lines.count("indexed")
        kept = _assert_whole(tmp_path, kept + len(acknowledged))
    assert kept >= TURNS - TURNS // LIVES
    assert kills_in_the_index >= 3


def _assert_whole(folder: Path, acknowledged: int) -> int:
    """Open what a killed process left, compare it with what was acknowledged, and return how many turns there are."""
    with Memory.open(folder, embedder=HashingEmbedder(dimensions=64)) as memory:
        user = memory.user(ANN)
        turns = user.turns()
        assert len(turns) in (acknowledged, acknowledged + 1)  # the one under way may have got through
        assert turns == tuple(
            Turn(turn_id=str(number), request=f"turn number {number}", reply="r" * (number % 50))
            for number in range(len(turns))
        )
        if turns:
            last = turns[-1]
            [[hit]] = user.similar([last.request], 1)
            assert hit.turn_id == last.turn_id
            assert hit.similarity > 0.999
        user.wait_indexed()
        stored = memory._index.read(ANN, [turn.turn_id for turn in turns])
        assert (len(stored.entries), stored.strangers) == (len(turns), 0)
        return len(turns)
