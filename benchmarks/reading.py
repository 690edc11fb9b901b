"""What reading a text costs, and how much of it is right: `python -m benchmarks.reading` (`OPENBLAS_NUM_THREADS=1`).

Processor time, so that a busy machine adds little, of texts of the corpus drawn with a seed, and of one that is as long
as is read. What is right is counted on the domains that the packaged weights were not fitted on (their authors wrote in
others, too), from end to end: a clause of the corpus is compared with the one read that covers most of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence, Set
from random import Random

import numpy as np

from memory.language.corpus.lines import CorpusLine, read_corpus
from memory.language.learned.network import FIELDS
from memory.language.learned.reader import learned_reader
from memory.language.learned.weights import WEIGHTS
from memory.language.read import read
from memory.language.reading import Clause, Reading, ReadRequest

BATCH = 64


def milliseconds(do: Callable[[], object]) -> float:
    """Return the processor time of `do`."""
    started = time.process_time()
    do()
    return (time.process_time() - started) * 1000


def row(name: str, times: Sequence[float]) -> str:
    """Return a row of the table, of times in milliseconds."""
    middle, high = np.percentile(times, [50, 95])
    return f"| {name} | {len(times):,} | {middle:.2f} | {high:.2f} |"


def right(lines: Sequence[CorpusLine]) -> dict[str, float]:
    """Return the share of clauses whose field is right, and F1 of clauses' beginnings and of spans with their role.

    The beginning of a text is counted for nothing.
    """
    readings = learned_reader().read_many([ReadRequest(line.reading.text, line.before) for line in lines])
    pairs = [(line.reading, reading) for line, reading in zip(lines, readings, strict=True)]
    clauses = [(clause, _covering(clause, read)) for hand, read in pairs for clause in hand.clauses]
    found = {field: sum(getattr(a, field) == getattr(b, field) for a, b in clauses) / len(clauses) for field in FIELDS}
    starts = [({c.start for c in hand.clauses[1:]}, {c.start for c in read.clauses[1:]}) for hand, read in pairs]
    return found | {"begins": _f1(starts), "spans": _f1([(_spans(hand), _spans(read)) for hand, read in pairs])}


def _covering(clause: Clause, reading: Reading) -> Clause:
    return max(reading.clauses, key=lambda one: min(one.end, clause.end) - max(one.start, clause.start))


def _spans(reading: Reading) -> set[tuple[str, int, int]]:
    return {(span.role, span.start, span.end) for clause in reading.clauses for span in clause.spans}


def _f1(sets: Sequence[tuple[Set[object], Set[object]]]) -> float:
    both = sum(len(a & b) for a, b in sets)
    return 2 * both / max(1, sum(len(a) + len(b) for a, b in sets))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1_024)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    lines = Random(words.seed).sample(read_corpus(), words.texts)
    requests = [ReadRequest(line.reading.text, line.before) for line in lines]
    reader = learned_reader()
    reader.read_many(requests[:BATCH])  # encoder, weights and caches are loaded
    single = [milliseconds(lambda one=one: reader.read_many([one])) for one in requests]  # type: ignore[misc]  # bound here
    batches = [requests[at : at + BATCH] for at in range(0, len(requests), BATCH)]
    together = [milliseconds(lambda some=some: reader.read_many(some)) / len(some) for some in batches]  # type: ignore[misc]
    long = ReadRequest(" and ".join(line.reading.text for line in lines)[:4_000])
    longest = [milliseconds(lambda: reader.read_many([long])) for _ in range(10)]
    for one in requests:
        read(one.text, before=one.before)
    cached = milliseconds(lambda: [read(one.text, before=one.before) for one in requests * 20]) / (20 * len(requests))
    print("| | n | p50, ms | p95, ms |\n| --- | ---: | ---: | ---: |")
    print(row("one text at a time", single))
    print(row(f"in batches of {BATCH}, a text", together))
    print(row("4,000 characters", longest))
    print(f"cached: {cached * 1000:.1f} µs; weights: {WEIGHTS.stat().st_size / 1e6:.2f} MB; {reader.name}")
    names = (*FIELDS, "begins", "spans")
    print(f"\n| set-aside domains | clauses | {' | '.join(names)} |\n| --- |{' ---: |' * (len(names) + 1)}")
    for language in ("en", "zh"):
        aside = [line for line in read_corpus() if line.is_set_aside and line.language.startswith(language)]
        told = right(aside)
        count = sum(len(line.clauses) for line in aside)
        print(f"| {language} | {count:,} | {' | '.join(f'{told[name]:.3f}' for name in names)} |")


if __name__ == "__main__":
    main()
