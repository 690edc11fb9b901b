"""What a turn costs as the memory grows, and what recalling costs then."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory.timing import Figures, opened, quantiles_ms, resident_mib, timed_ms
from benchmarks.memory.workload import RandomEmbedder, query, tools, turn
from memory import Scope, Strategy, UserMemory, default_budget, open_strategy
from memory.embedder import Matrix, Vector
from memory.embedders.checked import CheckedEmbedder
from memory.storage.chroma_directory import ChromaDirectory

LENGTHS = (100, 300, 1_000, 3_000)
"""Turns of one person, for recall."""
_SESSION = 10
"""Turns of a person that come together."""
_QUERIES = 60

Advance = Callable[[int], None]
"""Told how many turns are done."""


def ingestion(
    folder: Path, *, turns: int = 100_000, users: int = 1_000, advance: Advance, tell: Callable[[str], None]
) -> Figures:
    """Measure what a turn costs, log and index together, at each tenth of the way, and recall at the end of it.

    People come in rounds of ten turns each. Embedding is left out (`RandomEmbedder`): it costs the same at any size.
    """
    rounds = max(1, turns // (users * _SESSION))
    spent, cpu, appended, resident = [], [], [], []
    with opened(folder, RandomEmbedder()) as memory:
        probe = memory.user(Scope("probe"))
        for number in range(rounds):
            begun, cpu_begun = time.perf_counter(), time.process_time()
            for person in range(users):
                memory.user(_person(person)).remember_all(
                    turn(number * _SESSION + place, person=person) for place in range(_SESSION)
                )
                if person % 100 == 99:
                    advance(100 * _SESSION)
            memory.wait_indexed()
            count = users * _SESSION
            spent.append(round((time.perf_counter() - begun) * 1000 / count, 3))
            cpu.append(round((time.process_time() - cpu_begun) * 1000 / count, 3))
            one = [turn(number * 100 + place) for place in range(50)]
            appended.append(quantiles_ms([timed_ms(partial(probe.remember, item)) for item in one])["p50"])
            resident.append(resident_mib())
            tell(f"{(number + 1) * count} turns: {spent[-1]} ms a turn, {cpu[-1]} of the processor, {resident[-1]} MiB")
    middle = len(spent) // 2
    return {
        "turns": rounds * users * _SESSION,
        "users": users,
        "ms_a_turn": spent,
        "processor_ms_a_turn": cpu,
        "acknowledged_p50_ms": appended,
        "resident_mib": resident,
        "last_half_over_first": round(median(cpu[middle:]) / median(cpu[:middle] or cpu), 2),
        "disk_mib": round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20, 1),
    }


def recall_among_many(folder: Path, *, users: int = 1_000) -> Figures:
    """Measure recall in what `ingestion` left: of people of whom nothing is in this process yet, and again of them."""
    with opened(folder, RandomEmbedder()) as memory:
        memory.user(_person(0)).similar(["x"], 1)  # opens Chroma
        people = [memory.user(_person(person)) for person in range(0, users, max(1, users // _QUERIES))][:_QUERIES]
        recalling = [open_strategy("stead", person) for person in people]
        first, again = [], []
        for number, strategy in enumerate(recalling):
            first.append(_recalled(strategy, number))
        for number, strategy in enumerate(recalling):
            again.append(_recalled(strategy, 1000 + number))
        figures = {
            "first_ms": _quantiles(first),
            "again_ms": _quantiles(again),
            "turns_each": len(people[0].turns()),
        }
    return {**figures, "chroma_alone_ms": _chroma_alone(folder), "resident_mib": resident_mib()}


def recall_by_length(folder: Path, *, lengths: Sequence[int] = LENGTHS) -> Figures:
    """Measure recall over embedding for one person with so many turns, beside a bare scan and the state's look-up."""
    figures: Figures = {}
    with opened(folder, RandomEmbedder()) as memory:
        for length in lengths:
            user = memory.user(Scope(f"recall {length}"))
            user.remember_all(turn(number) for number in range(length))
            memory.wait_indexed()
            figures[str(length)] = _recall(user, length)
    return figures


def _recall(user: UserMemory, length: int) -> Figures:
    stead, state = open_strategy("stead", user), open_strategy("state", user)
    embedder = CheckedEmbedder(RandomEmbedder())
    first = _recalled(stead, 0)
    user.wait_indexed()  # the turns are read on in the background, which would be measured too
    unchanged = [_recalled(stead, number) for number in range(1, _QUERIES)]
    after_a_turn = []
    for number in range(_QUERIES):
        item = turn(length + number)
        user.remember(item)
        stead.observe(item)
        after_a_turn.append(_recalled(stead, 1000 + number))
    _recalled(state, 0)
    looked_up = [_recalled(state, number) for number in range(_QUERIES)]
    rows = user.vectors().rows
    vectors = [embedder.embed_query(query(number)) for number in range(_QUERIES)]
    return {
        "first_ms": round(first.wall_ms, 3),
        "unchanged_ms": _quantiles(unchanged),
        "after_a_turn_ms": _quantiles(after_a_turn),
        "state_ms": _quantiles(looked_up),
        "similar_ms": quantiles_ms(
            [timed_ms(partial(user.similar, [query(5000 + number)], 8)) for number in range(_QUERIES)]
        ),
        "numpy_scan_ms": quantiles_ms([timed_ms(partial(_scan, rows, vector)) for vector in vectors]),
        "embedding_ms": quantiles_ms(
            [timed_ms(partial(embedder.embed_query, query(9000 + number))) for number in range(_QUERIES)]
        ),
    }


class _Reading(NamedTuple):
    """What a recall took; the time of the thread leaves out what else the machine does."""

    wall_ms: float
    thread_ms: float


def _recalled(strategy: Strategy, number: int) -> _Reading:
    offered, request, thread = tools(), query(number), time.thread_time()
    wall_ms = timed_ms(partial(strategy.recall, request, offered, None, default_budget(strategy.name)))
    return _Reading(wall_ms, (time.thread_time() - thread) * 1000)


def _quantiles(readings: Sequence[_Reading]) -> Figures:
    thread = quantiles_ms([reading.thread_ms for reading in readings])
    return {
        **quantiles_ms([reading.wall_ms for reading in readings]),
        "thread_p50": thread["p50"],
        "thread_p95": thread["p95"],
    }


def _chroma_alone(folder: Path) -> Figures:
    """Return the time of Chroma's own filtered query for the eight nearest vectors of a person."""
    [path] = folder.glob("memory-*")
    with closing(ChromaDirectory(path / "index")) as store:
        [client] = store.clients()
        collection = max(
            (client.get_collection(found.name, embedding_function=None) for found in client.list_collections()),
            key=lambda one: one.count(),
        )
        [metadata] = collection.get(limit=1)["metadatas"] or [{}]
        embedder = RandomEmbedder()
        nearest = partial(collection.query, n_results=8, where={"scope": str(metadata["scope"])})
        vectors = [embedder.embed_query(query(number)) for number in range(_QUERIES)]
        spent = [timed_ms(partial(nearest, query_embeddings=[vector])) for vector in vectors]
        return {**quantiles_ms(spent), "vectors_in_collection": collection.count()}


def _scan(rows: Matrix, vector: Vector) -> NDArray[np.intp]:
    """Return the places of the eight nearest rows, nearest first, with nothing around it."""
    similarities = rows @ vector
    count = min(8, len(rows))
    best = np.argpartition(-similarities, count - 1)[:count]
    return best[np.argsort(-similarities[best])]


def _person(number: int) -> Scope:
    return Scope(f"person {number}")
