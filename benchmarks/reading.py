"""What reading a text costs: `python -m benchmarks.reading`, one core (`OPENBLAS_NUM_THREADS=1`).

Processor time, so that a busy machine adds little, of texts of the corpus drawn with a seed, half of them after
something the assistant said; and of made-up texts that are longer than people write.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from random import Random

import numpy as np

from memory.language.corpus.lines import read_corpus
from memory.language.learned.reader import learned_reader
from memory.language.learned.weights import WEIGHTS
from memory.language.read import read
from memory.language.reading import ReadRequest

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


if __name__ == "__main__":
    main()
