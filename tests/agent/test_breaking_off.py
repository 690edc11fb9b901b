"""What was done is remembered and told once, however a turn ends; and one turn of a person runs at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.advance import begin
from agent.agent import Agent
from agent.errors import PlannerRefusedError
from agent.functions import FunctionExecutor
from agent.graph import AgentContext, AgentState, TurnResult, build_graph, thread_config
from agent.planners.failures import explained
from benchmarks.acting import threads
from benchmarks.breakoffs import breakoffs
from clarifier.decision import Proposal, Situation
from memory.errors import TurnRunningError
from memory.journal import UNKNOWN_OUTCOME
from memory.memory import Memory
from memory.records import CallStep, Observation, Scope, ToolCall
from memory.storage.user_memory import UserMemory
from memory.tools import parse_tools
from tests.fakes import FixedMemory, HashingEmbedder, RecordingExecutor, ScriptedUser, obey

NOW = datetime(2026, 3, 10, 9, 0)
TOOLS = parse_tools(
    {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]},
    }
    for name, description in (("book_room", "Book a room"), ("find_room", "Find a room"))
)
ALDER = ToolCall(id="1", name="book_room", arguments={"room": "Alder"})
BIRCH = ToolCall(id="2", name="book_room", arguments={"room": "Birch"})
REQUEST = "Book the rooms Alder and Birch."


@dataclass
class Script:
    """Proposes in turn what is scripted; an exception is raised, and the end is a reply."""

    steps: list[Proposal | BaseException]
    name: str = "script"
    seen: list[Situation] = field(default_factory=list)

    def plan(self, situation: Situation) -> Proposal:
        self.seen.append(situation)
        step = self.steps.pop(0) if self.steps else Proposal(reply="That is all.")
        if isinstance(step, BaseException):
            raise step
        return step


@dataclass
class Booker:
    """Books what it is told, then does what `after` says of it."""

    after: Callable[[ToolCall], Any] = lambda call: {"booked": call.arguments["room"]}
    rooms: list[Any] = field(default_factory=list)

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        self.rooms += [call.arguments["room"] for call in calls]
        return [Observation.of(self.after(call)) for call in calls]


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[UserMemory]:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        yield memory.user(Scope("ada"))


def books(*calls: ToolCall) -> Proposal:
    return Proposal(calls=calls)


def agent(ada: UserMemory, *steps: Proposal | BaseException, **options: Any) -> Agent:
    return Agent(ada, Script(list(steps)), policy="benchmark", clock=lambda: NOW, **options)


def run(
    ada: UserMemory, *steps: Proposal | BaseException, booker: Any, user: Any = None, request: str = REQUEST
) -> TurnResult:
    return agent(ada, *steps).run(request, TOOLS, executor=booker, user=user or ScriptedUser())


def observed(ada: UserMemory) -> list[tuple[object, object]]:
    return [
        (call.arguments["room"], found.error or found.content)
        for turn in ada.turns()
        for step in turn.steps
        if isinstance(step, CallStep)
        for call, found in zip(step.calls, step.observations, strict=True)
    ]


REFUSED = PlannerRefusedError("no such model", status=400)


@pytest.mark.parametrize("error", [REFUSED, KeyboardInterrupt()])
def test_a_turn_that_breaks_off_is_remembered_and_told_before_the_next_reply(
    ada: UserMemory, error: BaseException
) -> None:
    booker, user = Booker(), ScriptedUser()
    with pytest.raises(type(error)):
        run(ada, books(ALDER), error, booker=booker)
    assert observed(ada) == [("Alder", {"booked": "Alder"})]
    for _ in range(2):  # the second one is told nothing any more
        run(ada, booker=booker, user=user, request="Hello")
    notice = f"I was cut off at “{REQUEST}” before I could tell you. I did this: book a room (room: Alder)."
    assert user.told == [f"{notice}\nThat is all.", "That is all."]
    assert [turn.turn_id for turn in ada.turns()] == ["t1", "t2", "t3"]
    assert [turn.reply for turn in ada.turns()] == [None, "That is all.", "That is all."]


def test_the_notice_is_in_the_language_of_the_person_and_may_be_taken_at_once(ada: UserMemory) -> None:
    with pytest.raises(PlannerRefusedError):
        run(ada, books(ALDER), REFUSED, booker=Booker(), request="请预订Alder房间")
    one = agent(ada)
    notice = one.take_notice()
    assert notice is not None
    assert notice.startswith("“请预订Alder房间”这件事我在告诉您之前中断了。已经办好：")
    assert one.take_notice() is None
    assert "no such model" in explained(REFUSED)


def test_a_turn_that_breaks_off_before_a_deed_leaves_nothing(ada: UserMemory) -> None:
    with pytest.raises(PlannerRefusedError):
        run(ada, REFUSED, booker=Booker())
    assert (ada.turns(), agent(ada).take_notice()) == ((), None)


def test_what_raises_after_its_deed_is_an_error_of_unknown_outcome_and_is_not_repeated(ada: UserMemory) -> None:
    def fails(call: ToolCall) -> Any:
        raise TimeoutError("no answer")

    booker, user = Booker(fails), ScriptedUser()
    run(ada, *[books(ALDER)] * 30, booker=booker, user=user)
    assert booker.rooms == ["Alder"]
    assert observed(ada) == [("Alder", f"TimeoutError: no answer; {UNKNOWN_OUTCOME}")]
    assert user.told[0].startswith("I do not know whether this was done: book a room (room: Alder).")

    doubt = "I was cut off earlier and do not know whether this was done: book a room (room: Alder)."
    careful = ScriptedUser(["no"])
    run(ada, books(ALDER), booker=booker, user=careful)
    assert (booker.rooms, careful.asked) == (["Alder"], [f"{doubt} Shall I do it now?"])
    run(ada, books(ALDER), booker=Booker(rooms=booker.rooms), user=careful)  # that was settled
    assert (booker.rooms, len(careful.asked)) == (["Alder", "Alder"], 1)


def test_a_payment_of_unknown_outcome_is_confirmed_and_asked_about(ada: UserMemory) -> None:
    (tool,) = parse_tools([{"name": "pay", "description": "Pay a bill", "parameters": {"type": "object"}}])
    pays = books(ToolCall(id="1", name="pay"))

    def dies() -> None:
        raise KeyboardInterrupt

    def pay(planner: Script, executor: Any, *answers: str) -> list[str]:
        user = ScriptedUser(answers)
        Agent(ada, planner, clock=lambda: NOW).run("Pay my bill", [tool], executor=executor, user=user)
        return user.asked

    with pytest.raises(KeyboardInterrupt):
        pay(Script([pays] * 2), FunctionExecutor({"pay": dies}), "yes")
    paid: list[int] = []
    executor = FunctionExecutor({"pay": lambda: paid.append(1)})
    asked = pay(Script([pays] * 3), executor, "yes", "go ahead")
    assert ([question.splitlines()[-1][:20] for question in asked], paid) == (
        ["Shall I pay a bill?", "I was cut off earlie"],
        [1],
    )


@pytest.mark.parametrize(
    ("answer", "made", "asked_later"),
    [("no", 0, 0), ("it is booked already", 0, 0), ("go ahead", 1, 0), ("hm, why?", 0, 1), (None, 0, 1)],
)
def test_what_is_said_to_the_doubt_settles_it(ada: UserMemory, answer: str | None, made: int, asked_later: int) -> None:
    def dies(call: ToolCall) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(ada, books(ALDER), booker=Booker(dies))
    booker, user = Booker(), ScriptedUser([answer])
    noted = ALDER.model_copy(update={"id": "7"})
    run(ada, *[books(noted, BIRCH)] * 2, booker=booker, user=user)
    assert (booker.rooms.count("Alder"), len(user.asked)) == (made, 1)
    later = ScriptedUser(["no"])
    run(ada, books(ALDER), booker=booker, user=later)
    assert len(later.asked) == asked_later


def test_a_function_that_fails_is_tried_once_without_anything_new(ada: UserMemory) -> None:
    tried: list[str] = []

    def book_room(room: str) -> None:
        tried.append(room)
        raise ValueError("sold out")

    executor = FunctionExecutor({"book_room": book_room})
    user = ScriptedUser()
    run(ada, *[books(ALDER)] * 30, booker=executor, user=user)
    assert tried == ["Alder"]
    assert user.told == ["This did not work: book a room (room: Alder). I have not tried it again."]


@pytest.mark.parametrize(
    ("result", "content"),
    [
        (datetime(2026, 3, 11, 19), "2026-03-11T19:00:00"),
        ({"price": Decimal("9.90"), "x": float("nan")}, {"price": "9.90", "x": "nan"}),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_a_result_that_is_no_json_counts_as_done(ada: UserMemory, result: Any, content: Any) -> None:
    run(ada, books(ALDER), booker=FunctionExecutor({"book_room": lambda room: result}))
    run(ada, books(BIRCH), booker=Booker(lambda call: result))
    assert observed(ada) == [("Alder", content), ("Birch", content)]


def test_half_an_emoji_in_words_and_arguments_loses_no_turn(ada: UserMemory) -> None:
    half = ToolCall(id="1", name="book_room", arguments={"room": "Alder \ud83d"})
    run(ada, books(half), booker=Booker(), request="Book Alder \ud83d")
    assert ada.turns()[0].request == "Book Alder \\ud83d"
    assert observed(ada) == [("Alder \\ud83d", {"booked": "Alder \\ud83d"})]


class Deaf(ScriptedUser):
    """Cannot be reached."""

    def tell(self, reply: str) -> str | None:
        raise BrokenPipeError("gone")


def test_a_reply_that_does_not_arrive_loses_no_turn_and_is_made_up_for(ada: UserMemory) -> None:
    result = run(ada, books(ALDER), booker=Booker(), user=Deaf())
    assert (result.tell_failure, len(ada.turns())) == ("BrokenPipeError: gone", 1)
    user = ScriptedUser()
    run(ada, booker=Booker(), user=user, request="Hello")
    assert "I did this: book a room (room: Alder)." in user.told[0]


def test_one_deed_proposed_twice_at_once_is_done_once(ada: UserMemory) -> None:
    booker = Booker()
    run(ada, books(ALDER, ALDER.model_copy(update={"id": "9"}), BIRCH), booker=booker)
    assert booker.rooms == ["Alder", "Birch"]


def test_an_executor_that_takes_keys_gets_one_a_deed(ada: UserMemory) -> None:
    keys: list[str] = []

    def book_room(room: str, idempotency_key: str) -> str:
        keys.append(idempotency_key)
        if len(keys) == 1:
            raise SystemExit
        return room

    executor = FunctionExecutor({"book_room": book_room})
    with pytest.raises(SystemExit):
        run(ada, books(ALDER), booker=executor)
    run(ada, books(ALDER), books(ALDER), books(BIRCH), booker=executor, user=ScriptedUser(["yes, please"]))
    assert len(keys) == 3
    assert (keys[0] == keys[1], keys[1] == keys[2]) == (True, False)


def test_a_second_turn_waits_or_is_refused_before_anything_runs(ada: UserMemory) -> None:
    inside, goes_on = threading.Event(), threading.Event()

    def waits(call: ToolCall) -> str:
        inside.set()
        assert goes_on.wait(10)
        return "done"

    first = threading.Thread(target=run, args=(ada, books(ALDER)), kwargs={"booker": Booker(waits)})
    first.start()
    assert inside.wait(10)
    second, booker = agent(ada, books(BIRCH), turn_wait_s=0.05), Booker()
    with pytest.raises(TurnRunningError, match="nothing of this one was done"):
        second.run(REQUEST, TOOLS, executor=booker, user=ScriptedUser())
    assert (booker.rooms, second.take_notice()) == ([], None)
    goes_on.set()
    first.join(10)
    second.run(REQUEST, TOOLS, executor=booker, user=ScriptedUser())
    assert observed(ada) == [("Alder", "done"), ("Birch", {"booked": "Birch"})]


def test_a_tool_that_asks_for_a_turn_of_the_same_person_does_not_hang(ada: UserMemory) -> None:
    booker = Booker(lambda call: run(ada, booker=Booker(), request="Hello").reply)
    begun = time.monotonic()
    run(ada, books(ALDER), booker=booker)
    assert time.monotonic() - begun < 5
    assert "TurnRunningError" in str(observed(ada)[0][1])


def test_calls_of_a_resumed_thread_are_not_made_again(ada: UserMemory) -> None:
    """A process that dies between a call and its checkpoint: the thread goes on from before the call."""

    def context(executor: Any, *steps: Proposal) -> AgentContext:
        return AgentContext(
            planner=Script(list(steps)),
            memory=FixedMemory(),
            executor=executor,
            decide=obey,
            user=ScriptedUser(),
            log=ada,
            journal=ada.journal,
        )

    def dies(call: ToolCall) -> Observation:
        raise KeyboardInterrupt

    graph = build_graph(checkpointer=InMemorySaver())
    config = thread_config("ada/t1")
    start, dying = AgentState(turn=begin(REQUEST, TOOLS, turn_id="t1")), context(RecordingExecutor(dies), books(ALDER))
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(start, config, context=dying, durability="sync")
    assert ada.turns() == ()  # the thread has the turn, and nobody else closes it
    again = RecordingExecutor()
    graph.invoke(None, config, context=context(again), durability="sync")
    assert again.calls == []
    assert observed(ada) == [("Alder", f"the turn was cut off here: {UNKNOWN_OUTCOME}")]


@pytest.mark.slow
def test_turns_that_break_off_at_many_points(tmp_path: Path) -> None:
    figures = breakoffs(tmp_path, trials=40, seed=7)
    found = [figures[name] for name in ("broken_off", "forgotten", "done_twice", "not_done_in_the_end")]
    assert found == [40, 0, 0, 0]


def test_many_threads_over_few_people(tmp_path: Path) -> None:
    figures = threads(tmp_path, count=24, people=4)
    found = {name: figures[name] for name in ("failed", "at_once", "done", "remembered", "in_order")}
    assert found == {"failed": {}, "at_once": 0, "done": 24, "remembered": 24, "in_order": True}


def test_a_turn_in_a_running_event_loop_does_not_hang(ada: UserMemory) -> None:
    async def both() -> None:
        run(ada, books(ALDER), booker=Booker())
        await asyncio.to_thread(run, ada, books(BIRCH), booker=Booker())

    asyncio.run(asyncio.wait_for(both(), 20))
    assert [room for room, _ in observed(ada)] == ["Alder", "Birch"]
