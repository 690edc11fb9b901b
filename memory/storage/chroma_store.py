"""Where the collections of an index in Chroma are, and what every such place has in common."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from memory.storage.index_header import IndexHeader

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection as ChromaCollection

PREFIX = "turns-"
BATCH = 1000
"""Records a call: five times less than Chroma takes at most, and no faster in larger ones."""
_GRAPH: CreateHNSWConfiguration = {
    "space": "cosine",  # Chroma's default is L2
    "ef_construction": 8,
    "max_neighbors": 4,
    "sync_threshold": 250,
}
"""Nothing is searched in Chroma's graph, so it may be poor. At every write Chroma goes through what is not in its files
yet: storing 10 vectors beside 1,500 others takes 7 ms of processor time so, and 20 ms with Chroma's defaults."""


class ChromaStore(Protocol):
    """Where the collections of an index are."""

    name: str
    """As messages name it."""
    servers: int
    """How many clients there are."""
    is_shared: bool
    """Whether other processes may change it meanwhile."""
    hint: str
    """What to do when it cannot be used."""
    residue: str | None
    """Where bytes of what was erased may stay, and what its operator does about it; `None`: nowhere."""

    def header(self) -> IndexHeader | None:
        """Return what the index was created with, `None` if there is none yet."""
        ...

    def write_header(self, header: IndexHeader) -> IndexHeader:
        """Write it if there is none, and return the one that is there then."""
        ...

    def replace_header(self, header: IndexHeader) -> None:
        """Write it in place of the one that is there."""
        ...

    def clients(self) -> Sequence[ClientAPI]:
        """Return a client for each server; connecting happens here at the latest."""
        ...

    def renew(self) -> None:
        """Let go of clients of which one failed; their next use makes others."""
        ...

    def has_room(self) -> bool:
        """Whether there is room to write in, so that what fails does not fail for want of it."""
        ...

    def at_work(self, name: str) -> AbstractContextManager[None]:
        """Note that a collection is used meanwhile, so that what a killed process left of it is not trusted."""
        ...

    def will_erase(self, names: Collection[str]) -> None:
        """Note that records of these collections are about to be deleted."""
        ...

    def rewrite(self, names: Collection[str]) -> None:
        """Make collections anew without what was deleted in them, where that frees its bytes."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was deleted and noted, as far as it can be reached; nobody else uses the clients."""
        ...

    def close(self) -> None:
        """Release the clients."""
        ...


def open_collection(client: ClientAPI, name: str) -> ChromaCollection:
    """Return the collection called `name`, made if it is not there."""
    return client.get_or_create_collection(
        name,
        embedding_function=None,  # the default one downloads a model
        configuration={"hnsw": _GRAPH},  # fixed at creation
    )


def batches(count: int) -> Iterator[slice]:
    """Return slices that together cover `count` records, as many in each as one call takes."""
    return (slice(start, start + BATCH) for start in range(0, count, BATCH))


def collection_names(client: ClientAPI) -> list[str]:
    names: list[str] = []
    while found := client.list_collections(limit=BATCH, offset=len(names)):
        names += [collection.name for collection in found]
    return [name for name in names if name.startswith(PREFIX)]


def is_vendors(exc: BaseException) -> bool:
    """Say whether Chroma, its HTTP client, its database or the operating system raised this."""
    from chromadb.errors import ChromaError
    from httpx import HTTPError

    return isinstance(exc, ChromaError | HTTPError | sqlite3.Error | OSError) or is_panic(exc)


def is_panic(exc: BaseException) -> bool:
    """Say whether this comes of a panic in Chroma's Rust, as some damaged files cause; its class cannot be imported."""
    return type(exc).__module__ == "pyo3_runtime"
