"""Replays of single vectors: paths, arguments, trajectory, history, dataset, convert.

Each returns what our implementation makes of a vector, in the shape it was recorded in, beside the recording.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from benchmark_adapter.data.dataset import build_entry
from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.errors import DatasetError, ReferenceCrashError, ReferenceGraphError
from benchmark_adapter.evaluator.arguments import check_arguments, check_schema, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools
from benchmark_adapter.evaluator.graph import ReferenceGraph
from benchmark_adapter.evaluator.history import Message, history_messages, step_messages
from benchmark_adapter.evaluator.session import RequestFailure
from benchmark_adapter.evaluator.similarity import SimilarityMode
from benchmark_adapter.evaluator.trajectory import Follower, Step
from benchmark_adapter.evaluator.verdict import Verdict, argument_text, verdict

NO_PATH_LENGTH = 99999
"""What the recordings give as the length of the shortest path where there is none."""
MOST_LISTED_PATHS = 150


class Outcome(NamedTuple):
    """A replayed vector."""

    case_id: str
    got: Any
    expected: Any


class Vector(BaseModel):
    """What every vector has."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    case_id: str


class _Node(BaseModel):
    name: str
    dependency_list: tuple[int, ...]


class _PathsVector(Vector):
    nodes: tuple[_Node, ...]
    official: dict[str, Any]


class _ArgumentsVector(Vector):
    tools: tuple[Any, ...]
    name: str
    predicted: str
    reference: str
    official_rouge: str | dict[str, Any]
    official_fallback: str | dict[str, Any]
    official_schema_only: str | dict[str, Any]


class _TrajectoryVector(Vector):
    tools: tuple[Any, ...]
    answer_list: tuple[ReferenceStep, ...]
    model_turns: tuple[dict[str, Any], ...]
    official: dict[str, Any]


class _HistoryVector(Vector):
    env_info: str | None
    tasks: tuple[str, ...]
    answer_lists: tuple[tuple[ReferenceStep, ...], ...]
    current_task: str
    consecutive_tool_messages: bool
    official: dict[str, Any]


class _DatasetVector(Vector):
    dataset_name: str
    seed: int
    topics: tuple[dict[str, Any], ...]
    official: dict[str, Any]


class _ConvertVector(Vector):
    model_name: str
    tools: tuple[Any, ...]
    official: dict[str, Any]


def replay_paths(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the list of all paths of a graph, and what is known of it without listing."""
    vector = _PathsVector.model_validate(value)
    expected = without_message(vector.official)
    try:
        graph = ReferenceGraph([node.name for node in vector.nodes], [node.dependency_list for node in vector.nodes])
    except ReferenceGraphError:
        return Outcome(vector.case_id, {"raises": "KeyError"}, expected)
    paths = [[list(step) for step in path] for path in graph.paths()]
    shortest = graph.first_shortest()
    got: dict[str, Any] = {
        "n_paths": graph.count_paths(),
        "min_length": _recorded_length(graph),
        "n_shortest": sum(len(path) == graph.shortest_length for path in paths),
        "first_shortest": shortest,
        "sha256_of_all_paths": hashlib.sha256(json.dumps(paths, separators=(",", ":")).encode()).hexdigest(),
    }
    if len(paths) <= MOST_LISTED_PATHS:
        got["paths"] = paths
    return Outcome(vector.case_id, got, expected)


def replay_arguments(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the argument check in one mode, and its schema part."""
    vector = _ArgumentsVector.model_validate(value)
    functions = functions_by_name(vector.tools)

    def whole() -> str:
        return check_arguments(functions, vector.name, vector.predicted, vector.reference, similarity)

    def schema_only() -> str:
        return check_schema(functions, vector.name, vector.predicted)

    recorded = vector.official_rouge if similarity == "rouge" else vector.official_fallback
    got = {"check": _or_crash(whole), "schema_only": _or_crash(schema_only)}
    expected = {"check": _exception_only(recorded), "schema_only": _exception_only(vector.official_schema_only)}
    return Outcome(vector.case_id, got, expected)


def replay_history(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the messages of a first request."""
    vector = _HistoryVector.model_validate(value)

    def messages() -> dict[str, list[Message]]:
        earlier = list(zip(vector.tasks, vector.answer_lists, strict=False))
        return {
            "messages": history_messages(
                earlier,
                request=vector.current_task,
                env_info=vector.env_info,
                consecutive_tool_messages=vector.consecutive_tool_messages,
            )
        }

    return Outcome(vector.case_id, _or_crash(messages), without_message(vector.official))


def replay_dataset(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the processing of a profile."""
    vector = _DatasetVector.model_validate(value)
    got: Mapping[str, Any]
    try:
        path = Path(f"{vector.dataset_name}.jsonl")
        got = build_entry(vector.topics, name=vector.dataset_name, seed=vector.seed, path=path).as_reference()
    except DatasetError as exc:
        got = {"raises": exc.reference_exception}
    return Outcome(vector.case_id, got, without_message(vector.official))


def replay_convert(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the conversion of tool schemas."""
    vector = _ConvertVector.model_validate(value)
    got = _or_crash(lambda: {"tools": convert_tools(vector.tools, vector.model_name)})
    return Outcome(vector.case_id, got, without_message(vector.official))


def replay_trajectory(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay a turn against a scripted model: every label, every log entry, every message."""
    vector = _TrajectoryVector.model_validate(value)
    follower = Follower(vector.answer_list)
    messages: list[Message] = []
    for reply in vector.model_turns:
        if follower.is_over:
            break
        messages.extend(step_messages(reply, _judge(follower, reply)))
    outcome = verdict(follower, vector.tools, similarity=similarity)
    expected = dict(vector.official)
    if similarity == "fallback":
        crashed_early = outcome.crash is not None and outcome.crash.stage != "params_checker"
        if not crashed_early:
            return Outcome(vector.case_id, _fallback_record(outcome), without_message(expected.get("fallback", {})))
    expected.pop("fallback", None)
    got = _turn_record(follower, outcome, vector.model_turns, messages)
    return Outcome(vector.case_id, got, without_message(expected))


def _recorded_length(graph: ReferenceGraph) -> int:
    """Return the length of the shortest path as the recordings give it."""
    return NO_PATH_LENGTH if graph.shortest_length is None else graph.shortest_length


def _judge(follower: Follower, reply: Mapping[str, Any]) -> Step:
    """Judge a scripted reply: an assistant message, or `raise` for a request that fails."""
    if "raise" in reply:
        failure = request_failure(reply["raise"])
        return follower.failed(failure.error_type, failure.error_message)
    return follower.reply(reply)


def _turn_record(
    follower: Follower, outcome: Verdict, replies: tuple[dict[str, Any], ...], messages: list[Message]
) -> dict[str, Any]:
    """Return a turn in the shape of the trajectory recordings."""
    record: dict[str, Any] = {"messages": messages}
    if follower.graph is not None:
        record["n_paths"] = follower.graph.count_paths()
        record["min_length"] = _recorded_length(follower.graph)
    if outcome.crash is not None:
        record["raises"] = {"stage": outcome.crash.stage, "type": outcome.crash.type_name}
        if outcome.crash.stage != "params_checker":
            return record | {"steps_consumed": outcome.n_steps}
    else:
        record |= {
            "action_name_label": outcome.action_label,
            "action_arguments_label": outcome.argument_label,
            "label": outcome.label,
            "is_optimal": outcome.is_optimal,
        }
    raw: dict[str, Any] = {"action_name_label": outcome.raw_action_label, "is_optimal": outcome.raw_is_optimal}
    last = follower.steps[-1]
    if last.kind == "failed":
        raw |= request_failure(replies[last.index]["raise"]).as_reference(task=0, step=last.index)
    return record | {
        "raw": raw,
        "n_steps": outcome.n_steps,
        "steps_left_in_log": outcome.steps_left_in_log,
        "per_step": [_step_record(follower, outcome, step) for step in follower.steps],
    }


def _step_record(follower: Follower, outcome: Verdict, step: Step) -> dict[str, Any]:
    """Return one step in the shape of the trajectory recordings."""
    record: dict[str, Any] = {"step": step.index, "current_action_name_label": "correct" if step.accepted else "error"}
    if step.accepted:
        actions = [{"arguments": argument_text(action), "name": action.name} for action in step.actions]
        record["answer"] = {"action": actions}
        if step.kind == "calls":
            record["selected_indices"] = sorted(step.matched)
        else:
            record["answer"]["observation"] = follower.answer[step.matched[0]].observation
            if not step.over:
                record["answer"]["user_input"] = step.user_reply
    else:
        record["error_reason"] = step.reason
        if step.is_refused_for_names:
            record["n_candidates"] = follower.frontier.count_paths()
            record["candidate_names"] = follower.candidates(limit=None).names
    # Where the argument check raised, the recordings hold nothing of it.
    for check in outcome.checks if outcome.crash is None else ():
        if check.index == step.index:
            record["checked_order"] = check.call_ids
            record["current_action_arguments_label"] = "correct" if check.is_correct else "error"
            if not check.is_correct:
                record["arguments_check_result"] = check.results
    if step.index == outcome.dropped_step:
        record["dropped_from_log"] = True
    return record


def _fallback_record(outcome: Verdict) -> dict[str, Any]:
    if outcome.crash is not None:
        return {"raises": {"stage": outcome.crash.stage, "type": outcome.crash.type_name}}
    record: dict[str, Any] = {
        "action_name_label": outcome.action_label,
        "is_optimal": outcome.is_optimal,
        "action_arguments_label": outcome.argument_label,
        "label": outcome.label,
    }
    wrong = {str(check.index): check.results for check in outcome.checks if not check.is_correct}
    return record | ({"arguments_check_result_by_step": wrong} if wrong else {})


def request_failure(raised: Mapping[str, Any]) -> RequestFailure:
    """Return the scripted failure of a request; the text of a KeyError quotes its key."""
    message = str(KeyError(raised["message"])) if raised["type"] == "KeyError" else raised["message"]
    details = {key: value for key, value in raised.items() if key not in ("type", "message")}
    return RequestFailure(raised["type"], message, **details)


def _or_crash(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except ReferenceCrashError as exc:
        return {"raises": exc.type_name}


def _exception_only(recorded: str | dict[str, Any]) -> str | dict[str, Any]:
    return recorded if isinstance(recorded, str) else {"raises": recorded["raises"]}


def without_message(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recording with the exception's type (and stage) only: its message is for information."""
    raises = recorded.get("raises")
    if not isinstance(raises, Mapping):
        return dict(recorded)
    kept: Any = raises["type"]
    if "stage" in raises:
        kept = {"stage": raises["stage"], "type": raises["type"]}
    return dict(recorded) | {"raises": kept}
