"""Making calls so that no deed is forgotten and none is done twice: each that changes something is written down first.

The one place where the graph touches executors; `advance` stays pure.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import cast

from langgraph.errors import GraphBubbleUp

from agent.errors import ObservationCountError
from agent.functions import takes
from agent.seams import Journal, KeyedExecutor, ToolExecutor
from agent.turn_state import TurnState
from clarifier.asking.deeds import deed_words
from clarifier.effects import is_read_only
from memory.journal import CUT_OFF, UNKNOWN_OUTCOME
from memory.language.schema import Effect
from memory.language.text import language
from memory.records import Observation, ToolCall
from memory.storable import storable, storable_text
from memory.tools import Tool

_log = logging.getLogger(__name__)


def execute(
    calls: Sequence[ToolCall],
    turn: TurnState,
    executor: ToolExecutor,
    journal: Journal | None,
    *,
    effects: Mapping[str, Effect] | None = None,
    is_parked: bool = False,
) -> tuple[Observation, ...] | None:
    """Make `calls` of `turn` in order, and return one observation a call; `None`: nothing comes back.

    Without a journal the executor gets them all at once, and what it raises is raised. With one, what it raises is the
    observation of its calls, and each call that changes something is made alone, after it was written down.

    Args:
        calls: The outstanding ones.
        turn: Theirs.
        executor: Makes them.
        journal: Where they are written down.
        effects: What tools do where their names mislead.
        is_parked: Whether a checkpointer keeps the turn, so that another process may go on with it.

    Raises:
        ObservationCountError: If the executor returns too few or too many.
        MemoryStoreError: If the journal cannot be written; the call is not made then.
    """
    if journal is None:
        return _checked(executor.execute(calls), len(calls))
    tools = {tool.name: tool for tool in turn.tools}
    observations: list[Observation] = []
    for reads, group in groupby(calls, lambda call: _reads(tools.get(call.name), effects)):
        for made in [list(group)] if reads else [[call] for call in group]:
            found = (
                _read(made, executor)
                if reads
                else _change(made[0], turn, tools.get(made[0].name), executor, journal, is_parked=is_parked)
            )
            if found is None:
                return tuple(observations) or None
            observations += found
    return tuple(observations)


def _read(calls: Sequence[ToolCall], executor: ToolExecutor) -> tuple[Observation, ...] | None:
    try:
        found = executor.execute(calls)
    except GraphBubbleUp:  # an interrupt, by which LangGraph pauses
        raise
    except Exception as exc:  # of whatever tool: the planner has to learn of it
        return (_raised(exc),) * len(calls)
    checked = _checked(found, len(calls))
    return None if checked is None else tuple(map(_stored, checked))


def _change(
    call: ToolCall, turn: TurnState, tool: Tool | None, executor: ToolExecutor, journal: Journal, *, is_parked: bool
) -> tuple[Observation, ...] | None:
    words = deed_words(call, tool, language(turn.request))
    entry, is_new = journal.intend(turn.turn, call, words, is_parked=is_parked)
    if not is_new:  # a process was cut off between this call and its checkpoint
        return (entry.observation or CUT_OFF,)
    try:
        found = _execute_keyed(call, executor, entry.intent.key)
    except GraphBubbleUp:
        journal.withdraw(entry)
        raise
    except Exception as exc:  # of whatever tool: it may have raised after its deed
        found = [_raised(exc, f"; {UNKNOWN_OUTCOME}")]
    checked = _checked(found, 1)
    if checked is None:
        return None
    observation = _stored(checked[0])
    journal.settle(entry, observation)
    return (observation,)


def _execute_keyed(call: ToolCall, executor: ToolExecutor, key: str) -> Iterable[Observation] | None:
    if takes(executor.execute, "idempotency_keys"):
        return cast(KeyedExecutor, executor).execute([call], idempotency_keys={call.id: key})
    return executor.execute([call])


def _reads(tool: Tool | None, effects: Mapping[str, Effect] | None) -> bool:
    return tool is not None and is_read_only(tool, effects)


def _raised(exc: Exception, more: str = "") -> Observation:
    _log.warning("an executor raised", exc_info=exc)
    return Observation(error=storable_text(f"{type(exc).__name__}: {exc}{more}"))


def _stored(observation: Observation) -> Observation:
    """Return the observation as a log can hold it; what JSON lacks becomes text with a mark."""
    content, marks = storable(observation.content)
    error = None if observation.error is None else storable_text(observation.error)
    if not marks and error == observation.error:
        return observation
    return Observation(content=content, error=error, marks=(*observation.marks, *marks))


def _checked(observations: Iterable[Observation] | None, expected: int) -> tuple[Observation, ...] | None:
    if observations is None:
        return None
    checked = tuple(observations)
    if len(checked) != expected:
        raise ObservationCountError(expected=expected, got=len(checked))
    return checked
