"""One turn of a person at a time, among threads and processes; waiting is bounded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.errors import TurnRunningError
from memory.records import Scope
from memory.storage.sql_turn_log import SqlTurnLog
from memory.storage.turn_locks import TurnLocks
from tests.postgres_server import PostgresServer

ANN, BOB = Scope("ann"), Scope("bob")

HOLDER = """
import sys, time
from memory import Scope, SqlTurnLog
with SqlTurnLog(sys.argv[1]).locks().held(Scope("ann"), 5):
    print("held", flush=True)
    time.sleep(60)
"""


class LocksContract:
    """A subclass returns the URL of an empty database from `url`."""

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def locks(self, url: str) -> Iterator[TurnLocks]:
        with closing(SqlTurnLog(url)) as log, closing(log.locks()) as locks:
            yield locks

    def test_another_thread_waits_and_is_refused_in_time(self, locks: TurnLocks) -> None:
        refused: list[TurnRunningError] = []

        def ask() -> None:
            try:
                with locks.held(ANN, 0.05):
                    pass
            except TurnRunningError as exc:
                refused.append(exc)

        with locks.held(ANN, 0):
            begun = time.monotonic()
            other = threading.Thread(target=ask)
            other.start()
            other.join(timeout=5)
            assert time.monotonic() - begun < 2
            with locks.held(BOB, 0):
                pass
        assert [(one.user, one.waited_s) for one in refused] == [("ann", 0.05)]
        with locks.held(ANN, 0):
            pass

    def test_a_turn_within_a_turn_is_refused_at_once(self, locks: TurnLocks) -> None:
        with locks.held(ANN, 5), pytest.raises(TurnRunningError), locks.held(ANN, 5):
            pass

    def test_a_running_event_loop_does_not_hang(self, locks: TurnLocks) -> None:
        async def both() -> list[str]:
            def hold(name: str) -> str:
                with locks.held(ANN, 5):
                    time.sleep(0.01)
                    return name

            return await asyncio.gather(*(asyncio.to_thread(hold, name) for name in "ab"))

        assert asyncio.run(both()) == ["a", "b"]

    def test_another_process_is_waited_for_and_its_death_frees_the_lock(self, locks: TurnLocks, url: str) -> None:
        with subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(TurnRunningError), locks.held(ANN, 0.1):
                pass
            holder.kill()
            with locks.held(ANN, 10):
                pass


class TestFiles(LocksContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path}/turns.sqlite"


@pytest.mark.services
class TestPostgres(LocksContract):
    @pytest.fixture
    def url(self, postgres: PostgresServer) -> str:
        return postgres.new_database()

    def test_a_connection_that_the_server_cut_is_replaced(self, locks: TurnLocks, postgres: PostgresServer) -> None:
        for _ in range(2):
            with locks.held(ANN, 0):
                postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'stead_%'")
