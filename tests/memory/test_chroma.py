"""The vector index on a real Chroma directory, and the exact scan beneath it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.chroma import ChromaIndex
from memory.embedder import Matrix
from memory.errors import DataVersionError, EmbedderError, EmbedderMismatchError, MemoryStoreError
from memory.index import IndexEntry, nearest
from memory.recall import Hit
from memory.records import Scope
from memory.user_vectors import UserVectors

ANN = Scope("ann")
EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


def rows(*vectors: list[float]) -> Matrix:
    return np.array(vectors, dtype=np.float32)


def entry(turn_id: str, position: int = 0, digest: str = "d") -> IndexEntry:
    return IndexEntry(turn_id, position, digest)


def opened(path: Path, *, fingerprint: str = "compass", dimensions: int = 2, cached_users: int = 128) -> ChromaIndex:
    return ChromaIndex(path / "index", fingerprint=fingerprint, dimensions=dimensions, cached_users=cached_users)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ChromaIndex]:
    with closing(opened(tmp_path)) as index:
        yield index


def test_finds_the_nearest_turns_also_after_reopening(tmp_path: Path) -> None:
    entries = [entry("e", 0, "1"), entry("n", 1, "2"), entry("w", 2, "3")]
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, entries, rows(EAST, NORTH, WEST))
        found = index.search(ANN, rows(EAST, [-0.8, 0.6]), 2)
        assert [[hit.turn_id for hit in hits] for hits in found] == [["e", "n"], ["w", "n"]]
        assert [hit.similarity for hits in found for hit in hits] == pytest.approx([1, 0, 0.8, 0.6], abs=1e-6)
    with closing(opened(tmp_path)) as index:
        assert dict(index.entries(ANN)) == {"e": entries[0], "n": entries[1], "w": entries[2]}
        assert index.search(ANN, rows(EAST), 9) == [[Hit("e", 1.0), Hit("n", 0.0), Hit("w", -1.0)]]


def test_nobody_has_turns_before_the_first(index: ChromaIndex) -> None:
    assert index.search(ANN, rows(EAST, WEST), 3) == [[], []]
    assert dict(index.entries(ANN)) == {}
    assert index.delete(ANN) == 0


def test_ties_keep_log_order_whatever_the_order_of_writing(index: ChromaIndex) -> None:
    index.upsert(ANN, [entry("d", 3), entry("b", 1)], rows(EAST, EAST))
    index.upsert(ANN, [entry("a", 0), entry("c", 2)], rows(EAST, EAST))
    assert index.search(ANN, rows(EAST), 3) == [[Hit("a", 1.0), Hit("b", 1.0), Hit("c", 1.0)]]


def test_a_turn_written_again_has_its_new_vector_only(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, [entry("a", 0), entry("b", 1)], rows(EAST, NORTH))
        index.upsert(ANN, [entry("a", 0, "new")], rows(WEST))
        assert index.search(ANN, rows(EAST), 9) == [[Hit("b", 0.0), Hit("a", -1.0)]]
    with closing(opened(tmp_path)) as index:
        assert index.search(ANN, rows(EAST), 9) == [[Hit("b", 0.0), Hit("a", -1.0)]]
        assert index.entries(ANN)["a"] == entry("a", 0, "new")


ALIKE = ["acme", "acme-corp", "john_doe", "john-doe", "a%", "a_", "用户1", "用户10", "ALICE", "alice", "é", "e\u0301"]


@pytest.mark.parametrize("cached_users", [128, 1], ids=["cached", "read from disk"])
def test_scopes_that_look_alike_share_nothing(tmp_path: Path, cached_users: int) -> None:
    scopes = [Scope(name) for name in ALIKE] + [Scope("u", tenant=name) for name in ALIKE] + [Scope("u", agent="acme")]
    with closing(opened(tmp_path, cached_users=cached_users)) as index:
        for number, scope in enumerate(scopes):
            index.upsert(scope, [entry("t", number)], rows(EAST))
        for number, scope in enumerate(scopes):
            assert dict(index.entries(scope)) == {"t": entry("t", number)}
            assert index.search(scope, rows(EAST), 9) == [[Hit("t", 1.0)]]
        assert index.delete(scopes[0]) == 1
        assert [len(index.entries(scope)) for scope in scopes] == [0] + [1] * (len(scopes) - 1)


def test_deletes_what_it_is_told_and_counts_it(tmp_path: Path) -> None:
    bob = Scope("bob")
    with closing(opened(tmp_path)) as index:
        for scope in (ANN, bob):
            index.upsert(scope, [entry("a", 0), entry("b", 1), entry("c", 2)], rows(EAST, NORTH, WEST))
        assert index.delete(ANN, ["a", "c", "unknown"]) == 2
        assert index.delete(ANN, []) == 0
        assert list(index.entries(ANN)) == ["b"]
    with closing(opened(tmp_path)) as index:
        assert list(index.entries(ANN)) == ["b"]
        assert index.delete(ANN) == 1
        assert index.search(ANN, rows(EAST), 9) == [[]]
        assert list(index.entries(bob)) == ["a", "b", "c"]


def test_nothing_of_a_deleted_turn_is_left_in_any_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((40, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with closing(opened(tmp_path, dimensions=64)) as index:
        index.upsert(Scope("SECRET-user"), [entry(f"SECRET-{n}", n) for n in range(20)], vectors[:20])
        index.upsert(ANN, [entry(f"KEPT-{n}", n) for n in range(20)], vectors[20:])
        assert index.delete(Scope("SECRET-user")) == 20
        assert index.search(ANN, vectors[20:21], 1) == [[Hit("KEPT-0", 1.0)]]
    content = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert content.count(b"SECRET") == 0
    # A record may be cut by the end of a database page, so not every kept one is seen whole; most are.
    seen = [n for n in range(40) if vectors[n].tobytes()[:32] in content]
    assert min(seen) >= 20
    assert len(seen) >= 15
    with closing(opened(tmp_path, dimensions=64)) as index:
        assert len(index.entries(ANN)) == 20


def test_a_compaction_that_was_cut_off_leaves_nothing_behind(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, [entry("a")], rows(EAST))
    for unfinished in ("chroma.new", "chroma.old"):
        (tmp_path / "index" / unfinished).mkdir()
        (tmp_path / "index" / unfinished / "chroma.sqlite3").write_text("secret")
    with closing(opened(tmp_path)) as index:
        assert list(index.entries(ANN)) == ["a"]
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == ["chroma", "index.json"]


def test_more_records_than_one_call_takes(tmp_path: Path) -> None:
    vectors = rows(*([1.0, 0.0] for _ in range(2500)))
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, [entry(str(n), n) for n in range(2500)], vectors)
    with closing(opened(tmp_path)) as index:
        assert list(index.entries(ANN)) == [str(n) for n in range(2500)]
        assert index.delete(ANN, [str(n) for n in range(2400)]) == 2400
        assert list(index.entries(ANN)) == [str(n) for n in range(2400, 2500)]


def test_threads_write_without_losing_a_vector(index: ChromaIndex) -> None:
    def work(worker: int) -> None:
        for number in range(10):
            index.upsert(ANN, [entry(f"{worker}-{number}", 10 * worker + number)], rows(EAST))
            index.upsert(Scope(f"user {worker}"), [entry(str(number), number)], rows(EAST))

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert list(index.entries(ANN)) == [f"{worker}-{number}" for worker in range(8) for number in range(10)]
    assert [len(index.entries(Scope(f"user {worker}"))) for worker in range(8)] == [10] * 8


@pytest.mark.parametrize(("fingerprint", "dimensions"), [("other", 2), ("compass", 3), ("other", 3)])
def test_another_embedder_is_refused_at_opening(tmp_path: Path, fingerprint: str, dimensions: int) -> None:
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, [entry("a")], rows(EAST))
    with pytest.raises(EmbedderMismatchError, match="deleting the folder `index`") as caught:
        opened(tmp_path, fingerprint=fingerprint, dimensions=dimensions)
    assert caught.value.stored == "compass (2 dimensions)"
    assert caught.value.given == f"{fingerprint} ({dimensions} dimensions)"


def test_vectors_of_another_size_are_refused(index: ChromaIndex) -> None:
    with pytest.raises(EmbedderError, match=r"shape \(1, 2\), got \(1, 3\)"):
        index.upsert(ANN, [entry("a")], rows([1.0, 0.0, 0.0]))
    assert dict(index.entries(ANN)) == {}


def test_an_index_keeps_its_number_of_collections(tmp_path: Path) -> None:
    with closing(ChromaIndex(tmp_path, fingerprint="f", dimensions=2, collections=3)) as index:
        for number in range(20):
            index.upsert(Scope(str(number)), [entry("a")], rows(EAST))
    with closing(ChromaIndex(tmp_path, fingerprint="f", dimensions=2, collections=50)) as index:
        assert [list(index.entries(Scope(str(number)))) for number in range(20)] == [["a"]] * 20


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    header = tmp_path / "index" / "index.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "version": 2, "new_key": 1}))
    with pytest.raises(DataVersionError, match="version 2"):
        opened(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"version": 1}', '{"version": "1", "embedder": 3}'])
def test_a_damaged_header_is_refused_with_the_way_out(tmp_path: Path, content: str) -> None:
    opened(tmp_path).close()
    (tmp_path / "index" / "index.json").write_text(content)
    with pytest.raises(MemoryStoreError, match="delete the folder"):
        opened(tmp_path)


def test_vectors_of_an_unknown_embedder_are_refused(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, [entry("a")], rows(EAST))
    (tmp_path / "index" / "index.json").unlink()
    with pytest.raises(MemoryStoreError, match=r"index\.json' is missing"):
        opened(tmp_path)


def test_a_damaged_chroma_directory_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as index:
        index.upsert(ANN, [entry("a")], rows(EAST))
    (tmp_path / "index" / "chroma" / "chroma.sqlite3").write_bytes(b"no database" * 1000)
    with closing(opened(tmp_path)) as index, pytest.raises(MemoryStoreError, match="delete the folder"):
        index.entries(ANN)


def test_a_closed_index_is_refused(index: ChromaIndex) -> None:
    index.upsert(ANN, [entry("a")], rows(EAST))
    index.close()
    index.close()
    for action in (lambda: index.upsert(ANN, [entry("b")], rows(EAST)), lambda: index.search(ANN, rows(EAST), 1)):
        with pytest.raises(MemoryStoreError, match="is closed"):
            action()


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
            user.put([entry(str(name), place)], rows([float(number)]))
            model[str(name)] = (place, float(number))
        else:
            user.drop({str(name)})
            model.pop(str(name), None)
    expected = sorted(model.items(), key=lambda item: item[1][0])
    assert user.turn_ids == tuple(name for name, _ in expected)
    assert user.matrix.ravel().tolist() == [value for _, (_, value) in expected]
