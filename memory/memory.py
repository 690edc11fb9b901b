"""The memory of an application: turn log, vector index and embedder behind one object."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import NamedTuple, Self
from weakref import WeakValueDictionary

from memory.embedder import Embedder
from memory.embedders.checked import CheckedEmbedder
from memory.embedders.factory import open_embedder
from memory.errors import (
    DataVersionError,
    EmbedderMismatchError,
    IndexUnreachableError,
    MemoryStoreError,
    ScopeError,
)
from memory.records import Scope
from memory.state.extraction import Extractor
from memory.storage.chroma import ChromaIndex
from memory.storage.chroma_directory import ChromaDirectory
from memory.storage.chroma_servers import ChromaServers
from memory.storage.chroma_store import ChromaStore
from memory.storage.directory import DataDirectory
from memory.storage.erasure import Erasable, Erased, ErasureError, Receipt, TimeSpan, checked_span
from memory.storage.index import VectorIndex
from memory.storage.indexer import Indexer
from memory.storage.late_index import LateIndex
from memory.storage.residents import Residents
from memory.storage.sql_journal import JournalStore, SqlJournal
from memory.storage.sql_settings import SqlSettingsStore
from memory.storage.sql_turn_log import SqlTurnLog
from memory.storage.turn_locks import TurnLocks
from memory.storage.turn_log import TurnLog
from memory.storage.unreadable_index import UnreadableIndex
from memory.storage.user_memory import UserMemory
from memory.storage.user_settings import SettingsStore


class Progress(NamedTuple):
    """How far a rebuild is."""

    users: int
    """Scopes done."""
    turns: int
    """Turns of them."""
    all_users: int
    all_turns: int


class Memory:
    """The memory of every user of an application; `Memory.open` makes one."""

    def __init__(
        self,
        log: TurnLog,
        index: VectorIndex,
        embedder: Embedder,
        *,
        erasables: Sequence[Erasable] = (),
        closing: ExitStack | None = None,
        settings: SettingsStore | None = None,
        extractor: Extractor | None = None,
        journal: JournalStore | None = None,
        turn_locks: TurnLocks | None = None,
    ) -> None:
        self._journal = journal
        self._turn_locks = turn_locks or TurnLocks()
        self._log = log
        self._index = index
        self._embedder = embedder
        self._erasables = tuple(erasables)
        self._closing = closing or ExitStack()
        self._settings = settings
        self._extractor = extractor
        self._indexer = Indexer()
        self._is_open = True
        self._lock = threading.Lock()
        # One object a scope as long as anyone holds it, so that its cache and locks are the only ones.
        self._users: WeakValueDictionary[Scope, UserMemory] = WeakValueDictionary()
        self._residents = Residents()

    @classmethod
    def open(
        cls,
        directory: str | os.PathLike[str] | None,
        *,
        embedder: Embedder | str = "use",
        log_url: str | None = None,
        chroma: Sequence[str] = (),
        lock_timeout_s: float = 30.0,
        erasables: Sequence[Erasable] = (),
        reindexing: bool = False,
        extractor: Extractor | None = None,
    ) -> Self:
        """Open the memory in a data directory, or on servers.

        What lies in the directory keeps other processes out until it is closed. With both `log_url` and `chroma`
        nothing does: any number of processes may share the servers then, and `directory` may be `None`.

        Args:
            directory: Holds nothing else; made if it does not exist.
            embedder: An embedder, or the name of one for `memory.embedders.open_embedder`; always the same one.
            log_url: The turn log, as a SQLAlchemy URL, instead of the one in the directory; for instance
                `postgresql://host/stead`.
            chroma: The URLs of Chroma servers, always in the same order, instead of an index in the directory.
            lock_timeout_s: Seconds to wait for another process that has the directory open.
            erasables: Further stores that hold something of a person; `erase` reaches them too.
            extractor: Reads further evidence out of turns, for every strategy and the user state
                (`memory.ModelExtractor`); it can only add.
            reindexing: Open it although the index is of another embedder, or broken in its directory; `reindex` makes
                it one of this embedder.

        Raises:
            DirectoryLockedError: If the directory is in use.
            EmbedderMismatchError: If its index was written with another embedder. While Chroma servers do not answer,
                whatever uses the index tells so instead, and says it later.
            DataVersionError: If a newer version of the project wrote it.
            TurnLogMissingError: If the log that was in the directory is gone or empty.
            MemoryStoreError: If something cannot be read or written.
        """
        with ExitStack() as opened:
            data = None
            if log_url is None or not chroma:
                if directory is None:
                    raise MemoryStoreError("a memory needs a directory, or both log_url and chroma servers")
                data = DataDirectory(directory, lock_timeout_s=lock_timeout_s)
                opened.callback(data.close)
            given = open_embedder(embedder) if isinstance(embedder, str) else embedder
            checked = given if isinstance(given, CheckedEmbedder) else CheckedEmbedder(given)
            index = _opened_index(data, chroma, checked, reindexing=reindexing)
            opened.callback(index.close)
            if log_url is None:
                assert data is not None
                data.check_log()
            log = SqlTurnLog(log_url if log_url is not None else data.log_url)  # type: ignore[union-attr]  # see above
            opened.callback(log.close)
            if log_url is None:
                data.note_log()  # type: ignore[union-attr]  # see above
            # The directory keeps other processes out as a whole.
            turn_locks = TurnLocks() if log_url is None else log.locks()
            opened.callback(turn_locks.close)
            settings = SqlSettingsStore(log)
            return cls(
                log,
                index,
                checked,
                erasables=erasables,
                closing=opened.pop_all(),
                settings=settings,
                extractor=extractor,
                journal=SqlJournal(log),
                turn_locks=turn_locks,
            )

    def user(self, scope: Scope) -> UserMemory:
        """Return the memory of one scope; the same scope gives the same object while it is in use.

        Raises:
            ScopeError: If it is no scope.
        """
        if not isinstance(scope, Scope):
            raise ScopeError(f"whose memory is meant is said by a Scope; got {scope!r}")
        _ = scope.key  # checks it
        with self._lock:
            if not self._is_open:
                raise MemoryStoreError("the memory is closed; open it again to use it")
            user = self._users.get(scope)
            if user is None:
                user = UserMemory(
                    scope,
                    self._log,
                    self._index,
                    self._embedder,
                    self._indexer,
                    self._settings,
                    self._extractor,
                    self._residents,
                    self._journal,
                    self._turn_locks,
                )
                self._users[scope] = user
        self._residents.use(user)
        return user

    def erase(self, scope: Scope, *, turn_ids: Collection[str] | None = None, span: TimeSpan | None = None) -> Receipt:
        """Erase everything of `scope`, or these turns, or those of a time span, from every store for good.

        What the person settled goes with everything. Every store is tried, also when one fails; erasing again what is
        gone does no harm. What only the operators of servers can reach, the receipt tells.

        Raises:
            ErasureError: If a store did not complete; its receipt says which did.
        """
        if isinstance(turn_ids, str) or (turn_ids is not None and span is not None):
            raise ValueError("say what to erase by a collection of turn_ids or by a span; neither means everything")
        user, undated, settings = self.user(scope), 0, self._settings
        if span is not None:
            held = {turn.turn_id: checked_span(span).holds(turn) for turn in user.kept_turns()}
            turn_ids = [turn_id for turn_id, is_held in held.items() if is_held]
            undated = sum(is_held is None for is_held in held.values())
        stores = [_erased("turn log", lambda: user.erase_from_log(turn_ids), self._log.residue)]
        in_log = stores[0].count
        stores.append(_erased("vector index", lambda: max(in_log, user.erase_from_index()), self._index.residue))
        if self._journal is not None:
            erased = _erased("journal", lambda: user.erase_from_journal(turn_ids), self._log.residue)
            stores += [erased] * bool(erased.count or erased.error)  # most of the time there is nothing in it
        if turn_ids is None and settings is not None:
            stores.append(_erased("settings", lambda: settings.erase(scope), self._log.residue))
        stores += [_erased(store.name, partial(store.erase, scope, turn_ids)) for store in self._erasables]
        receipt = Receipt(scope, tuple(stores), undated)
        if not receipt.is_complete:
            raise ErasureError(receipt)
        return receipt

    def reindex(
        self,
        scope: Scope | None = None,
        *,
        from_scratch: bool = False,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> Progress:
        """Bring the index to the log, for one user or for all, and return how much that was.

        Meanwhile the memory works as ever, for this process and for others. What was done stays done: after an
        interruption, calling it again goes on. When all are done, the index of this embedder takes the place of any
        other, and vectors of users without turns are erased.

        Args:
            scope: Whose; `None` means all.
            from_scratch: Embed every turn anew, instead of only what is missing or of another text.
            on_progress: Called after each user.
        """
        counts = dict(self._log.scopes()) if scope is None else {scope: len(self.user(scope).kept_turns())}
        if scope is None and from_scratch:
            self._index.clear()
        done = Progress(0, 0, len(counts), sum(counts.values()))
        for one, turns in counts.items():
            self.user(one).reindex(from_scratch=from_scratch and scope is not None)
            done = done._replace(users=done.users + 1, turns=done.turns + turns)
            on_progress(done)
        if scope is None:
            self._index.adopt(self._log.scopes())
        return done

    def wait_indexed(self) -> None:
        """Return once the index has every turn that was remembered so far.

        Raises:
            MemoryStoreError: If the embedder or the index fails.
        """
        self._indexer.drain()

    def close(self) -> None:
        """Index what waits, close everything and give the directory free; closing twice does nothing."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
        with self._closing:
            self._indexer.close()
            try:
                self._indexer.drain()
            except MemoryStoreError as exc:
                self._indexer.report(exc)
            with self._lock:
                self._users.clear()
                self._residents.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _opened_index(
    data: DataDirectory | None, chroma: Sequence[str], embedder: Embedder, *, reindexing: bool
) -> VectorIndex:
    """Return the index on servers, or else the one in the directory; memory goes on without the one that fails."""

    def opened() -> VectorIndex:
        if chroma:
            store: ChromaStore = ChromaServers(chroma, mending=reindexing)
        else:
            assert data is not None
            store = ChromaDirectory(data.index, mending=reindexing)
        return ChromaIndex(
            store, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions, reindexing=reindexing
        )

    try:
        return opened()
    except (DataVersionError, EmbedderMismatchError):
        raise
    except IndexUnreachableError as exc:
        if reindexing:
            raise
        return LateIndex(opened, exc)
    except MemoryStoreError as exc:
        if chroma or reindexing:
            raise
        return UnreadableIndex(exc)


def _erased(store: str, action: Callable[[], int], residue: str | None = None) -> Erased:
    try:
        return Erased(store, action(), residue=residue)
    except Exception as exc:  # of a store of whatever kind: the others must be tried, and the receipt tells
        return Erased(store, 0, f"{type(exc).__name__}: {exc}")
