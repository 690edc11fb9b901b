"""What every memory must do, in a directory as on servers that several processes share."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory import Memory, Scope, TimeSpan, Turn
from memory.errors import ScopeError
from memory.storage.erasure import ErasureError, Receipt
from memory.storage.user_settings import UserSettings
from tests.fakes import HashingEmbedder
from tests.memory.scopes import ALIKE, PARTS, unsayable_scopes

ANN, BOB = Scope("ann"), Scope("bob")
Opening = Callable[..., Memory]
"""Opens the memory of a test, with what options are given."""

ADD = """
import sys
from memory import Memory, Scope, Turn
from tests.fakes import HashingEmbedder
options = eval(sys.argv[1])
with Memory.open(embedder=HashingEmbedder(), **options) as memory:
    user = memory.user(Scope("ann"))
    for number in range(20):
        user.remember(Turn(turn_id="same", request="the same"))
        user.remember(Turn(turn_id=f"{sys.argv[2]}-{number}", request=f"distinct {sys.argv[2]} {number}"))
"""


def turn(turn_id: str, request: str, **fields: Any) -> Turn:
    return Turn(turn_id=turn_id, request=request, **fields)


def told(receipt: Receipt) -> list[tuple[str, int, str | None]]:
    """Return what became of each store."""
    return [(erased.store, erased.count, erased.error) for erased in receipt.stores]


def ids(memory: Memory, scope: Scope) -> list[str]:
    return [kept.turn_id for kept in memory.user(scope).turns()]


def found(memory: Memory, scope: Scope, query: str, k: int = 99) -> list[str]:
    return [hit.turn_id for hit in memory.user(scope).similar([query], k)[0]]


class MemoryContract:
    """A backend's test class subclasses this and returns from `options` what `Memory.open` takes."""

    @pytest.fixture
    def options(self) -> dict[str, Any]:
        raise NotImplementedError

    @pytest.fixture
    def memory(self, options: dict[str, Any]) -> Iterator[Memory]:
        with Memory.open(embedder=HashingEmbedder(), **options) as memory:
            yield memory

    @pytest.mark.parametrize("part", PARTS)
    def test_each_user_reads_finds_and_erases_their_own_only(self, memory: Memory, part: str) -> None:
        """Case B01; what is exported are `kept_turns`."""
        scopes = {name: Scope(**({"user": "u"} | {part: name})) for name in ALIKE}
        for name, scope in scopes.items():
            memory.user(scope).remember(turn("t", f"the secret of {name}"))
        memory.wait_indexed()
        for name, scope in scopes.items():
            assert memory.user(scope).turns() == memory.user(scope).kept_turns()
            assert memory.user(scope).turns() == (turn("t", f"the secret of {name}"),)
            assert [hits[0].similarity for hits in memory.user(scope).similar([f"the secret of {name}"], 9)] == [1.0]
        gone = scopes.pop("acme")
        assert told(memory.erase(gone)) == [("turn log", 1, None), ("vector index", 1, None), ("settings", 0, None)]
        assert (ids(memory, gone), found(memory, gone, "secret")) == ([], [])
        assert [found(memory, scope, "secret") for scope in scopes.values()] == [["t"]] * len(scopes)
        assert [memory.user(scope).kept_turns()[0].request for scope in scopes.values()] == [
            f"the secret of {name}" for name in scopes
        ]

    @pytest.mark.parametrize("scope", unsayable_scopes())
    def test_what_is_no_scope_is_refused_by_every_verb(self, memory: Memory, scope: Any) -> None:
        """Cases B01 and B22."""
        for verb in (memory.user, memory.erase):
            with pytest.raises(ScopeError):
                verb(scope)

    def test_agents_of_one_user_and_users_of_one_agent_share_nothing(self, memory: Memory) -> None:
        """Case B32: turns of one id in one topic, two agents of a user and two users of an agent."""
        scopes = [Scope("ann", agent="a"), Scope("ann", agent="b"), Scope("bob", agent="a"), Scope("a", agent="ann")]
        for number, scope in enumerate(scopes):
            memory.user(scope).remember(turn("t1", f"said in {number}", topic="same"))
            memory.user(scope).settle(UserSettings(retention_days={"plain": number}))
        for number, scope in enumerate(scopes):
            assert memory.user(scope).turns() == (turn("t1", f"said in {number}", topic="same"),)
            assert found(memory, scope, "said") == ["t1"]
            assert memory.user(scope).settings.retention_days == {"plain": number}
        assert memory.erase(scopes[0]).count("turn log") == 1
        assert [ids(memory, scope) for scope in scopes] == [[], ["t1"], ["t1"], ["t1"]]
        assert [found(memory, scope, "said") for scope in scopes] == [[], ["t1"], ["t1"], ["t1"]]

    def test_one_of_three_users_is_erased_and_counted(self, memory: Memory) -> None:
        """Case B19."""
        for number, name in enumerate(("ann", "bob", "eve")):
            memory.user(Scope(name)).remember_all(turn(str(n), f"turn {n} of {name}") for n in range(number + 2))
        memory.wait_indexed()
        assert told(memory.erase(BOB))[:2] == [("turn log", 3, None), ("vector index", 3, None)]
        left = {name: memory.user(Scope(name)).turns() for name in ("ann", "bob", "eve")}
        assert left == {
            "ann": tuple(turn(str(n), f"turn {n} of ann") for n in range(2)),
            "bob": (),
            "eve": tuple(turn(str(n), f"turn {n} of eve") for n in range(4)),
        }
        assert [len(found(memory, Scope(name), "turn")) for name in left] == [2, 0, 4]

    def test_others_go_on_while_one_is_written(self, memory: Memory) -> None:
        """Case B06: one user's vectors are held up on the way into the index."""
        reached, may_go_on = threading.Event(), threading.Event()
        upsert = memory._index.upsert

        def held_up(scope: Scope, *arguments: Any) -> None:
            if scope == ANN:
                reached.set()
                assert may_go_on.wait(60)
            upsert(scope, *arguments)

        memory._index.upsert = held_up  # type: ignore[assignment,method-assign]  # as a slow disk would
        try:
            memory.user(ANN).remember(turn("1", "slow"))
            assert reached.wait(30)
            memory.user(BOB).remember(turn("1", "quick"))
            assert (ids(memory, BOB), found(memory, BOB, "quick")) == (["1"], ["1"])
            memory.user(BOB).wait_indexed()
            assert (ids(memory, ANN), found(memory, ANN, "slow")) == (["1"], ["1"])
            memory.user(ANN).remember(turn("2", "still slow"))
            assert not may_go_on.is_set()
        finally:
            may_go_on.set()
        memory.wait_indexed()
        assert memory.erase(ANN).count("vector index") == 2

    def test_turns_added_at_once_by_threads_are_kept_once(self, memory: Memory) -> None:
        """Case B06: the same 20 and 20 distinct turns, eight times at once."""
        barrier = threading.Barrier(8, timeout=30)
        failures: list[Exception] = []

        def work() -> None:
            barrier.wait()
            try:
                for number in range(20):
                    memory.user(ANN).remember(turn("same", "the same"))
                    memory.user(ANN).remember(turn(str(number), f"distinct {number}"))
            except Exception as exc:
                failures.append(exc)

        workers = [threading.Thread(target=work) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert failures == []
        memory.wait_indexed()
        assert sorted(ids(memory, ANN)) == sorted(found(memory, ANN, "x")) == sorted(["same", *map(str, range(20))])
        assert memory.erase(ANN).count("vector index") == 21

    def test_turns_added_at_once_by_tasks_are_kept_once(self, memory: Memory) -> None:
        """Case B06."""

        async def add_all() -> None:
            same = [asyncio.to_thread(memory.user(ANN).remember, turn("same", "the same")) for _ in range(20)]
            own = [asyncio.to_thread(memory.user(ANN).remember, turn(f"{n}", f"distinct {n}")) for n in range(20)]
            await asyncio.gather(*same, *own)

        asyncio.run(add_all())
        memory.wait_indexed()
        expected = sorted(["same", *map(str, range(20))])
        assert sorted(ids(memory, ANN)) == sorted(found(memory, ANN, "x")) == expected
        assert memory.erase(ANN).count("vector index") == 21

    @pytest.mark.slow
    def test_two_processes_that_add_at_once_both_get_through(self, options: dict[str, Any]) -> None:
        """Case B06: one turn that both add, and 20 of each."""
        command = [sys.executable, "-c", ADD, repr(options)]
        workers = [subprocess.Popen([*command, name]) for name in ("a", "b")]
        assert [worker.wait(timeout=120) for worker in workers] == [0, 0]
        expected = sorted(["same", *(f"{name}-{number}" for name in "ab" for number in range(20))])
        embedder = HashingEmbedder()
        with Memory.open(embedder=embedder, **options) as memory:
            assert sorted(ids(memory, ANN)) == sorted(found(memory, ANN, "x")) == expected
            assert embedder.embedded == ["x"]  # the index had every turn

    def test_erases_one_turn_and_no_other(self, memory: Memory) -> None:
        for scope in (ANN, BOB):
            memory.user(scope).remember_all(
                [turn("1", "window seat"), turn("10", "peanuts"), turn("2", "water plants")]
            )
        receipt = memory.erase(ANN, turn_ids=["1", "unknown"])
        assert (receipt.scope, receipt.undated) == (ANN, 0)
        assert told(receipt) == [("turn log", 1, None), ("vector index", 1, None)]
        assert (ids(memory, ANN), sorted(found(memory, ANN, "seat"))) == (["10", "2"], ["10", "2"])
        assert sorted(found(memory, BOB, "seat")) == ["1", "10", "2"]
        for nothing in (["1"], []):
            receipt = memory.erase(ANN, turn_ids=nothing)
            assert told(receipt) == [("turn log", 0, None), ("vector index", 0, None)]
        assert ids(memory, ANN) == ["10", "2"]

    def test_erases_a_time_span_and_says_what_it_cannot_date(self, memory: Memory) -> None:
        times = {
            "before": "2023-05-23T23:59:59+08:00",
            "begin": "2023-05-24T00:00:00+08:00",
            "within": "2023-05-24T12:00:00+00:00",
            "end": "2023-05-25T00:00:00+08:00",
            "naive": "2023-05-24T12:00:00",
            "unknown": None,
        }
        for turn_id, time in times.items():
            memory.user(ANN).remember(Turn.model_validate({"turn_id": turn_id, "request": turn_id, "time": time}))
        day = [
            Turn.model_validate({"turn_id": "x", "request": "", "time": times[name]}).time for name in ("begin", "end")
        ]
        assert day[0] is not None
        assert day[1] is not None
        receipt = memory.erase(ANN, span=TimeSpan(day[0], day[1]))
        assert (receipt.count("turn log"), receipt.undated) == (2, 2)
        assert ids(memory, ANN) == ["before", "end", "naive", "unknown"]
        naive = TimeSpan(day[0].replace(tzinfo=None), day[1].replace(tzinfo=None))
        receipt = memory.erase(ANN, span=naive)
        assert (receipt.count("turn log"), receipt.undated) == (1, 3)
        for wrong in (TimeSpan(day[1], day[0]), TimeSpan(day[0], naive.until)):
            with pytest.raises(ValueError, match="time span"):
                memory.erase(ANN, span=wrong)
        assert ids(memory, ANN) == ["before", "end", "unknown"]

    @pytest.mark.parametrize("what", [{"turn_ids": "before"}, {"turn_ids": ["a"], "span": TimeSpan(None, None)}])  # type: ignore[arg-type]  # never looked at
    def test_what_to_erase_must_be_said_in_one_way(self, memory: Memory, what: dict[str, Any]) -> None:
        memory.user(ANN).remember(turn("a", "x"))
        with pytest.raises(ValueError, match="say what to erase"):
            memory.erase(ANN, **what)
        assert ids(memory, ANN) == ["a"]

    def test_what_a_person_settled_goes_with_everything_of_theirs_and_not_before(self, memory: Memory) -> None:
        """Case B20: forgetting turns leaves a pause in force; erasing the person leaves nothing."""
        for scope in (ANN, BOB):
            memory.user(scope).settle(UserSettings(is_paused=True, retention_days={"plain": 7}))
        memory.user(ANN).remember(turn("a", "x"), even_if_paused=True)
        memory.user(ANN).forget()
        assert memory.user(ANN).settings.is_paused
        assert told(memory.erase(ANN))[2:] == [("settings", 1, None)]
        assert memory.user(ANN).settings == UserSettings()
        assert memory.user(BOB).settings == UserSettings(is_paused=True, retention_days={"plain": 7})
        assert told(memory.erase(ANN))[2:] == [("settings", 0, None)]

    def test_further_stores_are_erased_too_and_one_that_fails_is_reported(self, options: dict[str, Any]) -> None:
        """Case B20: the receipt names every store, and an erasure in part is no success."""
        broken, kept = Shelf("checkpoints", is_broken=True), Shelf("notes")
        with Memory.open(embedder=HashingEmbedder(), erasables=[broken, kept], **options) as memory:
            memory.user(ANN).remember(turn("a", "x"))
            with pytest.raises(ErasureError, match="checkpoints: OSError: the disk is gone") as caught:
                memory.erase(ANN)
            assert (caught.value.receipt.scope, caught.value.receipt.is_complete) == (ANN, False)
            assert told(caught.value.receipt) == [
                ("turn log", 1, None),
                ("vector index", 1, None),
                ("settings", 0, None),
                ("checkpoints", 0, "OSError: the disk is gone"),
                ("notes", 3, None),
            ]
            assert ids(memory, ANN) == []
            broken.is_broken = False
            receipt = memory.erase(ANN, turn_ids=["a"])
            assert (receipt.is_complete, receipt.count("checkpoints")) == (True, 3)
        assert kept.erased == [(ANN, None), (ANN, ["a"])]

    def test_reindexing_tells_its_progress_and_another_embedder_takes_over(self, options: dict[str, Any]) -> None:
        with Memory.open(embedder=HashingEmbedder(), **options) as memory:
            memory.user(ANN).remember_all([turn("1", "window seat"), turn("2", "peanuts")])
            memory.user(BOB).remember(turn("1", "water plants"))
        progress: list[tuple[int, ...]] = []
        other = HashingEmbedder(dimensions=64)
        with Memory.open(embedder=other, reindexing=True, **options) as memory:
            memory.reindex(ANN)  # one user, as if it had been interrupted then
        with Memory.open(embedder=HashingEmbedder(), **options) as memory:
            assert found(memory, ANN, "window", 1) == ["1"]
        with Memory.open(embedder=other, reindexing=True, **options) as memory:
            memory.reindex(on_progress=progress.append)
            assert found(memory, ANN, "window", 1) == ["1"]
        assert progress == [(1, 2, 2, 3), (2, 3, 2, 3)]
        assert sorted(other.embedded) == ["peanuts", "water plants", "window", "window seat"]  # each once
        with Memory.open(embedder=other, **options) as memory:
            assert found(memory, BOB, "plants") == ["1"]
            memory.reindex()
            assert len(other.embedded) == 5
            memory.reindex(from_scratch=True)
            memory.reindex(BOB, from_scratch=True)
        assert sorted(other.embedded[5:]) == ["peanuts", "water plants", "water plants", "window seat"]


class Shelf:
    """A further store, which may be out of order."""

    def __init__(self, name: str, *, is_broken: bool = False) -> None:
        self.name = name
        self.is_broken = is_broken
        self.erased: list[tuple[Scope, Any]] = []

    def erase(self, scope: Scope, turn_ids: Any) -> int:
        if self.is_broken:
            raise OSError("the disk is gone")
        self.erased.append((scope, turn_ids))
        return 3
