"""The LangGraph graph of one turn, and `run_turn`, which runs it from request to end.

Each node carries out the pending action and lets `agent.advance` say where to go next.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from agent.advance import MAX_PLANS, advance, begin
from agent.errors import ForeignTurnError, MissingCheckpointerError
from agent.execution import execute
from agent.seams import Clock, Decide, Journal, OwnRequest, Planner, ToolExecutor, TurnLog, User
from agent.turn_state import (
    Answered,
    AskUser,
    Calibrate,
    Decided,
    Ending,
    Event,
    Execute,
    Executed,
    Planned,
    Recalled,
    Remembered,
    Tell,
    Told,
    TraceEntry,
    TurnState,
)
from clarifier.decision import Decision, Usage
from memory.evidence import Slot
from memory.language.schema import Effect
from memory.recall import Recall, Strategy
from memory.records import Scope, ToolCall, Turn
from memory.tools import Tool

_log = logging.getLogger(__name__)

DEFAULT_BUDGET = 600
"""Tokens of recall (DESIGN §5)."""
CHECKPOINT_TYPES: tuple[type, ...] = (TurnState, Slot)
"""All that is rebuilt by its type from a checkpoint; the rest of a turn is rebuilt by validating `TurnState`."""
_NODES: dict[str, str] = {
    "recall": "recall",
    "plan": "plan",
    "calibrate": "calibrate",
    "execute": "act",
    "ask": "ask",
    "tell": "answer",
    "remember": "remember",
    "done": END,
}
_RECURSION_LIMIT = 100 * MAX_PLANS
"""Far above what MAX_PLANS allows: the turn's own limit ends it with a reply, LangGraph's with an exception."""


class AgentState(TypedDict):
    """The graph's state. Only `advance` makes a new one, so no reducer is needed."""

    turn: TurnState


@dataclass(frozen=True)
class AgentContext:
    """Who does what in one run of the graph."""

    planner: Planner
    memory: Strategy
    executor: ToolExecutor
    decide: Decide
    user: User | None = None
    """`None`: a question interrupts the graph, and the answer resumes it."""
    log: TurnLog | None = None
    """Where finished turns go before `memory` observes them."""
    scope: Scope | None = None
    """Whose memory this is; a turn that was started for another scope is refused."""
    journal: Journal | None = None
    """Where a call that changes something is written down before it is made; `None`: nowhere."""
    effects: Mapping[str, Effect] | None = None
    """What tools do, by name, where their names mislead."""
    clock: Clock | None = None
    """Gives the turn's time where the caller does not."""
    budget: int = DEFAULT_BUDGET
    """Most tokens of recall."""
    remembers: bool = True
    """`False` leaves log and memory as they are."""
    is_own_request: OwnRequest | None = None
    """Tells what is said to a question without answering it; the turn then ends with `TurnResult.next_request`.
    `None`: whatever is said is the answer."""


class TurnResult(NamedTuple):
    """A turn that is over."""

    turn: Turn
    """As it is remembered, or would be."""
    ending: Ending
    trace: tuple[TraceEntry, ...]
    """Every proposal with the decision on it, in order."""
    recall: Recall
    usage: Usage
    """Tokens of the planner."""
    next_request: str | None = None
    """What the person asked for instead of answering the last question; whoever runs the turns runs it next."""
    tell_failure: str | None = None
    """Why the reply may not have reached the person (`User.tell` raised); `None`: it did."""
    notice: str | None = None
    """What was to be said of earlier turns and was not; `None`: nothing is left."""

    @property
    def reply(self) -> str | None:
        """The final reply; `None` where the turn ended without one."""
        return self.turn.reply

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision in order, with its reasons."""
        return tuple(entry.decision for entry in self.trace if entry.decision is not None)

    @classmethod
    def of(cls, state: TurnState) -> TurnResult:
        """Return the result of a turn that has ended."""
        if state.ending is None:
            raise ValueError(f"turn {state.turn_id!r} still runs: it waits for {state.action.kind!r}")
        said = (state.next_request, state.tell_failure, state.notice)
        return cls(state.turn, state.ending, state.trace, state.recall, state.usage, *said)


Graph = CompiledStateGraph[AgentState, AgentContext, AgentState, AgentState]


def build_graph(*, checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    """Return the compiled graph of a turn; invoke it with `{"turn": begin(…)}` and an `AgentContext`.

    With a checkpointer every call of a step is a graph step of its own, so that a process that dies between two calls
    repeats neither; run it with `durability="sync"`, else the last of them may be lost and repeated.
    """
    is_durable = checkpointer is not None

    def act(
        state: AgentState, runtime: Runtime[AgentContext]
    ) -> Command[Literal["act", "plan", "ask", "answer", "remember"]]:
        turn = _own_turn(state, runtime)
        action = cast(Execute, turn.action)
        calls = action.outstanding[:1] if is_durable else action.outstanding
        context = runtime.context
        observations = execute(
            calls, turn, context.executor, context.journal, effects=context.effects, is_parked=is_durable
        )
        return _go(turn, Executed(observations))

    def ask(state: AgentState, runtime: Runtime[AgentContext]) -> Command[Literal["plan", "answer", "remember"]]:
        turn = _own_turn(state, runtime)
        action = cast(AskUser, turn.action)
        if runtime.context.user is not None:
            return _go(turn, _answered(runtime.context.user.ask(action.text), turn, runtime.context))
        if not is_durable:
            raise MissingCheckpointerError
        # The node runs again from its start when the answer comes, so nothing with effects may stand before this line.
        answer = interrupt(question_payload(action), response_schema=_ANSWER_SCHEMA)
        return _go(turn, _answered(answer, turn, runtime.context))

    graph = StateGraph(AgentState, context_schema=AgentContext)
    for node in (_recall, _plan, _calibrate, act, ask, _answer, _remember):
        graph.add_node(node.__name__.lstrip("_"), node)
    graph.add_edge(START, "recall")
    graph.add_edge("remember", END)
    compiled = graph.compile(checkpointer=checkpointer and allow_listed(checkpointer), name="stead")
    return compiled.with_config(recursion_limit=_RECURSION_LIMIT)


def run_turn(
    request: str,
    tools: Iterable[Tool],
    context: AgentContext,
    *,
    turn_id: str,
    now: datetime | None = None,
    topic: str | None = None,
    unknown: Iterable[ToolCall] = (),
    notice: str | None = None,
    is_kept: bool = True,
) -> TurnResult:
    """Run one turn from request to end and return it.

    Args:
        request: What the person said.
        tools: The tools on offer.
        context: Who plans, decides, executes, answers and remembers; needs a `user`.
        turn_id: Unique among the turns of the person.
        now: The turn's time; by default what the context's clock says, `None` without one.
        topic: The topic, where topic boundaries are known.
        unknown: Calls of earlier turns of which nobody knows whether they were made.
        notice: What the first thing said to the person has to be preceded by.
        is_kept: Whether the turn will be remembered; never where the context does not remember.

    Raises:
        MissingCheckpointerError: If the context has no `user`: only a graph with a checkpointer can wait for an answer.
        AgentError: What the planner raises.
    """
    if context.user is None:
        raise MissingCheckpointerError
    if now is None and context.clock is not None:
        now = context.clock()
    turn = begin(
        request,
        tools,
        turn_id=turn_id,
        now=now,
        topic=topic,
        scope=context.scope,
        unknown=unknown,
        notice=notice,
        is_kept=is_kept,
    )
    return TurnResult.of(_plain_graph().invoke(AgentState(turn=turn), context=context)["turn"])


def question_payload(action: AskUser) -> dict[str, Any]:
    """Return what an interrupt shows of a question: its text, the slots it asks for, candidate values by slot."""
    return {"question": action.text, "slots": list(action.slots), "options": dict(action.options)}


@cache
def _plain_graph() -> Graph:
    return build_graph()


_ANSWER_SCHEMA = {"type": ["string", "null"], "description": "the person's answer; null: there is none"}


def _recall(state: AgentState, runtime: Runtime[AgentContext]) -> Command[Literal["plan"]]:
    turn, context = _own_turn(state, runtime), runtime.context
    return _go(turn, Recalled(context.memory.recall(turn.request, turn.tools, turn.now, context.budget)))


def _plan(state: AgentState, runtime: Runtime[AgentContext]) -> Command[Literal["calibrate", "plan", "answer"]]:
    turn = _own_turn(state, runtime)
    return _go(turn, Planned(runtime.context.planner.plan(turn.situation)))


def _calibrate(state: AgentState, runtime: Runtime[AgentContext]) -> Command[Literal["act", "plan", "ask", "answer"]]:
    turn = _own_turn(state, runtime)
    proposal = cast(Calibrate, turn.action).proposal
    return _go(turn, Decided(runtime.context.decide(turn.situation, proposal)))


def _answer(state: AgentState, runtime: Runtime[AgentContext]) -> Command[Literal["plan", "answer", "remember"]]:
    turn, user = _own_turn(state, runtime), runtime.context.user
    said = cast(Tell, turn.action).text
    try:
        return _go(turn, Told(user.tell(said) if user is not None else None))
    except GraphBubbleUp:
        raise
    except Exception as exc:  # of whatever channel: what was done is to be remembered all the same
        _log.warning("a reply may not have reached the person", exc_info=exc)
        return _go(turn, Told(None, failure=f"{type(exc).__name__}: {exc}"))


def _remember(state: AgentState, runtime: Runtime[AgentContext]) -> AgentState:
    turn, context = _own_turn(state, runtime), runtime.context
    if context.remembers:
        if context.log is not None:
            context.log.remember(turn.turn)
        context.memory.observe(turn.turn)
    if context.journal is not None:
        context.journal.finish(turn.turn_id, is_told=turn.tell_failure is None)
    return {"turn": advance(turn, Remembered()).state}


def _own_turn(state: AgentState, runtime: Runtime[AgentContext]) -> TurnState:
    """Return the turn, after making sure that it is of the person whose memory and tools are at hand."""
    turn = state["turn"]
    if turn.scope != runtime.context.scope:
        raise ForeignTurnError(turn.turn_id)
    return turn


def _go(turn: TurnState, event: Event) -> Command[Any]:
    after, action = advance(turn, event)
    return Command(update={"turn": after}, goto=_NODES[action.kind])


def _answered(said: str | None, turn: TurnState, context: AgentContext) -> Answered:
    """Return what the person said to the pending question, apart where it is a request of its own."""
    slots = cast(AskUser, turn.action).slots
    if said is not None and context.is_own_request and context.is_own_request(said, slots, turn.tools, turn.now):
        return Answered(None, next_request=said)
    return Answered(said)


def allow_listed(checkpointer: BaseCheckpointSaver[Any]) -> BaseCheckpointSaver[Any]:
    """Return `checkpointer` with a serializer that rebuilds the types of a turn and no others."""
    if type(checkpointer.serde) is not JsonPlusSerializer:  # encrypted, say: keep it, and add the types
        return checkpointer.with_allowlist([(kind.__module__, kind.__name__) for kind in CHECKPOINT_TYPES])
    clone = copy.copy(checkpointer)
    clone.serde = JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINT_TYPES)
    return clone


def thread_config(thread_id: str) -> RunnableConfig:
    """Return the config that names the thread of a turn."""
    return {"configurable": {"thread_id": thread_id}}
