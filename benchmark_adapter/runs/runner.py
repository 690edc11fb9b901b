"""Runs the agent through a data set: every turn of every person, with the reference's past as its memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Protocol

from agent.errors import PlannerError, PlannerSettingsError
from agent.graph import AgentContext, run_turn
from agent.planners.failures import ends_everything, explained
from agent.seams import Decide, Planner
from agent.turn_state import TraceEntry
from benchmark_adapter.data.dataset import ReferenceTurn, Session
from benchmark_adapter.replay.environment import ReplayEnvironment
from benchmark_adapter.replay.memory_control import given_turn
from benchmark_adapter.replay.past import View, clock_of, past_turn, turn_id
from benchmark_adapter.replay.turn_result import Failure, TurnLine, recalled_items
from benchmark_adapter.replay.turn_trace import TurnTrace, replies_of, split_at_deviation
from benchmark_adapter.runs.manifest import Similarity
from benchmark_adapter.runs.run_directory import RunDirectory
from benchmark_adapter.scoring.exact import score_turn
from clarifier.decision import Act, Decision, Usage
from memory.embedder import Embedder
from memory.memory import Memory
from memory.recall import Strategy
from memory.records import Scope, Turn
from memory.strategies import open_strategy
from memory.tools import parse_tools


class PlannerFor(Protocol):
    """Gives the planner of a turn."""

    def __call__(self, turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
        """Return the planner for `turn`; only the oracle looks at what it is given."""
        ...


@dataclass(frozen=True)
class Setup:
    """Who plays: everything a run needs besides its data and its directory."""

    planner_for: PlannerFor
    decide: Decide
    strategy: str
    budget: int
    embedder: Embedder
    view: View = "official"
    similarity: Similarity = "rouge"
    relaxed: bool = True
    """Whether a turn goes on after its first deviation, for relaxed scoring."""
    givers: Mapping[str, Session] = field(default_factory=dict)
    """Whose turns a person is given in place of their own (`memory_control.py`)."""


def play(
    sessions: Sequence[Session],
    setup: Setup,
    run: RunDirectory,
    *,
    concurrency: int = 1,
    on_turn: Callable[[TurnLine], None] = lambda line: None,
) -> None:
    """Play every turn that `run` does not have yet, and append each as it is done.

    Args:
        sessions: One a person; each gets a memory of its own.
        setup: Who plays.
        run: Where results go.
        concurrency: Persons played at once, at least 1. The turns of one person are played in order.
        on_turn: Told of every finished turn, also of those that were done before; called from any thread.

    Raises:
        PlannerSettingsError: If an endpoint refuses the key, the account or the model; what is done is kept.
    """
    for line in run.lines:
        on_turn(line)
    waiting = [session for session in sessions if _open_turns(session, run)]
    stopping = Event()
    with ThreadPoolExecutor(max(concurrency, 1), thread_name_prefix="session") as pool:
        try:
            for _ in pool.map(
                partial(_play_session, setup=setup, run=run, on_turn=on_turn, stopping=stopping), waiting
            ):
                pass
        finally:
            stopping.set()  # after Ctrl-C the turns under way end and are kept, and no further one begins
            pool.shutdown(cancel_futures=True)


def limited(sessions: Sequence[Session], limit: int | None) -> tuple[Session, ...]:
    """Return the sessions with at most the first `limit` turns of each; all turns for `None`."""
    return tuple(replace(session, turns=session.turns[:limit]) for session in sessions)


def playing_order(sessions: Sequence[Session]) -> Iterator[tuple[str, int]]:
    """Yield the key of every turn in the order of the data."""
    return ((session.name, turn.index) for session in sessions for turn in session.turns)


def _open_turns(session: Session, run: RunDirectory) -> list[ReferenceTurn]:
    return [turn for turn in session.turns if run.line(session.name, turn.index) is None]


def _play_session(
    session: Session, setup: Setup, run: RunDirectory, on_turn: Callable[[TurnLine], None], stopping: Event
) -> None:
    last = _open_turns(session, run)[-1].index
    with (
        run.scratch_folder() as folder,
        Memory.open(folder, embedder=setup.embedder) as memory,
    ):
        shelf = memory.user(Scope(session.name))
        strategy = open_strategy(setup.strategy, shelf)
        past: list[Turn] = []
        for turn in session.turns[: last + 1]:
            if stopping.is_set():
                return
            if run.line(session.name, turn.index) is None:
                line = _play_turn(turn, past, strategy, setup)
                run.append(line)
                on_turn(line)
            own = past_turn(turn, view=setup.view)
            past.append(own)
            giver = setup.givers.get(session.name)
            remembered = own if giver is None else given_turn(giver, turn.index, view=setup.view)
            if remembered is not None:
                shelf.remember(remembered)
                shelf.wait_indexed()  # one turn at a time: vectors of another batch may differ in the last digit
                strategy.observe(remembered)


def _play_turn(turn: ReferenceTurn, past: Sequence[Turn], strategy: Strategy, setup: Setup) -> TurnLine:
    environment = ReplayEnvironment(turn, setup.similarity, goes_on=setup.relaxed, past=tuple(past))

    trace: TurnTrace | None = None
    started = time.perf_counter()
    line = TurnLine(session=turn.session, turn=turn.index, label="error")
    try:
        trace = TurnTrace(setup.planner_for(turn, past), setup.decide, environment)
        run_turn(
            turn.request,
            parse_tools(turn.tools, strict=False),
            AgentContext(
                planner=trace,
                memory=strategy,
                executor=environment,
                decide=trace.decide,
                user=environment,
                budget=setup.budget,
                remembers=False,
            ),
            turn_id=turn_id(turn.index),
            now=clock_of(turn.env_info),
            topic=str(turn.topic_id) if setup.view == "extended" else None,
        )
    except Exception as exc:
        if isinstance(exc, PlannerError) and ends_everything(exc):
            raise PlannerSettingsError(explained(exc)) from exc  # every further turn would fail alike
        # One turn's failure is a result like any other: recorded, counted as wrong, and the run goes on.
        failure = Failure.of(exc)
        line = line.model_copy(update={"failure": failure, "reason": f"{failure.type}: {failure.message}"})
    else:
        score = score_turn(turn, environment.replies, similarity=setup.similarity)
        line = line.model_copy(update={"label": score.label, "reason": score.reason})
    if trace is not None:
        official, after = split_at_deviation(trace.entries, environment.replies)
        line = line.model_copy(
            update={
                "decisions": _decisions(official),
                "decisions_after": _decisions(after),
                "recall": recalled_items(trace.recall),
                "usage": _usage(official),
                "reply_usage": usage_by_reply(official),
                "usage_after": _usage(after),
                "notes": tuple(dict.fromkeys(note for entry in trace.entries for note in entry.proposal.notes)),
            }
        )
    return line.model_copy(
        update={
            "replies": tuple(environment.replies),
            "seconds": {
                "turn": round(time.perf_counter() - started, 6),
                **{f"reply_{index}": round(took, 6) for index, took in enumerate(environment.seconds)},
            },
        }
    )


def _decisions(trace: Sequence[TraceEntry]) -> tuple[Decision, ...]:
    """Return what was decided in order, what is asked after calls as a decision of its own."""
    found: list[Decision] = []
    for decision in (entry.decision for entry in trace):
        if decision is not None:
            found.append(decision)
        if isinstance(decision, Act) and decision.then is not None:
            found.append(decision.then)
    return tuple(found)


def usage_by_reply(trace: Sequence[TraceEntry]) -> tuple[Usage, ...]:
    """Return what each reply cost: its own plan and those before it that led to none.

    Plans after the last decision to reply are those of the reply that gives up.
    """
    by_reply = [Usage()]
    for entry in trace:
        by_reply[-1] += entry.proposal.usage
        by_reply.extend(Usage() for _ in range(replies_of(entry.decision)))
    has_replied = not trace or replies_of(trace[-1].decision) > 0
    return tuple(by_reply[:-1] if has_replied else by_reply)


def _usage(trace: Sequence[TraceEntry]) -> Usage:
    return sum((entry.proposal.usage for entry in trace), Usage())
