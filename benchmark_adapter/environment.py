"""The replay environment: tools and person of one turn, as the reference trajectory has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from benchmark_adapter.dataset import ReferenceTurn
from benchmark_adapter.trajectory import Follower, PredictedCall
from memory.records import Observation, ToolCall


class WrittenCall(BaseModel, frozen=True, extra="forbid"):
    """A tool call as it left the adapter."""

    id: str
    name: str
    arguments: str
    """JSON text."""


class Reply(BaseModel, frozen=True, extra="forbid"):
    """One reply of the agent as it left the adapter: calls, or text."""

    calls: tuple[WrittenCall, ...] = ()
    content: str | None = None
    is_question: bool = False


@dataclass
class ReplayEnvironment:
    """Executes tools and answers questions from the reference; the turn ends at the first deviation.

    Calls of one step leave sorted by name: the reference evaluator hands out observations in that order.
    """

    turn: ReferenceTurn
    replies: list[Reply] = field(default_factory=list, init=False)
    follower: Follower = field(init=False)

    def __post_init__(self) -> None:
        self.follower = Follower(self.turn.answer)

    def execute(self, calls: Sequence[ToolCall]) -> Sequence[Observation] | None:
        """Return the reference's observations, in the order of `calls`; `None` at a deviation."""
        written = [_written(call) for call in calls]
        order = sorted(range(len(written)), key=lambda index: (written[index].name, written[index].arguments))
        leaving = tuple(written[index] for index in order)
        self.replies.append(Reply(calls=leaving))
        if self.follower.is_over:
            return None
        step = self.follower.calls([PredictedCall(call.id, call.name, call.arguments) for call in leaving])
        if not step.accepted:
            return None
        observed = dict(zip(order, step.observations, strict=True))
        return [Observation(content=observed[index].value) for index in range(len(calls))]

    def ask(self, question: str) -> str | None:
        """Return the person's answer where the reference asks; `None` where it does not."""
        return self._say(question, is_question=True)

    def tell(self, reply: str) -> str | None:
        """Return what the person says back where the reference asks here; `None` where the turn is over."""
        return self._say(reply, is_question=False)

    def _say(self, text: str, *, is_question: bool) -> str | None:
        self.replies.append(Reply(content=text, is_question=is_question))
        if self.follower.is_over:
            return None
        step = self.follower.text(text)
        return (step.user_reply or "") if step.accepted and not step.over else None


def _written(call: ToolCall) -> WrittenCall:
    return WrittenCall(id=call.id, name=call.name, arguments=json.dumps(call.arguments, ensure_ascii=False))
