"""The thread that brings the vector index to the log while nobody waits."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from memory.errors import MemoryStoreError

_log = logging.getLogger(__name__)

_TURNS_AT_ONCE = 16
"""Embedded in a step; a step takes a twentieth of a second or so."""
_IDLE_S = 0.02
"""A step begins when nothing was appended for so long: Python runs one thread at a time, and an append goes first."""
_PATIENCE_S = 0.5
"""At the latest, a step begins so long after the last one, however much is appended."""


class Indexable(Protocol):
    """Someone whose turns are to be indexed."""

    def index(self, limit: int | None = None) -> bool:
        """Embed and store up to `limit` turns that the index lacks, and say whether there are more."""
        ...


class Indexer:
    """Indexes in the background, those who wait longest first; the thread starts with the first of them.

    Args:
        capacity: Most who may wait.
    """

    def __init__(self, *, capacity: int = 1024) -> None:
        self._capacity = capacity
        self._waiting: deque[Indexable] = deque()
        self._failed: deque[Indexable] = deque(maxlen=capacity)
        """Whose last step failed; they are tried again when they come anew, or by `drain`."""
        self._at_work: Indexable | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._appending = 0
        self._reported: str | None = None
        self._last_append = 0.0
        self._last_step = 0.0
        """Or when the first of those who wait came."""

    @contextmanager
    def standing_back(self) -> Iterator[None]:
        """Let what is done inside go before indexing."""
        with self._changed:
            self._appending += 1
        try:
            yield
        finally:
            with self._changed:
                self._appending -= 1
                self._last_append = time.monotonic()

    def submit(self, user: Indexable) -> bool:
        """Note that `user` has turns to be indexed, and return `False` if too many wait already."""
        with self._changed:
            if any(waiting is user for waiting in self._waiting):
                return True
            if self._is_closed or len(self._waiting) >= self._capacity:
                return False
            if not self._waiting:  # from now on someone waits
                self._last_step = time.monotonic()
            self._waiting.append(user)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="stead-indexer", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            return True

    def drain(self) -> None:
        """Index everyone who waits, in this thread.

        Raises:
            MemoryStoreError: If the embedder or the index fails; who was not reached goes on waiting.
        """
        with self._changed:
            users = [*([self._at_work] if self._at_work else []), *self._waiting, *self._failed]
        for user in users:
            while user.index():
                pass
            with self._changed:
                self._waiting = deque(waiting for waiting in self._waiting if waiting is not user)
                self._forget_failure(user)

    def report(self, failure: MemoryStoreError) -> None:
        """Warn that turns wait for the index, once for each reason in a row; the traceback only at level debug.

        The turns are in the log: they are indexed with the user's next turn, or when someone searches.
        """
        message = str(failure)
        with self._changed:  # who recalls and the thread may come upon the same at once
            is_new, self._reported = message != self._reported, message
        if is_new:
            _log.warning("turns are kept but wait to be indexed: %s", message)
        _log.debug("turns wait to be indexed", exc_info=failure)

    def close(self) -> None:
        """Stop the thread after the step it is at, and take nobody in any more; those who wait still do."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while (user := self._next()) is not None:
            try:
                has_more = user.index(_TURNS_AT_ONCE)
                has_failed = False
            except MemoryStoreError as exc:
                self.report(exc)
                has_more, has_failed = False, True
            with self._changed:
                self._at_work = None
                self._forget_failure(user)
                if has_failed:
                    self._failed.append(user)
                self._last_step = time.monotonic()
                if has_more and not any(waiting is user for waiting in self._waiting):
                    self._waiting.append(user)

    def _forget_failure(self, user: Indexable) -> None:
        self._failed = deque((failed for failed in self._failed if failed is not user), maxlen=self._capacity)

    def _next(self) -> Indexable | None:
        """Return the next user when it is time for a step, `None` when there will be no more."""
        with self._changed:
            while not self._is_closed:
                if not self._waiting:
                    self._changed.wait()
                elif (delay := self._delay()) > 0:
                    self._changed.wait(delay)
                else:
                    self._at_work = self._waiting.popleft()
                    return self._at_work
            return None

    def _delay(self) -> float:
        """Return the seconds until a step may begin."""
        now = time.monotonic()
        is_patient = now < self._last_step + _PATIENCE_S
        idle_at = now + _IDLE_S if self._appending else self._last_append + _IDLE_S
        return idle_at - now if is_patient else 0.0
