"""What a data set holds, counted as the reference evaluator counts it (conformance notes, 49).

Tools, text lengths and turns per topic are counted over all topics of a file; types, subtypes and actions over the
turns that are left after one topic per point in time was drawn. Rates of turns are over turns, so that with the merged
`Multi-Tool` row the types add up to more than 1.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark_adapter.data.dataset import Entry
from benchmark_adapter.data.reference import PSEUDO_ACTIONS
from benchmark_adapter.data.topics import read_time, topic_field
from benchmark_adapter.evaluator.reference_metrics import FIRST_TURN, MULTI_TOOL, SUBSEQUENT_TURN, type_rows
from benchmark_adapter.evaluator.score_tables import percentile

_PERSONA = re.compile(r"persona(\d+)$")
_WEEKDAY = re.compile(r"星期[一二三四五六日天]")

Summary = dict[str, Any]


@dataclass(frozen=True)
class FileStatistics:
    """What was counted in one file; `as_reference` and `combined` put it in words."""

    entry: Entry
    turns_per_topic: Sequence[int]
    tools_per_topic: Sequence[int]
    unique_tools_per_topic: Sequence[int]
    tool_names: Counter[Any]
    parameters_per_tool: Sequence[int]
    required_per_tool: Sequence[int]
    task_chars: Sequence[int]
    user_chars: Sequence[int]
    assistant_chars: Sequence[int]
    times: Sequence[str]
    weekdays: Counter[str]
    task_types: Counter[str]
    subtypes: Counter[Any]
    positions: Counter[str]
    indices: Counter[str]
    actions: Counter[str]

    @property
    def n_turns(self) -> int:
        return len(self.entry.turns)

    def as_reference(self) -> Summary:
        """Return the summary of the file with the keys of the reference evaluator."""
        entry = self.entry
        persona = _PERSONA.search(entry.name)
        steps = [turn.answer for turn in entry.turns]
        tool_steps = [[step for step in answer if step["action"]["name"] not in PSEUDO_ACTIONS] for answer in steps]
        return {
            "dataset_name": entry.name,
            "persona_id": persona.group(1) if persona else None,
            "source_file": f"{entry.name}.jsonl",
            **_topic_counts([self]),
            "turns_per_topic": describe(self.turns_per_topic),
            **_turn_distributions([self]),
            "tool_stats": {
                "tools_per_topic": describe(self.tools_per_topic),
                "unique_tools_per_topic": describe(self.unique_tools_per_topic),
                "unique_tool_name_count": len(self.tool_names),
                "tool_name_distribution": distribution(self.tool_names),
                "parameters_per_tool": describe(self.parameters_per_tool),
                "required_parameters_per_tool": describe(self.required_per_tool),
            },
            "answer_action_stats": {
                "answer_steps_per_turn": describe([len(answer) for answer in steps]),
                "tool_action_steps_per_turn": describe([len(answer) for answer in tool_steps]),
                "action_name_distribution": distribution(self.actions),
            },
            "text_length_stats": {
                "task_chars": describe(self.task_chars),
                "user_message_chars": describe(self.user_chars),
                "assistant_message_chars": describe(self.assistant_chars),
            },
            "env_time": {
                "min": min(self.times, default=None),
                "max": max(self.times, default=None),
                "weekday_distribution": distribution(self.weekdays),
            },
        }


def file_statistics(topics: Sequence[Mapping[str, Any]], entry: Entry) -> FileStatistics:
    """Count a file.

    Args:
        topics: Its topics as read, `tools` resolved.
        entry: What `build_entry` made of them.

    Raises:
        ReferenceCrashError: If a turn has no task type.
    """
    toolsets = [topic_field(topic, "tools") or [] for topic in topics]
    tools = [_function(tool) for toolset in toolsets for tool in toolset]
    messages = [message for topic in topics for message in topic.get("messages") or []]
    tasks = [topic_field(topic, "tasks") or [] for topic in topics]
    env_infos = [topic_field(topic, "env_info") or "" for topic in topics]
    turns = entry.turns
    return FileStatistics(
        entry=entry,
        turns_per_topic=[len(one) for one in tasks],
        tools_per_topic=[len(toolset) for toolset in toolsets],
        unique_tools_per_topic=[len({_function(tool).get("name") for tool in toolset}) for toolset in toolsets],
        tool_names=Counter(tool.get("name") for tool in tools),
        parameters_per_tool=[len(_parameters(tool).get("properties") or {}) for tool in tools],
        required_per_tool=[len(_parameters(tool).get("required") or []) for tool in tools],
        task_chars=[_text_length(task) for one in tasks for task in one],
        user_chars=[_text_length(one.get("content")) for one in messages if one.get("role") == "user"],
        assistant_chars=[_text_length(one.get("content")) for one in messages if one.get("role") == "assistant"],
        times=[time for env_info in env_infos if (time := read_time(env_info)) is not None],
        weekdays=Counter(match.group() for env_info in env_infos if (match := _WEEKDAY.search(env_info))),
        task_types=_task_types(entry),
        subtypes=_subtypes(entry),
        positions=Counter(f"Topic {'Subsequent' if turn.index_in_topic else 'First'} Turn" for turn in turns),
        indices=Counter(str(turn.index_in_topic) for turn in turns),
        actions=Counter(step["action"]["name"] for turn in turns for step in turn.answer),
    )


def combined(files: Sequence[FileStatistics]) -> Summary:
    """Return the summary of several files with the keys of the reference evaluator."""
    tool_names = _total(file.tool_names for file in files)
    return {
        "num_dataset_files": len(files),
        **_topic_counts(files),
        "turns_per_file": describe([file.n_turns for file in files]),
        "topics_per_file": describe([file.entry.num_topics for file in files]),
        **_turn_distributions(files),
        "unique_tool_name_count": len(tool_names),
        "tool_name_distribution": distribution(tool_names),
        "answer_action_distribution": distribution(_total(file.actions for file in files)),
    }


def describe(values: Sequence[float]) -> Summary:
    """Return count, extremes, mean, quartiles and sum; without values the middle ones are None."""
    if not values:
        return {"count": 0} | dict.fromkeys(("min", "max", "mean", "median", "p25", "p75")) | {"sum": 0}
    return {
        "count": len(values),
        "min": min(values),
        "max": max(values),
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
        "p25": percentile(values, 0.25),
        "p75": percentile(values, 0.75),
        "sum": sum(values),
    }


def distribution(counts: Counter[Any], whole: int | None = None) -> Summary:
    """Return count and rate of each name, by name.

    Args:
        counts: How often each name occurs.
        whole: What rates are over; by default the sum of the counts.
    """
    whole = counts.total() if whole is None else whole
    named = {("null" if name is None else name): count for name, count in counts.items()}
    return {name: {"count": named[name], "rate": named[name] / whole if whole else 0.0} for name in sorted(named)}


def _topic_counts(files: Sequence[FileStatistics]) -> Summary:
    original = sum(file.entry.num_topics_original for file in files)
    kept = sum(file.entry.num_topics for file in files)
    return {
        "num_topics_original": original,
        "num_topics_after_dedup": kept,
        "num_turns": sum(file.n_turns for file in files),
        "dedup_removed_topics": original - kept,
    }


def _turn_distributions(files: Sequence[FileStatistics]) -> Summary:
    turns = sum(file.n_turns for file in files)
    return {
        "task_type_distribution": distribution(_total(file.task_types for file in files), turns),
        "turn_subtype_distribution": distribution(_total(file.subtypes for file in files), turns),
        "topic_position_distribution": distribution(_total(file.positions for file in files), turns),
        "turn_index_in_topic_distribution": distribution(_total(file.indices for file in files), turns),
    }


def _task_types(entry: Entry) -> Counter[str]:
    """Count the rows turns count in; `Multi-Tool` has a row even if none does."""
    counts = Counter({MULTI_TOOL: 0})
    for turn in entry.turns:
        counts.update(type_rows(turn.task_type))
    return counts


def _subtypes(entry: Entry) -> Counter[Any]:
    """Count the rows turns count in; first and subsequent turns have a row even if there are none.

    A subtype with the name of one of these rows counts no second time; one that is null has the name `None`.
    """
    first = min(1, len(entry.turns))
    counts: Counter[Any] = Counter({FIRST_TURN: first, SUBSEQUENT_TURN: len(entry.turns) - first})
    counts.update(str(subtype) for subtype in entry.subtypes if subtype not in (FIRST_TURN, SUBSEQUENT_TURN))
    return counts


def _total(counters: Iterable[Counter[Any]]) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def _function(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    function: Mapping[str, Any] = tool.get("function") or {}
    return function


def _parameters(function: Mapping[str, Any]) -> Mapping[str, Any]:
    parameters: Mapping[str, Any] = function.get("parameters") or {}
    return parameters


def _text_length(text: Any) -> int:
    return len(text) if isinstance(text, str) else 0
