"""What acting once, and writing it down before, holds and costs.

    python -m benchmarks.acting [--part breakoffs|threads|cost …] [--trials 200] [--seed 1]

`breakoffs`: turns with three writes that break off at every point; `threads`: 64 threads over 8 people, each with a
turn; `cost`: what the journal takes a call that changes something, beside one write that the disk confirms.
"""

from __future__ import annotations

import argparse
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent.agent import Agent
from benchmarks.breakoffs import TOOL, breakoffs
from benchmarks.memory.timing import disk_ms, quantiles_ms, timed_ms
from benchmarks.memory.workload import RandomEmbedder
from clarifier.decision import Proposal, Situation
from memory import Memory, MemoryStoreError, Scope, SqlTurnLog, Turn
from memory.records import Observation, ToolCall
from memory.storage.sql_journal import SqlJournal
from memory.storage.unreadable_index import UnreadableIndex

THREADS = 64
PEOPLE = 8
CALLS = 300


class OneRoom:
    """Books the room that the request names last, then says so."""

    name = "one room"

    def plan(self, situation: Situation) -> Proposal:
        if situation.call_steps:
            return Proposal(reply="It is booked.")
        room = situation.request.split()[-1]
        return Proposal(calls=(ToolCall(id="c", name="book_room", arguments={"room": room}),))


class Counting:
    """The person and the executor of one scope; it notices where two turns run at once."""

    def __init__(self) -> None:
        self.booked: list[str] = []
        self.overlaps = 0
        self._running = threading.Lock()

    def ask(self, question: str) -> None:
        raise AssertionError(question)

    def tell(self, reply: str) -> None:
        pass

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        is_alone = self._running.acquire(blocking=False)
        self.overlaps += not is_alone
        time.sleep(0.005)
        self.booked += [str(call.arguments["room"]) for call in calls]
        if is_alone:
            self._running.release()
        return [Observation(content="booked") for _ in calls]


def threads(folder: Path, *, count: int = THREADS, people: int = PEOPLE) -> dict[str, Any]:
    """Run a turn in each of so many threads, spread over so many people, and return what was done and remembered."""
    log = SqlTurnLog(f"sqlite:///{folder}/turns.sqlite")
    with closing(log):
        index = UnreadableIndex(MemoryStoreError("no vectors here"))
        memory = Memory(log, index, RandomEmbedder(), journal=SqlJournal(log), turn_locks=log.locks())
        users = [memory.user(Scope(f"user-{number}")) for number in range(people)]
        rooms = [Counting() for _ in users]

        def one(number: int) -> None:
            person = number % people
            agent = Agent(users[person], OneRoom(), strategy="full", policy="benchmark", turn_wait_s=120)
            agent.run(f"Book the room Room{number}", [TOOL], executor=rooms[person], user=rooms[person])

        begun = time.perf_counter()
        with ThreadPoolExecutor(count) as pool:
            failures = [work.exception() for work in [pool.submit(one, number) for number in range(count)]]
        seconds = time.perf_counter() - begun
        remembered = [[str(call.arguments["room"]) for turn in user.turns() for call in turn.calls] for user in users]
    return {
        "threads": count,
        "people": people,
        "failed": Counter(type(failure).__name__ for failure in failures if failure is not None),
        "at_once": sum(room.overlaps for room in rooms),
        "done": sum(len(room.booked) for room in rooms),
        "remembered": sum(map(len, remembered)),
        "in_order": all(kept == room.booked for kept, room in zip(remembered, rooms, strict=True)),
        "seconds": round(seconds, 2),
    }


def cost(folder: Path, *, calls: int = CALLS) -> dict[str, Any]:
    """Measure what the journal takes a call, beside an append of the same size that the disk confirms."""
    turn = Turn(turn_id="t1", request="Book the rooms Alder, Birch and Cedar.")
    with closing(SqlTurnLog(f"sqlite:///{folder}/turns.sqlite")) as log:
        index = UnreadableIndex(MemoryStoreError("no vectors here"))
        journal = Memory(log, index, RandomEmbedder(), journal=SqlJournal(log)).user(Scope("ann")).journal
        assert journal is not None
        taken, bare = [], []
        for number in range(calls):
            call = ToolCall(id=f"c{number % 3}", name="book_room", arguments={"room": "Alder", "people": 4})
            now = turn.model_copy(update={"turn_id": f"t{number // 3}"})

            def write_down(now: Turn = now, call: ToolCall = call) -> None:
                entry, _ = journal.intend(now, call, "book a room (name of the room: Alder)")
                journal.settle(entry, Observation(content={"booked": "Alder"}))

            taken.append(timed_ms(write_down))
            bare += disk_ms(folder, 1)
            if number % 3 == 2:
                taken[-1] += timed_ms(lambda now=now: journal.finish(now.turn_id, is_told=True))  # type: ignore[misc]
    beside = sorted(one - other for one, other in zip(taken, bare, strict=True))
    return {"journal_ms": quantiles_ms(taken), "fsync_ms": quantiles_ms(bare), "beside_ms": quantiles_ms(beside)}


def main() -> None:
    """Run the parts that are asked for and print what they came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=("breakoffs", "threads", "cost"))
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for package in ("memory", "agent"):  # what breaks off is logged, and expected here
        logging.getLogger(package).setLevel(logging.CRITICAL)
    parts: dict[str, Callable[[Path], dict[str, Any]]] = {
        "breakoffs": lambda folder: breakoffs(folder, trials=options.trials, seed=options.seed),
        "threads": threads,
        "cost": cost,
    }
    for name in options.part or parts:
        with TemporaryDirectory() as folder:
            print(json.dumps({name: parts[name](Path(folder))}, indent=1))


if __name__ == "__main__":
    main()
