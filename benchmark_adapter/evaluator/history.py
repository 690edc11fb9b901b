"""The messages a request of the reference harness holds: the reference history of earlier turns, then the request.

What is replayed of an earlier turn is its reference trajectory along the first of its shortest paths, never what the
model did (conformance notes, 1-4). This is also all that memory may know of the past in the official view.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import CLARIFICATION, PSEUDO_ACTIONS, ReferenceStep
from benchmark_adapter.errors import ReferenceCrashError, ReferenceGraphError
from benchmark_adapter.evaluator.graph import PathStep, ReferenceGraph
from benchmark_adapter.evaluator.trajectory import Step

Message = dict[str, Any]
"""A chat message in the shape of the OpenAI API."""


def session_messages(turns: Sequence[ReferenceTurn], index: int) -> list[Message]:
    """Return what the model sees at the first request of a turn of a session.

    Args:
        turns: All turns of the session.
        index: The turn to be played.

    Raises:
        ReferenceCrashError: If an earlier turn cannot be written as messages.
    """
    current = turns[index]
    earlier = [(turn.request, turn.answer) for turn in turns[:index]]
    return history_messages(earlier, request=current.request, env_info=current.env_info)


def history_messages(
    earlier: Sequence[tuple[str, Sequence[ReferenceStep]]],
    *,
    request: str,
    env_info: str | None,
    consecutive_tool_messages: bool = True,
    id_prefix: str = "call_",
) -> list[Message]:
    """Return system message, earlier turns and request.

    Args:
        earlier: Request and reference of each earlier turn, in order.
        request: The current request.
        env_info: Date and time of the current topic; None reads `None` in the message, as in the reference.
        consecutive_tool_messages: Whether each call gets a tool message of its own. Otherwise the observations of
            a step share one, whose id is the next in a queue of all ids given out, so that it drifts.
        id_prefix: What stands before the number in the ids of past calls, which the reference draws at random.

    Raises:
        ReferenceCrashError: If a reference has no path, or its first shortest path puts a clarification or final answer
            in one step with anything else.
    """
    writer = _Writer(consecutive_tool_messages, id_prefix)
    messages: list[Message] = [{"role": "system", "content": f"Current Date: {env_info}"}]
    for task, answer in earlier:
        messages.append({"role": "user", "content": task})
        for step in reference_path(answer):
            messages.extend(writer.step([answer[node] for node in step]))
    messages.append({"role": "user", "content": request})
    return messages


def reference_path(answer: Sequence[ReferenceStep]) -> tuple[PathStep, ...]:
    """Return the path along which a reference is replayed: the first of the shortest.

    Raises:
        ReferenceCrashError: If there is none.
    """
    try:
        graph = ReferenceGraph([step.action.name for step in answer], [step.dependency_list for step in answer])
    except ReferenceGraphError as exc:
        raise ReferenceCrashError("KeyError", str(exc.dependency)) from exc
    path = graph.first_shortest()
    if path is None:
        raise ReferenceCrashError("IndexError", "list index out of range", "its dependencies form a cycle")
    return path


def step_messages(reply: Mapping[str, Any], step: Step) -> list[Message]:
    """Return what an accepted reply and its outcome add to the conversation of the turn; nothing for a refused one.

    Args:
        reply: The assistant message; of it `content`, `tool_calls` and, beside calls, `reasoning_content` are kept.
        step: What the follower made of it.
    """
    if not step.accepted:
        return []
    if step.kind == "text":
        messages: list[Message] = [{"role": "assistant", "content": reply.get("content")}]
        if not step.over:
            messages.append({"role": "user", "content": step.user_reply})
        return messages
    kept = ("reasoning_content", "content", "tool_calls")
    return [
        {"role": "assistant"} | {key: reply[key] for key in kept if key in reply},
        *({"role": "tool", "content": seen.text, "tool_call_id": seen.call_id} for seen in step.observations),
    ]


class _Writer:
    """Writes steps of references as messages and gives out the call ids, numbered from 0."""

    def __init__(self, consecutive_tool_messages: bool, id_prefix: str) -> None:
        self._consecutive = consecutive_tool_messages
        self._id_prefix = id_prefix
        self._given = 0
        self._answered = 0

    def step(self, nodes: Sequence[ReferenceStep]) -> Iterator[Message]:
        if any(node.action.name in PSEUDO_ACTIONS for node in nodes):
            if len(nodes) > 1:
                raise ReferenceCrashError("AssertionError", "", "a clarification or final answer shares a step")
            yield {"role": "assistant", "content": nodes[0].observation}
            if nodes[0].action.name == CLARIFICATION:
                yield {"role": "user", "content": nodes[0].user_input}
            return
        first = self._given
        self._given += len(nodes)
        calls = [_call_message(f"{self._id_prefix}{first + offset}", node) for offset, node in enumerate(nodes)]
        yield {"role": "assistant", "content": "", "tool_calls": calls}
        if self._consecutive:
            for call, node in zip(calls, nodes, strict=True):
                yield {"role": "tool", "content": _json(node.observation), "tool_call_id": call["id"]}
        else:
            content = _json(_json([node.observation for node in nodes]))
            yield {"role": "tool", "content": content, "tool_call_id": f"{self._id_prefix}{self._answered}"}
            self._answered += 1


def _call_message(call_id: str, node: ReferenceStep) -> Message:
    arguments = node.action.arguments
    text = arguments if isinstance(arguments, str) else _json(arguments)
    function = {"name": node.action.name, "arguments": text}
    return {"type": "function", "function": function, "id": call_id}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
