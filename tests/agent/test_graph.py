"""The graph of a turn: its routes, its result, and its way over an interrupt and a new process."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, GraphOutput

from agent.advance import LOST, MAX_PLANS, begin
from agent.errors import ForeignTurnError, MissingCheckpointerError, ObservationCountError
from agent.graph import AgentContext, AgentState, Graph, TurnResult, build_graph, run_turn, thread_config
from clarifier.decision import Act, Answer, Ask, Decision, Hint, PlanAgain, Proposal, Situation, Usage
from memory.evidence import Evidence, Slot
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, Scope, ToolCall, Turn
from tests.fakes import (
    ODDS,
    FixedMemory,
    RecordingExecutor,
    RecordingLog,
    ScriptedPlanner,
    ScriptedUser,
    SilentExecutor,
    make_tool,
    obey,
)

NOW = datetime(2026, 3, 9, 7, 36)
FIND = make_tool("find_table", "place")
BOOK = make_tool("book_table", "table_id", "time")
FOUND = Observation(content={"ran": "find_table"})
BOOKED = Observation(content={"ran": "book_table"})


def call(name: str, call_id: str = "1", **arguments: str) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=dict(arguments))


def context(*script: Proposal, **changes: Any) -> AgentContext:
    parts: dict[str, Any] = {
        "planner": ScriptedPlanner(script),
        "memory": FixedMemory(),
        "executor": RecordingExecutor(),
        "decide": obey,
        "user": ScriptedUser(),
        "log": RecordingLog(),
    }
    return AgentContext(**{**parts, **changes})


def turn(request: str, ctx: AgentContext) -> TurnResult:
    return run_turn(request, [FIND, BOOK], ctx, turn_id="t1", now=NOW)


def test_a_turn_of_two_calls_is_run_told_and_remembered() -> None:
    find, book = call("find_table", place="Turin"), call("book_table", "2", table_id="T7", time="19:00")
    ctx = context(
        Proposal(calls=(find,), usage=Usage(prompt=10, completion=2)),
        Proposal(calls=(book,), usage=Usage(prompt=20, completion=3)),
        Proposal(reply="Booked.", usage=Usage(prompt=30, completion=4)),
    )
    result = turn("a table in Turin at seven", ctx)
    expected = Turn(
        turn_id="t1",
        request="a table in Turin at seven",
        steps=(CallStep(calls=(find,), observations=(FOUND,)), CallStep(calls=(book,), observations=(BOOKED,))),
        reply="Booked.",
        time=NOW,
    )
    assert (result.turn, result.ending, result.usage) == (expected, "replied", Usage(prompt=60, completion=9))
    assert result.decisions == (
        Act(policy="obey", odds=ODDS, calls=(find,)),
        Act(policy="obey", odds=ODDS, calls=(book,)),
        Answer(policy="obey", odds=ODDS, reply="Booked."),
    )
    assert ctx.memory.observed == [expected]  # type: ignore[attr-defined]  # a fake
    assert ctx.log.turns == [expected]  # type: ignore[union-attr]  # a fake
    assert ctx.user.told == ["Booked."]  # type: ignore[union-attr]  # a fake


def test_a_question_and_its_answer_are_a_step_and_planned_with() -> None:
    slot = Slot("find_table", "place")
    find = call("find_table", place="Turin")
    ctx = context(
        Proposal(question="Where?", question_slots=(slot,)),
        Proposal(calls=(find,)),
        Proposal(reply="Found."),
        user=ScriptedUser(answers=["Turin"]),
    )
    question = QuestionStep(question="Where?", answer="Turin", slots=("find_table.place",))
    assert turn("a table", ctx).turn.steps == (question, CallStep(calls=(find,), observations=(FOUND,)))
    assert ctx.planner.seen[1].steps == (question,)  # type: ignore[attr-defined]  # a fake


def test_a_reply_that_is_answered_goes_on_as_if_it_had_been_a_question() -> None:
    ctx = context(
        Proposal(reply="Which town do you mean?"),
        Proposal(reply="All done."),
        user=ScriptedUser(comebacks=["Turin", None]),
    )
    result = turn("a table", ctx)
    assert result.turn.steps == (QuestionStep(question="Which town do you mean?", answer="Turin"),)
    assert (result.reply, result.ending) == ("All done.", "replied")


def test_a_plan_sent_back_carries_the_hint_to_the_planner_and_keeps_both_decisions() -> None:
    hint = Hint("look_up", Slot("book_table", "table_id"), suppliers=("find_table",))
    again = PlanAgain(policy="test", odds=ODDS, hints=(hint,))

    def decide(situation: Situation, proposal: Proposal) -> Decision:
        return obey(situation, proposal) if situation.hints else again

    ctx = context(Proposal(question="Which table?"), Proposal(reply="Done."), decide=decide)
    result = turn("a table", ctx)
    assert ctx.planner.seen[1].hints == (hint,)  # type: ignore[attr-defined]  # a fake
    assert result.decisions == (again, Answer(policy="obey", odds=ODDS, reply="Done."))


def test_calls_of_which_nothing_comes_back_end_the_turn_and_are_remembered_as_lost() -> None:
    find = call("find_table", place="Turin")
    result = turn("a table", context(Proposal(calls=(find,)), executor=SilentExecutor()))
    assert result.turn.steps == (CallStep(calls=(find,), observations=(Observation(error=LOST),)),)
    assert (result.reply, result.ending) == (None, "unobserved")


def test_a_question_nobody_answers_ends_the_turn() -> None:
    result = turn("a table", context(Proposal(question="Where?")))
    assert (result.turn.steps, result.reply) == ((QuestionStep(question="Where?"),), None)
    assert result.ending == "unanswered"


@pytest.mark.parametrize(("request_text", "opening"), [("a table", "I could not finish this"), ("订个位子", "抱歉")])
def test_a_planner_that_never_ends_is_stopped_at_the_limit_with_a_reply(request_text: str, opening: str) -> None:
    ctx = context(*[Proposal(calls=(call("find_table", place="Turin"),))] * (MAX_PLANS + 1))
    result = turn(request_text, ctx)
    assert (len(result.trace), len(result.turn.calls), result.ending) == (MAX_PLANS, MAX_PLANS, "gave_up")
    assert (result.reply or "").startswith(opening)
    assert len({made.id for made in result.turn.calls}) == MAX_PLANS


def test_at_the_limit_whatever_is_said_back_is_kept_and_the_turn_is_over() -> None:
    ctx = context(
        *[Proposal(calls=(call("find_table", place="Turin"),))] * MAX_PLANS, user=ScriptedUser(comebacks=["go on!"])
    )
    result = turn("a table", ctx)
    last = result.turn.steps[-1]
    assert isinstance(last, QuestionStep)
    assert (last.answer, result.reply, result.ending) == ("go on!", None, "gave_up")


def test_a_planner_with_nothing_to_say_is_asked_once_more() -> None:
    assert turn("a table", context(Proposal(), Proposal(reply="Done."))).reply == "Done."
    assert turn("a table", context(Proposal(), Proposal())).ending == "gave_up"


def test_without_remembering_log_and_memory_stay_as_they_are() -> None:
    ctx = context(Proposal(reply="Hello."), remembers=False)
    assert turn("hi", ctx).turn.reply == "Hello."
    assert ctx.log.turns == []  # type: ignore[union-attr]  # a fake
    assert ctx.memory.observed == []  # type: ignore[attr-defined]  # a fake


def test_the_clock_of_the_context_dates_a_turn_that_comes_without_a_time() -> None:
    ctx = context(Proposal(reply="Hello."), clock=lambda: NOW)
    assert run_turn("hi", [], ctx, turn_id="t1").turn.time == NOW


def test_an_executor_must_answer_every_call() -> None:
    class Careless:
        def execute(self, calls: object) -> list[Observation]:
            return [FOUND]

    calls = (call("find_table", "a", place="Turin"), call("find_table", "b", place="Rome"))
    with pytest.raises(ObservationCountError, match="expected 2, got 1"):
        turn("two tables", context(Proposal(calls=calls), executor=Careless()))


def test_parallel_calls_are_answered_once_each_by_id_and_errors_are_observations() -> None:
    """Case B10: the planner repeats an id, and one call fails."""
    calls = (call("weather", "x", day="1"), call("calendar", "y"), call("weather", "x", day="2"))

    def result(made: ToolCall) -> Observation:
        return Observation(error="calendar is offline") if made.name == "calendar" else Observation(content=made.id)

    executor = RecordingExecutor(result)
    outcome = turn("plan my day", context(Proposal(calls=calls), Proposal(reply="Done."), executor=executor))
    step = outcome.turn.steps[0]
    assert isinstance(step, CallStep)
    assert [made.id for made in step.calls] == ["x", "y", "x-2"]
    assert step.observations == (
        Observation(content="x"),
        Observation(error="calendar is offline"),
        Observation(content="x-2"),
    )
    assert [made.id for made in executor.calls] == ["x", "y", "x-2"]


def test_the_graph_runs_in_an_event_loop_too() -> None:
    start = AgentState(turn=begin("hi", [], turn_id="t1"))
    state = asyncio.run(build_graph().ainvoke(start, context=context(Proposal(reply="Hello."))))
    assert state["turn"].turn == Turn(turn_id="t1", request="hi", reply="Hello.")


def test_the_drawn_graph_shows_every_route() -> None:
    edges = {(edge.source, edge.target) for edge in build_graph().get_graph().edges}
    assert edges == {
        ("__start__", "recall"),
        ("recall", "plan"),
        *(("plan", node) for node in ("calibrate", "plan", "answer")),
        *(("calibrate", node) for node in ("act", "plan", "ask", "answer")),
        *(("act", node) for node in ("act", "plan", "ask", "answer", "remember")),
        *(("ask", node) for node in ("plan", "answer", "remember")),
        *(("answer", node) for node in ("plan", "answer", "remember")),
        ("remember", "__end__"),
    }


def test_without_a_person_and_a_checkpointer_a_turn_does_not_start() -> None:
    ctx = context(Proposal(question="Where?"), user=None)
    with pytest.raises(MissingCheckpointerError, match="needs a checkpointer"):
        turn("a table", ctx)
    assert ctx.planner.seen == []  # type: ignore[attr-defined]  # a fake
    with pytest.raises(MissingCheckpointerError):
        build_graph().invoke({"turn": begin("a table", [], turn_id="t1")}, context=ctx)


def _recalled() -> Recall:
    past = Turn(turn_id="t0", request="always Turin", steps=(QuestionStep(question="Sure?", answer="yes"),), time=NOW)
    evidence = Evidence(Slot("find_table", "place"), ["Turin", 1.0], "request", "standing", "t0", 0, NOW)
    return Recall((RecallItem("turn", ("t0",), "always Turin", 3, 0.5, past, (evidence,)),))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints.sqlite"


def _open(database: Path) -> Iterator[Graph]:
    """Give a graph over `database` as a new process would: its own connection, closed at the end."""
    with closing(sqlite3.connect(database, check_same_thread=False)) as connection:
        yield build_graph(checkpointer=SqliteSaver(connection))


def test_a_question_waits_over_a_restart_and_every_effect_happens_once(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Case B11: a tool before the first question, two questions in one turn, a new process for each answer."""
    find, book = call("find_table", "f", place="Turin"), call("book_table", "b", table_id="T7", time="19:00")
    when = Proposal(question="When?", question_slots=(Slot("book_table", "time"),))
    who = Proposal(question="In whose name?")
    executor, log, memory = RecordingExecutor(), RecordingLog(), FixedMemory(_recalled())
    config = thread_config("t1")

    def parts(*script: Proposal) -> AgentContext:
        return context(*script, executor=executor, log=log, memory=memory, user=None)

    for graph in _open(database):
        start = AgentState(turn=begin("a table", [FIND, BOOK], turn_id="t1", now=NOW))
        first = graph.invoke(
            start, config, context=parts(Proposal(calls=(find,)), when), durability="sync", version="v2"
        )
    assert [made.id for made in executor.calls] == ["f"]
    (pending,) = first.interrupts
    assert pending.value == {"question": "When?", "slots": ["book_table.time"], "options": {}}

    for graph in _open(database):
        (kept,) = graph.get_state(config).interrupts
        assert (kept.id, kept.value) == (pending.id, pending.value)
        resume: Command[Any] = Command(resume={pending.id: "at seven"})
        second = graph.invoke(resume, config, context=parts(who), durability="sync", version="v2")
    (pending,) = second.interrupts
    assert pending.value["question"] == "In whose name?"

    for graph in _open(database):
        resume = Command(resume={pending.id: "Ada"})
        script = Proposal(calls=(book,)), Proposal(reply="Booked.")
        final = graph.invoke(resume, config, context=parts(*script), durability="sync", version="v2")
    assert final.interrupts == ()
    result = TurnResult.of(final.value["turn"])
    assert result.turn == Turn(
        turn_id="t1",
        request="a table",
        steps=(
            CallStep(calls=(find,), observations=(FOUND,)),
            QuestionStep(question="When?", answer="at seven", slots=("book_table.time",)),
            QuestionStep(question="In whose name?", answer="Ada"),
            CallStep(calls=(book,), observations=(BOOKED,)),
        ),
        reply="Booked.",
        time=NOW,
    )
    assert result.recall == _recalled()
    assert result.recall.evidence[0].value == ["Turin", 1.0]
    assert [record for record in caplog.records if record.name.startswith("langgraph")] == []
    assert [made.id for made in executor.calls] == ["f", "b"]
    assert log.turns == memory.observed == [result.turn]


def test_an_answer_that_comes_twice_answers_only_its_own_question(database: Path) -> None:
    config, log = thread_config("t1"), RecordingLog()

    def resume(graph: Graph, question_id: str, answer: str, *script: Proposal) -> GraphOutput[AgentState]:
        command: Command[Any] = Command(resume={question_id: answer})
        return graph.invoke(command, config, context=context(*script, log=log, user=None), version="v2")

    for graph in _open(database):
        start = AgentState(turn=begin("a table", [], turn_id="t1"))
        ctx = context(Proposal(question="Where?"), log=log, user=None)
        (where,) = graph.invoke(start, config, context=ctx, version="v2").interrupts
        (when,) = resume(graph, where.id, "Turin", Proposal(question="When?")).interrupts
        assert resume(graph, where.id, "Turin").interrupts == (when,)
        done = resume(graph, when.id, "at seven", Proposal(reply="Done.")).value["turn"]
        assert resume(graph, when.id, "at seven").value["turn"] == done
    assert done.steps == (
        QuestionStep(question="Where?", answer="Turin"),
        QuestionStep(question="When?", answer="at seven"),
    )
    assert log.turns == [done.turn]


def test_a_turn_is_resumed_for_the_person_it_was_started_for_and_nobody_else(database: Path) -> None:
    """Case B32: one thread id, two users."""
    config, ada, ben = thread_config("t1"), Scope("ada"), Scope("ben")
    resume: Command[Any] = Command(resume="Turin")
    for graph in _open(database):
        start = AgentState(turn=begin("a table", [], turn_id="t1", scope=ada))
        graph.invoke(start, config, context=context(Proposal(question="Where?"), user=None, scope=ada))
    for graph in _open(database):
        foreign = context(user=None, scope=ben)
        with pytest.raises(ForeignTurnError, match="turn 't1' was started for another scope"):
            graph.invoke(resume, config, context=foreign)
        assert foreign.planner.seen == []  # type: ignore[attr-defined]  # a fake
    for graph in _open(database):
        own = context(Proposal(reply="Done."), user=None, scope=ada)
        assert graph.invoke(resume, config, context=own)["turn"].turn.reply == "Done."


def test_a_process_that_dies_between_two_calls_repeats_neither(database: Path) -> None:
    """Case B10: the second of three parallel calls takes the process down."""
    calls = tuple(call("weather", name) for name in ("a", "b", "c"))
    ran: list[str] = []

    def dies_once(made: ToolCall) -> Observation:
        if made.id == "b" and "crash" not in ran:
            ran.append("crash")
            raise KeyboardInterrupt
        ran.append(made.id)
        return Observation(content=made.id)

    config = thread_config("t1")
    for graph in _open(database):
        with pytest.raises(KeyboardInterrupt):
            graph.invoke(
                {"turn": begin("weather", [], turn_id="t1")},
                config,
                context=context(Proposal(calls=calls), executor=RecordingExecutor(dies_once)),
                durability="sync",
            )
    for graph in _open(database):
        ctx = context(Proposal(reply="Sunny."), executor=RecordingExecutor(dies_once))
        state = graph.invoke(None, config, context=ctx, durability="sync")
    assert ran == ["a", "crash", "b", "c"]
    assert state["turn"].steps == (
        CallStep(calls=calls, observations=tuple(Observation(content=name) for name in ("a", "b", "c"))),
    )


def test_a_person_at_hand_is_asked_directly_even_with_a_checkpointer() -> None:
    ctx = context(Proposal(question="Where?"), Proposal(reply="Done."), user=ScriptedUser(answers=["Turin"]))
    start = AgentState(turn=begin("a table", [], turn_id="t1"))
    state = build_graph(checkpointer=InMemorySaver()).invoke(start, thread_config("t1"), context=ctx)
    assert state["turn"].decisions[0] == Ask(policy="obey", odds=ODDS, question="Where?")
    assert state["turn"].turn.reply == "Done."
