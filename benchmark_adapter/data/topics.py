"""Topics: reading a topic file, or a folder of them, with the toolsets they point to.

A topic is one JSON object a line: consecutive turns of one person with one toolset. Whatever is wrong in a file is a
`DatasetError` with file and line; nothing is repaired or skipped silently.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmark_adapter.data.jsonl import read_lines
from benchmark_adapter.data.limits import MOST_NESTING, json_fault, steps_fault, tools_fault
from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.data.toolsets import Toolsets, tool_names
from benchmark_adapter.data.topic_files import repeated_names, some_topic_files, toolsets_of
from benchmark_adapter.errors import DatasetError

FALLBACK_FIELDS = ("tasks", "answer_list", "task_types", "turn_subtypes", "tools", "env_info")
"""Fields that an `english_*` twin stands in for when they are null, empty text or an empty list."""

_TIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}")


class Gold(BaseModel):
    """What only the author of a turn knows; never shown to a system under test."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    recoverable: bool | None = None
    """On lack-of-information turns: whether history settles what the request leaves out."""
    evidence: tuple[str, ...] = ()
    """Earlier turns, as `topic id#turn index`."""
    slots: dict[str, str] = {}
    """`argument` or `tool.argument` to where its value comes from."""
    trap: str | None = None


class Topic(BaseModel):
    """One line of a topic file, with `english_*` fallbacks applied and its toolset resolved."""

    # The format is the benchmark's and grows; fields that are not named here play no part in running or scoring.
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str | int
    env_info: str | None = None
    """Date and time of the topic; the reference evaluator reads the first `YYYY-MM-DD hh:mm:ss` in it."""
    tools: tuple[dict[str, Any], ...]
    tasks: tuple[str, ...]
    answer_list: tuple[tuple[ReferenceStep, ...], ...]
    task_types: tuple[str | None, ...]
    turn_subtypes: tuple[str | None, ...] = ()
    """One per turn after the first."""
    gold: tuple[Gold, ...] | None = None


class TopicPointer(BaseModel):
    """Where a topic that has no `tools` of its own finds them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    toolset: int | None = None
    tools_lang: Literal["en", "zh"] | None = None


@dataclass(frozen=True)
class TopicLine:
    """A topic, where it stands, and its object as read (`tools` resolved)."""

    line: int
    topic: Topic
    raw: Mapping[str, Any]


@dataclass(frozen=True)
class TopicFile:
    """All topics of one person."""

    path: Path
    lines: tuple[TopicLine, ...]

    @property
    def name(self) -> str:
        """The data set's name: the file's stem, read as UTF-8 whatever the locale takes file names for."""
        return os.fsencode(self.path.stem).decode("utf-8", "backslashreplace")

    @property
    def topics(self) -> tuple[Topic, ...]:
        return tuple(line.topic for line in self.lines)


def read_topic_file(path: Path, *, toolsets: Path | None = None) -> TopicFile:
    """Return the topics of one file in file order.

    Args:
        path: A `.jsonl` file.
        toolsets: Folder with `tools_en.jsonl` and `tools_zh.jsonl`, for topics that name a toolset by number. By
            default a folder `toolsets` in the file's folder, or beside it.

    Raises:
        DatasetError: If anything in the file or its toolsets is not as it should be, or it holds no topic.
    """
    shelf = Toolsets.beside(path) if toolsets is None else Toolsets(toolsets)
    known: set[str] = set()
    lines = tuple(_topic_line(path, number, value, shelf, known) for number, value in read_lines(path))
    if not lines:
        raise DatasetError(path, None, "expected at least one topic, found none; check that this is the right file")
    return TopicFile(path, lines)


def read_topic_files(path: Path, *, toolsets: Path | None = None) -> tuple[TopicFile, ...]:
    """Return the topic files that a path stands for (`find_topic_files`), in natural order of names.

    Args:
        path: A `.jsonl` file or a folder with topic files in it or below.
        toolsets: As for `read_topic_file`; in a folder they may also lie in it, or in one between it and the file.

    Raises:
        DatasetError: As `read_topic_file`, or if the path does not exist, the folder has no topic file, or two files
            of one name.
    """
    paths = some_topic_files(path).topics
    for repeated, first in repeated_names(paths).items():
        raise DatasetError(repeated, None, f"expected one file of this name, one person, but {first} has it too")
    return tuple(read_topic_file(one, toolsets=toolsets or toolsets_of(one, path).folder) for one in paths)


def topic_field(raw: Mapping[str, Any], name: str) -> Any:
    """Return a field of a topic, or its `english_` twin where it is null, empty text or an empty list."""
    value = raw.get(name)
    return raw.get(f"english_{name}") if value is None or value in ("", []) else value


def read_time(env_info: Any) -> str | None:
    """Return the first `YYYY-MM-DD hh:mm:ss` in an environment text, or None. It need not exist in the calendar."""
    match = _TIME.search(env_info) if isinstance(env_info, str) else None
    return match.group() if match else None


def _topic_line(path: Path, line: int, value: Any, shelf: Toolsets, known: set[str]) -> TopicLine:
    """Return a checked topic; `known` are the toolsets that were found readable, as JSON."""
    if not isinstance(value, dict):
        raise DatasetError(path, line, f"expected a topic object, got {type(value).__name__}")
    raw = dict(value)
    fields = raw | {name: topic_field(raw, name) for name in FALLBACK_FIELDS}
    fields = {key: field for key, field in fields.items() if field is not None}
    try:
        if "tools" not in fields:
            pointer = TopicPointer.model_validate(raw)
            if pointer.toolset is not None:
                fields["tools"] = raw["tools"] = shelf.tools(path, line, pointer.toolset, pointer.tools_lang or "en")
        topic = Topic.model_validate(fields)
    except ValidationError as exc:
        raise DatasetError(path, line, _validation_problem(exc, raw)) from exc
    _check_lengths(path, line, topic)
    _check_limits(path, line, topic, known)
    _check_references(path, line, topic)
    return TopicLine(line, topic, raw)


def _validation_problem(exc: ValidationError, raw: Mapping[str, Any]) -> str:
    first = exc.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        is_empty = [] in (raw.get(where), raw.get(f"english_{where}"))
        if where == "tools":
            got = "an empty list" if is_empty else "neither"
            return f"expected `tools`, or `toolset` with the number of a toolset, got {got}"
        return f"expected a field `{where}`, got " + ("an empty list; give it an entry a turn" if is_empty else "none")
    return f"field `{where}`: {first['msg']}, got {first['input']!r:.80}"


def _check_lengths(path: Path, line: int, topic: Topic) -> None:
    counts = {name: len(getattr(topic, name)) for name in ("tasks", "answer_list", "task_types")}
    if topic.gold is not None:
        counts["gold"] = len(topic.gold)
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise DatasetError(
            path,
            line,
            f"topic {topic.id!r}: expected one entry per turn in each list, got {listed}",
            reference_exception="ValueError",
        )
    if len(topic.turn_subtypes) < len(topic.tasks) - 1:
        raise DatasetError(
            path,
            line,
            f"topic {topic.id!r}: expected a turn subtype for each turn after the first ({len(topic.tasks) - 1}), "
            f"got {len(topic.turn_subtypes)}",
            reference_exception="IndexError",
        )


def _check_limits(path: Path, line: int, topic: Topic, known: set[str]) -> None:
    if fault := json_fault([one.model_dump() for one in topic.gold or ()], MOST_NESTING):
        raise DatasetError(path, line, f"topic {topic.id!r}, gold: {fault}")
    if fault := steps_fault(topic.answer_list):
        raise DatasetError(path, line, f"topic {topic.id!r}, {fault}")
    try:
        written = json.dumps(topic.tools)
    except RecursionError:
        written = ""
    if written not in known:
        if fault := tools_fault(topic.tools):
            raise DatasetError(path, line, f"topic {topic.id!r}, {fault}")
        known.add(written)


def _check_references(path: Path, line: int, topic: Topic) -> None:
    known = tool_names(topic.tools)
    for turn, steps in enumerate(topic.answer_list):
        for index, step in enumerate(steps):
            here = f"topic {topic.id!r}, turn {turn}, step {index}"
            if step.is_tool_call and step.action.name not in known:
                raise DatasetError(
                    path,
                    line,
                    f"{here}: expected a tool of the topic's toolset, got {step.action.name!r}; "
                    f"the toolset has {_shortened(sorted(known))}",
                )
            for dependency in step.dependency_list:
                if not 0 <= dependency < len(steps):
                    raise DatasetError(
                        path,
                        line,
                        f"{here}: expected dependencies between 0 and {len(steps) - 1}, got {dependency}",
                        reference_exception="KeyError",
                    )


def _shortened(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "") or "no tools"
