"""The tables the reference evaluator derives from the score and metric files of several profiles.

Means over profiles (note 47), thirds of a session (note 48), frequencies and numeric summaries. `Profile` is one pair
of score and metric file.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmark_adapter.evaluator.reference_metrics import MULTI_TOOL, Metric

SEGMENTS = ("first_third", "middle_third", "last_third")
SEGMENT_TASK_TYPES = ("Single-Tool", MULTI_TOOL, "Clarify", "Chat")
_SUMMARY_FIELDS = (
    *("min", "max", "mean", "variance_population", "variance_sample", "stdev_population", "stdev_sample"),
    *("median", "p25", "p75"),
)
BLANKED_IN_AVERAGE = frozenset({"source_file", "error_type", "error_message"})

Row = dict[str, Any]


@dataclass(frozen=True)
class Profile:
    """What was scored of one profile."""

    dataset_name: str
    model_name: str
    scores: Sequence[Mapping[str, Any]]
    """Lines of the score file: one or none."""
    metric: Metric | None
    """The metric file; None where it could not be computed."""
    task_types: Sequence[Any] | None
    """Of all turns in task order; None if the source file is gone, so that they cannot be found."""

    @property
    def number(self) -> str:
        """The digits after the first `persona` in the name, or the name where there are none."""
        match = re.search(r"persona(\d+)", self.dataset_name)
        return match.group(1) if match else self.dataset_name

    @property
    def results(self) -> list[Mapping[str, Any]]:
        return [result for score in self.scores for result in score.get("results", [])]

    @property
    def heading(self) -> Row:
        return {"profile": self.number, "dataset_name": self.dataset_name}


class Segment(NamedTuple):
    """A stretch of turns, `start` included and `end` not."""

    name: str
    start: int
    end: int


def by_number(profiles: Iterable[Profile]) -> list[Profile]:
    """Return profiles by number, then those without one by name."""
    return sorted(profiles, key=lambda one: (0, int(one.number), "") if one.number.isdigit() else (1, 0, one.number))


def segments(total_turns: int) -> list[Segment]:
    """Return the thirds of a session; sizes differ by at most one, the first thirds get the rest."""
    size, rest = divmod(total_turns, len(SEGMENTS))
    found: list[Segment] = []
    start = 0
    for index, name in enumerate(SEGMENTS):
        end = start + size + (index < rest)
        found.append(Segment(name, start, end))
        start = end
    return found


def turn_segments(profile: Profile) -> list[Row]:
    """Return accuracy per third and task type over the scored turns in task order; no rows if there are none."""
    results = sorted(_indexed(profile.results), key=lambda one: one[0])
    rows: list[Row] = []
    for segment in segments(len(results)) if results else []:
        within = results[segment.start : segment.end]
        for task_type in ("task", *SEGMENT_TASK_TYPES):
            chosen = [one for index, one in within if task_type in ("task", _segment_type(profile.task_types, index))]
            correct = sum(one["label"] == "correct" for one in chosen)
            rows.append(
                {
                    **profile.heading,
                    "segment": segment.name,
                    "segment_start": segment.start,
                    "segment_end": segment.end,
                    "task_type": task_type,
                    "correct_count": correct,
                    "total_count": len(chosen),
                    "accuracy": correct / len(chosen) if chosen else None,
                }
            )
    return rows


def turn_segments_by_profile(profiles: Iterable[Profile]) -> list[Row]:
    """Return the thirds of all profiles in order of their score files' names."""
    ordered = sorted(profiles, key=lambda one: f"{one.dataset_name}__{one.model_name}_score.jsonl")
    return [row for profile in ordered for row in turn_segments(profile)]


def turn_segments_across_profiles(rows: Sequence[Row]) -> list[Row]:
    """Return the spread over profiles of each cell of `turn_segments_by_profile`; empty cells are left out."""
    across: list[Row] = []
    for segment in SEGMENTS:
        for task_type in ("task", *SEGMENT_TASK_TYPES):
            cell = [row["accuracy"] for row in rows if row["segment"] == segment and row["task_type"] == task_type]
            values = [value for value in cell if value is not None]
            across.append(
                {
                    "segment": segment,
                    "task_type": task_type,
                    "profile_count": len(values),
                    "mean_accuracy": statistics.fmean(values) if values else None,
                    "min": min(values, default=None),
                    "max": max(values, default=None),
                    "variance_population": statistics.pvariance(values) if values else None,
                    "median": statistics.median(values) if values else None,
                }
            )
    return across


def average_summary(metrics: Sequence[Metric], *, dataset_name: str, model_name: str) -> Metric:
    """Return the mean metric over profiles: of each number over the profiles that have it, booleans as 0 and 1.

    Args:
        metrics: Of each profile that has one.
        dataset_name: Of the whole; the summary calls itself `NAME_summary_average`.
        model_name: Used if the profiles do not agree on one.
    """
    summary: Metric = _average(metrics)
    if summary.get("model_name") is None:
        summary["model_name"] = model_name
    return summary | {"dataset_name": f"{dataset_name}_summary_average"} | dict.fromkeys(BLANKED_IN_AVERAGE)


def _average(values: Sequence[Any]) -> Any:
    present = [value for value in values if value is not None]
    mappings = [value for value in present if isinstance(value, Mapping)]
    if mappings:
        keys = dict.fromkeys(key for mapping in mappings for key in mapping)
        return {key: _average([mapping[key] for mapping in mappings if key in mapping]) for key in keys}
    numbers = [value for value in present if isinstance(value, (int, float))]
    if numbers:
        return statistics.fmean(numbers)
    return present[0] if present and all(value == present[0] for value in present) else None


def score_frequency(profiles: Iterable[Profile]) -> list[Row]:
    """Return how often each label has each value, by profile."""
    rows: list[Row] = []
    for profile in by_number(profiles):
        for key in ("label", "action_name_label", "action_arguments_label", "is_optimal"):
            counts = Counter(str(result[key]) for result in profile.results if key in result)
            total = counts.total()
            for value in sorted(counts):
                count = counts[value]
                rows.append(
                    {**profile.heading, "key": key, "value": value, "count": count, "total": total}
                    | {"rate": count / total}
                )
    return rows


def score_numeric_by_profile(profiles: Iterable[Profile]) -> list[Row]:
    """Return a summary of each numeric field of the scored turns, by profile; lists count item by item."""
    return [
        {**profile.heading, "key": key} | describe(values)
        for profile in by_number(profiles)
        for key, values in sorted(_numbers_of_results(profile.results).items())
    ]


def score_numeric_across_profiles(rows: Sequence[Row]) -> list[Row]:
    """Return a summary of the profiles' means of each numeric field, without a row for a field that has no mean."""
    means: dict[str, list[float]] = {}
    for row in rows:
        if row["mean"] is not None:
            means.setdefault(row["key"], []).append(row["mean"])
    return [{"key": key, "statistic": "profile_mean"} | describe(means[key]) for key in sorted(means)]


def metric_outcome_frequency(profiles: Iterable[Profile]) -> list[Row]:
    """Return correct and wrong counts of each category of the metric files, by profile."""
    rows: list[Row] = []
    for profile in by_number(profiles):
        for key, cell in sorted(_counted_cells(profile.metric or {}, "")):
            total = cell["total_count"]
            for value, count in (("correct", cell["correct_count"]), ("error", total - cell["correct_count"])):
                rate = count / total if total else 0.0
                rows.append(
                    {**profile.heading, "key": key, "value": value, "count": count, "total": total, "rate": rate}
                )
    return rows


def metric_key_stats(metrics: Sequence[Metric]) -> list[Row]:
    """Return a summary over profiles of each number in the metric files; booleans are no numbers here."""
    flat = [dict(_numbers(metric, "")) for metric in metrics]
    rows: list[Row] = []
    for key in sorted({key for one in flat for key in one}):
        values = [one[key] for one in flat if key in one]
        counts = {"profile_count": len(values), "missing_profile_count": len(flat) - len(values)}
        rows.append({"key": key} | counts | describe(values))
    return rows


def describe(values: Sequence[float]) -> Row:
    """Return the numeric summary of values.

    Without values all but count and sum are None; with one, sample variance and deviation are.
    """
    numbers = [float(value) for value in values]
    if not numbers:
        return {"count": 0} | dict.fromkeys(_SUMMARY_FIELDS) | {"sum": 0}
    population = statistics.pvariance(numbers)
    sample = statistics.variance(numbers) if len(numbers) > 1 else None
    return {
        "count": len(numbers),
        "min": min(numbers),
        "max": max(numbers),
        "mean": statistics.fmean(numbers),
        "variance_population": population,
        "variance_sample": sample,
        "stdev_population": math.sqrt(population),
        "stdev_sample": math.sqrt(sample) if sample is not None else None,
        "median": statistics.median(numbers),
        "p25": percentile(numbers, 0.25),
        "p75": percentile(numbers, 0.75),
        "sum": math.fsum(numbers),
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile by linear interpolation between the nearest ranks."""
    ordered = sorted(values)
    rank = (len(ordered) - 1) * share
    below = math.floor(rank)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (rank - below))


def _indexed(results: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each result with its turn's place in the session: as logged, else its place in the file."""
    for position, result in enumerate(results):
        index = result.get("inference_log", {}).get("task_idx")
        yield position if index is None else index, result


def _segment_type(task_types: Sequence[Any] | None, index: int) -> Any:
    """Return the row of `SEGMENT_TASK_TYPES` a turn counts in, or its own name where it has none."""
    if task_types is None or not 0 <= index < len(task_types):
        return None
    task_type = task_types[index]
    return MULTI_TOOL if isinstance(task_type, str) and MULTI_TOOL in task_type else task_type


def _numbers_of_results(results: Iterable[Mapping[str, Any]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for result in results:
        for key, value in result.items():
            if isinstance(value, (list, int, float)):
                items = value if isinstance(value, list) else [value]
                found.setdefault(key, []).extend(item for item in items if isinstance(item, (int, float)))
    return found


def _numbers(value: Mapping[str, Any], path: str) -> Iterator[tuple[str, float]]:
    for key, item in value.items():
        where = f"{path}.{key}" if path else key
        if isinstance(item, Mapping):
            yield from _numbers(item, where)
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield where, item


def _counted_cells(value: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, item in value.items():
        if isinstance(item, Mapping):
            where = f"{path}.{key}" if path else key
            if "correct_count" in item and "total_count" in item:
                yield where, item
            yield from _counted_cells(item, where)
