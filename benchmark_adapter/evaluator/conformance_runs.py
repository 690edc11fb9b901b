"""Replays of vectors about whole profiles: metrics, segments, dataset statistics, sessions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from benchmark_adapter.data.dataset import Entry, build_entry
from benchmark_adapter.errors import DatasetError, ReferenceCrashError
from benchmark_adapter.evaluator import score_tables
from benchmark_adapter.evaluator.conformance_cases import Outcome, Vector, request_failure, without_message
from benchmark_adapter.evaluator.dataset_statistics import combined, file_statistics
from benchmark_adapter.evaluator.history import Message
from benchmark_adapter.evaluator.reference_metrics import profile_metric
from benchmark_adapter.evaluator.score_tables import Profile
from benchmark_adapter.evaluator.session import PlayedSession, RequestFailure, play_session
from benchmark_adapter.evaluator.similarity import SimilarityMode

RECORDED_SIMILARITY: SimilarityMode = "rouge"
"""Mode that whole sessions were recorded in."""


class _SegmentsVector(Vector):
    total_turns: int
    segments: tuple[tuple[str, int, int], ...]


class _ProfileRecord(BaseModel):
    dataset_name: str
    topics: tuple[dict[str, Any], ...]
    score_results: tuple[dict[str, Any], ...]
    official_metric: dict[str, Any]


class _MetricsVector(Vector):
    model_name: str
    profiles: tuple[_ProfileRecord, ...]
    official: dict[str, Any]


class _FileRecord(BaseModel):
    dataset_name: str
    topics: tuple[dict[str, Any], ...]


class _DatasetStatsVector(Vector):
    seed: int
    files: tuple[_FileRecord, ...]
    official: dict[str, Any]


class _SessionsVector(Vector):
    model_name: str
    dataset_name: str
    seed: int
    topics: tuple[dict[str, Any], ...]
    script: tuple[tuple[dict[str, Any], ...], ...]
    official: dict[str, Any]


def replay_segments(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the cutting of a session into thirds."""
    vector = _SegmentsVector.model_validate(value)
    return Outcome(vector.case_id, score_tables.segments(vector.total_turns), vector.segments)


def replay_metrics(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the metric of each profile and all tables of the group."""
    vector = _MetricsVector.model_validate(value)
    got: dict[str, Any] = {"metrics": []}
    profiles: list[Profile] = []
    for record in vector.profiles:
        entry = build_entry(record.topics, name=record.dataset_name)
        metric: dict[str, Any] | None = None
        try:
            metric = profile_metric(entry, record.score_results, model_name=vector.model_name)
            got["metrics"].append(metric)
        except ReferenceCrashError as exc:
            got["metrics"].append({"raises": exc.type_name})
        profiles.append(_profile(entry, vector.model_name, record.score_results, metric))
    expected = {"metrics": [without_message(record.official_metric) for record in vector.profiles], **vector.official}
    got |= _tables(profiles, vector.model_name)
    if vector.official.get("metric_key_stats") is None:  # recorded for some cases only
        got["metric_key_stats"] = None
    return Outcome(vector.case_id, got, expected)


def _profile(
    entry: Entry, model_name: str, scores: tuple[Mapping[str, Any], ...], metric: dict[str, Any] | None
) -> Profile:
    source = scores[0].get("source_file") if scores else None
    found = source == f"{entry.name}.jsonl"
    task_types = [turn.task_type for turn in entry.turns] if found else None
    return Profile(entry.name, model_name, scores, metric, task_types)


def _tables(profiles: list[Profile], model_name: str) -> dict[str, Any]:
    metrics = [profile.metric for profile in profiles if profile.metric is not None]
    segments = score_tables.turn_segments_by_profile(profiles)
    numeric = score_tables.score_numeric_by_profile(profiles)
    return {
        "turn_segments_by_profile": segments,
        "turn_segments_across_profiles": score_tables.turn_segments_across_profiles(segments),
        "average_summary": score_tables.average_summary(
            metrics, dataset_name="conformance", model_name="fallback-model-name"
        ),
        "metric_key_stats": score_tables.metric_key_stats(metrics),
        "score_frequency": score_tables.score_frequency(profiles),
        "score_numeric_by_profile": numeric,
        "score_numeric_across_profiles": score_tables.score_numeric_across_profiles(numeric),
        "metric_outcome_frequency": score_tables.metric_outcome_frequency(profiles),
    }


def replay_dataset_stats(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay the statistics of a data set, by file and combined."""
    vector = _DatasetStatsVector.model_validate(value)
    files = []
    try:
        for record in sorted(vector.files, key=lambda one: f"{one.dataset_name}.jsonl"):
            entry = build_entry(record.topics, name=record.dataset_name, seed=vector.seed)
            files.append(file_statistics(record.topics, entry))
    except DatasetError as exc:
        return Outcome(vector.case_id, {"raises": exc.reference_exception}, without_message(vector.official))
    except ReferenceCrashError as exc:
        return Outcome(vector.case_id, {"raises": exc.type_name}, without_message(vector.official))
    got = {"files": [one.as_reference() for one in files], "summary": combined(files)}
    return Outcome(vector.case_id, got, without_message(vector.official))


def replay_sessions(value: Any, similarity: SimilarityMode) -> Outcome:
    """Replay a whole run of one profile: requests, results, scores, metric and thirds."""
    vector = _SessionsVector.model_validate(value)
    expected = dict(vector.official)
    if "scoring_raises" in expected:
        raised = expected["scoring_raises"]
        expected["scoring_raises"] = raised["type"] if isinstance(raised, Mapping) else raised
    path = Path(f"{vector.dataset_name}.jsonl")
    try:
        entry = build_entry(vector.topics, name=vector.dataset_name, seed=vector.seed, path=path)
    except DatasetError as exc:
        return Outcome(vector.case_id, {"raises": exc.reference_exception}, without_message(expected))
    replies = [iter(turn) for turn in vector.script]

    def model(index: int, messages: list[Message], tools: list[Any]) -> Mapping[str, Any]:
        reply = next(replies[index], None)
        if reply is None:
            raise RequestFailure("ScriptExhausted", f"the script of turn {index} has no further reply")
        if "raise" in reply:
            raise request_failure(reply["raise"])
        return reply

    session = play_session(entry, model, model_name=vector.model_name, similarity=RECORDED_SIMILARITY)
    return Outcome(vector.case_id, _session_record(session, vector.model_name), without_message(expected))


def _session_record(session: PlayedSession, model_name: str) -> dict[str, Any]:
    """Return a session in the shape of the recordings."""
    entry, score, crash = session.entry, session.as_score(), session.crash
    record: dict[str, Any] = {
        "requests_made": session.n_requests,
        "first_request_of_each_turn": [
            _request_record(index, messages, tools) for index, (messages, tools) in enumerate(session.first_requests)
        ],
        "result_file": {key: value for key, value in score.items() if key in _RESULT_FIELDS}
        | {"num_turns": len(entry.turns), "num_topics_after_dedup": entry.num_topics},
        "result_is_text": None if crash is None else f"Error during inference: {crash.detail}",
    }
    if session.scoring_crash is not None:
        return record | {"scoring_raises": session.scoring_crash.type_name}
    metric = profile_metric(entry, [score], model_name=model_name)
    task_types = [turn.task_type for turn in entry.turns]
    return record | {
        "score": {key: score[key] for key in _SCORE_FIELDS}
        | {"results": [_result_record(result) for result in score["results"]]},
        "metric": metric,
        "turn_segments": score_tables.turn_segments(Profile(entry.name, model_name, [score], metric, task_types)),
    }


_SCORE_FIELDS = ("inference_completed", "evaluated_turns", "failed_task_idx", "failed_step", "error_type")
_RESULT_FIELDS = (*_SCORE_FIELDS, "error_message")


def _request_record(index: int, messages: list[Message], tools: list[Any]) -> dict[str, Any]:
    text = json.dumps(messages, sort_keys=True, ensure_ascii=False)
    return {
        "task_idx": index,
        "n_messages": len(messages),
        "roles": "".join(message["role"][0] for message in messages),
        "n_tools": len(tools),
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _result_record(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scored turn as recorded: without the failed request's details, and of the log the steps left."""
    kept = {key: value for key, value in result.items() if key not in ("inference_log", "api_error")}
    return kept | {"steps_left_in_log": [key for key in result["inference_log"] if key.startswith("step_")]}
