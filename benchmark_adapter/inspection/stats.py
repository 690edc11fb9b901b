"""What a data set is made of: the paper's Tables 2, 3 and 9 for any data.

The paper gives no formulas for Table 3, so those here are ours (`DIVERSITY_FORMULA`). That a trajectory is a topic
follows from its figures: of 300 topics, 95.67 % are 287 and 99.00 % are 297. The words of Table 9 are read so that
they give its figures on the published candidate toolsets.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmark_adapter.data.dataset import CROSS_TOPIC, ReferenceTurn, Session
from benchmark_adapter.data.reference import arguments
from benchmark_adapter.data.toolsets import Toolsets, tool_names
from benchmark_adapter.inspection.sequence_distance import normalised_distance
from benchmark_adapter.scoring.metrics import group_of

OFFICIAL = "official data"
"""Marks the paper's figures beside those of a data set."""
DIVERSITY_FORMULA = (
    "Ours, since the paper gives none: a trajectory is the tool calls of one topic in the order of the reference, "
    "questions and replies left out; topics with the same tool names are compared when at least two profiles have "
    "them. Uniqueness: distinct trajectories of each toolset, summed, over its topics, summed. Distance: edit distance "
    "over the longer length, averaged over all pairs of topics of different profiles; over tool names, and over calls "
    "with arguments (keys sorted, whole floats as integers)."
)
TASK_GROUPS = ("ST", "MT", "LOI")
"""The task types that the paper counts as task instances."""


@dataclass(frozen=True)
class TopicTrajectory:
    """The tool calls of all turns of one topic of one profile."""

    profile: str
    toolset: frozenset[str]
    """The tool names on offer: what makes two toolsets the same, in whatever language they are described."""
    names: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    """Name and canonical arguments."""


def data_statistics(sessions: Sequence[Session], candidates: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the statistics of a data set as one JSON object; shares and distances in [0, 1], undefined is `None`.

    Args:
        sessions: All turns that are played; those of dropped topics are not counted.
        candidates: The toolsets that topics were chosen from; where there are none, those in use.
    """
    turns = [turn for session in sessions for turn in session.turns]
    topics = trajectories(sessions)
    in_use: dict[frozenset[str], Sequence[Mapping[str, Any]]] = {}
    for turn in turns:
        in_use.setdefault(tool_names(turn.tools), turn.tools)
    groups: Counter[str] = Counter(group_of(turn.task_type) or "other" for turn in turns)
    instances = sum(groups[group] for group in TASK_GROUPS)
    return {
        "scale": {
            "profiles": len(sessions),
            "toolsets": len(in_use),
            "tools": len(frozenset().union(*in_use)),
            "topics": len(topics),
            "turns": len(turns),
            "task_instances": instances,
            "dropped_topics": sum(len(session.dropped) for session in sessions),
        },
        "task_types": _shares({group: groups[group] for group in TASK_GROUPS}, instances),
        "other_turns": {group: groups[group] for group in ("Chat", "other")},
        "turn_subtypes": _shares(_subtypes(turns), len(turns)),
        "same_toolset_diversity": diversity(topics),
        "tool_ecosystem": ecosystem(candidates or list(in_use.values())) | {"final_toolsets": len(in_use)},
    }


def trajectories(sessions: Iterable[Session]) -> list[TopicTrajectory]:
    """Return the trajectory of every topic that is played, in playing order."""
    made = []
    for session in sessions:
        topics: dict[int, list[ReferenceTurn]] = defaultdict(list)
        for turn in session.turns:
            topics[turn.topic_index].append(turn)
        for turns in topics.values():
            steps = [step for turn in turns for step in turn.answer if step.is_tool_call]
            calls = tuple((step.action.name, _canonical(arguments(step))) for step in steps)
            names = tuple(name for name, _ in calls)
            made.append(TopicTrajectory(session.name, tool_names(turns[0].tools), names, calls))
    return made


def diversity(topics: Iterable[TopicTrajectory]) -> dict[str, Any]:
    """Return how much trajectories under the same toolset differ (`DIVERSITY_FORMULA`), and over how much it is taken.

    Ratios and distances are `None` where no two profiles share a toolset.
    """
    by_toolset: dict[frozenset[str], list[TopicTrajectory]] = defaultdict(list)
    for topic in topics:
        by_toolset[topic.toolset].append(topic)
    shared = [group for group in by_toolset.values() if len({topic.profile for topic in group}) > 1]
    pairs = [
        (left, right) for group in shared for left, right in combinations(group, 2) if left.profile != right.profile
    ]
    return {
        "tool_sequence_uniqueness_ratio": _uniqueness([[topic.names for topic in group] for group in shared]),
        "exact_trajectory_uniqueness_ratio": _uniqueness([[topic.calls for topic in group] for group in shared]),
        "average_pairwise_sequence_distance": _mean(normalised_distance(a.names, b.names) for a, b in pairs),
        "average_pairwise_exact_trajectory_distance": _mean(normalised_distance(a.calls, b.calls) for a, b in pairs),
        "toolsets": len(shared),
        "topics": sum(map(len, shared)),
        "pairs": len(pairs),
        "formula": DIVERSITY_FORMULA,
    }


def ecosystem(toolsets: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, float | int | None]:
    """Return the figures of Table 9 for a list of toolsets.

    Names are grouped when they are equal, case included. The paper's *topic* is here a candidate toolset, and the
    slots of a tool are the arguments at its top, averaged over all occurrences.
    """
    functions = [tool["function"] for tools in toolsets for tool in tools if isinstance(tool.get("function"), Mapping)]
    names = [function.get("name") for function in functions]
    return {
        "raw_tool_name_occurrences": len(names),
        "candidate_toolset_lines": len(toolsets),
        "unique_tool_names_after_grouping": len(set(names)),
        "average_tool_names_per_topic": len(names) / len(toolsets) if toolsets else None,
        "average_parameter_slots_per_tool": _mean(_slots(function) for function in functions),
    }


def candidate_toolsets(folder: Path) -> tuple[Sequence[Mapping[str, Any]], ...]:
    """Return every toolset of a folder, a translated one once; none where there is no folder.

    Raises:
        DatasetError: If a file is not as it should be.
    """
    return Toolsets(folder).every() if folder.is_dir() else ()


@cache
def paper_statistics() -> dict[str, Any]:
    """Return the paper's figures under the keys of `data_statistics`."""
    text = resources.files("benchmark_adapter.inspection").joinpath("paper_statistics.json").read_text("utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


def _shares(counts: Mapping[str, int], total: int) -> dict[str, dict[str, float | int | None]]:
    return {name: {"n": n, "share": n / total if total else None} for name, n in counts.items()}


def _subtypes(turns: Iterable[ReferenceTurn]) -> dict[str, int]:
    """Return turns by subtype.

    The first turn of a topic is cross-topic, also the session's first: the paper counts 300 in 300 topics.
    """
    found = Counter(CROSS_TOPIC if turn.index_in_topic == 0 else str(turn.subtype) for turn in turns)
    known = {name: found[name] for name in paper_statistics()["turn_subtypes"]}
    return known | {name: n for name, n in sorted(found.items()) if name not in known}


def _slots(function: Mapping[str, Any]) -> int:
    parameters = function.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    return len(properties) if isinstance(properties, Mapping) else 0


def _uniqueness(groups: Sequence[Sequence[Hashable]]) -> float | None:
    total = sum(map(len, groups))
    return sum(len(set(group)) for group in groups) / total if total else None


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None


def _canonical(value: Any) -> str:
    """Return JSON text that is equal for equal arguments: keys sorted, whole floats as integers."""
    return json.dumps(_whole(value), sort_keys=True, ensure_ascii=False)


def _whole(value: Any) -> Any:
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
