"""The memory of an application: turn log, vector index and embedder of one data directory, behind one object."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import NamedTuple, Self
from weakref import WeakValueDictionary

from memory.chroma import ChromaIndex
from memory.directory import DataDirectory
from memory.embedder import Embedder
from memory.embedders.checked import CheckedEmbedder
from memory.embedders.factory import open_embedder
from memory.embedding_text import embedding_text
from memory.errors import MemoryStoreError, ScopeError
from memory.index import IndexEntry, VectorIndex
from memory.recall import Hit
from memory.records import Scope, Turn
from memory.sql_turn_log import SqlTurnLog
from memory.turn_log import LogEntry, TurnLog

_CACHED_USERS = 128
"""Users whose turns stay in memory."""
_EMBEDDED_AT_ONCE = 256
"""Texts; what was embedded is stored after so many, so that an interrupted rebuild goes on where it stopped."""


class Forgotten(NamedTuple):
    """How much was erased, store by store."""

    turns: int
    """In the turn log."""
    vectors: int
    """In the index."""


class Memory:
    """The memory of every user of an application; `Memory.open` makes one."""

    def __init__(self, log: TurnLog, index: VectorIndex, embedder: Embedder, closing: ExitStack) -> None:
        self._log = log
        self._index = index
        self._embedder = embedder
        self._closing = closing
        self._is_open = True
        self._lock = threading.Lock()
        # One object a scope as long as anyone holds it, so that its cache and lock are the only ones.
        self._users: WeakValueDictionary[Scope, UserMemory] = WeakValueDictionary()
        self._recent: OrderedDict[Scope, UserMemory] = OrderedDict()

    @classmethod
    def open(
        cls, directory: str | os.PathLike[str], *, embedder: Embedder | str = "use", lock_timeout_s: float = 30.0
    ) -> Self:
        """Open the data directory, made if it does not exist, and keep other processes out until it is closed.

        Args:
            directory: Holds nothing else.
            embedder: An embedder, or the name of one for `memory.embedders.open_embedder`; always the same one.
            lock_timeout_s: Seconds to wait for another process that has it open.

        Raises:
            DirectoryLockedError: If the directory is in use.
            EmbedderMismatchError: If its index was written with another embedder.
            DataVersionError: If a newer version of the project wrote it.
            MemoryStoreError: If it cannot be read or written.
        """
        with ExitStack() as opened:
            data = DataDirectory(directory, lock_timeout_s=lock_timeout_s)
            opened.callback(data.close)
            checked = CheckedEmbedder(open_embedder(embedder) if isinstance(embedder, str) else embedder)
            index = ChromaIndex(data.index, fingerprint=checked.fingerprint, dimensions=checked.dimensions)
            opened.callback(index.close)
            log = SqlTurnLog(data.log_url)
            opened.callback(log.close)
            return cls(log, index, checked, opened.pop_all())

    def user(self, scope: Scope) -> UserMemory:
        """Return the memory of one scope; the same scope gives the same object while it is in use."""
        if not isinstance(scope, Scope):
            raise ScopeError(f"whose memory is meant is said by a Scope; got {scope!r}")
        with self._lock:
            if not self._is_open:
                raise MemoryStoreError("the memory is closed; open it again to use it")
            user = self._users.get(scope)
            if user is None:
                user = self._users[scope] = UserMemory(scope, self._log, self._index, self._embedder)
            self._recent[scope] = user
            self._recent.move_to_end(scope)
            if len(self._recent) > _CACHED_USERS:
                self._recent.popitem(last=False)
            return user

    def close(self) -> None:
        """Close everything and give the directory free; closing twice does nothing."""
        with self._lock:
            self._is_open = False
            self._users.clear()
            self._recent.clear()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class UserMemory:
    """The turns of one scope, for reading (it is a `TurnShelf`), remembering and forgetting; safe to share by threads.

    The index follows the log: whatever differs is mended before the first search and the first turn remembered.
    """

    def __init__(self, scope: Scope, log: TurnLog, index: VectorIndex, embedder: Embedder) -> None:
        self.scope = scope
        self._log = log
        self._index = index
        self._embedder = embedder
        self._lock = threading.RLock()
        self._entries: list[LogEntry] | None = None
        """The log, once it was read."""
        self._unindexed: list[LogEntry] | None = None
        """What the index lacks; `None` until it was compared with the log."""

    def turns(self) -> tuple[Turn, ...]:
        """Return every acknowledged turn, oldest first."""
        with self._lock:
            return tuple(entry.turn for entry in self._log_entries())

    def similar(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return for each query the `k` turns nearest to it, best first; ties keep log order.

        Raises:
            EmbedderError: If the embedder fails.
        """
        if not queries:
            return []
        vectors = self._embedder.embed_documents(queries)
        with self._lock:
            self._catch_up()
            return self._index.search(self.scope, vectors, k)

    def remember(self, turn: Turn) -> None:
        """Store one turn; see `remember_all`."""
        self.remember_all([turn])

    def remember_all(self, turns: Iterable[Turn]) -> None:
        """Store turns, oldest first. The same turn again changes nothing.

        A turn is acknowledged, and survives a crash, once it is in the log. An error after that says so in a note; the
        index catches up at the next use.

        Raises:
            RecordError: If another turn has the id of one, or one cannot be stored without loss; those before it are.
            EmbedderError: If the embedder fails.
        """
        with self._lock:
            for turn in turns:
                self._append(turn)
            try:
                self._catch_up()
            except MemoryStoreError as exc:
                exc.add_note("the turns are in the log and count as remembered; only their vectors are missing")
                raise

    def forget(self) -> Forgotten:
        """Erase everything of this scope from log and index."""
        return self._forget(None)

    def forget_turns(self, turn_ids: Collection[str]) -> Forgotten:
        """Erase these turns from log and index; unknown ids are passed over."""
        return self._forget(frozenset(turn_ids))

    def _forget(self, turn_ids: frozenset[str] | None) -> Forgotten:
        with self._lock:
            # Whatever fails, the next use reads the log again and clears the index of what the log no longer has.
            self._entries, self._unindexed = None, None
            turns = self._log.forget(self.scope, turn_ids)
            return Forgotten(turns=turns, vectors=self._index.delete(self.scope, turn_ids))

    def _log_entries(self) -> list[LogEntry]:
        if self._entries is None:
            self._entries = list(self._log.entries(self.scope))
        return self._entries

    def _append(self, turn: Turn) -> None:
        entries = self._log_entries()
        position = self._log.append(self.scope, turn)
        if not entries or position > entries[-1].position:
            entries.append(LogEntry(position, turn))
            if self._unindexed is not None:
                self._unindexed.append(entries[-1])

    def _catch_up(self) -> None:
        """Bring the index to the log."""
        if self._unindexed is None:
            self._unindexed = self._compare()
        while self._unindexed:
            batch = self._unindexed[:_EMBEDDED_AT_ONCE]
            vectors = self._embedder.embed_documents([embedding_text(entry.turn) for entry in batch])
            self._index.upsert(self.scope, [_index_entry(entry) for entry in batch], vectors)
            del self._unindexed[: len(batch)]

    def _compare(self) -> list[LogEntry]:
        """Return what the index lacks or has of another text, and remove from it what is no longer in the log."""
        entries = self._log_entries()
        found = self._index.entries(self.scope)
        orphans = found.keys() - {entry.turn.turn_id for entry in entries}
        if orphans:
            self._index.delete(self.scope, orphans)
        return [entry for entry in entries if found.get(entry.turn.turn_id) != _index_entry(entry)]


def _index_entry(entry: LogEntry) -> IndexEntry:
    text = embedding_text(entry.turn).encode("utf-8", "surrogatepass")
    return IndexEntry(entry.turn.turn_id, entry.position, hashlib.sha256(text).hexdigest()[:16])
