"""Turns with three writes that break off at every point, and the turn after each: is a deed forgotten, or done twice?

Each trial is a process of its own. A first turn orders three rooms and breaks off: killed, by an exception, on a full
disk or at a cut endpoint. In a second one the person orders the same, and a planner that goes by its recall proposes
what it does not see done. The rooms' own book, a file, tells what was really done.
"""

from __future__ import annotations

import logging
import os
import random
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, get_args
from typing import Literal as Choice

from agent.agent import Agent
from agent.errors import PlannerUnavailableError
from benchmarks.memory.workload import RandomEmbedder
from clarifier.decision import Proposal, Situation
from memory import Memory, MemoryStoreError, Scope
from memory.journal import is_unknown
from memory.records import Observation, ToolCall
from memory.storage.sql_journal import SqlJournal
from memory.storage.sql_turn_log import SqlTurnLog
from memory.storage.unreadable_index import UnreadableIndex
from memory.tools import Tool, parse_tool

Kind = Choice["killed", "exception", "full disk", "cut endpoint"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROOMS = ("Alder", "Birch", "Cedar")
REQUEST = "Book the rooms Alder, Birch and Cedar."
ANN = Scope("ann")
TOOL: Tool = parse_tool(
    {
        "name": "book_room",
        "description": "Book a room",
        "parameters": {
            "type": "object",
            "properties": {"room": {"type": "string", "description": "Name of the room"}},
            "required": ["room"],
        },
    }
)


class Trial(NamedTuple):
    """One turn that breaks off."""

    kind: Kind
    point: int
    """Which of the points that a turn passes, from 0."""
    in_one_step: bool
    """Whether the three calls are proposed at once, or one a plan."""
    is_same_process: bool
    """Whether the next turn is run by the process that saw the break; a killed one never is."""


class Outcome(NamedTuple):
    """What a trial came to."""

    has_broken: bool
    forgotten: int
    """Deeds that neither the log nor the person learnt of."""
    twice: int
    """Deeds done more than once."""
    missing: int
    """Rooms that are not booked in the end."""


class Broken(Exception):
    """The exception of a trial."""


@dataclass
class Points:
    """Counts the points that a turn passes, and breaks it off at one of them."""

    trial: Trial | None
    log_file: Path
    passed: int = 0
    has_broken: bool = False

    def __call__(self, *, is_plan: bool = False) -> None:
        trial = self.trial
        if trial is None or (trial.kind == "cut endpoint" and not is_plan):
            self.passed += trial is None
            return
        number, self.passed = self.passed, self.passed + 1
        if number != trial.point or self.has_broken:
            return
        self.has_broken = True
        if trial.kind == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if trial.kind == "exception":
            raise Broken
        if trial.kind == "cut endpoint":
            raise PlannerUnavailableError("the endpoint is gone")
        write_ahead = self.log_file.with_name(self.log_file.name + "-wal")
        _limit_files(write_ahead.stat().st_size)  # from here on, the operating system lets no file grow beyond that


@dataclass
class Planner:
    """Proposes the rooms that its recall does not show as booked, and replies when there are none."""

    points: Points
    in_one_step: bool
    name: str = "rooms"

    def plan(self, situation: Situation) -> Proposal:
        self.points(is_plan=True)
        past = [step for turn in situation.recall.topic_turns for step in turn.steps if step.kind == "calls"]
        steps = [*past, *situation.call_steps]
        booked = {
            call.arguments["room"]
            for step in steps
            for call, found in zip(step.calls, step.observations, strict=True)
            if found.error is None
        }
        settled = " ".join(step.question for step in situation.question_steps if step.answer == "no")
        wanted = [room for room in ROOMS if room not in booked and room not in settled]
        calls = [ToolCall(id=f"c-{room}", name="book_room", arguments={"room": room}) for room in wanted]
        self.points(is_plan=True)
        if not calls:
            return Proposal(reply="All three rooms are booked.")
        return Proposal(calls=tuple(calls if self.in_one_step else calls[:1]))


@dataclass
class Rooms:
    """The executor, with a book that it keeps in a file."""

    book: Path
    points: Points

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        return [self._one(call) for call in calls]

    def _one(self, call: ToolCall) -> Observation:
        self.points()
        with self.book.open("a") as file:
            file.write(f"{call.arguments['room']}\n")
        self.points()
        return Observation(content={"booked": call.arguments["room"]})

    def booked(self) -> list[str]:
        return self.book.read_text().split() if self.book.exists() else []


@dataclass
class Person:
    """Looks into the book where asked whether to do something again, and keeps what they hear in a file."""

    heard: Path
    rooms: Rooms
    points: Points
    texts: list[str] = field(default_factory=list)

    def ask(self, question: str) -> str:
        self.tell(question)
        return (
            "no"
            if any(room in question.rpartition("I was cut off earlier")[2] for room in self.rooms.booked())
            else "yes"
        )

    def tell(self, reply: str) -> None:
        self.points()
        with self.heard.open("a") as file:
            file.write(reply + "\n")
        self.points()


def breakoffs(folder: Path, *, trials: int = 200, seed: int = 1) -> dict[str, Any]:
    """Run so many seeded trials, spread evenly over kinds and points, and return what they came to."""
    rng = random.Random(seed)
    points = {
        (kind, at_once): _points(folder / f"points-{number}-{at_once}", kind, in_one_step=at_once)
        for number, kind in enumerate(KINDS)
        for at_once in (True, False)
    }
    outcomes: list[tuple[Kind, Outcome]] = []
    for number in range(trials):
        kind, at_once = KINDS[number % len(KINDS)], rng.random() < 0.5
        round_of_kind = number // len(KINDS)
        point = round_of_kind % points[kind, at_once]  # every point before any is tried again
        trial = Trial(kind, point, at_once, kind != "killed" and rng.random() < 0.5)
        outcomes.append((kind, run_trial(folder / str(number), trial)))
    return {
        "trials": Counter(kind for kind, _ in outcomes),
        "broken_off": sum(outcome.has_broken for _, outcome in outcomes),
        "points_of_a_turn": {
            f"{kind}, {'one step' if once else 'three steps'}": n for (kind, once), n in points.items()
        },
        "forgotten": sum(outcome.forgotten for _, outcome in outcomes),
        "done_twice": sum(outcome.twice for _, outcome in outcomes),
        "not_done_in_the_end": sum(outcome.missing for _, outcome in outcomes),
    }


def run_trial(folder: Path, trial: Trial) -> Outcome:
    """Break a turn off, run the next one, and compare what log and person know with what was done."""
    folder.mkdir()
    broken = _in_child(lambda: _live(folder, trial, goes_on=trial.is_same_process))
    if not trial.is_same_process:
        _in_child(lambda: _live(folder, None, goes_on=True, in_one_step=trial.in_one_step))
    booked = Counter((folder / "book").read_text().split()) if (folder / "book").exists() else Counter[str]()
    with _memory(folder) as memory:
        turns = memory.user(ANN).turns()
    known = {
        str(call.arguments["room"])
        for turn in turns
        for step in turn.steps
        if step.kind == "calls"
        for call, found in zip(step.calls, step.observations, strict=True)
        if found.error is None or is_unknown(found)
    }
    heard = (folder / "heard").read_text() if (folder / "heard").exists() else ""
    is_heard = "All three" in heard
    forgotten = [room for room in booked if room not in known or not (is_heard or room in heard)]
    twice = sum(count - 1 for count in booked.values())
    return Outcome(broken, len(forgotten), twice, sum(room not in booked for room in ROOMS))


def _live(folder: Path, trial: Trial | None, *, goes_on: bool, in_one_step: bool = True) -> bool:
    """Run the turn that breaks off (`None`: none does), then the next one where it `goes_on`; say whether it broke."""
    points = Points(trial, folder / "turns.sqlite")
    with _memory(folder, points) as memory:
        points.passed = 0
        rooms = Rooms(folder / "book", points)
        person = Person(folder / "heard", rooms, points)
        planner = Planner(points, in_one_step if trial is None else trial.in_one_step)
        agent = Agent(memory.user(ANN), planner, strategy="full", policy="benchmark")
        if trial is not None:
            with suppress(Broken, PlannerUnavailableError, MemoryStoreError):
                agent.run(REQUEST, [TOOL], executor=rooms, user=person)
        _limit_files(resource.RLIM_INFINITY)
        if goes_on:
            points.has_broken = True
            agent.run(REQUEST, [TOOL], executor=rooms, user=person)
            again = agent.take_notice()
            assert again is None, again
    return points.has_broken


@contextmanager
def _memory(folder: Path, points: Points | None = None) -> Iterator[Memory]:
    """Open a memory without vectors, which passes the points between its writes."""
    log = SqlTurnLog(f"sqlite:///{folder}/turns.sqlite")
    journal = SqlJournal(log)
    if points is not None:
        for thing, names in ((log, ("append",)), (journal, ("add", "settle", "drop"))):
            for name in names:
                setattr(thing, name, _passing(getattr(thing, name), points))
    index = UnreadableIndex(MemoryStoreError("no vectors here"))
    memory = Memory(log, index, RandomEmbedder(), journal=journal, turn_locks=log.locks())
    try:
        yield memory
    finally:
        log.close()


def _passing(work: Callable[..., Any], points: Points) -> Callable[..., Any]:
    def passed(*arguments: Any, **named: Any) -> Any:
        points()
        found = work(*arguments, **named)
        points()
        return found

    return passed


def _points(folder: Path, kind: Kind, *, in_one_step: bool) -> int:
    """Return how many points a turn passes that nothing breaks off."""
    folder.mkdir()
    never = Trial(kind, -1, in_one_step, True)
    points = Points(never, folder / "turns.sqlite")
    with _memory(folder, points) as memory:
        rooms = Rooms(folder / "book", points)
        agent = Agent(memory.user(ANN), Planner(points, in_one_step), strategy="full", policy="benchmark")
        points.passed = 0
        agent.run(REQUEST, [TOOL], executor=rooms, user=Person(folder / "heard", rooms, points))
    return points.passed


def _in_child(work: Callable[[], bool]) -> bool:
    """Run `work` in a process of its own and return what it says; one that is killed has broken off."""
    child = os.fork()
    if not child:
        status = 2
        try:
            status = int(work())
        except BaseException:
            logging.getLogger(__name__).exception("a trial failed")
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    code = os.WEXITSTATUS(status)
    if code > 1:
        raise RuntimeError("a trial failed for another reason than the one it was to break off for")
    return bool(code)


def _limit_files(size: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
