"""Locks on the turns of a person: one turn at a time, across threads, event loops and processes.

Every lock goes with its process: none has to lapse, and none is left by a process that was killed.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from memory.errors import MemoryStoreError, TurnRunningError
from memory.records import Scope

_POLL_S = 0.02
"""Between two looks whether another process is through."""


class ProcessLocks(Protocol):
    """Locks among processes. Within this one, only the holder of a scope's own lock asks for them."""

    def acquire(self, scope: Scope, wait_s: float) -> bool:
        """Take the lock of `scope` within so many seconds, and say whether that was possible."""
        ...

    def release(self, scope: Scope) -> None:
        """Give the lock of `scope` free."""
        ...

    def close(self) -> None:
        """Give all free; the locks are of no use afterwards."""
        ...


class TurnLocks:
    """Lets one turn of a person run at a time.

    Args:
        processes: What keeps other processes out; `None`: something else does, or there are none.
    """

    def __init__(self, processes: ProcessLocks | None = None) -> None:
        self._processes = processes
        self._guard = threading.Lock()
        self._scopes: WeakValueDictionary[Scope, _ScopeLock] = WeakValueDictionary()

    @contextmanager
    def held(self, scope: Scope, wait_s: float) -> Iterator[None]:
        """Hold the turn of `scope`.

        Args:
            scope: Whose.
            wait_s: Seconds to wait for the turn that runs, at least 0.

        Raises:
            TurnRunningError: If it still runs then, or if it is the one that asks.
        """
        until = time.monotonic() + wait_s
        with self._guard:
            mine = self._scopes.setdefault(scope, _ScopeLock())
        if mine.thread == threading.get_ident():
            raise TurnRunningError(scope.user, 0.0)
        if not mine.lock.acquire(timeout=wait_s):
            raise TurnRunningError(scope.user, wait_s)
        try:
            if self._processes is None:
                mine.thread = threading.get_ident()
                yield
                return
            if not self._processes.acquire(scope, max(0.0, until - time.monotonic())):
                raise TurnRunningError(scope.user, wait_s)
            mine.thread = threading.get_ident()
            try:
                yield
            finally:
                self._processes.release(scope)
        finally:
            mine.thread = None
            mine.lock.release()

    def close(self) -> None:
        """Give all free."""
        if self._processes is not None:
            self._processes.close()


class _ScopeLock:
    """The lock of one scope in this process, as long as anyone waits for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.thread: int | None = None
        """Of the holder, which would wait for itself for ever."""


class FileLocks:
    """Locks of files in a folder, which the operating system takes from a process that dies.

    A file is named by 16 bits of a digest: it tells nothing of the person, and two who share one wait for each other.

    Args:
        folder: Made when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[Scope, FileLock] = {}

    def acquire(self, scope: Scope, wait_s: float) -> bool:
        try:
            self._folder.mkdir(exist_ok=True)
            lock = FileLock(self._folder / f"{_digest(scope):016x}"[:4], thread_local=False)
            lock.acquire(timeout=wait_s, poll_interval=_POLL_S)
        except Timeout:
            return False
        except OSError as exc:
            raise MemoryStoreError(f"cannot lock a file in {str(self._folder)!r}: {exc.strerror}") from exc
        self._held[scope] = lock
        return True

    def release(self, scope: Scope) -> None:
        self._held.pop(scope).release()

    def close(self) -> None:
        for scope in list(self._held):
            self.release(scope)


class PostgresLocks:
    """Advisory locks of PostgreSQL, all of one connection: they go with it.

    Args:
        engine: Lends the connection.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._using = threading.Lock()

    def acquire(self, scope: Scope, wait_s: float) -> bool:
        until = time.monotonic() + wait_s
        while not self._tried(scope):
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_S)
        return True

    def release(self, scope: Scope) -> None:
        with self._using:
            try:
                if self._connection is not None:
                    self._connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _signed(scope)})
            except SQLAlchemyError:  # a connection that is gone has given its locks free
                self._drop()

    def close(self) -> None:
        with self._using:
            self._drop()

    def _tried(self, scope: Scope) -> bool:
        with self._using:
            try:
                return self._tried_once(scope)
            except DBAPIError as exc:
                if not exc.connection_invalidated:
                    raise MemoryStoreError(f"the database did not lock the turns of a person: {exc.orig}") from exc
            self._drop()  # the server cut it, and gave its locks free
            try:
                return self._tried_once(scope)
            except SQLAlchemyError as exc:
                raise MemoryStoreError("the database that locks the turns of persons cannot be reached") from exc

    def _tried_once(self, scope: Scope) -> bool:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        found = self._connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _signed(scope)})
        return bool(found.scalar_one())

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                connection.invalidate()  # in the pool it would go on holding its locks
            connection.close()


def _digest(scope: Scope) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(scope.key).encode("utf-8")).digest()[:8])


def _signed(scope: Scope) -> int:
    """Return the key of a scope's lock, in the 64 bits that PostgreSQL takes."""
    return _digest(scope) - 2**63
