"""The data directory: its version, and the lock that keeps a second process out."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Literal
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError
from sqlalchemy.engine import URL

from memory.errors import DataVersionError, DirectoryLockedError, MemoryStoreError, TurnLogMissingError

DATA_VERSION = 1
_open_here: WeakValueDictionary[Path, DataDirectory] = WeakValueDictionary()
"""The directories open in this process; in a forked child also those of its parent."""
_registering = threading.Lock()


class DirectoryHeader(BaseModel, frozen=True, extra="ignore"):
    """What `memory.json` says of the directory it lies in; a newer version may say more."""

    format: Literal["stead-memory"] = "stead-memory"
    version: int = DATA_VERSION
    has_log: bool = False
    """Whether the turn log was made in it; one that is empty afterwards was damaged."""


class DataDirectory:
    """A directory that this object alone uses until it is closed.

    Two processes on one embedded Chroma directory read stale vectors and fail at random, so the second waits. The
    operating system takes the lock from a process that dies.

    Args:
        path: Made if it does not exist.
        lock_timeout_s: Seconds to wait for another process, at least 0.

    Raises:
        DirectoryLockedError: If another process held it all the time, or this process has it open already.
        DataVersionError: If it was written by a newer version of the project.
        MemoryStoreError: If it is no directory, or cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], *, lock_timeout_s: float = 30.0) -> None:
        if not lock_timeout_s >= 0:  # a negative timeout would wait for ever
            raise ValueError(f"lock_timeout_s is a number of seconds, at least 0; got {lock_timeout_s!r}")
        self.path = _made(Path(path))
        self._process_id = os.getpid()
        with _registering:
            holder = _open_here.get(self.path)
            if holder is not None and holder._process_id == self._process_id:
                raise DirectoryLockedError(str(self.path), 0.0, holder="this process (share the opened memory)")
            _open_here[self.path] = self
        # Not per thread: a memory may be closed by another thread than opened it.
        self._lock = FileLock(self.path / "lock", timeout=lock_timeout_s, thread_local=False)
        try:
            self._lock.acquire(poll_interval=0.05)
            self._check_version()
        except BaseException as exc:
            self.close()
            if isinstance(exc, Timeout):
                raise DirectoryLockedError(str(self.path), lock_timeout_s) from exc
            if isinstance(exc, OSError):
                raise MemoryStoreError(
                    f"cannot write in {str(self.path)!r}: {exc.strerror}; check its permissions"
                ) from exc
            raise

    @property
    def log_url(self) -> URL:
        """The URL of the turn log."""
        return URL.create("sqlite", database=str(self._log_path))

    @property
    def index(self) -> Path:
        """The folder of the vector index; it may be deleted while the directory is closed."""
        return self.path / "index"

    def check_log(self) -> None:
        """Refuse a turn log that was made and has no tables now; to go on with it would be to forget everyone silently.

        Raises:
            TurnLogMissingError: If it is gone or empty.
        """
        if self._header.has_log and _is_blank(self._log_path):
            raise TurnLogMissingError(str(self._log_path), str(self._header_path))

    def note_log(self) -> None:
        """Note that the turn log is made."""
        if not self._header.has_log:
            self._write_header(self._header.model_copy(update={"has_log": True}))

    def close(self) -> None:
        """Give the directory free; closing twice does nothing."""
        self._lock.release()
        with _registering:
            if _open_here.get(self.path) is self:
                del _open_here[self.path]

    def _check_version(self) -> None:
        path = self._header_path
        if not path.exists():
            self._write_header(DirectoryHeader())
            return
        content = path.read_bytes()
        try:
            header = DirectoryHeader.model_validate_json(content)
        except ValidationError as exc:
            raise MemoryStoreError(f"{str(path)!r} {_fault(content)}") from exc
        if header.version > DATA_VERSION:
            raise DataVersionError(
                f"{str(self.path)!r} is of data version {header.version}, and this version of the project reads up to "
                f"{DATA_VERSION}; install the newer version that wrote it"
            )
        self._header = header

    def _write_header(self, header: DirectoryHeader) -> None:
        unfinished = self._header_path.with_suffix(".tmp")
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.write(header.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name on an empty file
        unfinished.replace(self._header_path)
        self._header = header

    @property
    def _header_path(self) -> Path:
        return self.path / "memory.json"

    @property
    def _log_path(self) -> Path:
        return self.path / "turns.sqlite"


def _fault(content: bytes) -> str:
    """Return what is wrong with a `memory.json`, and what to do about it."""
    try:
        found = json.loads(content)
    except ValueError:
        found = None
    if isinstance(found, dict) and found.get("format", "stead-memory") != "stead-memory":
        return "is of another program; a memory needs a directory of its own"
    return "is damaged; delete it, and it is written anew (the turns are in turns.sqlite)"


def _is_blank(log: Path) -> bool:
    """Whether a turn log is not there or has no tables; one that SQLite cannot read is for whoever opens it to tell."""
    if not log.exists() or log.stat().st_size == 0:
        return True
    try:
        with closing(sqlite3.connect(f"{log.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
    except sqlite3.DatabaseError:
        return False


def _made(path: Path) -> Path:
    """Return the directory with links resolved, made if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        return path.resolve(strict=True)
    except (FileExistsError, NotADirectoryError) as exc:
        raise MemoryStoreError(f"{str(path)!r} is no directory; a memory needs one of its own") from exc
    except OSError as exc:
        raise MemoryStoreError(f"cannot make the directory {str(path)!r}: {exc.strerror}") from exc
