"""The whole memory: in a directory, and on PostgreSQL and Chroma servers that several processes share."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from memory import Memory, Scope
from memory.errors import EmbedderMismatchError, IndexUnreachableError, MemoryStoreError
from memory.storage.chroma_servers import ChromaServers
from memory.storage.erasure import ErasureError
from memory.storage.user_settings import UserSettings
from memory.strategies import open_strategy
from tests.chroma_processes import ChromaProcess
from tests.fakes import HashingEmbedder
from tests.memory.memory_contract import ANN, BOB, MemoryContract, found, ids, told, turn
from tests.postgres_server import PostgresServer


class TestDirectory(MemoryContract):
    @pytest.fixture
    def options(self, tmp_path: Path) -> dict[str, Any]:
        return {"directory": str(tmp_path)}


@pytest.mark.slow
class TestDirectoryWithChromaServer(MemoryContract):
    @pytest.fixture
    def options(self, tmp_path: Path, chroma_servers: list[ChromaProcess]) -> dict[str, Any]:
        return {"directory": str(tmp_path), "chroma": [chroma_servers[0].url]}


@pytest.mark.services
class TestServers(MemoryContract):
    @pytest.fixture
    def options(self, postgres: PostgresServer, chroma_servers: list[ChromaProcess]) -> dict[str, Any]:
        return {
            "directory": None,
            "log_url": postgres.new_database(),
            "chroma": [server.url for server in chroma_servers],
        }

    @pytest.fixture
    def two(self, options: dict[str, Any]) -> Iterator[tuple[Memory, Memory]]:
        """Two memories on the same servers, as two processes have them."""
        with (
            Memory.open(embedder=HashingEmbedder(), **options) as one,
            Memory.open(embedder=HashingEmbedder(), **options) as other,
        ):
            yield one, other

    def test_what_the_receipt_leaves_to_operators_is_all_that_is_left(
        self, options: dict[str, Any], postgres: PostgresServer, chroma_servers: list[ChromaProcess]
    ) -> None:
        """Case B20 on servers: every file of both is searched before and after what the receipt tells them to do."""
        embedder, secret = HashingEmbedder(dimensions=64), Scope("SECRET-user")
        texts = [f"my SECRET-text {n}" for n in range(40)]
        needles = [vector.tobytes()[:48] for vector in embedder.embed_documents(texts)]
        with Memory.open(embedder=embedder, **options) as memory:
            memory.user(ANN).remember_all(turn(str(n), f"kept {n}") for n in range(40))
            memory.user(secret).remember_all(turn(f"s{n}", text) for n, text in enumerate(texts))
            memory.user(secret).settle(UserSettings(retention_days={"plain": 1}))
            memory.wait_indexed()
            receipt = memory.erase(secret)
            assert told(receipt) == [("turn log", 40, None), ("vector index", 40, None), ("settings", 1, None)]
            [of_postgres, of_chroma] = receipt.residues
            memory.reindex(from_scratch=True)
        assert "VACUUM FULL turns, scopes, user_settings, journal" in of_postgres
        assert "stead reindex --from-scratch" in of_chroma
        database = options["log_url"].partition("@/")[2].partition("?")[0]
        postgres.run("VACUUM FULL turns, scopes, user_settings, journal", database=database)
        postgres.run("ALTER SYSTEM SET wal_recycle = off")  # so that old segments of the log are removed, not reused
        postgres.run("SELECT pg_reload_conf()")
        for _ in range(2):
            postgres.run("SELECT pg_switch_wal()")
            postgres.run("CHECKPOINT")
        assert [path for path, data in files(postgres.folder) if b"SECRET" in data] == []
        for server in chroma_servers:
            server.stop()
            server.vacuum()
            left = [path for path, data in files(server.folder) if any(needle in data for needle in needles)]
            server.start()
            assert left == []
        with Memory.open(embedder=embedder, **options) as memory:
            assert len(found(memory, ANN, "kept")) == 40

    def test_what_another_process_appends_or_erases_is_seen_at_once(self, two: tuple[Memory, Memory]) -> None:
        one, other = two
        for number in range(3):
            one.user(ANN).remember(turn(str(2 * number), f"even {number}"))
            assert ids(other, ANN) == [str(n) for n in range(2 * number + 1)]
            assert found(other, ANN, f"even {number}", 1) == [str(2 * number)]
            other.user(ANN).remember(turn(str(2 * number + 1), f"odd {number}"))
            assert found(one, ANN, f"odd {number}", 1) == [str(2 * number + 1)]
        one.erase(ANN, turn_ids=["1", "5"])
        assert ids(other, ANN) == ["0", "2", "3", "4"]
        assert sorted(found(other, ANN, "odd 0")) == ["0", "2", "3", "4"]
        other.user(ANN).remember(turn("5", "another text"))
        assert found(one, ANN, "another text", 1) == ["5"]
        other.erase(ANN)
        assert (ids(one, ANN), found(one, ANN, "odd 0")) == ([], [])
        one.user(ANN).remember(turn("0", "a new beginning"))
        assert (ids(other, ANN), found(other, ANN, "x")) == (["0"], ["0"])

    def test_what_one_process_embedded_the_other_does_not(self, options: dict[str, Any]) -> None:
        embedder = HashingEmbedder()
        with (
            Memory.open(embedder=HashingEmbedder(), **options) as one,
            Memory.open(embedder=embedder, **options) as other,
        ):
            one.user(ANN).remember_all(turn(str(n), f"turn {n}") for n in range(3))
            one.wait_indexed()
            assert len(found(other, ANN, "x")) == 3
            one.user(ANN).remember(turn("3", "turn 3"))
            one.wait_indexed()
            assert len(found(other, ANN, "x")) == 4
        assert embedder.embedded == ["x"]

    def test_a_vector_that_comes_after_the_erasure_is_removed(self, two: tuple[Memory, Memory]) -> None:
        """One process embeds a turn while the other erases it."""
        one, other = two
        reached, may_go_on = threading.Event(), threading.Event()
        upsert = one._index.upsert

        def late(*arguments: Any) -> None:
            reached.set()
            assert may_go_on.wait(30)
            upsert(*arguments)

        one._index.upsert = late  # type: ignore[assignment,method-assign]  # as a slow network would
        one.user(ANN).remember(turn("1", "secret"))
        assert reached.wait(30)
        other.erase(ANN)
        may_go_on.set()
        one.wait_indexed()
        stored = one._index.read(ANN, ["1"])
        assert (stored.entries, stored.strangers) == ((), 0)

    def test_a_rebuild_for_another_embedder_goes_on_beside_the_running_service(
        self, options: dict[str, Any], chroma_servers: list[ChromaProcess]
    ) -> None:
        with Memory.open(embedder=HashingEmbedder(), **options) as running:
            running.user(ANN).remember(turn("1", "window seat"))
            running.user(BOB).remember(turn("1", "peanuts"))
            running.wait_indexed()

            def meanwhile(progress: object) -> None:
                running.user(ANN).remember(turn(str(progress), "said during the rebuild"))
                assert found(running, ANN, "window", 1) == ["1"]

            with Memory.open(embedder=HashingEmbedder(dimensions=64), reindexing=True, **options) as rebuilding:
                rebuilding.reindex(on_progress=meanwhile)
                assert found(rebuilding, ANN, "window", 1) == ["1"]
                assert len(found(rebuilding, ANN, "x")) == 3
            running.user(Scope("new")).remember(turn("1", "x"))
            with pytest.raises(EmbedderMismatchError, match="hashing-64"):
                found(running, Scope("new"), "x")
            assert ids(running, Scope("new")) == ["1"]
        with Memory.open(embedder=HashingEmbedder(dimensions=64), **options) as memory:
            assert found(memory, Scope("new"), "x") == ["1"]

    def test_turns_are_remembered_while_a_chroma_server_is_down(
        self, options: dict[str, Any], chroma_servers: list[ChromaProcess]
    ) -> None:
        with Memory.open(embedder=HashingEmbedder(), **options) as memory:
            memory.user(ANN).remember(turn("1", "before"))
            memory.wait_indexed()
            for server in chroma_servers:
                server.stop()
            try:
                memory.user(ANN).remember(turn("2", "meanwhile"))
                assert ids(memory, ANN) == ["1", "2"]
                assert found(memory, ANN, "meanwhile", 1) == ["2"]
                with pytest.raises(MemoryStoreError, match="see that every server runs"):
                    memory.wait_indexed()
            finally:
                for server in chroma_servers:
                    server.start()
            memory.user(ANN).wait_indexed()
            stored = memory._index.read(ANN, ["1", "2"])
            assert sorted(entry.turn_id for entry in stored.entries) == ["1", "2"]


@pytest.fixture
def on_two_servers(tmp_path: Path, chroma_servers: list[ChromaProcess]) -> dict[str, Any]:
    return {
        "directory": str(tmp_path / "data"),
        "chroma": [server.url for server in chroma_servers],
        "embedder": HashingEmbedder(),
    }


USERS = [Scope(f"user {number}") for number in range(6)]


def remember_users(options: dict[str, Any]) -> None:
    with Memory.open(**options) as memory:
        for user in USERS:
            memory.user(user).remember(turn("1", "window seat"))
        memory.wait_indexed()


@pytest.mark.slow
def test_begins_without_a_server_that_is_down_and_has_it_when_it_is_up(
    on_two_servers: dict[str, Any], chroma_servers: list[ChromaProcess], caplog: pytest.LogCaptureFixture
) -> None:
    remember_users(on_two_servers)
    chroma_servers[1].stop()
    with pytest.raises(IndexUnreachableError):
        Memory.open(reindexing=True, **on_two_servers)
    memory = Memory.open(**on_two_servers)
    try:
        memory.user(USERS[0]).remember(turn("2", "aisle seat"))
        assert ids(memory, USERS[0]) == ["1", "2"]
        recalled = open_strategy("stead", memory.user(USERS[1])).recall("a window seat", [], None, 600)
        assert [shown.turn_id for shown in recalled.turns] == ["1"]
        for _ in range(2):
            with pytest.raises(IndexUnreachableError, match="see that every server runs"):
                memory.user(USERS[0]).wait_indexed()
        with pytest.raises(ErasureError, match="vector index: IndexUnreachableError"):
            memory.erase(USERS[5])
    finally:
        chroma_servers[1].start()
    time.sleep(1.1)  # servers are tried again once a second
    assert memory.erase(USERS[5]).residues != ()
    assert [found(memory, user, "window seat", 1) for user in USERS] == [["1"]] * 5 + [[]]
    memory.close()
    assert len(caplog.messages) == 1
    with Memory.open(**on_two_servers) as memory:
        assert found(memory, USERS[0], "aisle seat", 1) == ["2"]


@pytest.mark.slow
def test_servers_that_lost_everything_are_as_new_ones(
    on_two_servers: dict[str, Any], chroma_servers: list[ChromaProcess]
) -> None:
    remember_users(on_two_servers)
    with Memory.open(**on_two_servers) as memory:
        for server in chroma_servers:
            server.empty()
        assert [found(memory, user, "window seat") for user in USERS] == [["1"]] * 6
        memory.user(USERS[0]).remember(turn("2", "aisle seat"))
        memory.wait_indexed()
    with Memory.open(**on_two_servers) as memory:
        assert [found(memory, user, "window seat", 1) for user in USERS] == [["1"]] * 6


@pytest.mark.slow
def test_a_rebuild_mends_what_one_of_two_servers_lost(
    on_two_servers: dict[str, Any], chroma_servers: list[ChromaProcess]
) -> None:
    remember_users(on_two_servers)
    for lost in chroma_servers:
        lost.empty()
        with pytest.raises(MemoryStoreError, match=r"hold an index and others none; .* with `stead reindex`"):
            Memory.open(**on_two_servers)
        with Memory.open(reindexing=True, **on_two_servers) as memory:
            memory.reindex()
        with Memory.open(**on_two_servers) as memory:
            assert [found(memory, user, "window seat") for user in USERS] == [["1"]] * 6
            for user in USERS:
                assert len(memory._index.read(user, ["1"]).entries) == 1


def test_a_server_that_is_no_chroma_is_refused(tmp_path: Path) -> None:
    with answering(b'{"x": 1}') as url, pytest.raises(MemoryStoreError, match="cannot use the Chroma server at"):
        Memory.open(tmp_path, embedder=HashingEmbedder(), chroma=[url])
    for url in ("http://127.0.0.1:8000/path", "http://127.0.0.1:8000?x=1", "http://me@127.0.0.1:8000"):
        with pytest.raises(MemoryStoreError, match="without a path or password"):
            Memory.open(tmp_path, embedder=HashingEmbedder(), chroma=[url])


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """Run a server that answers everything so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_memory_without_a_place_is_refused() -> None:
    for options in ({}, {"log_url": "postgresql://x/y"}, {"chroma": ["http://127.0.0.1:1"]}):
        with pytest.raises(MemoryStoreError, match="needs a directory, or both"):
            Memory.open(None, embedder=HashingEmbedder(), **options)


def test_closing_chroma_twice_does_nothing(tmp_path: Path) -> None:
    with closing(ChromaServers(["http://127.0.0.1:1"])) as servers:
        servers.close()


@pytest.mark.slow
def test_no_byte_of_what_was_erased_is_left_above_5000_records(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder(dimensions=64)) as memory:
        for number in range(6):
            memory.user(Scope(f"user {number}")).remember_all(
                turn(f"KEPT-{n}", f"turn {n} of user {number}") for n in range(900)
            )
        secret = Scope("SECRET-user", tenant="SECRET-tenant")
        memory.user(secret).remember_all(turn(f"SECRET-{n}", f"my SECRET-text {n}") for n in range(100))
        memory.reindex()
        vectors = HashingEmbedder(dimensions=64).embed_documents([f"my SECRET-text {n}" for n in range(100)])
        before = content(tmp_path)
        assert b"SECRET-text" in before
        assert any(vector.tobytes()[:64] in before for vector in vectors)
        assert memory.erase(secret).stores[1].count == 100
        during = content(tmp_path)
        assert during.count(b"SECRET") == 0
        assert [n for n, vector in enumerate(vectors) if vector.tobytes()[:64] in during] == []
        assert len(found(memory, Scope("user 5"), "x", 9999)) == 900
    after = content(tmp_path)
    assert (after.count(b"SECRET"), b"of user 5" in after) == (0, True)
    assert [n for n, vector in enumerate(vectors) if vector.tobytes()[:64] in after] == []


def content(folder: Path) -> bytes:
    return b"".join(data for _, data in files(folder))


def files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield every file below `folder` with what is in it."""
    return ((path, path.read_bytes()) for path in folder.rglob("*") if path.is_file())
