"""What every vector index must do, wherever it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from memory.embedder import Matrix
from memory.errors import EmbedderError, EmbedderMismatchError, MemoryStoreError, ScopeError
from memory.records import Scope
from memory.storage.chroma import ChromaIndex
from memory.storage.index import IndexEntry, VectorIndex
from tests.memory.scopes import ALIKE, unsayable_scopes

ANN, BOB = Scope("ann"), Scope("bob")
EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
Opening = Callable[..., ChromaIndex]
"""Opens the index of a test, with `fingerprint`, `dimensions` and what else is given."""


def rows(*vectors: list[float]) -> Matrix:
    return np.array(vectors, dtype=np.float32)


def put(index: VectorIndex, scope: Scope, **vectors: list[float]) -> None:
    """Store vectors by turn id."""
    index.upsert(scope, [IndexEntry(turn_id, "d") for turn_id in vectors], rows(*vectors.values()))


def stored(index: VectorIndex, scope: Scope, *turn_ids: str) -> dict[str, list[float]]:
    """Return the vectors of turns, and how many others there are under `""`."""
    found = index.read(scope, turn_ids)
    vectors = {entry.turn_id: row.tolist() for entry, row in zip(found.entries, found.vectors, strict=True)}
    return vectors | ({"": [found.strangers]} if found.strangers else {})


class IndexContract:
    """A backend's test class subclasses this and returns from `opened` a function that opens its index."""

    @pytest.fixture
    def opened(self) -> Opening:
        raise NotImplementedError

    def test_keeps_vectors_also_after_reopening(self, opened: Opening) -> None:
        with closing(opened()) as index:
            entries = [IndexEntry("e", "1"), IndexEntry("n", "2")]
            index.upsert(ANN, entries, rows(EAST, NORTH))
        with closing(opened()) as index:
            found = index.read(ANN, ["n", "e", "unknown"])
            assert sorted(zip(found.entries, found.vectors.tolist(), strict=True)) == [
                (entries[0], EAST),
                (entries[1], NORTH),
            ]
            assert found.strangers == 0
            assert index.fetch(ANN, ["n", "unknown"]).vectors.tolist() == [NORTH]
            many = index.fetch(ANN, ["n", *(f"unknown {number}" for number in range(200))])
            assert (many.entries, many.vectors.tolist(), many.strangers) == ((entries[1],), [NORTH], 0)

    def test_nobody_has_vectors_before_the_first(self, opened: Opening) -> None:
        with closing(opened()) as index:
            found = index.read(ANN, ["a"])
            assert (found.entries, found.vectors.shape, found.strangers) == ((), (0, 2), 0)
            assert index.fetch(ANN, []).vectors.shape == (0, 2)
            assert index.retain(ANN, ["a"]) == 0

    def test_a_turn_written_again_has_its_new_vector_only(self, opened: Opening) -> None:
        """Case B21."""
        with closing(opened()) as index:
            put(index, ANN, a=EAST, b=NORTH)
            index.upsert(ANN, [IndexEntry("a", "new")], rows(WEST))
            assert stored(index, ANN, "a", "b") == {"a": WEST, "b": NORTH}
            assert index.fetch(ANN, ["a"]).entries == (IndexEntry("a", "new"),)

    def test_scopes_that_look_alike_share_nothing(self, opened: Opening) -> None:
        scopes = [Scope(name) for name in ALIKE] + [Scope("u", tenant=name) for name in ALIKE[:6]]
        scopes.append(Scope("u", agent="acme"))
        with closing(opened()) as index:
            for number, scope in enumerate(scopes):
                put(index, scope, **{str(number): EAST, "t": NORTH})
            for number, scope in enumerate(scopes):
                mine = {str(number): EAST, "t": NORTH}
                assert stored(index, scope, "t", *map(str, range(len(scopes)))) == mine
                assert len(index.fetch(scope, ["t", *map(str, range(len(scopes)))]).entries) == 2
            assert index.retain(scopes[0], []) == 2
            assert [len(index.fetch(scope, ["t"]).entries) for scope in scopes] == [0] + [1] * (len(scopes) - 1)

    @pytest.mark.parametrize("scope", unsayable_scopes()[:12])
    def test_what_is_no_scope_is_refused_by_every_verb(self, opened: Opening, scope: Any) -> None:
        with closing(opened()) as index:
            for verb in (
                lambda: index.read(scope, ["t"]),
                lambda: index.fetch(scope, ["t"]),
                lambda: index.retain(scope, ["t"]),
                lambda: put(index, scope, t=EAST),
            ):
                with pytest.raises(ScopeError):
                    verb()

    def test_erases_all_but_what_it_is_told_to_keep_and_counts_it(self, opened: Opening) -> None:
        with closing(opened()) as index:
            for scope in (ANN, BOB):
                put(index, scope, a=EAST, b=NORTH, c=WEST)
            assert stored(index, ANN, "b") == {"b": NORTH, "": [2]}
            assert index.retain(ANN, ["b", "unknown"]) == 2
            assert index.retain(ANN, ["b"]) == 0
        with closing(opened()) as index:
            assert stored(index, ANN, "a", "b", "c") == {"b": NORTH}
            assert index.retain(ANN, []) == 1
            assert stored(index, ANN, "b") == {}
            assert list(stored(index, BOB, "a", "b", "c")) == ["a", "b", "c"]

    def test_more_records_than_one_call_takes(self, opened: Opening) -> None:
        ids = [str(number) for number in range(2500)]
        with closing(opened()) as index:
            index.upsert(ANN, [IndexEntry(turn_id, "d") for turn_id in ids], rows(*[EAST] * 2500))
        with closing(opened()) as index:
            assert sorted(stored(index, ANN, *ids)) == sorted(ids)
            assert index.retain(ANN, ids[2400:]) == 2400
            assert sorted(stored(index, ANN, *ids)) == sorted(ids[2400:])

    def test_threads_write_without_losing_a_vector(self, opened: Opening) -> None:
        with closing(opened()) as index:

            def work(worker: int) -> None:
                for number in range(5):
                    put(index, ANN, **{f"{worker}-{number}": EAST})
                    put(index, Scope(f"user {worker}"), **{str(number): EAST})

            workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            ids = [f"{worker}-{number}" for worker in range(8) for number in range(5)]
            assert sorted(stored(index, ANN, *ids)) == ids
            assert [len(stored(index, Scope(f"user {worker}"), *"01234")) for worker in range(8)] == [5] * 8

    def test_vectors_of_another_size_are_refused(self, opened: Opening) -> None:
        with closing(opened()) as index:
            with pytest.raises(EmbedderError, match=r"shape \(1, 2\), got \(1, 3\)"):
                index.upsert(ANN, [IndexEntry("a", "d")], rows([1.0, 0.0, 0.0]))
            assert stored(index, ANN, "a") == {}

    @pytest.mark.parametrize(("fingerprint", "dimensions"), [("other", 2), ("compass", 3), ("other", 3)])
    def test_another_embedder_is_refused_until_a_rebuild_is_adopted(
        self, opened: Opening, fingerprint: str, dimensions: int
    ) -> None:
        """Case B07."""
        other = {"fingerprint": fingerprint, "dimensions": dimensions}
        with closing(opened()) as index:
            put(index, ANN, a=EAST)
        with pytest.raises(EmbedderMismatchError, match="stead reindex --data DIR --embedder NAME") as caught:
            opened(**other)
        assert caught.value.stored == "compass (2 dimensions)"
        assert caught.value.given == f"{fingerprint} ({dimensions} dimensions)"
        vector = [1.0] + [0.0] * (dimensions - 1)
        with closing(opened(**other, reindexing=True)) as rebuilt:
            assert stored(rebuilt, ANN, "a") == {}
            put(rebuilt, ANN, a=vector)
        with closing(opened()) as index:  # the old one works until the rebuild is complete
            assert stored(index, ANN, "a") == {"a": EAST}
        with closing(opened(**other, reindexing=True)) as rebuilt:
            assert stored(rebuilt, ANN, "a") == {"a": vector}
            assert rebuilt.adopt([ANN]) == 0
        with closing(opened(**other)) as index:
            assert stored(index, ANN, "a") == {"a": vector}
        with pytest.raises(EmbedderMismatchError):
            opened()

    def test_erasing_reaches_a_rebuild_that_is_not_complete(self, opened: Opening) -> None:
        with closing(opened(fingerprint="other", reindexing=True)) as rebuilt:
            put(rebuilt, ANN, a=EAST, b=EAST)
        with closing(opened(fingerprint="other", reindexing=True)) as index:
            index.adopt([ANN])
        with closing(opened(reindexing=True)) as rebuilt:
            put(rebuilt, ANN, a=NORTH, b=NORTH)
            put(rebuilt, BOB, a=NORTH)
        with closing(opened(fingerprint="other")) as index:
            assert index.retain(ANN, ["b"]) == 1
        with closing(opened(reindexing=True)) as rebuilt:
            assert stored(rebuilt, ANN, "a", "b") == {"b": NORTH}
            assert stored(rebuilt, BOB, "a") == {"a": NORTH}

    def test_adopting_erases_who_is_unknown_and_clearing_everyone(self, opened: Opening) -> None:
        with closing(opened()) as index:
            put(index, ANN, a=EAST)
            put(index, BOB, a=EAST, b=EAST)
            assert index.adopt([ANN]) == 2
            assert (stored(index, ANN, "a"), stored(index, BOB, "a", "b")) == ({"a": EAST}, {})
            index.clear()
            assert stored(index, ANN, "a") == {}
            put(index, ANN, a=NORTH)
        with closing(opened()) as index:
            assert stored(index, ANN, "a") == {"a": NORTH}

    def test_an_index_keeps_its_number_of_collections(self, opened: Opening) -> None:
        with closing(opened(collections=3)) as index:
            for number in range(10):
                put(index, Scope(str(number)), a=EAST)
        with closing(opened(collections=50)) as index:
            assert [stored(index, Scope(str(number)), "a") for number in range(10)] == [{"a": EAST}] * 10

    def test_a_closed_index_is_refused(self, opened: Opening) -> None:
        index = opened()
        index.close()
        index.close()
        for verb in (lambda: put(index, ANN, a=EAST), lambda: index.read(ANN, []), lambda: index.retain(ANN, [])):
            with pytest.raises(MemoryStoreError, match="is closed"):
                verb()
