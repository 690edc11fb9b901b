"""The journal of a person: what is written down before it is done, and closed after a break."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from memory.errors import MemoryStoreError, RecordError
from memory.journal import CUT_OFF, Intent, JournalEntry, Stage
from memory.memory import Memory
from memory.records import CallStep, Observation, QuestionStep, Scope, ToolCall, Turn
from memory.storage.sql_journal import SqlJournal
from memory.storage.sql_turn_log import SqlTurnLog
from memory.storage.user_journal import UserJournal
from memory.storage.user_settings import UserSettings
from tests.fakes import HashingEmbedder
from tests.postgres_server import PostgresServer

ANN, BOB = Scope("ann"), Scope("bob")
ASKED = QuestionStep(question="Which day?", answer="Friday", slots=("book.day",))
READ = CallStep(calls=(ToolCall(id="r", name="find"),), observations=(Observation(content="seen"),))
TURN = Turn(turn_id="t1", request="Book HIDDEN-4f1c9", steps=(READ, ASKED))
DONE = Observation(content={"id": 7})


def call(call_id: str, room: str = "Alder") -> ToolCall:
    return ToolCall(id=call_id, name="book", arguments={"room": room})


def intent(call_id: str = "1", turn: Turn = TURN) -> Intent:
    return Intent(turn=turn, call=call(call_id), words="book", key=f"key-{call_id}")


def added(store: SqlJournal, scope: Scope, one: Intent, stage: Stage = "running", number: int = 0) -> JournalEntry:
    entry = JournalEntry(number, one, None, stage)
    store.add(scope, entry)
    return entry


class JournalContract:
    """A subclass returns the URL of an empty database from `url`."""

    @pytest.fixture
    def url(self) -> str | URL:
        raise NotImplementedError

    @pytest.fixture
    def store(self, url: str | URL) -> Iterator[SqlJournal]:
        with closing(SqlTurnLog(url)) as log:
            yield SqlJournal(log)

    def test_entries_come_back_in_order_also_in_another_process(self, store: SqlJournal, url: str | URL) -> None:
        first = added(store, ANN, intent("1"))
        added(store, ANN, intent("2"), "parked", 1)
        added(store, BOB, intent("3"))
        store.settle(ANN, first, DONE)
        expected = (JournalEntry(0, intent("1"), DONE, "running"), JournalEntry(1, intent("2"), None, "parked"))
        assert store.entries(ANN) == expected
        with closing(SqlTurnLog(url)) as other:
            assert SqlJournal(other).entries(ANN) == expected

    def test_entries_move_and_go(self, store: SqlJournal) -> None:
        first, second = (added(store, ANN, intent(str(number)), "running", number) for number in range(2))
        store.move(ANN, [first], "unknown")
        store.drop(ANN, [second])
        assert [(one.number, one.stage) for one in store.entries(ANN)] == [(0, "unknown")]

    def test_erasing_counts(self, store: SqlJournal) -> None:
        for number, turn_id in enumerate(("t1", "t1", "t2", "t3")):
            added(store, ANN, intent(turn=TURN.model_copy(update={"turn_id": turn_id})), "running", number)
        added(store, BOB, intent())
        assert store.erase(ANN, ["t1", "t9"]) == 2
        assert (store.erase(ANN), store.erase(ANN), len(store.entries(BOB))) == (2, 0, 1)

    def test_what_cannot_be_stored_is_refused_before_it_is_done(self, store: SqlJournal) -> None:
        bad = ToolCall(id="1", name="book", arguments={"x": float("nan")})
        with pytest.raises(RecordError):
            added(store, ANN, intent().model_copy(update={"call": bad}))
        assert store.entries(ANN) == ()

    def test_a_deed_of_unknown_outcome_keeps_its_key(self, store: SqlJournal) -> None:
        journal = UserJournal(ANN, store, lambda: False)
        entry, is_new = journal.intend(TURN, call("1"), "book")
        assert (is_new, journal.intend(TURN, call("1"), "book")) == (True, (entry, False))
        journal.finish("t1", is_told=True)
        later = TURN.model_copy(update={"turn_id": "t2"})
        again, _ = journal.intend(later, call("9"), "book")
        other, _ = journal.intend(later, call("8", "Birch"), "book")
        assert (again.intent.key == entry.intent.key, other.intent.key == entry.intent.key) == (True, False)
        for one in (again, other):
            journal.settle(one, DONE)
        journal.finish("t2", is_told=True)
        assert journal.entries() == ()


class TestSqlite(JournalContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> URL:
        return URL.create("sqlite", database=str(tmp_path / "turns.sqlite"))


@pytest.mark.services
class TestPostgres(JournalContract):
    @pytest.fixture
    def url(self, postgres: PostgresServer) -> str:
        return postgres.new_database()


def opened(folder: Path) -> Memory:
    return Memory.open(folder / "data", embedder=HashingEmbedder())


def cut_off(folder: Path, *, is_paused: bool = False) -> None:
    """Leave what a process leaves that was killed after one call and during another."""
    with opened(folder) as memory:
        user = memory.user(ANN)
        assert user.journal is not None
        user.remember(Turn(turn_id="t0", request="hello"))
        user.settle(UserSettings(is_paused=is_paused))
        with user.turn():
            entry, _ = user.journal.intend(TURN, call("1"), "book Alder")
            user.journal.settle(entry, DONE)
            user.journal.intend(TURN, call("2", "Birch"), "book Birch")


def test_a_turn_that_was_cut_off_is_in_the_log_at_the_next_opening(tmp_path: Path) -> None:
    cut_off(tmp_path)
    with opened(tmp_path) as memory:
        steps = (
            ASKED,
            CallStep(calls=(call("1"),), observations=(DONE,)),
            CallStep(calls=(call("2", "Birch"),), observations=(CUT_OFF,)),
        )
        user = memory.user(ANN)
        assert user.turns() == (Turn(turn_id="t0", request="hello"), TURN.model_copy(update={"steps": steps}))
        assert user.journal is not None
        assert [(one.stage, one.is_unknown) for one in user.journal.entries()] == [("untold", False), ("untold", True)]
        user.journal.told(user.journal.entries())
        assert [(one.stage, one.is_unknown) for one in user.journal.entries()] == [("unknown", True)]


def test_a_paused_person_is_told_and_nothing_is_kept(tmp_path: Path) -> None:
    cut_off(tmp_path, is_paused=True)
    with opened(tmp_path) as memory:
        user = memory.user(ANN)
        assert user.kept_turns() == (Turn(turn_id="t0", request="hello"),)
        assert user.journal is not None
        assert len(user.journal.entries()) == 2
        user.journal.told(user.journal.entries())
        user.journal.resolve(user.journal.entries())
    assert not holding(tmp_path)


@pytest.mark.parametrize("turn_ids", [None, ["t1"]])
def test_erasing_reaches_the_journal_and_says_so(tmp_path: Path, turn_ids: list[str] | None) -> None:
    cut_off(tmp_path)
    assert holding(tmp_path)
    with opened(tmp_path) as memory:
        receipt = memory.erase(ANN, turn_ids=turn_ids)
        assert (receipt.count("journal"), receipt.is_complete) == (2, True)
        assert memory.user(ANN).turns() == (() if turn_ids is None else (Turn(turn_id="t0", request="hello"),))
    assert not holding(tmp_path)


def holding(folder: Path) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and b"HIDDEN-4f1c9" in file.read_bytes()]


def test_a_result_that_found_no_room_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(SqlTurnLog(f"sqlite:///{tmp_path}/turns.sqlite")) as log:
        store = SqlJournal(log)
        journal = UserJournal(ANN, store, lambda: False)
        entry, _ = journal.intend(TURN, call("1"), "book")

        def full(*_: object) -> None:
            raise MemoryStoreError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(store, "settle", full)
            journal.settle(entry, DONE)
            assert [one.observation for one in journal.entries()] == [DONE]
        assert [one.observation for one in store.entries(ANN)] == [None]
        journal.entries()
        assert [one.observation for one in store.entries(ANN)] == [DONE]
