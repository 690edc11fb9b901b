"""The turns of a person in the order the reference evaluator plays them.

`build_entry` reproduces the reference's processed entry of a profile (one topic per point in time, drawn with a seeded
generator; sorted; names mapped). `Session` and `ReferenceTurn` are the typed view of it that everything else works on.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.data.topics import Gold, TopicFile, read_time, read_topic_files, topic_field
from benchmark_adapter.errors import DatasetError

DEFAULT_SEED = 42
"""The seed the reference evaluator processes data sets with, and the only one its metrics use."""

CROSS_TOPIC = "Cross-Topic"

TASK_TYPE_NAMES = {
    "单工具": "Single-Tool",
    "多工具": "Multi-Tool",
    "澄清": "Clarify",
    "闲聊": "Chat",
    "Clarification": "Clarify",
    "Chit-Chat": "Chat",
}
SUBTYPE_NAMES = {
    "指代": "Coreferential Reference",
    "省略成分": "Partial Information",
    "长期记忆": "Long-Range Dependency",
    "Long-Term Memory": "Long-Range Dependency",
}

_TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True)
class DroppedTopic:
    """A topic that was not drawn among those of its point in time, so that its turns are never played."""

    topic_id: str | int
    line: int
    """Line in the topic file, or the 1-based position where there is no file."""
    time: str | None
    """The shared point in time; None for the group of topics without a readable one."""
    kept_topic_id: str | int


@dataclass(frozen=True)
class EntryTurn:
    """One turn of a processed entry, as the reference evaluator holds it."""

    request: Any
    answer: Any
    task_type: Any
    tools: Any
    env_info: Any
    topic_id: Any
    topic_position: int
    """Position of the topic in the list the entry was built from."""
    topic_index: int
    index_in_topic: int

    @property
    def is_cross_topic(self) -> bool:
        """Whether this is the first turn of a topic other than the session's first."""
        return self.topic_index > 0 and self.index_in_topic == 0

    @property
    def metadata(self) -> dict[str, Any]:
        """Where the turn comes from, in the reference evaluator's words."""
        return {
            "topic_id": self.topic_id,
            "topic_env_info": self.env_info,
            "topic_source_id": self.topic_id,
            "topic_index": self.topic_index,
            "turn_index_in_topic": self.index_in_topic,
            "is_cross_topic_boundary": self.is_cross_topic,
        }


@dataclass(frozen=True)
class Entry:
    """The processed entry of a profile: what the reference evaluator runs and scores as one session."""

    name: str
    num_topics_original: int
    num_topics: int
    turns: tuple[EntryTurn, ...]
    subtypes: tuple[Any, ...]
    """One per turn after the first."""
    dropped: tuple[DroppedTopic, ...] = field(default=())

    def as_reference(self) -> dict[str, Any]:
        """Return the entry with the keys of the reference evaluator, without its source path."""
        tasks = [turn.request for turn in self.turns]
        answers = [turn.answer for turn in self.turns]
        task_types = [turn.task_type for turn in self.turns]
        return {
            "id": self.name,
            "dataset_name": self.name,
            "num_topics_original": self.num_topics_original,
            "num_topics_after_dedup": self.num_topics,
            "num_turns": len(self.turns),
            "tasks": tasks,
            "answer_list": answers,
            "task_types": task_types,
            "turn_subtypes": list(self.subtypes),
            "turn_tools": [turn.tools for turn in self.turns],
            "turn_env_infos": [turn.env_info for turn in self.turns],
            "turn_metadata": [turn.metadata for turn in self.turns],
            "english_env_info": self.turns[0].env_info if self.turns else None,
            "english_tools": self.turns[0].tools if self.turns else [],
            "english_tasks": tasks,
            "english_answer_list": answers,
            "english_task_types": task_types,
            "english_turn_subtypes": list(self.subtypes),
        }


@dataclass(frozen=True)
class ReferenceTurn:
    """One turn to be played: what the person asks, what is on offer, and the reference trajectory."""

    session: str
    """Name of the data set, which is one person."""
    index: int
    """0-based position in the session, the reference evaluator's `layer`."""
    request: str
    tools: tuple[Mapping[str, Any], ...]
    """Tool schemas as in the data, before any conversion (`convert.py`)."""
    env_info: str | None
    answer: tuple[ReferenceStep, ...]
    task_type: str | None
    subtype: str | None
    """None for the session's first turn, `Cross-Topic` for the first turn of a later topic."""
    topic_id: str | int
    topic_index: int
    index_in_topic: int
    gold: Gold | None = None


@dataclass(frozen=True)
class Session:
    """All turns of one person, in playing order, as one conversation."""

    name: str
    turns: tuple[ReferenceTurn, ...]
    dropped: tuple[DroppedTopic, ...] = ()
    file: TopicFile | None = field(default=None, repr=False, compare=False)
    """What it was read from; None for a session that was made otherwise."""


def load_sessions(path: Path, *, toolsets: Path | None = None, seed: int = DEFAULT_SEED) -> tuple[Session, ...]:
    """Return the sessions of a topic file or a folder of them, by file name in natural order.

    Args:
        path: A `.jsonl` file or a folder.
        toolsets: See `read_topic_file`.
        seed: Seed of the draw among topics of one point in time; every file starts afresh with it.

    Raises:
        DatasetError: If a file is not as it should be.
    """
    return tuple(build_session(file, seed=seed) for file in read_topic_files(path, toolsets=toolsets))


def build_session(file: TopicFile, *, seed: int = DEFAULT_SEED) -> Session:
    """Return the session that the reference evaluator would play for a topic file.

    Raises:
        DatasetError: If a topic's time is impossible or ids of topics cannot be ordered.
    """
    lines = [line.line for line in file.lines]
    entry = build_entry([line.raw for line in file.lines], name=file.name, seed=seed, path=file.path, lines=lines)
    turns = []
    for index, turn in enumerate(entry.turns):
        topic = file.lines[turn.topic_position].topic
        turns.append(
            ReferenceTurn(
                session=file.name,
                index=index,
                request=topic.tasks[turn.index_in_topic],
                tools=topic.tools,
                env_info=turn.env_info,
                answer=topic.answer_list[turn.index_in_topic],
                task_type=turn.task_type,
                subtype=entry.subtypes[index - 1] if index else None,
                topic_id=topic.id,
                topic_index=turn.topic_index,
                index_in_topic=turn.index_in_topic,
                gold=topic.gold[turn.index_in_topic] if topic.gold is not None else None,
            )
        )
    return Session(file.name, tuple(turns), entry.dropped, file)


def build_entry(
    topics: Sequence[Mapping[str, Any]],
    *,
    name: str,
    seed: int = DEFAULT_SEED,
    path: Path | None = None,
    lines: Sequence[int] | None = None,
) -> Entry:
    """Return the processed entry of a profile, equal to the reference evaluator's.

    Topics are grouped by the first time in `env_info` (the English field is not looked at); one of each group is
    drawn, also of groups of one, so that the generator advances alike. The kept topics are sorted by time and id.

    Args:
        topics: Topic objects in file order, `tools` resolved.
        name: The file's stem.
        seed: Seed of the draw.
        path: The file, for messages.
        lines: Line of each topic in it, for messages and for `Entry.dropped`.

    Raises:
        DatasetError: Where the reference evaluator raises, with the type it raises in `reference_exception`.
    """
    source = _Source(path or Path(f"{name}.jsonl"), lines or range(1, len(topics) + 1))
    kept, dropped = _one_topic_per_time(topics, random.Random(seed), source)
    turns: list[EntryTurn] = []
    subtypes: list[Any] = []
    for topic_index, position in enumerate(kept):
        topic_turns = _topic_turns(topics[position], position, topic_index, f"{name}_topic_{topic_index}", source)
        for turn in topic_turns:
            if turn.is_cross_topic:
                subtypes.append(CROSS_TOPIC)
            elif turn.index_in_topic:
                subtypes.append(_subtype(topics[position], position, turn.index_in_topic, source))
        turns.extend(topic_turns)
    return Entry(name, len(topics), len(kept), tuple(turns), tuple(subtypes), tuple(dropped))


@dataclass(frozen=True)
class _Source:
    """Where topics come from, for messages."""

    path: Path
    lines: Sequence[int]

    def error(self, position: int, problem: str, reference_exception: str) -> DatasetError:
        return DatasetError(self.path, self.lines[position], problem, reference_exception=reference_exception)


def _one_topic_per_time(
    topics: Sequence[Mapping[str, Any]], rng: random.Random, source: _Source
) -> tuple[list[int], list[DroppedTopic]]:
    """Return the positions of the kept topics in playing order, and what was dropped in order of the draws."""
    groups: dict[str | None, list[int]] = {}
    for position, topic in enumerate(topics):
        if (written := topic.get("env_info")) and not isinstance(written, str):
            problem = f"topic {topic.get('id')!r}: expected text in `env_info`, got {written!r:.80}"
            raise source.error(position, problem, "TypeError")
        groups.setdefault(read_time(topic.get("env_info")), []).append(position)
    kept: list[int] = []
    dropped: list[DroppedTopic] = []
    for time in groups:
        members = _sorted(groups[time], lambda position: topics[position].get("id", ""), source)
        drawn = rng.choice(members)
        kept.append(drawn)
        dropped.extend(
            DroppedTopic(topics[other].get("id", ""), source.lines[other], time, topics[drawn].get("id", ""))
            for other in members
            if other != drawn
        )
    times = {position: _time(topics[position], position, source) for position in kept}
    return _sorted(kept, lambda position: (times[position], topics[position].get("id", "")), source), dropped


def _time(topic: Mapping[str, Any], position: int, source: _Source) -> datetime:
    """Return the time a topic is sorted by; the last possible one where none is readable."""
    time = read_time(topic.get("env_info"))
    if time is None:
        return datetime.max
    try:
        return datetime.strptime(time, _TIME_FORMAT)
    except ValueError as exc:
        problem = f"expected a date and time that exist in `env_info`, got {time!r}"
        raise source.error(position, problem, "ValueError") from exc


def _sorted(positions: list[int], key: Any, source: _Source) -> list[int]:
    try:
        return sorted(positions, key=key)
    except TypeError as exc:
        problem = "expected topic ids of one type, got texts and numbers, which have no order; write all as text"
        raise source.error(positions[0], problem, "TypeError") from exc


def _topic_turns(
    topic: Mapping[str, Any], position: int, topic_index: int, default_id: str, source: _Source
) -> list[EntryTurn]:
    tasks, answers, task_types = (topic_field(topic, name) or [] for name in ("tasks", "answer_list", "task_types"))
    for name, value in (("tasks", tasks), ("answer_list", answers), ("task_types", task_types)):
        if not isinstance(value, (list, tuple, str)):
            problem = f"topic {topic.get('id')!r}: expected a list in {name!r}, got {value!r:.80}"
            raise source.error(position, problem, "TypeError")
    if not len(tasks) == len(answers) == len(task_types):
        problem = (
            f"topic {topic.get('id')!r}: expected tasks, answer_list and task_types of one length, "
            f"got {len(tasks)}, {len(answers)} and {len(task_types)}"
        )
        raise source.error(position, problem, "ValueError")
    return [
        EntryTurn(
            request=task,
            answer=answer,
            task_type=_mapped(TASK_TYPE_NAMES, task_type, topic, position, source),
            tools=topic_field(topic, "tools"),
            env_info=topic_field(topic, "env_info"),
            topic_id=topic.get("id", default_id),
            topic_position=position,
            topic_index=topic_index,
            index_in_topic=index,
        )
        for index, (task, answer, task_type) in enumerate(zip(tasks, answers, task_types, strict=True))
    ]


def _subtype(topic: Mapping[str, Any], position: int, index_in_topic: int, source: _Source) -> Any:
    subtypes = topic_field(topic, "turn_subtypes") or []
    if not isinstance(subtypes, (list, tuple, str)):
        problem = f"topic {topic.get('id')!r}: expected a list in 'turn_subtypes', got {subtypes!r:.80}"
        raise source.error(position, problem, "TypeError")
    if len(subtypes) < index_in_topic:
        problem = (
            f"topic {topic.get('id')!r}: expected a turn subtype for each turn after the first, got {len(subtypes)}"
        )
        raise source.error(position, problem, "IndexError")
    subtype = subtypes[index_in_topic - 1]
    return _mapped(SUBTYPE_NAMES, subtype, topic, position, source)


def _mapped(names: Mapping[str, str], value: Any, topic: Mapping[str, Any], position: int, source: _Source) -> Any:
    """Return the name that stands for a type or subtype in the benchmark's words; one it does not know stays."""
    if isinstance(value, (list, dict)):
        problem = f"topic {topic.get('id')!r}: expected a name of a type or subtype, got {value!r:.80}"
        raise source.error(position, problem, "TypeError")
    return names.get(value, value)
