"""A file of SQLite: its connections, and leaving no byte in it of what was erased."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import URL, Connection, Engine, event

_BUSY_TIMEOUT_MS = 10_000
"""How long SQLite waits for another writer before it gives up."""
_RETRY_S = 0.02
"""A checkpoint of a thousand pages takes about so long."""


class Place(NamedTuple):
    """Where a file lies, and which file that is."""

    path: Path
    device: int
    inode: int

    def is_taken(self) -> bool:
        """Say whether the file still lies there."""
        try:
            found = self.path.stat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (self.device, self.inode)


def place(url: URL) -> Place | None:
    """Return where the file of a database lies; `None` where it is in memory, or named otherwise than by its path."""
    path = Path(url.database or "")
    if not path.is_file():
        return None
    path = path.resolve()
    found = path.stat()
    return Place(path, found.st_dev, found.st_ino)


def configure(engine: Engine) -> None:
    """Make every connection durable, patient and leaving nothing behind that was deleted."""

    @event.listens_for(engine, "connect")
    def _set_pragmas(connection: Any, record: object) -> None:
        connection.isolation_level = None  # the driver would begin transactions on its own, and too late
        for pragma in (
            f"busy_timeout={_BUSY_TIMEOUT_MS}",
            "journal_mode=WAL",
            "synchronous=FULL",
            "secure_delete=ON",  # overwrite deleted content with zeros
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT":
            return
        # A transaction that reads first and writes then fails at once when another one wrote in between.
        options = connection.get_execution_options()
        is_writing = options.get("stead_writes", False)
        if is_writing:  # in WAL mode the default may lose the last commits at a power cut
            connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if options.get('stead_waits', True) else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def erasures(connection: Connection) -> int:
    """Return how many erasures no scrubbing has followed yet; SQLite keeps the number for us in the file's header."""
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def note_erasure(connection: Connection) -> None:
    """Count one more erasure, within the transaction that erases."""
    connection.exec_driver_sql(f"PRAGMA user_version = {erasures(connection) + 1}")


def scrub(connection: Connection) -> bool:
    """Leave nothing of what was erased, and return `False` where a reader keeps it in the write-ahead log.

    SQLite overwrites what is deleted, but old copies stay in the unused part of pages that were split, and in the
    write-ahead log: so the file is written anew and the log cut to nothing.

    Args:
        connection: In no transaction, and beginning none (`AUTOCOMMIT`).
    """
    noted = erasures(connection)
    connection.exec_driver_sql("VACUUM")
    if not _cut_log(connection):
        return False
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    if erasures(connection) == noted:  # else another one came meanwhile, and is about to scrub
        connection.exec_driver_sql("PRAGMA user_version = 0")
    connection.exec_driver_sql("COMMIT")
    _cut_log(connection)  # of that number; where a reader keeps it, it does no harm
    return True


def _cut_log(connection: Connection) -> bool:
    """Move the write-ahead log into the file, and say whether nothing is left of it.

    SQLite waits for readers by itself, but not for another checkpoint, which any writer may be at.
    """
    give_up_at = time.monotonic() + _BUSY_TIMEOUT_MS / 1000
    while connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]:
        if time.monotonic() >= give_up_at:
            return False
        time.sleep(_RETRY_S)
    return True
