"""Following one turn of a model against its reference, reply by reply.

A `Follower` is used live, by the replay environment, and again from the log, by scoring. It judges each reply as the
reference evaluator does (conformance notes, 13-23) and says what the model gets to see. Arguments play no part here;
`verdict.py` checks them afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, PSEUDO_ACTIONS, Action, ReferenceStep
from benchmark_adapter.errors import MalformedCallError, ReferenceGraphError
from benchmark_adapter.evaluator.frontier import CANDIDATE_LIMIT, Candidates, Frontier
from benchmark_adapter.evaluator.graph import ReferenceGraph

NO_CANDIDATE = "action name not in candidate_answer_function_list"
EMPTY_REPLY = "tool_calls and content are None or empty"


@dataclass(frozen=True)
class PredictedCall:
    """A tool call of the model."""

    id: str
    name: str
    arguments: Any
    """JSON text as the model wrote it. Other types are kept as they came; the argument check fails on them."""

    @classmethod
    def from_message(cls, call: Any) -> PredictedCall:
        """Return the call in an entry of `tool_calls`.

        Raises:
            MalformedCallError: If it has no id, function, name or arguments.
        """
        try:
            function = call["function"]
            name, arguments = function["name"], function["arguments"]
            return cls(id=call["id"], name=name, arguments=arguments)
        except (KeyError, TypeError) as exc:
            raise MalformedCallError(str(exc)) from exc


@dataclass(frozen=True)
class Observation:
    """What the model gets back for a call."""

    call_id: str
    value: Any

    @property
    def text(self) -> str:
        """The content of the tool message: text as it is, any other value as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)


@dataclass(frozen=True)
class Crash:
    """Where the reference evaluator raises instead of judging."""

    stage: Literal["graph", "inference", "params_checker"]
    type_name: str
    """The exception's type, for instance `KeyError`."""
    detail: str

    @property
    def reason(self) -> str:
        return f"the reference evaluator raises {self.type_name}: {self.detail}"


@dataclass(frozen=True)
class Step:
    """What became of one reply."""

    index: int
    """0-based position among the replies of the turn."""
    kind: Literal["calls", "text", "failed"]
    accepted: bool
    reason: str | None = None
    """Why not, in the reference log's words, or where the reference raises."""
    calls: tuple[PredictedCall, ...] = ()
    matched: tuple[int, ...] = ()
    """Indices of the reference steps it stands for, in the order of `actions`."""
    actions: tuple[Action, ...] = ()
    """Reference actions, sorted by name."""
    observations: tuple[Observation, ...] = ()
    """For the calls in the order they were made. The values come in name order (note 15): calls made in another order
    get each other's."""
    user_reply: str | None = None
    """What the person says to a clarification."""
    over: bool = False
    """Whether the turn ends here."""
    crash: Crash | None = None

    @property
    def is_final_answer(self) -> bool:
        """Whether this reply ended the turn as the reference ends it."""
        return self.accepted and self.over and self.crash is None

    @property
    def is_refused_for_names(self) -> bool:
        """Whether a well-formed reply was refused because no open path goes on like that."""
        return self.reason == NO_CANDIDATE


@dataclass
class Follower:
    """Judges the replies of one turn in order and keeps the log.

    The turn is over after an accepted final answer, a refused reply, or where the reference evaluator raises.

    Args:
        answer: The reference trajectory.
    """

    answer: Sequence[ReferenceStep]
    steps: list[Step] = field(default_factory=list, init=False)
    """The log so far."""
    graph: ReferenceGraph | None = field(init=False)
    """None if the reference names a dependency that does not exist."""
    crash: Crash | None = field(default=None, init=False)
    """Set where the reference evaluator raises on this turn."""
    _frontier: Frontier | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        try:
            names = [step.action.name for step in self.answer]
            self.graph = ReferenceGraph(names, [step.dependency_list for step in self.answer])
            self._frontier = Frontier.start(self.graph)
        except ReferenceGraphError as exc:
            self.graph = None
            self.crash = Crash("graph", "KeyError", str(exc.dependency))

    @property
    def is_over(self) -> bool:
        return self.crash is not None or bool(self.steps and self.steps[-1].over)

    @property
    def frontier(self) -> Frontier:
        """The paths open at the next step, or at the refused one."""
        assert self._frontier is not None, "a reference with a missing dependency has no paths"
        return self._frontier

    def candidates(self, limit: int | None = CANDIDATE_LIMIT) -> Candidates:
        """Return the tool names that would be accepted next (or would have been, after a refusal)."""
        return self.frontier.candidates(limit)

    def reply(self, message: Mapping[str, Any]) -> Step:
        """Judge an assistant message: its tool calls if it has any, else its `content`."""
        if not message.get("tool_calls"):
            return self.text(message.get("content"))
        try:
            calls = [PredictedCall.from_message(call) for call in message["tool_calls"]]
        except MalformedCallError as exc:
            return self.malformed(exc)
        return self.calls(calls)

    def calls(self, predicted: Sequence[PredictedCall]) -> Step:
        """Judge a reply with at least one tool call, by the names alone."""
        self._check_open()
        predicted = tuple(predicted)
        index = len(self.steps)
        try:
            names = sorted(call.name for call in predicted)
        except TypeError as exc:
            return self._crashed("calls", "TypeError", str(exc), predicted)
        if index >= len(self.answer):
            return self._refused("calls", f"current step: {index}, idx_list is None", predicted)
        are_names = all(isinstance(name, str) for name in names)  # a model may send anything
        choice = self.frontier.choose_calls(names) if are_names else None
        if choice is None:
            return self._refused("calls", NO_CANDIDATE, predicted)
        if self.frontier.has_finished_path:
            # The reference hands out the observations before it stumbles.
            self.crash = Crash("inference", "IndexError", "list index out of range")
        self._frontier = choice.after
        matched = sorted(choice.step, key=lambda node: self.answer[node].action.name)
        values = [self.answer[node].observation for node in matched]
        pairs = zip(predicted, values, strict=True)
        return self._logged(
            Step(
                index,
                "calls",
                accepted=True,
                reason=self.crash.reason if self.crash is not None else None,
                calls=predicted,
                matched=tuple(matched),
                actions=tuple(self.answer[node].action for node in matched),
                observations=tuple(Observation(call.id, value) for call, value in pairs),
                over=self.crash is not None,
                crash=self.crash,
            )
        )

    def text(self, text: str | None) -> Step:
        """Judge a reply without tool calls; any text but an empty one passes for a question or a final answer."""
        self._check_open()
        index = len(self.steps)
        if not text:
            return self._refused("text", EMPTY_REPLY)
        if index >= len(self.answer):
            return self._crashed("text", "KeyError", str(index))
        choice = self.frontier.choose_text(PSEUDO_ACTIONS)
        if choice is None:
            return self._refused("text", NO_CANDIDATE)
        self._frontier = choice.after
        (node,) = choice.step
        reference = self.answer[node]
        is_question = reference.action.name == CLARIFICATION
        return self._logged(
            Step(
                index,
                "text",
                accepted=True,
                matched=choice.step,
                actions=(reference.action,),
                user_reply=reference.user_input if is_question else None,
                over=reference.action.name == FINAL_ANSWER,
            )
        )

    def malformed(self, error: MalformedCallError) -> Step:
        """Judge a reply with a tool call that lacks a field: the turn ends."""
        self._check_open()
        return self._refused("calls", f"parse tool_calls failed, error: {error.detail}")

    def failed(self, type_name: str, message: str) -> Step:
        """Note that the request for a reply failed: the turn ends, and with it the session."""
        self._check_open()
        return self._refused("failed", f"inference exception: {type_name}: {message}")

    def _check_open(self) -> None:
        if self.is_over:
            raise ValueError("the turn is over; no further reply can be judged")

    def _logged(self, step: Step) -> Step:
        self.steps.append(step)
        return step

    def _refused(
        self, kind: Literal["calls", "text", "failed"], reason: str, calls: tuple[PredictedCall, ...] = ()
    ) -> Step:
        return self._logged(Step(len(self.steps), kind, accepted=False, reason=reason, calls=calls, over=True))

    def _crashed(
        self, kind: Literal["calls", "text"], type_name: str, detail: str, calls: tuple[PredictedCall, ...] = ()
    ) -> Step:
        crash = self.crash = Crash("inference", type_name, detail)
        index = len(self.steps)
        return self._logged(Step(index, kind, accepted=False, reason=crash.reason, calls=calls, over=True, crash=crash))
