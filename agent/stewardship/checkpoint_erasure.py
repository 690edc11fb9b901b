"""Erasing a person's unfinished turns from a checkpointer of LangGraph."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from agent.graph import allow_listed
from agent.turn_state import TurnState
from memory.errors import MemoryStoreError
from memory.records import Scope


class CheckpointErasure:
    """A further store for `Memory.open(…, erasables=[…])`: the threads of a person in a checkpointer.

    A checkpoint holds what was recalled from any earlier turn, so erasing one turn deletes every thread of the person;
    a question that waits for its answer there is lost with it. Of SQLite the file is written anew, so that no byte
    stays; what another database does with deleted rows is up to it.

    Args:
        checkpointer: That of the graph.
        name: What a receipt calls it.
    """

    def __init__(self, checkpointer: BaseCheckpointSaver[Any], *, name: str = "checkpoints") -> None:
        self.name = name
        self._checkpointer = allow_listed(checkpointer)

    def erase(self, scope: Scope, turn_ids: Collection[str] | None) -> int:
        """Delete the threads of `scope`, whichever turns are meant unless none is, and return how many there were."""
        threads = set(self._threads(scope)) if turn_ids is None or turn_ids else set()
        for thread in threads:
            self._checkpointer.delete_thread(thread)
        connection = getattr(self._checkpointer, "conn", None)
        if isinstance(connection, sqlite3.Connection):
            _scrub(connection)
        return len(threads)

    def _threads(self, scope: Scope) -> Iterator[str]:
        for checkpoint in self._checkpointer.list(None):
            values = checkpoint.checkpoint["channel_values"]
            turn = values.get("turn") or values.get("__start__", {}).get("turn")  # a thread that has only begun
            if isinstance(turn, TurnState) and turn.scope == scope:
                yield str(checkpoint.config["configurable"]["thread_id"])


def _scrub(connection: sqlite3.Connection) -> None:
    """Leave nothing of what was deleted in the file or its write-ahead log.

    Raises:
        MemoryStoreError: If a reader kept the bytes in the write-ahead log.
    """
    connection.commit()
    connection.execute("VACUUM")
    is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if is_busy:
        raise MemoryStoreError(
            "the threads are out of the checkpoints, but a reader kept their bytes in the write-ahead log; erase again "
            "when nobody reads the database"
        )
