"""The replay environment: tools and person of one turn, as the reference trajectory has them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import BaseModel

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Follower, PredictedCall
from benchmark_adapter.replay.continuation import REPLY_LIMIT, Continuation
from benchmark_adapter.replay.spelling import Spelling
from clarifier.decision import Act, Ask, Decision
from memory.records import Observation, ToolCall, Turn
from memory.tools import parse_tools


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
    slots: tuple[str, ...] = ()
    """What a question asks for, as `tool.argument`; empty where that is not known."""
    after_deviation: bool = False
    """Whether the exact verdict was settled before this reply, so that it plays no part in it, nor in official files,
    tokens and ask metrics."""


@dataclass
class ReplayEnvironment:
    """Executes tools and answers questions from the reference.

    Calls of one step leave sorted by name, since the reference evaluator hands out observations in that order (note
    15); those of one tool in the order they were made, which is the reference's if both follow the request. Arguments
    leave as `spelling.py` has it.

    Args:
        turn: The turn that is played.
        similarity: How the reference evaluator compares texts.
        goes_on: Whether the turn goes on after the first deviation, for relaxed scoring (`continuation.py`); else it
            ends there.
        past: The earlier turns, oldest first; they show how arguments are spelled, and nothing else.
    """

    turn: ReferenceTurn
    similarity: SimilarityMode = "rouge"
    goes_on: bool = False
    past: Sequence[Turn] = ()
    replies: list[Reply] = field(default_factory=list, init=False)
    seconds: list[float] = field(default_factory=list, init=False)
    """How long each reply was waited for."""
    follower: Follower = field(init=False)
    _continuation: Continuation = field(init=False)
    _slots: tuple[str, ...] = field(default=(), init=False)
    """What the next question asks for."""
    _waiting_since: float = field(default_factory=time.perf_counter, init=False)

    def __post_init__(self) -> None:
        self.follower = Follower(self.turn.answer)
        self._continuation = Continuation(self.turn, self.similarity)

    def notice(self, decision: Decision) -> None:
        """Take note of what the agent decided: a question's slots are not in its text."""
        asked = decision.then if isinstance(decision, Act) else decision
        self._slots = asked.slots if isinstance(asked, Ask) else ()

    def execute(self, calls: Sequence[ToolCall]) -> Sequence[Observation] | None:
        """Return observations in the order of `calls`; `None` where the turn ends."""
        written = [WrittenCall(id=call.id, name=call.name, arguments=self._spelling.arguments(call)) for call in calls]
        order = sorted(range(len(written)), key=lambda index: written[index].name)
        leaving = tuple(written[index] for index in order)
        is_after = self.follower.is_over
        self._keep(Reply(calls=leaving, after_deviation=is_after))
        if not is_after:
            step = self.follower.calls([PredictedCall(call.id, call.name, call.arguments) for call in leaving])
            if step.accepted:
                observed = dict(zip(order, step.observations, strict=True))
                return [Observation(content=observed[index].value) for index in range(len(calls))]
        if not self._still_answers:
            return None
        return [self._continuation.observe(call.name, call.arguments) for call in written]

    def ask(self, question: str) -> str | None:
        """Return the person's answer; `None` where the turn ends."""
        return self._say(question, is_question=True)

    def tell(self, reply: str) -> str | None:
        """Return what the person says back where the reference asks here; `None` where the turn is over."""
        return self._say(reply, is_question=False)

    def _say(self, text: str, *, is_question: bool) -> str | None:
        slots = self._slots if is_question else ()
        is_after = self.follower.is_over
        self._keep(Reply(content=text, is_question=is_question, slots=slots, after_deviation=is_after))
        if not is_after:
            step = self.follower.text(text)
            if step.accepted:
                return None if step.over else (step.user_reply or "")
        return self._continuation.answer(text, slots) if is_question and self._still_answers else None

    @property
    def _still_answers(self) -> bool:
        """Whether what follows a deviation is still answered."""
        if any(step.is_final_answer for step in self.follower.steps):
            return False
        return self.goes_on and sum(reply.after_deviation for reply in self.replies) <= REPLY_LIMIT

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(parse_tools(self.turn.tools, strict=False), self.past)

    def _keep(self, reply: Reply) -> None:
        now = time.perf_counter()
        self.replies.append(reply)
        self.seconds.append(now - self._waiting_since)
        self._waiting_since = now  # what the environment itself takes until it answers is of no account
