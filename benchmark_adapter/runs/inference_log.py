"""A turn as the reference evaluator's result and score files hold it: every request, every reply, every verdict.

`conformance/layout` of the recordings is the model; what a log cannot tell apart from it is what the reference would
have written of the same replies, but for the ids of past calls, which the reference draws at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

from benchmark_adapter.data.dataset import EntryTurn
from benchmark_adapter.data.reference import CLARIFICATION, PSEUDO_ACTIONS, Action
from benchmark_adapter.evaluator.frontier import CANDIDATE_LIMIT
from benchmark_adapter.evaluator.history import Message, step_messages
from benchmark_adapter.evaluator.session import PlayedTurn
from benchmark_adapter.evaluator.trajectory import Step
from benchmark_adapter.evaluator.verdict import StepCheck, argument_text, has_arguments_to_check

JsonObject = dict[str, Any]


class Figures(NamedTuple):
    """What the requests of a turn took, one entry for each that was answered."""

    latency: Sequence[float] = ()
    """In seconds: what a clock said, and the only part of a log that differs when a run is repeated."""
    prompt: Sequence[int] = ()
    completion: Sequence[int] = ()


@dataclass(frozen=True)
class LoggedTurn:
    """One turn with all that a result or score file says of it."""

    source: EntryTurn
    played: PlayedTurn
    opening: Sequence[Message]
    """The messages of the first request."""
    tools: Sequence[Any]
    """As they were sent."""
    figures: Figures

    def as_result(self) -> JsonObject:
        """Return its entry of a result file: the labels before the argument check."""
        outcome = self.played.verdict
        labels: JsonObject = {
            "action_name_label": "error" if outcome.crash else outcome.raw_action_label,
            "is_optimal": outcome.raw_is_optimal and not outcome.crash,
        }
        return labels | self._failure() | {"inference_log": self._log(dict(self._steps()))} | self._figures()

    def as_score(self) -> JsonObject:
        """Return its entry of a score file: arguments checked, calls of checked steps in the order of the check."""
        outcome = self.played.verdict
        action_label = "error" if outcome.crash else outcome.action_label
        labels: JsonObject = {"label": outcome.label, "action_name_label": action_label}
        if action_label == "correct":
            labels["action_arguments_label"] = outcome.argument_label
        labels["is_optimal"] = outcome.is_optimal
        checks = {step_key(check.index): check for check in outcome.checks}
        dropped = None if outcome.dropped_step is None else step_key(outcome.dropped_step)
        steps = {
            key: _checked(step, checks[key]) if key in checks else step for key, step in self._steps() if key != dropped
        }
        return labels | self._failure() | {"inference_log": self._log(steps)} | self._figures()

    def _failure(self) -> JsonObject:
        if self.played.failure is None:
            return {}
        return self.played.failure.as_reference(task=self.played.index, step=self.played.verdict.n_steps - 1)

    def _figures(self) -> JsonObject:
        return {
            "latency": list(self.figures.latency),
            "input_token_count": list(self.figures.prompt),
            "output_token_count": list(self.figures.completion),
        }

    def _log(self, steps: Mapping[str, JsonObject]) -> JsonObject:
        log: JsonObject = {
            "task_idx": self.played.index,
            "env_info": self.source.env_info,
            "turn_metadata": self.source.metadata,
            "begin_of_current_task": {"role": "user", "content": self.source.request},
            **steps,
        }
        failure = self._failure()
        if failure:
            log["inference_error"] = {key: value for key, value in failure.items() if key != "inference_error"}
        return log

    def _steps(self) -> Iterator[tuple[str, JsonObject]]:
        """Yield every step up to the one at which the turn went wrong for good.

        Where the reference evaluator raises instead of judging, its whole session, or all scoring after it, would be
        lost. The step at fault is written as refused, with the reason, so that its turn alone is wrong.
        """
        messages = list(self.opening)
        crashed_at = self._crashed_at()
        for step in self.played.follower.steps:
            is_crash = step.index == crashed_at
            given = {"messages": list(messages), "tools": list(self.tools)}
            entry: JsonObject = {"inference_input": given, "inference_output": self._output(step, is_crash)}
            if step.accepted and not is_crash:
                entry["inference_answer"] = {_candidate(0): self._accepted(step)}
            elif step.is_refused_for_names:
                entry["inference_answer"] = self._candidates()
            yield step_key(step.index), entry
            if is_crash:
                return
            if step.kind != "failed":
                messages += step_messages(self.played.replies[step.index], step)

    def _crashed_at(self) -> int | None:
        outcome = self.played.verdict
        if outcome.crash is None:
            return None
        steps = self.played.follower.steps
        if outcome.crash.stage != "params_checker":
            return len(steps) - 1
        checked = {check.index for check in outcome.checks}
        return next(step.index for step in steps if has_arguments_to_check(step) and step.index not in checked)

    def _output(self, step: Step, is_crash: bool) -> JsonObject:
        reply = {} if step.kind == "failed" else self.played.replies[step.index]
        is_right = step.accepted and not is_crash
        output: JsonObject = {
            "reasoning_content": reply.get("reasoning_content"),
            "content": reply.get("content"),
            "tool_calls": reply.get("tool_calls"),
            "current_action_name_label": "correct" if is_right else "error",
        }
        if not is_right:
            crash = self.played.verdict.crash
            output["error_reason"] = crash.reason if is_crash and crash else step.reason
        if step.kind == "failed":
            output["api_error"] = self._failure().get("api_error")
        return output

    def _accepted(self, step: Step) -> JsonObject:
        if step.kind == "calls":
            return _answer(step.actions)
        (node,) = step.matched
        return self._spoken(node)

    def _spoken(self, node: int) -> JsonObject:
        """Return a clarification or final answer of the reference, with what is said."""
        reference = self.played.follower.answer[node]
        answer = _answer([reference.action]) | {"observation": reference.observation}
        return answer | ({"user_input": reference.user_input} if reference.action.name == CLARIFICATION else {})

    def _candidates(self) -> JsonObject:
        """Return what would have been accepted: one candidate a path that is still open, as the reference lists them.

        There may be exponentially many; the list ends after `CANDIDATE_LIMIT`. It has no bearing on any verdict.
        """
        frontier = self.played.follower.frontier
        open_states = chain.from_iterable(repeat(state, prefixes) for state, prefixes in frontier.paths_to.items())
        paths = chain.from_iterable(map(frontier.graph.paths, open_states))
        first_steps = islice((path[0] for path in paths if path), CANDIDATE_LIMIT)
        return {_candidate(number): self._candidate_answer(step) for number, step in enumerate(first_steps)}

    def _candidate_answer(self, nodes: Sequence[int]) -> JsonObject:
        answer = self.played.follower.answer
        if len(nodes) == 1 and answer[nodes[0]].action.name in PSEUDO_ACTIONS:
            return self._spoken(nodes[0])
        return _answer(sorted((answer[node].action for node in nodes), key=lambda action: action.name))


def step_key(index: int) -> str:
    """Return the key of a step in a log."""
    return f"step_{index}"


def _candidate(number: int) -> str:
    return f"candidate_{number}_answer_function_list"


def _answer(actions: Sequence[Action]) -> JsonObject:
    return {"action": [{"arguments": argument_text(action), "name": action.name} for action in actions]}


def _checked(step: JsonObject, check: StepCheck) -> JsonObject:
    """Return a step of a result file as the argument check leaves it: calls sorted, its outcome added."""
    output = dict(step["inference_output"])
    output["tool_calls"] = sorted(
        output["tool_calls"], key=lambda call: (call["function"]["name"], call["function"]["arguments"])
    )
    output["current_action_arguments_label"] = "correct" if check.is_correct else "error"
    if not check.is_correct:
        output["current_action_arguments_check_result"] = list(check.results)
    answer = {
        key: {**candidate, "action": sorted(candidate["action"], key=lambda one: (one["name"], one["arguments"]))}
        for key, candidate in step["inference_answer"].items()
    }
    return {**step, "inference_output": output, "inference_answer": answer}
