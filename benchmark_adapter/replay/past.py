"""What memory is given of a past turn: its reference trajectory, never what the agent itself did."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.jsonl import storable
from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, ReferenceStep, arguments
from benchmark_adapter.evaluator.graph import ReferenceGraph
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn

View = Literal["official", "extended"]
"""`official`: what a request of the reference harness holds (the messages of earlier turns, the current date);
`extended`: past dates and topic boundaries too."""

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?(?:[+-]\d{2}:\d{2})?")


def turn_id(index: int) -> str:
    """Return the id of the turn at `index` of a session; it says nothing of topics."""
    return f"t{index:04d}"


def clock_of(env_info: str | None) -> datetime | None:
    """Return the first date and time in a topic's environment text; naive where it names no zone, `None` without."""
    match = _TIME.search(env_info or "")
    if match is None:
        return None
    try:
        return datetime.fromisoformat(match.group())
    except ValueError:
        return None


def past_turn(turn: ReferenceTurn, *, view: View = "official") -> Turn:
    """Return the reference trajectory of `turn` as a remembered turn.

    Steps stand along the first of the shortest paths, as the reference harness writes history. The slots of its
    questions are not told: a request of that harness holds only their words.
    """
    steps: list[Step] = []
    reply: str | None = None
    for step in _path(turn.answer):
        nodes = [(index, turn.answer[index]) for index in step]
        calls = [(index, node) for index, node in nodes if node.is_tool_call]
        if calls:
            steps.append(
                CallStep(
                    calls=tuple(
                        ToolCall(
                            id=f"{turn_id(turn.index)}.{index}",
                            name=node.action.name,
                            arguments=storable(arguments(node)),
                        )
                        for index, node in calls
                    ),
                    observations=tuple(Observation(content=storable(node.observation)) for _, node in calls),
                )
            )
        for _, node in nodes:
            if node.action.name == CLARIFICATION:
                steps.append(QuestionStep(question=_text(node.observation), answer=storable(node.user_input)))
            elif node.action.name == FINAL_ANSWER:
                reply = _text(node.observation)
    is_extended = view == "extended"
    return Turn(
        turn_id=turn_id(turn.index),
        request=storable(turn.request),
        steps=tuple(steps),
        reply=reply,
        time=clock_of(turn.env_info) if is_extended else None,
        topic=str(turn.topic_id) if is_extended else None,
    )


def _path(answer: Sequence[ReferenceStep]) -> Sequence[Sequence[int]]:
    """Return the first of the shortest paths; the steps one by one where the reference has none."""
    graph = ReferenceGraph([step.action.name for step in answer], [step.dependency_list for step in answer])
    path = graph.first_shortest()
    return [(index,) for index in range(len(answer))] if path is None else path


def _text(value: Any) -> str:
    plain = storable(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
