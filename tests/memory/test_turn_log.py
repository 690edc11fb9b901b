"""The turn log on a real SQLite file, and on a real PostgreSQL server (marker `services`)."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine, create_engine, inspect

from memory.errors import DataVersionError, MemoryStoreError, RecordError
from memory.records import Scope
from memory.storage.schema import metadata
from memory.storage.sql_turn_log import SqlTurnLog
from memory.storage.turn_log import LogVersion
from tests.memory.turn_log_contract import ANN, TurnLogContract, turn
from tests.postgres_server import PostgresServer
from tests.services import required_module


class TestSqlite(TurnLogContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> URL:
        return URL.create("sqlite", database=str(tmp_path / "turns.sqlite"))


@pytest.mark.services
class TestPostgres(TurnLogContract):
    @pytest.fixture
    def url(self, postgres: PostgresServer) -> str:
        return postgres.new_database()

    def test_workers_that_open_an_empty_database_at_once_migrate_it_once(self, url: str) -> None:
        script = (
            "import sys; from memory.storage.sql_turn_log import SqlTurnLog; from memory import Scope, Turn\n"
            "SqlTurnLog(sys.argv[1]).append(Scope('ann'), Turn(turn_id=sys.argv[2], request='x'))"
        )
        workers = [subprocess.Popen([sys.executable, "-c", script, url, str(number)]) for number in range(4)]
        assert [worker.wait(timeout=120) for worker in workers] == [0] * 4
        with closing(SqlTurnLog(url)) as log:
            assert sorted(kept.turn_id for kept in log.turns(ANN)) == ["0", "1", "2", "3"]
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        assert_schema(engine)

    def test_two_threads_migrate_an_empty_database_one_after_the_other(self, url: str) -> None:
        barrier = threading.Barrier(4, timeout=30)
        failures: list[Exception] = []

        def work() -> None:
            barrier.wait()
            try:
                SqlTurnLog(url).close()
            except Exception as exc:
                failures.append(exc)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert failures == []

    @pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
    def test_a_database_that_cannot_hold_every_text_is_refused(self, postgres: PostgresServer, encoding: str) -> None:
        with pytest.raises(MemoryStoreError, match=f"encoding {encoding}, .* ENCODING 'UTF8'"):
            SqlTurnLog(postgres.new_database(encoding=encoding))

    def test_a_server_that_is_gone_is_named_without_its_password(self, tmp_path: Path) -> None:
        required_module("psycopg", installed_by="pip install 'stead[postgres]'")
        with pytest.raises(MemoryStoreError, match="cannot open the turn log") as caught:
            SqlTurnLog(f"postgresql://me:hunter2@/stead?host={tmp_path}")
        assert "hunter2" not in str(caught.value)

    def test_connections_that_the_server_cut_are_replaced(self, postgres: PostgresServer, url: str) -> None:
        with closing(SqlTurnLog(url)) as log:
            log.append(ANN, turn("a"))
            postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'stead_%'")
            log.append(ANN, turn("b"))
            assert log.turns(ANN) == (turn("a"), turn("b"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turns.sqlite"


@pytest.fixture
def log(path: Path) -> Iterator[SqlTurnLog]:
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        yield log


def assert_schema(engine: Engine) -> None:
    """Compare tables, columns and keys of a database with those that the code uses."""
    try:
        found = inspect(engine)
        assert set(found.get_table_names()) == {*metadata.tables, "alembic_version"}
        for name, table in metadata.tables.items():
            types = [column.type.compile(engine.dialect) for column in table.columns]
            wanted = {c.name: (kind, c.nullable) for c, kind in zip(table.columns, types, strict=True)}
            columns = found.get_columns(name)
            assert {c["name"]: (c["type"].compile(engine.dialect), c["nullable"]) for c in columns} == wanted
            key = [column.name for column in table.primary_key.columns]
            assert found.get_pk_constraint(name)["constrained_columns"] == key
        unique = [constraint["column_names"] for constraint in found.get_unique_constraints("turns")]
        assert unique == [["tenant", "user_id", "agent", "turn_id"]]
    finally:
        engine.dispose()


def test_migrations_make_the_schema_that_the_code_uses(log: SqlTurnLog, path: Path) -> None:
    assert_schema(create_engine(f"sqlite:///{path}"))


def test_a_log_of_the_first_revision_is_brought_up_to_date(path: Path) -> None:
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        for turn_id in "abc":
            log.append(ANN, turn(turn_id))
        log.append(Scope("bob", tenant="t"), turn("x"))
        log.forget(ANN, ["a"])
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DROP TABLE scopes")
        other.execute("DROP TABLE user_settings")
        other.execute("DROP TABLE journal")
        other.execute("UPDATE alembic_version SET version_num = '0001'")
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        versions = log.version(ANN), log.version(Scope("bob", tenant="t"))
        assert [version and version[1:] for version in versions] == [(3, 0), (1, 0)]
        assert versions[0] != LogVersion(0, 3, 0)
        assert log.append(ANN, turn("d")) == 3
        assert log.turns(ANN) == (turn("b"), turn("c"), turn("d"))


def test_a_url_that_is_none_and_a_missing_driver_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MemoryStoreError, match="DRIVER://HOST/DB"):
        SqlTurnLog("my secret place")
    monkeypatch.setitem(sys.modules, "psycopg", None)  # as if it were not installed
    with pytest.raises(MemoryStoreError, match=r"pip install 'stead\[postgres\]'"):
        SqlTurnLog("postgresql://host/db")


def test_nothing_of_a_forgotten_turn_is_left_in_any_file(log: SqlTurnLog, path: Path) -> None:
    secret, kept = "SECRET-4f1c9", "KEPT-77a0"
    log.append(Scope("ann"), turn(f"id-{secret}", f"{secret} " * 3000))
    log.append(Scope(f"bob-{secret}"), turn("b", secret))
    log.append(Scope("ann"), turn("k", kept))
    log.forget(Scope("ann"), [f"id-{secret}"])
    log.forget(Scope(f"bob-{secret}"))
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (content.count(secret.encode()), content.count(kept.encode())) == (0, 1)


_KILLED_WHILE_ERASING = """
import os, signal, sys
from memory import Scope, SqlTurnLog
log = SqlTurnLog(f"sqlite:///{sys.argv[1]}")
log._scrub = lambda: os.kill(os.getpid(), signal.SIGKILL)
log.forget(Scope("ann"))
"""


def test_an_erasure_that_was_killed_is_completed_by_opening_the_log(path: Path) -> None:
    secret = "SECRET-4f1c9"
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        for number in range(50):
            log.append(Scope("ann"), turn(str(number), f"{secret} " * (number * 7)))
            log.append(Scope("bob"), turn(str(number), "kept"))
    killed = subprocess.run([sys.executable, "-c", _KILLED_WHILE_ERASING, str(path)], check=False)
    assert (killed.returncode, secret.encode() in path.read_bytes()) == (-signal.SIGKILL, True)
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        assert [file.name for file in path.parent.iterdir() if secret.encode() in file.read_bytes()] == []
        assert (len(log.turns(Scope("ann"))), len(log.turns(Scope("bob")))) == (0, 50)


def test_an_erasure_waits_for_the_checkpoints_of_others(log: SqlTurnLog, path: Path) -> None:
    """SQLite says at once that it is busy where another connection is at a checkpoint, as any writer may be."""
    is_over = threading.Event()

    def checkpoint() -> None:
        with closing(sqlite3.connect(path)) as other:
            while not is_over.is_set():
                other.execute("PRAGMA wal_checkpoint(PASSIVE)")

    with ThreadPoolExecutor(3) as workers:
        others = [workers.submit(checkpoint) for _ in range(3)]
        try:
            for _ in range(10):
                log.append(ANN, turn("a", "SECRET-4f1c9 " * 10_000))
                assert log.forget(ANN) == 1
        finally:
            is_over.set()
    assert [one.exception() for one in others] == [None] * 3
    assert [file.name for file in path.parent.iterdir() if b"SECRET" in file.read_bytes()] == []


@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_written_in_a_file_that_was_moved(log: SqlTurnLog, path: Path, is_replaced: bool) -> None:
    log.append(ANN, turn("a"))
    path.rename(path.with_name("moved"))
    if is_replaced:
        path.touch()
    with pytest.raises(MemoryStoreError, match="was moved or deleted while it was open"):
        log.append(ANN, turn("b"))
    with pytest.raises(MemoryStoreError, match="was moved or deleted while it was open"):
        log.forget(ANN)
    path.with_name("moved").replace(path)
    assert log.append(ANN, turn("b")) == 1


_FORKED = """
import os, sys
from memory import Scope, SqlTurnLog, Turn
log = SqlTurnLog(f"sqlite:///{sys.argv[1]}")
log.append(Scope("ann"), Turn(turn_id="a", request="x"))
child = os.fork()
if not child:
    try:
        log.append(Scope("ann"), Turn(turn_id="b", request="x"))
    except Exception as exc:
        os.write(1, str(exc).encode())
    log.close()
    os._exit(0)
os.waitpid(child, 0)
log.append(Scope("ann"), Turn(turn_id="c", request="x"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_of_the_process_that_opened_it_is_told_to_open_its_own(path: Path) -> None:
    command = [sys.executable, "-c", _FORKED, str(path)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "of which this one is a fork; open the memory in each process, after forking" in said
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        assert [entry.turn.turn_id for entry in log.entries(ANN)] == ["a", "c"]


def test_every_connection_is_durable(log: SqlTurnLog, path: Path) -> None:
    log.append(Scope("ann"), turn("a"))
    assert path.with_name("turns.sqlite-wal").stat().st_size > 0  # it is in WAL mode, and not yet checkpointed
    with closing(sqlite3.connect(path)) as other:  # and committed: another connection sees it
        assert other.execute("SELECT turn_id FROM turns").fetchall() == [("a",)]


def test_a_database_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        log.append(Scope("ann"), turn("a"))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE alembic_version SET version_num = '9f00'")
    with pytest.raises(DataVersionError, match="revision 9f00"):
        SqlTurnLog(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT version_num FROM alembic_version").fetchall() == [("9f00",)]
        assert other.execute("SELECT count(*) FROM turns").fetchall() == [(1,)]


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)
    with pytest.raises(MemoryStoreError, match=r"cannot open the turn log sqlite:.*turns\.sqlite"):
        SqlTurnLog(f"sqlite:///{path}")


def test_a_damaged_record_is_named(log: SqlTurnLog, path: Path) -> None:
    log.append(Scope("ann"), turn("a"))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute('UPDATE turns SET content = \'{"turn_id": "a", "request": ["SECRET-4f1c9"]}\'')
    with pytest.raises(RecordError, match=r"position 0 of .* is not a turn \(request: Input should be") as raised:
        log.turns(Scope("ann"))
    assert "SECRET" not in str(raised.value)


def test_no_word_of_a_turn_is_in_a_message(log: SqlTurnLog, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE turns RENAME TO others")
    with pytest.raises(MemoryStoreError, match="no such table: turns") as raised:
        log.append(Scope("ann"), turn("a", "SECRET-4f1c9"))
    assert "SECRET" not in f"{raised.value} {raised.value.__cause__}"


def test_a_password_is_in_no_message() -> None:
    with pytest.raises(MemoryStoreError) as caught:
        SqlTurnLog("sqlite://me:hunter2@nowhere/missing/turns.sqlite")
    assert "hunter2" not in str(caught.value)


def test_a_large_log_keeps_nothing_of_what_was_erased_among_other_turns(log: SqlTurnLog, path: Path) -> None:
    """Turns of every size in turn, so that pages are split again and again and the secret is moved about."""
    for number in range(300):
        log.append(Scope(f"user {number % 7}"), turn(f"k{number}", "kept " * (1 + number % 90)))
        if number % 10 == 0:
            log.append(ANN, turn(f"s{number}", f"SECRET-{number} " * (1 + number % 50)))
    assert log.forget(ANN, [f"s{number}" for number in range(0, 300, 20)]) == 15
    assert [kept.turn_id for kept in log.turns(ANN)] == [f"s{number}" for number in range(10, 300, 20)]
    log.forget(ANN)
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert content.count(b"SECRET") == 0
    assert sum(log.scopes().values()) == 300
