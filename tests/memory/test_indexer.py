"""The indexing thread: it works off who waits, stands back for appends, and survives failures."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from memory.errors import EmbedderError
from memory.storage.indexer import Indexer


class Backlog:
    """Someone with turns to be indexed, in steps."""

    def __init__(self, turns: int = 1) -> None:
        self.turns = turns
        self.steps: list[tuple[int | None, float]] = []
        self.failure: Exception | None = None
        self.is_done = threading.Event()

    def index(self, limit: int | None = None) -> bool:
        if self.failure is not None:
            raise self.failure
        self.turns -= min(self.turns, limit or self.turns)
        self.steps.append((limit, time.monotonic()))
        if not self.turns:
            self.is_done.set()
        return self.turns > 0


@pytest.fixture
def indexer() -> Iterator[Indexer]:
    with closing(Indexer(capacity=2)) as indexer:
        yield indexer


def test_works_off_a_backlog_within_a_second_in_small_steps(indexer: Indexer) -> None:
    backlog, begun = Backlog(turns=40), time.monotonic()
    assert indexer.submit(backlog)
    assert backlog.is_done.wait(10)
    assert [limit for limit, _ in backlog.steps] == [16, 16, 16]
    assert time.monotonic() - begun < 5  # a tenth of a second, on a machine that has nothing else to do


def test_stands_back_while_something_is_appended_but_not_for_ever(indexer: Indexer) -> None:
    backlog = Backlog()
    with indexer.standing_back():
        begun = time.monotonic()
        indexer.submit(backlog)
        assert backlog.is_done.wait(10)
    assert backlog.steps[0][1] - begun >= 0.45
    backlog = Backlog()
    for _ in range(10):
        with indexer.standing_back():
            indexer.submit(backlog)
            ended = time.monotonic()
        time.sleep(0.001)
    assert backlog.is_done.wait(10)
    assert backlog.steps[0][1] >= ended - 0.01


def test_takes_in_only_as_many_as_it_may_and_each_once(indexer: Indexer) -> None:
    one, two, three = Backlog(), Backlog(), Backlog()
    with indexer.standing_back():
        assert [indexer.submit(who) for who in (one, one, two, three)] == [True, True, True, False]
        assert indexer.submit(two)


def test_draining_indexes_everyone_at_once_in_this_thread(indexer: Indexer) -> None:
    one, two = Backlog(turns=40), Backlog()
    with indexer.standing_back():
        indexer.submit(one)
        indexer.submit(two)
        indexer.drain()
    assert (one.turns, two.turns) == (0, 0)
    assert [limit for limit, _ in one.steps] == [None]


def test_a_failure_is_logged_and_nobody_else_waits_longer(indexer: Indexer, caplog: pytest.LogCaptureFixture) -> None:
    broken, sound = Backlog(), Backlog()
    broken.failure = EmbedderError("out of order")
    with caplog.at_level(logging.WARNING, logger="memory.storage.indexer"):
        indexer.submit(broken)
        indexer.submit(sound)
        assert sound.is_done.wait(10)
    assert [record.getMessage() for record in caplog.records] == ["turns are kept but wait to be indexed: out of order"]
    assert caplog.records[0].exc_info is None
    broken.failure = None
    assert indexer.submit(broken)
    assert broken.is_done.wait(10)


def test_a_drain_that_fails_says_so_and_loses_nobody(indexer: Indexer) -> None:
    broken = Backlog()
    broken.failure = EmbedderError("out of order")
    with indexer.standing_back():
        indexer.submit(broken)
        with pytest.raises(EmbedderError):
            indexer.drain()
        broken.failure = None
        indexer.drain()
    assert broken.turns == 0


def test_after_closing_nobody_is_taken_in_and_who_waits_can_be_drained(indexer: Indexer) -> None:
    backlog = Backlog()
    with indexer.standing_back():
        indexer.submit(backlog)
        indexer.close()
    assert not indexer.submit(Backlog())
    indexer.drain()
    assert backlog.turns == 0


def test_a_drain_tries_those_again_whose_turn_failed(indexer: Indexer) -> None:
    broken = Backlog()
    broken.failure = EmbedderError("out of order")
    indexer.submit(broken)
    give_up_at = time.monotonic() + 10
    while not indexer._failed:
        assert time.monotonic() < give_up_at
        time.sleep(0.01)
    with pytest.raises(EmbedderError):
        indexer.drain()
    broken.failure = None
    indexer.drain()
    assert broken.turns == 0
    broken.steps.clear()
    indexer.drain()
    assert broken.steps == []
