"""The vector index on real Chroma directories and servers, and the exact scan."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import DataVersionError, EmbedderMismatchError, MemoryStoreError
from memory.records import Scope
from memory.storage.chroma import ChromaIndex
from memory.storage.chroma_directory import ChromaDirectory
from memory.storage.chroma_servers import ChromaServers
from memory.storage.chroma_store import open_collection
from memory.storage.index import IndexEntry, nearest
from memory.storage.user_vectors import Place, UserVectors
from tests.chroma_processes import ChromaProcess
from tests.memory.index_contract import ANN, BOB, EAST, NORTH, WEST, IndexContract, Opening, put, rows, stored


def in_directory(path: Path, *, fingerprint: str = "compass", dimensions: int = 2, **options: Any) -> ChromaIndex:
    return ChromaIndex(ChromaDirectory(path), fingerprint=fingerprint, dimensions=dimensions, **options)


def on_servers(urls: list[str], *, fingerprint: str = "compass", dimensions: int = 2, **options: Any) -> ChromaIndex:
    return ChromaIndex(ChromaServers(urls), fingerprint=fingerprint, dimensions=dimensions, **options)


class TestDirectory(IndexContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Opening:
        return lambda **options: in_directory(tmp_path / "index", **options)


@pytest.mark.slow
class TestOneServer(IndexContract):
    @pytest.fixture
    def opened(self, chroma_servers: list[ChromaProcess]) -> Opening:
        return lambda **options: on_servers([chroma_servers[0].url], **options)


@pytest.mark.slow
class TestTwoServers(IndexContract):
    @pytest.fixture
    def opened(self, chroma_servers: list[ChromaProcess]) -> Opening:
        return lambda **options: on_servers([server.url for server in chroma_servers], **options)

    def test_users_are_dealt_out_to_both(self, opened: Opening, chroma_servers: list[ChromaProcess]) -> None:
        with closing(opened(collections=4)) as index:
            for number in range(40):
                put(index, Scope(str(number)), a=EAST)
            prefix = chroma_servers[0].names()[1].rpartition("-")[0]
            assert chroma_servers[0].names() == ["stead-index", f"{prefix}-0000", f"{prefix}-0002"]
            assert chroma_servers[1].names() == ["stead-index", f"{prefix}-0001", f"{prefix}-0003"]

    def test_other_servers_or_another_order_are_refused(
        self, opened: Opening, chroma_servers: list[ChromaProcess]
    ) -> None:
        first, second = (server.url for server in chroma_servers)
        with closing(opened()) as index:
            put(index, ANN, a=EAST)
        with pytest.raises(MemoryStoreError, match="in the order in which the index was created"):
            on_servers([second, first])
        with pytest.raises(MemoryStoreError, match="spread over 2 Chroma servers and is opened with 1"):
            on_servers([first])
        with closing(on_servers([first], reindexing=True)) as rebuilt:
            put(rebuilt, ANN, a=WEST)
            rebuilt.adopt([ANN])
        with closing(on_servers([first])) as index:
            assert stored(index, ANN, "a") == {"a": WEST}

    def test_a_write_by_one_client_is_read_by_another_at_once(self, opened: Opening) -> None:
        with closing(opened()) as index, closing(opened()) as other:
            put(index, ANN, a=EAST)
            assert stored(other, ANN, "a") == {"a": EAST}
            other.retain(ANN, [])
            assert stored(index, ANN, "a") == {}

    def test_an_index_that_was_replaced_meanwhile_is_refused(self, opened: Opening) -> None:
        with closing(opened()) as index:
            put(index, ANN, a=EAST)
            with closing(opened(fingerprint="other", reindexing=True)) as rebuilt:
                put(rebuilt, ANN, a=NORTH)
                assert stored(index, ANN, "a") == {"a": EAST}
                rebuilt.adopt([ANN])
            for verb in (lambda: put(index, ANN, b=EAST), lambda: index.read(ANN, ["a"])):
                with pytest.raises(EmbedderMismatchError) as caught:
                    verb()
                assert caught.value.stored == "other (2 dimensions)"

    def test_a_server_that_is_gone_is_named_and_one_that_is_back_is_used_again(
        self, opened: Opening, chroma_servers: list[ChromaProcess]
    ) -> None:
        with closing(opened()) as index:
            put(index, ANN, a=EAST)
            for server in chroma_servers:
                server.stop()
            try:
                with pytest.raises(MemoryStoreError, match="see that every server runs"):
                    index.read(ANN, ["a"])
                with pytest.raises(MemoryStoreError, match=f"127.0.0.1:{chroma_servers[0].port}"):
                    opened()
            finally:
                for server in chroma_servers:
                    server.start()
            assert stored(index, ANN, "a") == {"a": EAST}


@pytest.mark.parametrize("urls", [[], "http://one", ["nowhere"], ["ftp://a:1"], ["http://me:pw@a"], ["http://a:b"]])
def test_what_names_no_server_is_refused_without_showing_a_password(urls: list[str]) -> None:
    with pytest.raises(MemoryStoreError, match="URL") as caught:
        ChromaServers(urls)
    assert "pw" not in str(caught.value)


def unit_rows(count: int, dimensions: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    vectors = np.random.default_rng(7).standard_normal((count, dimensions)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def content(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize(("kept", "secret"), [(20, 20), pytest.param(6000, 300, marks=pytest.mark.slow)])
def test_no_vector_that_was_erased_is_left_in_any_file(tmp_path: Path, kept: int, secret: int) -> None:
    """In a small index vectors wait in Chroma's queue; in one of thousands most are in files of the graph."""
    vectors = unit_rows(kept + secret, 64)
    with closing(in_directory(tmp_path, dimensions=64, collections=2)) as index:
        mine = [IndexEntry(f"SECRET-{n}", "d") for n in range(secret)]
        index.upsert(Scope("SECRET-user"), mine, vectors[:secret])
        for number in range(4):
            part = range(secret + number, kept + secret, 4)
            entries = [IndexEntry(f"KEPT-{n}", "d") for n in part]
            index.upsert(Scope(f"KEPT-{number}"), entries, vectors[part.start :: 4])
        gone = range(1, secret)
        assert index.retain(Scope("SECRET-user"), ["SECRET-0"]) == len(gone)
    left = content(tmp_path)
    assert (left.count(b"SECRET"), left.count(b"KEPT")) == (0, 0)
    assert [n for n in gone if vectors[n].tobytes()[:32] in left] == []
    # A record may be cut by the end of a database page, so not every kept one is seen whole; some are.
    assert sum(vectors[n].tobytes()[:32] in left for n in range(secret, kept + secret)) > kept // 4
    with closing(in_directory(tmp_path, dimensions=64)) as index:
        assert len(index.read(Scope("SECRET-user"), ["SECRET-0"]).entries) == 1
        every = [f"KEPT-{n}" for n in range(kept + secret)]
        assert sum(len(index.read(Scope(f"KEPT-{n}"), every).entries) for n in range(4)) == kept
    assert not list((tmp_path / "erasing").iterdir())


def test_an_erasure_that_was_cut_off_is_completed_at_the_next_use(tmp_path: Path) -> None:
    vectors = unit_rows(40, 64)
    with closing(in_directory(tmp_path, dimensions=64, collections=1)) as index:
        index.upsert(ANN, [IndexEntry(str(n), "d") for n in range(20)], vectors[:20])
        index.upsert(BOB, [IndexEntry(str(n), "d") for n in range(20)], vectors[20:])
    store = ChromaDirectory(tmp_path)
    [client] = store.clients()
    [name] = [collection.name for collection in client.list_collections()]
    records = client.get_collection(name, embedding_function=None)
    found: Any = records.get(include=["embeddings"])
    lost = [place for place, row in enumerate(found["embeddings"]) if np.isclose(row, vectors[:20]).all(axis=1).any()]
    assert len(lost) == 20
    store.will_erase([name])
    records.delete(ids=[found["ids"][place] for place in lost])
    store.close()  # as if the process had died after deleting
    assert sum(vectors[n].tobytes()[:32] in content(tmp_path) for n in range(20)) > 5
    with closing(in_directory(tmp_path, dimensions=64)) as index:
        assert len(index.read(BOB, [str(n) for n in range(20)]).entries) == 20
    assert sum(vectors[n].tobytes()[:32] in content(tmp_path) for n in range(20)) == 0
    assert not list((tmp_path / "erasing").iterdir())


def test_an_index_of_the_first_version_is_made_anew(tmp_path: Path) -> None:
    with closing(in_directory(tmp_path)) as index:
        put(index, ANN, a=EAST)
    store = ChromaDirectory(tmp_path)
    [client] = store.clients()
    open_collection(client, "turns-0003").upsert(ids=["x"], embeddings=rows(EAST), metadatas=[{"turn_id": "a"}])
    store.close()
    first = {"version": 1, "embedder": "compass", "dimensions": 2, "collections": 16}
    (tmp_path / "index.json").write_text(json.dumps(first))
    with pytest.raises(EmbedderMismatchError):
        in_directory(tmp_path, fingerprint="other")
    in_directory(tmp_path).close()
    assert json.loads((tmp_path / "index.json").read_text())["version"] == 2
    [client] = store.clients()
    names = [collection.name for collection in client.list_collections()]
    store.close()
    assert [name for name in names if name == "turns-0003"] == []


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    in_directory(tmp_path).close()
    header = tmp_path / "index.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "version": 3, "new_key": 1}))
    with pytest.raises(DataVersionError, match="version 3"):
        in_directory(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 1}', '{"version": "1", "embedder": 3}'])
def test_a_damaged_header_is_refused_with_the_way_out(tmp_path: Path, text: str) -> None:
    in_directory(tmp_path).close()
    (tmp_path / "index.json").write_text(text)
    with pytest.raises(MemoryStoreError, match="stead reindex"):
        in_directory(tmp_path)


def test_vectors_of_an_unknown_embedder_are_refused(tmp_path: Path) -> None:
    with closing(in_directory(tmp_path)) as index:
        put(index, ANN, a=EAST)
    (tmp_path / "index.json").unlink()
    with pytest.raises(MemoryStoreError, match=r"index\.json' is missing"):
        in_directory(tmp_path)


def test_a_damaged_chroma_directory_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with closing(in_directory(tmp_path)) as index:
        put(index, ANN, a=EAST)
    (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(b"no database" * 1000)
    with closing(in_directory(tmp_path)) as index, pytest.raises(MemoryStoreError, match="stead reindex"):
        index.read(ANN, ["a"])


def test_nearest_by_hand() -> None:
    assert nearest(rows(EAST, NORTH), rows(WEST, NORTH, EAST), 2) == [[(2, 1.0), (1, 0.0)], [(1, 1.0), (0, 0.0)]]
    assert nearest(rows(EAST), np.empty((0, 2), dtype=np.float32), 2) == [[]]
    assert nearest(np.empty((0, 2), dtype=np.float32), rows(EAST), 2) == []
    with pytest.raises(ValueError, match="at least 1"):
        nearest(rows(EAST), rows(EAST), 0)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 45))
def test_nearest_is_the_head_of_a_stable_sort(steps: list[int], k: int) -> None:
    angles = np.array(steps, dtype=np.float32) * 0.3
    corpus = np.stack([np.cos(angles), np.sin(angles)], axis=1).reshape(-1, 2).astype(np.float32)
    [found] = nearest(rows(EAST), corpus, k)
    assert [row for row, _ in found] == sorted(range(len(steps)), key=lambda row: steps[row])[:k]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=30))
def test_user_vectors_behave_as_a_sorted_dict(operations: list[tuple[int, int, bool]]) -> None:
    user, model = UserVectors(1), dict[str, tuple[int, float]]()
    for number, (name, position, is_put) in enumerate(operations):
        place = 100 * position + number  # of its own: no two turns of a log have one position
        if is_put:
            user.put([Place(str(name), place)], rows([float(number)]))
            model[str(name)] = (place, float(number))
        else:
            user.drop({str(name)})
            model.pop(str(name), None)
    expected = sorted(model.items(), key=lambda item: item[1][0])
    assert user.turn_ids == tuple(name for name, _ in expected)
    assert user.matrix.ravel().tolist() == [value for _, (_, value) in expected]
    wanted = [name for name, _ in reversed(expected)]
    assert user.rows(wanted).ravel().tolist() == [value for _, (_, value) in reversed(expected)]


def test_unused_places_of_graphs_hold_nothing_of_what_was_on_its_way(tmp_path: Path) -> None:
    """Chroma saves them with what was in memory there: vectors, say, that were erased before they were stored."""
    secret = b"SECRET" * 9
    with closing(in_directory(tmp_path / "index")) as index:
        put(index, ANN, a=EAST)
        [graph] = (tmp_path / "index").rglob("data_level0.bin")

        def spill() -> None:
            with graph.open("r+b") as file:
                file.seek(-len(secret), 2)
                file.write(secret)

        spill()
        assert index.retain(ANN, ["a"]) == 0
        assert secret not in graph.read_bytes()
        assert stored(index, ANN, "a") == {"a": EAST}
        spill()
    assert secret not in graph.read_bytes()
    with closing(in_directory(tmp_path / "index")) as index:
        index.retain(ANN, ["a"])
        killed = tmp_path / "killed"
        shutil.copytree(tmp_path / "index", killed)
    [graph] = killed.rglob("data_level0.bin")
    spill()
    with closing(in_directory(killed)) as index:
        assert stored(index, ANN, "a") == {"a": EAST}
        assert secret not in graph.read_bytes()
    assert not (killed / "erased").exists()


def test_an_erasure_without_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with closing(in_directory(tmp_path / "index")) as index:
        put(index, ANN, a=EAST)
        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", full)
            with pytest.raises(MemoryStoreError, match=r"cannot erase from the index .* database or disk is full"):
                index.retain(ANN, [])
        assert index.retain(ANN, []) == 0
    assert not list((tmp_path / "index" / "erasing").iterdir())
