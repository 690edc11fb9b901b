"""Time until a turn is acknowledged, indexed and recalled, and until it is erased."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.memory.timing import Figures, disk_ms, median_of, median_quantiles, opened, quantiles_ms, timed_ms
from benchmarks.memory.workload import RandomEmbedder, tools, turn
from memory import Memory, Scope, SqlTurnLog, Strategy, Tool, UserMemory, open_embedder, open_strategy
from memory.embedder import Embedder, Matrix
from memory.storage.chroma import ChromaIndex
from memory.storage.chroma_directory import ChromaDirectory
from memory.storage.chroma_store import open_collection
from memory.storage.embedding_text import embedding_text
from memory.storage.index import IndexEntry

RUNS = 3
_PAUSE_S = 0.03
"""Between two turns of a person; people take longer."""


class _Spent(NamedTuple):
    wall_s: float
    processor_s: float


def acknowledging(folder: Path, *, turns: int = 200, embedder: str = "use") -> Figures:
    """Measure `remember` with pauses and without, beside a write of the same size that the disk confirms."""
    size = len(turn(0).model_dump_json())
    with opened(folder, embedder) as memory:
        _warm_up(memory)
        bare, paced, at_once = [], [], []
        for run in range(RUNS):
            user = memory.user(Scope(f"acknowledging {run}"))
            bare.append(disk_ms(folder, turns, size=size))
            paced.append(_appended_ms(user, range(turns), pause_s=_PAUSE_S))
            at_once.append(_appended_ms(user, range(turns, 2 * turns)))
            memory.wait_indexed()
    return {
        "bare_fsync_ms": median_quantiles(bare),
        "acknowledged_ms": median_quantiles(paced),
        "acknowledged_without_pauses_ms": median_quantiles(at_once),
    }


def postgres(url: str, *, turns: int = 200) -> Figures:
    """Measure appending to a log on PostgreSQL, beside the bare insert of a row of one column there."""
    from sqlalchemy import create_engine, text

    bare, appended = [], []
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    content = turn(0).model_dump_json()
    with engine.connect() as connection, closing(SqlTurnLog(url)) as log:
        connection.execute(text("CREATE TABLE bare (content TEXT)"))
        connection.commit()

        def insert() -> None:
            connection.execute(text("INSERT INTO bare VALUES (:content)"), {"content": content})
            connection.commit()

        for run in range(RUNS):
            bare.append([timed_ms(insert) for _ in range(turns)])
            scope = Scope(f"postgres {run}")
            appended.append([timed_ms(partial(log.append, scope, turn(number))) for number in range(turns)])
    engine.dispose()
    return {"bare_insert_ms": median_quantiles(bare), "appended_ms": median_quantiles(appended)}


def indexing(folder: Path, *, turns: int = 512, embedder: str = "use") -> Figures:
    """Measure turns a second from remembering to the index, beside the embedder alone and Chroma alone."""
    texts = [embedding_text(turn(number)) for number in range(turns)]
    bare = open_embedder(embedder)
    bare.embed_documents(texts[:8])
    embedded, indexed, stored = [], [], []
    with opened(folder, embedder) as memory:
        _warm_up(memory)
        for run in range(RUNS):
            user = memory.user(Scope(f"indexing {run}"))
            embedded.append(_spent(partial(_embed_in_batches, bare, texts)))
            indexed.append(_spent(partial(_index, memory, user, turns)))
            stored.append(_spent(partial(_store_in_chroma, turns)))
    pairs = list(zip(embedded, indexed, strict=True))
    return {
        "embedder_alone_turns_per_s": median_of([turns / spent.wall_s for spent in embedded]),
        "chroma_alone_turns_per_s": median_of([turns / spent.wall_s for spent in stored]),
        "indexed_turns_per_s": median_of([turns / spent.wall_s for spent in indexed]),
        "share_of_embedder": median_of([alone.wall_s / ours.wall_s for alone, ours in pairs]),
        "share_of_embedder_by_processor": median_of([alone.processor_s / ours.processor_s for alone, ours in pairs]),
    }


def following(folder: Path, *, turns: int = 100, pause_s: float = 0.2, embedder: str = "use") -> Figures:
    """Measure how long after its acknowledgement a turn is in the index, and that state and recall have it at once."""
    checked = open_embedder(embedder)
    place = folder / "following"
    place.mkdir()
    store = ChromaDirectory(place / "index")
    index = _TimedIndex(store, fingerprint=checked.fingerprint, dimensions=checked.dimensions)
    log = SqlTurnLog(f"sqlite:///{place}/turns.sqlite")
    with closing(log), closing(index), Memory(log, index, checked) as memory:
        _warm_up(memory)
        user = memory.user(Scope("following"))
        state = open_strategy("state", user)
        offered, acknowledged, at_once = tools(), {}, []
        for number in range(turns):
            user.remember(turn(number))
            acknowledged[f"t{number}"] = time.perf_counter()
            if number % 5 == 0:
                at_once.append(timed_ms(partial(_assert_known, user, state, number, offered)))
            time.sleep(pause_s)
        memory.wait_indexed()
        burst = [turn(number) for number in range(turns, turns + 20)]
        user.remember_all(burst)
        acknowledged |= {item.turn_id: time.perf_counter() for item in burst}
        give_up_at = time.perf_counter() + 30
        while len(index.stored_at) < len(acknowledged) + 1 and time.perf_counter() < give_up_at:
            time.sleep(0.01)
    behind = [(index.stored_at[turn_id] - then) * 1000 for turn_id, then in acknowledged.items()]
    return {
        "indexed_after_ms": {**quantiles_ms(behind), "max": round(max(behind), 1)},
        "state_and_search_have_it_ms": quantiles_ms(at_once),
    }


def erasing(folder: Path, *, turns: int = 1000) -> Figures:
    """Measure the erasure of one turn and of a person beside others, from log and index, down to the bytes."""
    one, whole = [], []
    with opened(folder, RandomEmbedder()) as memory:
        memory.user(Scope("who stays")).remember_all(turn(number) for number in range(turns))
        for run in range(RUNS):
            scope = Scope(f"erasing {run}")
            memory.user(scope).remember_all(turn(number) for number in range(100))
            memory.wait_indexed()
            one.append(timed_ms(partial(memory.erase, scope, turn_ids=["t0"])))
            whole.append(timed_ms(partial(memory.erase, scope)))
    return {"one_turn_ms": median_of(one), "person_of_100_turns_ms": median_of(whole), "turns_of_others": turns}


class _TimedIndex(ChromaIndex):
    """Notes when the vector of a turn was stored."""

    def __init__(self, store: ChromaDirectory, *, fingerprint: str, dimensions: int) -> None:
        super().__init__(store, fingerprint=fingerprint, dimensions=dimensions)
        self.stored_at: dict[str, float] = {}

    def upsert(self, scope: Scope, entries: Sequence[IndexEntry], vectors: Matrix) -> None:
        super().upsert(scope, entries, vectors)
        now = time.perf_counter()
        self.stored_at |= {entry.turn_id: now for entry in entries}


def _warm_up(memory: Memory) -> None:
    """Load the model and Chroma."""
    memory.user(Scope("warm-up")).remember(turn(0).model_copy(update={"turn_id": "warm-up"}))
    memory.wait_indexed()
    memory.user(Scope("warm-up")).similar(["warm-up"], 1)


def _appended_ms(user: UserMemory, numbers: Sequence[int], *, pause_s: float = 0.0) -> list[float]:
    spent = []
    for item in [turn(number) for number in numbers]:
        spent.append(timed_ms(partial(user.remember, item)))
        time.sleep(pause_s)
    return spent


def _index(memory: Memory, user: UserMemory, turns: int) -> None:
    user.remember_all(turn(number) for number in range(turns))
    memory.wait_indexed()


def _embed_in_batches(embedder: Embedder, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), 256):
        embedder.embed_documents(texts[start : start + 256])


def _store_in_chroma(turns: int) -> None:
    """Store so many vectors in a new collection, 16 a call."""
    vectors = np.asarray(RandomEmbedder().embed_documents([str(number) for number in range(turns)]))
    with TemporaryDirectory(prefix="stead-chroma-") as folder, closing(ChromaDirectory(Path(folder))) as store:
        [client] = store.clients()
        collection = open_collection(client, "bare")
        for start in range(0, turns, 16):
            rows = range(start, min(start + 16, turns))
            collection.upsert(ids=[str(row) for row in rows], embeddings=vectors[start : start + 16])


def _assert_known(user: UserMemory, state: Strategy, number: int, offered: Sequence[Tool]) -> None:
    """Find a turn that was remembered just now, by its vector and in the state."""
    item = turn(number)
    assert item.turn_id in {hit.turn_id for hit in user.similar([embedding_text(item)], 3)[0]}
    recall = state.recall(item.request, offered, None, 10_000)
    assert any(piece.turn_id == item.turn_id for piece in recall.evidence)


def _spent(action: Callable[[], object]) -> _Spent:
    wall, processor = time.perf_counter(), time.process_time()
    action()
    return _Spent(time.perf_counter() - wall, time.process_time() - processor)
