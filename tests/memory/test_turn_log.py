"""The turn log on a real SQLite file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect

from memory.errors import DataVersionError, MemoryStoreError, RecordError, ScopeError
from memory.records import CallStep, Observation, QuestionStep, Scope, ToolCall, Turn
from memory.schema import metadata
from memory.turn_log import LogEntry, SqlTurnLog

ALIKE = [
    "acme",
    "acme-corp",
    "john_doe",
    "john-doe",
    "john%",
    "a%",
    "a_",
    "用户1",
    "用户10",
    "ALICE",
    "alice",
    "é",
    "e\u0301",
    " a",
]
"""Ids that a prefix search, a wildcard, a collation or a normal form would take for one another."""

SHANGHAI = timezone(timedelta(hours=8))
FULL_TURN = Turn(
    turn_id="t-1",
    request="帮我订明早去北京的机票 ✈️\nplease",
    steps=(
        CallStep(
            calls=(
                ToolCall(
                    id="c1", name="search", arguments={"to": "北京", "seats": 2, "price": 2.0, "tags": [None, True]}
                ),
            ),
            observations=(Observation(content={"flights": []}),),
        ),
        QuestionStep(question="几点？", answer="九点前", slots=("search.time",)),
        CallStep(calls=(ToolCall(id="c2", name="book"),), observations=(Observation(error="sold out"),)),
    ),
    reply="好的",
    time=datetime(2023, 5, 24, 0, 30, tzinfo=SHANGHAI),
    topic="travel",
)


def turn(turn_id: str, request: str = "hello", **arguments: Any) -> Turn:
    call = CallStep(calls=(ToolCall(id="c", name="f", arguments=arguments),), observations=(Observation(),))
    return Turn(turn_id=turn_id, request=request, steps=(call,))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turns.sqlite"


@pytest.fixture
def log(path: Path) -> Iterator[SqlTurnLog]:
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        yield log


def test_a_turn_comes_back_as_it_went_in_also_after_reopening(path: Path) -> None:
    scope = Scope("ann")
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        assert log.append(scope, FULL_TURN) == 0
        assert log.append(scope, turn("t-2")) == 1
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        assert log.turns(scope) == (FULL_TURN, turn("t-2"))
        assert log.entries(scope) == (LogEntry(0, FULL_TURN), LogEntry(1, turn("t-2")))
        stored = log.turns(scope)[0]
        assert stored.time is not None
        assert stored.time.utcoffset() == timedelta(hours=8)
        assert [type(value) for value in stored.calls[0].arguments.values()] == [str, int, float, list]
        assert list(stored.calls[0].arguments) == ["to", "seats", "price", "tags"]


def test_the_same_turn_again_changes_nothing(log: SqlTurnLog) -> None:
    scope = Scope("ann")
    log.append(scope, turn("a", x=1, y=2))
    log.append(scope, turn("b"))
    assert log.append(scope, turn("a", y=2, x=1)) == 0  # the order of arguments says nothing
    assert log.turns(scope) == (turn("a", x=1, y=2), turn("b"))


def test_another_turn_with_a_known_id_is_refused(log: SqlTurnLog) -> None:
    scope = Scope("ann")
    log.append(scope, turn("a", x=1))
    for other in (turn("a", x=2), turn("a", x=True), turn("a", "hello ", x=1)):
        with pytest.raises(RecordError, match="'a' is in the log with another content"):
            log.append(scope, other)
    assert log.turns(scope) == (turn("a", x=1),)


def test_turn_ids_compare_byte_for_byte(log: SqlTurnLog) -> None:
    scope = Scope("ann")
    for turn_id in ALIKE:
        log.append(scope, turn(turn_id))
    assert log.turns(scope) == tuple(turn(turn_id) for turn_id in ALIKE)
    assert log.forget(scope, ["a%", "acme", "ALICE"]) == 3
    assert [left.turn_id for left in log.turns(scope)] == [i for i in ALIKE if i not in {"a%", "acme", "ALICE"}]


@pytest.mark.parametrize("part", ["user", "tenant", "agent"])
def test_scopes_that_look_alike_share_nothing(log: SqlTurnLog, part: str) -> None:
    scopes = {name: Scope(**({"user": "u"} | {part: name})) for name in ALIKE}
    for name, scope in scopes.items():
        assert log.append(scope, turn("t", f"secret of {name}")) == 0
    for name, scope in scopes.items():
        assert log.turns(scope) == (turn("t", f"secret of {name}"),)
    for forgotten in ALIKE:
        assert log.forget(scopes.pop(forgotten)) == 1
        assert {name: log.turns(scope) for name, scope in scopes.items()} == {
            name: (turn("t", f"secret of {name}"),) for name in scopes
        }


def test_scope_parts_do_not_run_together(log: SqlTurnLog) -> None:
    log.append(Scope("c", tenant="ab"), turn("t"))
    assert log.turns(Scope("bc", tenant="a")) == ()
    assert log.turns(Scope("ab", tenant="c")) == ()


def test_positions_keep_growing_after_some_turns_were_forgotten(log: SqlTurnLog) -> None:
    scope = Scope("ann")
    for turn_id in "abc":
        log.append(scope, turn(turn_id))
    assert log.forget(scope, ["a", "b", "unknown", "a"]) == 2
    assert log.append(scope, turn("d")) == 3
    assert log.entries(scope) == (LogEntry(2, turn("c")), LogEntry(3, turn("d")))
    assert log.forget(scope, []) == 0
    assert log.forget(scope, (str(number) for number in range(2000))) == 0  # type: ignore[arg-type]  # any iterable does
    assert log.forget(scope) == 2
    assert log.forget(scope) == 0


def test_nothing_of_a_forgotten_turn_is_left_in_any_file(log: SqlTurnLog, path: Path) -> None:
    secret, kept = "SECRET-4f1c9", "KEPT-77a0"
    log.append(Scope("ann"), turn(f"id-{secret}", f"{secret} " * 3000))
    log.append(Scope(f"bob-{secret}"), turn("b", secret))
    log.append(Scope("ann"), turn("k", kept))
    log.forget(Scope("ann"), [f"id-{secret}"])
    log.forget(Scope(f"bob-{secret}"))
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (content.count(secret.encode()), content.count(kept.encode())) == (0, 1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "half a pair \ud83d", {"deep": [float("-inf")]}])
def test_a_turn_that_json_cannot_hold_is_refused(log: SqlTurnLog, value: Any) -> None:
    with pytest.raises(RecordError, match="turn 't'"):
        log.append(Scope("ann"), turn("t", x=value))
    assert log.turns(Scope("ann")) == ()


@pytest.mark.parametrize("user", ["a\x00b", "half a pair \ud83d"])
def test_an_id_that_no_database_stores_is_refused(log: SqlTurnLog, user: str) -> None:
    for action in (
        lambda: log.append(Scope(user), turn("t")),
        lambda: log.turns(Scope(user)),
        lambda: log.forget(Scope(user)),
    ):
        with pytest.raises(ScopeError, match="no database stores"):
            action()
    with pytest.raises(RecordError, match="no database stores"):
        log.append(Scope("ann"), turn("t\x00"))


def test_text_of_any_kind_is_kept(log: SqlTurnLog) -> None:
    texts = ["", " ", "\x00\x1f", "'; DROP TABLE turns; --", "𝔘𝔫𝔦", "\u2028\ufeff", "x" * 200_000]
    for number, text in enumerate(texts):
        log.append(Scope("ann"), turn(str(number), text))
    assert [stored.request for stored in log.turns(Scope("ann"))] == texts


def test_threads_append_without_losing_or_doubling_a_turn(path: Path) -> None:
    """Twice the same work from logs of their own, as two processes would do it."""
    scope = Scope("ann")
    barrier = threading.Barrier(8, timeout=30)

    def work(worker: int) -> None:
        with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
            barrier.wait()
            for number in range(10):
                log.append(scope, turn(f"same-{number}"))
                log.append(scope, turn(f"own-{worker}-{number}"))

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with closing(SqlTurnLog(f"sqlite:///{path}")) as log:
        entries = log.entries(scope)
    assert [entry.position for entry in entries] == list(range(90))
    assert {entry.turn.turn_id for entry in entries} == {f"same-{n}" for n in range(10)} | {
        f"own-{worker}-{n}" for worker in range(8) for n in range(10)
    }


def test_every_connection_is_durable(log: SqlTurnLog, path: Path) -> None:
    log.append(Scope("ann"), turn("a"))
    assert path.with_name("turns.sqlite-wal").stat().st_size > 0  # it is in WAL mode, and not yet checkpointed
    with closing(sqlite3.connect(path)) as other:  # and committed: another connection sees it
        assert other.execute("SELECT turn_id FROM turns").fetchall() == [("a",)]


def test_migrations_make_the_schema_that_the_code_uses(log: SqlTurnLog, path: Path) -> None:
    wanted = {column.name: (str(column.type), column.nullable) for column in metadata.tables["turns"].columns}
    engine = create_engine(f"sqlite:///{path}")
    try:
        found = inspect(engine)
        assert {c["name"]: (str(c["type"]), c["nullable"]) for c in found.get_columns("turns")} == wanted
        assert found.get_pk_constraint("turns")["constrained_columns"] == ["tenant", "user_id", "agent", "position"]
        unique = [constraint["column_names"] for constraint in found.get_unique_constraints("turns")]
        assert unique == [["tenant", "user_id", "agent", "turn_id"]]
    finally:
        engine.dispose()


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
        other.execute("UPDATE turns SET content = '{\"turn_id\": 3}'")
    with pytest.raises(RecordError, match="position 0"):
        log.turns(Scope("ann"))


def test_a_password_is_in_no_message() -> None:
    with pytest.raises(MemoryStoreError) as caught:
        SqlTurnLog("sqlite://me:hunter2@nowhere/missing/turns.sqlite")
    assert "hunter2" not in str(caught.value)


def test_a_closed_log_is_refused(log: SqlTurnLog) -> None:
    log.close()
    with pytest.raises(MemoryStoreError, match="is closed"):
        log.append(Scope("ann"), turn("a"))
    with pytest.raises(MemoryStoreError, match="is closed"):
        log.turns(Scope("ann"))
