"""A session as the reference harness runs and scores it, with its ways of ending early (conformance notes, 6-8).

A failed request ends the session after its turn; any other crash inside a turn makes the whole session a text, of which
nothing is scored; a crash in the argument check ends scoring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmark_adapter.data.dataset import Entry
from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.history import Message, history_messages, step_messages
from benchmark_adapter.evaluator.reference_metrics import SCORE_FIELDS
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Crash, Follower
from benchmark_adapter.evaluator.verdict import Verdict, verdict


@dataclass(eq=False)
class RequestFailure(Exception):
    """A request for a reply that failed; raise it from a model to end the turn and the session."""

    error_type: str
    error_message: str
    status_code: int | None = None
    code: str | None = None
    param: str | None = None
    request_id: str | None = None
    body: Any = None
    response_body: Any = None

    def as_reference(self, *, task: int, step: int) -> dict[str, Any]:
        """Return what the reference stores of it beside the turn's labels."""
        return {
            "inference_error": True,
            "failed_task_idx": task,
            "failed_step": step,
            "error_type": self.error_type,
            "error_message": self.error_message,
            "api_error": asdict(self),
        }


Model = Callable[[int, list[Message], list[Any]], Mapping[str, Any]]
"""From turn index, messages and tools to an assistant message; raises `RequestFailure`."""


@dataclass(frozen=True)
class PlayedTurn:
    """A turn of a session, played and judged."""

    index: int
    follower: Follower
    verdict: Verdict
    failure: RequestFailure | None = None
    replies: tuple[Mapping[str, Any], ...] = ()
    """Assistant messages, one for each step but a failed one."""

    def as_score(self) -> dict[str, Any]:
        """Return its entry of a score file; of the log only the names of the steps that are left in it."""
        outcome = self.verdict
        left = [f"step_{index}" for index in range(outcome.n_steps) if index != outcome.dropped_step]
        score: dict[str, Any] = {"label": outcome.label, "action_name_label": outcome.action_label}
        if outcome.action_label == "correct":
            score["action_arguments_label"] = outcome.argument_label
        score["is_optimal"] = outcome.is_optimal
        if self.failure is not None:
            score |= self.failure.as_reference(task=self.index, step=outcome.n_steps - 1)
        return score | {"inference_log": {"task_idx": self.index} | {name: {} for name in left}}


@dataclass
class PlayedSession:
    """A session as far as it was played."""

    entry: Entry
    turns: list[PlayedTurn] = field(default_factory=list)
    crash: Crash | None = None
    """What made the whole session a text; the turns before it then count for nothing."""
    first_requests: list[tuple[list[Message], list[Any]]] = field(default_factory=list)
    """Messages and tools of the first request of each turn."""
    n_requests: int = 0

    @property
    def scored_turns(self) -> list[PlayedTurn]:
        return [] if self.crash is not None else self.turns

    @property
    def scoring_crash(self) -> Crash | None:
        """What ended scoring: the first crash in an argument check."""
        return next((turn.verdict.crash for turn in self.scored_turns if turn.verdict.crash is not None), None)

    def summary(self) -> dict[str, Any]:
        """Return how far the session came and what ended it, as every file of the reference says it."""
        failed = next((turn for turn in self.scored_turns if turn.failure is not None), None)
        summary: dict[str, Any] = {"inference_completed": True, "evaluated_turns": len(self.scored_turns)}
        summary |= {name: None for name in SCORE_FIELDS if name not in summary}
        if self.crash is not None:
            error = {"error_type": self.crash.type_name, "error_message": self.crash.detail}
            api_error = error | {"status_code": None, "body": None}
            summary |= {"inference_completed": False, "api_error": api_error} | error
        elif failed is not None and failed.failure is not None:
            stored = failed.failure.as_reference(task=failed.index, step=failed.verdict.n_steps - 1)
            summary |= {key: stored[key] for key in SCORE_FIELDS if key in stored} | {"inference_completed": False}
        return summary

    def as_score(self) -> dict[str, Any]:
        """Return the line of a score file, without model and source, and of logs only the names of their steps."""
        return {
            "id": self.entry.name,
            "dataset_name": self.entry.name,
            **self.summary(),
            "results": [turn.as_score() for turn in self.scored_turns],
        }


def play_session(entry: Entry, model: Model, *, model_name: str, similarity: SimilarityMode) -> PlayedSession:
    """Play and judge the turns of an entry in order, until it ends or ends early.

    Args:
        entry: The processed entry of a profile.
        model: Gives the replies.
        model_name: Decides the form of the tools.
        similarity: Second similarity of texts.
    """
    session = PlayedSession(entry)
    try:
        for index in range(len(entry.turns)):
            turn = _play_turn(session, index, model, model_name, similarity)
            session.turns.append(turn)
            if turn.failure is not None:
                break
    except ReferenceCrashError as exc:
        session.crash = Crash("inference", exc.type_name, exc.detail)
    return session


def _play_turn(
    session: PlayedSession, index: int, model: Model, model_name: str, similarity: SimilarityMode
) -> PlayedTurn:
    turn = session.entry.turns[index]
    earlier = [(one.request, reference_steps(one.answer)) for one in session.entry.turns[:index]]
    messages = history_messages(earlier, request=turn.request, env_info=turn.env_info)
    tools = convert_tools(turn.tools or [], model_name)
    follower = Follower(reference_steps(turn.answer))
    failure: RequestFailure | None = None
    replies: list[Mapping[str, Any]] = []
    while not follower.is_over:
        if not follower.steps:
            session.first_requests.append((list(messages), tools))
        session.n_requests += 1
        try:
            reply = model(index, list(messages), tools)
        except RequestFailure as exc:
            failure = exc
            follower.failed(exc.error_type, exc.error_message)
            break
        replies.append(reply)
        messages.extend(step_messages(reply, follower.reply(reply)))
    if follower.crash is not None:
        raise ReferenceCrashError(follower.crash.type_name, follower.crash.detail)
    return PlayedTurn(index, follower, verdict(follower, tools, similarity=similarity), failure, tuple(replies))


def reference_steps(answer: Iterable[Any]) -> tuple[ReferenceStep, ...]:
    """Return the steps of a reference as read from a topic.

    Raises:
        pydantic.ValidationError: If one is not a step.
    """
    return tuple(ReferenceStep.model_validate(step) for step in answer)
