"""Chroma embedded in this process, in a directory that nobody else uses."""

from __future__ import annotations

import json
import logging
import math
import shutil
import sqlite3
import struct
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from memory.errors import DataVersionError, MemoryStoreError
from memory.storage.chroma_store import BATCH, batches, is_panic, is_vendors, open_collection
from memory.storage.index_header import INDEX_VERSION, REINDEX_HINT, IndexHeader

if TYPE_CHECKING:
    from chromadb.api.client import Client

_log = logging.getLogger(__name__)

_RETRY_S = 1.0
"""Seconds after which a folder that could not be opened is tried again; trying takes some hundredths of one."""
_ROOM_BYTES = 2**20
"""More than Chroma writes for a call of 64 vectors."""
_HEADER_BYTES = 36
"""Of a graph's header, as far as it is read here."""
_VECTORS, _ERASING, _AT_WORK, _ERASED = "chroma", "erasing", "at-work", "erased"


class ChromaDirectory:
    """A `ChromaStore` in a folder: `index.json`, Chroma's own files, and a note of erasures under way.

    Chroma keeps deleted records in its queue, its graph files and the unused part of its database for an unknown time.
    An erasure therefore makes the collection anew, rewrites the database and removes the files of the old collection;
    one that was cut off is completed when the folder is opened again.

    Args:
        path: Where the index is or will be.
        mending: Delete an index that cannot be read, instead of refusing it: it is derived, and about to be rebuilt.
    """

    servers = 1
    is_shared = False
    residue: str | None = None
    hint = "`stead reindex` rebuilds it from the turn log (or close it, delete the folder, and open again)"

    def __init__(self, path: Path, *, mending: bool = False) -> None:
        self.name = repr(str(path))
        self._path = path
        self._is_mending = mending
        self._client: Client | None = None
        self._failure: str | None = None
        """Why Chroma could not open the folder."""
        self._retry_at = 0.0
        """When to try again."""
        self._is_checked = False
        """Whether an erasure that was cut off has been looked for."""
        self._opening = threading.RLock()

    def header(self) -> IndexHeader | None:
        try:
            found = self._read_header()
            is_whole = not self._is_mending or (
                _is_whole(self._path / _VECTORS / "chroma.sqlite3") and self._is_readable()
            )
        except DataVersionError:
            raise
        except MemoryStoreError:
            if not self._is_mending:
                raise
            is_whole = False
        if is_whole:
            return found
        _log.warning("the index in %s cannot be read and is made anew", self.name)
        self._close_client()
        self._failure = None
        shutil.rmtree(self._path)
        return None

    def _is_readable(self) -> bool:
        """Whether Chroma gives every vector; its graph files may be damaged where its database is not."""
        if not (self._path / _VECTORS).exists():
            return True
        try:
            [client] = self.clients()
            for found in client.list_collections():
                collection = client.get_collection(found.name, embedding_function=None)
                for batch in batches(collection.count()):
                    collection.get(limit=BATCH, offset=batch.start, include=["embeddings"])
        except BaseException as exc:
            if isinstance(exc, MemoryStoreError) or is_vendors(exc):
                return False
            raise
        return True

    def _read_header(self) -> IndexHeader | None:
        path = self._header_path
        if not path.exists():
            if (self._path / _VECTORS).exists():
                raise MemoryStoreError(f"{str(path)!r} is missing, so whose vectors these are is unknown; {self.hint}")
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(found, dict) and isinstance(found.get("version"), int) and found["version"] > INDEX_VERSION:
                raise DataVersionError(
                    f"the index in {self.name} is of version {found['version']}, and this version of the project reads "
                    f"up to {INDEX_VERSION}; install the newer one, or {REINDEX_HINT}"
                )
            return IndexHeader.model_validate(found)
        except (ValidationError, ValueError) as exc:
            raise MemoryStoreError(f"cannot read {str(path)!r}: {exc}; {self.hint}") from exc

    def write_header(self, header: IndexHeader) -> IndexHeader:
        self.replace_header(header)
        return header

    def replace_header(self, header: IndexHeader) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        unfinished = self._header_path.with_suffix(".tmp")
        unfinished.write_text(header.model_dump_json(indent=2) + "\n", encoding="utf-8")
        unfinished.replace(self._header_path)

    def clients(self) -> Sequence[Client]:
        """Return the client alone, made at first use: importing Chroma takes a second or two."""
        with self._opening:
            if self._failure is not None and time.monotonic() < self._retry_at:
                raise MemoryStoreError(self._failure)
            if self._client is None:
                try:
                    if not self._is_checked:
                        self._blank_once_more()  # as a process that was killed did not
                    self._client = _client(self._path / _VECTORS)
                except BaseException as exc:
                    if not isinstance(exc, Exception) and not is_panic(exc):
                        raise
                    # Chroma may trip while it cleans up after what went wrong.
                    cause = exc if is_vendors(exc) else exc.__context__ or exc
                    self._failure = f"cannot read the index in {self.name}: {cause}; {self.hint}"
                    # A disk may have room later. A panic writes on standard error, which once is enough.
                    self._retry_at = math.inf if is_panic(exc) else time.monotonic() + _RETRY_S
                    raise MemoryStoreError(self._failure) from exc
                self._failure = None
                if not self._is_checked:
                    self._drop_what_a_killed_process_left(self._client)
                    if unfinished := self._noted():
                        self.rewrite(unfinished)
                        self.scrub()
                        self._client = _client(self._path / _VECTORS)
                self._is_checked = True
            return [self._client]

    def renew(self) -> None:
        with self._opening:
            self._close_client()

    def has_room(self) -> bool:
        probe = self._path / "room"
        try:
            probe.write_bytes(bytes(_ROOM_BYTES))
        except OSError:
            return False
        finally:
            probe.unlink(missing_ok=True)
        return True

    @contextmanager
    def at_work(self, name: str) -> Iterator[None]:
        self.clients()  # which looks at the notes of others first
        note = self._path / _AT_WORK / name
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
        try:
            yield
        finally:
            note.unlink(missing_ok=True)

    def _drop_what_a_killed_process_left(self, client: Client) -> None:
        """Remove the collections that were in use when a process was killed.

        Chroma writes its graphs file by file, whenever it is asked for something, and half a graph can end the process
        that reads it. The vectors are derived: whoever misses theirs embeds the turns of the log again.
        """
        left = self._path / _AT_WORK
        names = {note.name for note in left.iterdir()} if left.is_dir() else set()
        if not names:
            return
        for name in sorted(names.intersection(found.name for found in client.list_collections())):
            self.will_erase([name])  # so that its files go too
            client.delete_collection(name)
            _log.info("vectors in %s were being written when a process was killed, and are made anew", self.name)
        for name in names:
            (left / name).unlink(missing_ok=True)

    def will_erase(self, names: Collection[str]) -> None:
        for name in names:
            (self._path / _ERASING).mkdir(exist_ok=True)
            (self._path / _ERASING / name).touch()

    def rewrite(self, names: Collection[str]) -> None:
        [client] = self.clients()
        for name in sorted({collection.name for collection in client.list_collections()}.intersection(names)):
            source = client.get_collection(name, embedding_function=None)
            found: Any = source.get(include=["embeddings", "metadatas"])
            client.delete_collection(name)  # a crash from here on costs vectors, which their users then embed anew
            target = open_collection(client, name)
            for batch in batches(len(found["ids"])):
                target.upsert(
                    ids=found["ids"][batch], embeddings=found["embeddings"][batch], metadatas=found["metadatas"][batch]
                )

    def scrub(self) -> None:
        with self._opening:
            self._close_client()
            (self._path / _ERASED).touch()
            noted = self._noted()
            if noted:
                self._remove_deleted()
            self._blank()  # also where nothing was stored: vectors that were on their way were in memory
            for name in noted:
                (self._path / _ERASING / name).unlink(missing_ok=True)

    def close(self) -> None:
        with self._opening:
            self._close_client()
            self._blank_once_more()

    def _blank(self) -> None:
        for folder in self._graphs():
            _blank_unused(folder)

    def _blank_once_more(self) -> None:
        """Blank the graphs that were begun since something was erased: they may hold what was in memory before."""
        note = self._path / _ERASED
        if note.exists():
            self._blank()
            note.unlink()

    def _remove_deleted(self) -> None:
        """Remove from the files what Chroma has deleted; nobody uses the client."""
        with closing(sqlite3.connect(self._path / _VECTORS / "chroma.sqlite3", isolation_level=None)) as database:
            database.execute("VACUUM")
            segments = {str(segment) for (segment,) in database.execute("SELECT id FROM segments")}
        for folder in self._graphs():
            if folder.name not in segments:  # of a collection that was deleted
                shutil.rmtree(folder)

    @property
    def _header_path(self) -> Path:
        return self._path / "index.json"

    def _graphs(self) -> list[Path]:
        folder = self._path / _VECTORS
        return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []

    def _noted(self) -> list[str]:
        folder = self._path / _ERASING
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def _close_client(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def _blank_unused(graph: Path) -> None:
    """Overwrite the places of a graph's files that no element has yet: whatever was in memory there was saved too."""
    header = graph / "header.bin"
    if not header.exists() or header.stat().st_size < _HEADER_BYTES:
        return
    # The header of a persistent hnswlib index: int32 version, then as size_t offset, capacity, count, bytes an element.
    count, element_bytes = struct.unpack_from("=QQ", header.read_bytes(), 20)
    for name, used in (("data_level0.bin", count * element_bytes), ("length.bin", count * 4)):
        path = graph / name
        if path.exists() and (unused := path.stat().st_size - used) > 0:
            with path.open("r+b") as file:
                file.seek(used)
                file.write(bytes(unused))


def _is_whole(database: Path) -> bool:
    """Whether SQLite can read a database; one that is not there, or locked, is not broken."""
    if not database.exists():
        return True
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            return [row[0] for row in connection.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False


def _client(path: Path) -> Client:
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        client = chromadb.PersistentClient(path=path, settings=Settings(anonymized_telemetry=False))
    except BaseException:
        # Chroma keeps what it half made, and would break on it when the folder was mended. Nothing public drops it.
        SharedSystemClient._identifier_to_system.pop(str(path), None)
        raise
    return cast("Client", client)  # it is declared as the base class, which cannot be closed
