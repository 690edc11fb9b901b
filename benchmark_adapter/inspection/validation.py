"""Everything that is wrong with a data set, not only the first thing: file by file, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmark_adapter.data.dataset import DEFAULT_SEED, build_session
from benchmark_adapter.data.jsonl import read_outcomes
from benchmark_adapter.data.limits import MOST_NESTING, MOST_SCHEMA_NESTING, json_fault, steps_fault
from benchmark_adapter.data.toolsets import Toolsets
from benchmark_adapter.data.topic_files import repeated_names, some_topic_files, toolsets_of
from benchmark_adapter.data.topics import Topic, TopicFile, TopicLine, read_time, topic_field
from benchmark_adapter.errors import DatasetError
from benchmark_adapter.inspection.argument_validation import ToolShelf
from benchmark_adapter.inspection.faults import Fault, ValidationReport, error, in_reading_order, warning
from benchmark_adapter.inspection.gold_validation import TurnName, gold_faults
from benchmark_adapter.inspection.topic_validation import TopicFields, topic_faults
from benchmark_adapter.provenance import digest

OnFile = Callable[[int, int], None]
"""Told how many files of how many are done."""


def validate_data(
    path: Path,
    *,
    toolsets: Path | None = None,
    seed: int = DEFAULT_SEED,
    on_file: OnFile = lambda done, of: None,
) -> ValidationReport:
    """Return all faults of a topic file or a folder of them.

    Args:
        path: As for `read_topic_files`.
        toolsets: Folder that toolset numbers point to; `None`: in or beside the data.
        seed: Of the draw among topics of one point in time, which tells the kept from the dropped.
        on_file: Called after each file.

    Raises:
        DatasetError: If there is nothing to look at: the path does not exist, cannot be read, or holds no topic file.
    """
    found = some_topic_files(path)
    shelves = _Shelves()
    faults = [
        warning("left-out", "not looked at: its first line is no topic", "move it elsewhere, or correct it").at(
            path=file
        )
        for file in found.left_out
    ]
    for repeated, first in repeated_names(found.topics).items():
        problem = f"expected one file of this name, one person, but {first} has it too"
        faults.append(error("file-name", problem, "rename one").at(path=repeated))
    topics = turns = 0
    for done, file in enumerate(found.topics, start=1):
        shelf = shelves.folder(toolsets or toolsets_of(file, path).folder)
        try:
            looked = _FileCheck(file, shelf, shelves, seed)
        except DatasetError as exc:
            if not path.is_dir():
                raise
            faults.append(_as_fault(exc, "unreadable"))
        else:
            faults.extend(looked.faults())
            topics, turns = topics + len(looked.topics), turns + looked.turns
        on_file(done, len(found.topics))
    return ValidationReport(len(found.topics), topics, turns, tuple(faults))


class _Shelves:
    """Toolsets by folder, read once, and tool shelves by content, so that the faults of a toolset are told once."""

    def __init__(self) -> None:
        self._known: dict[str, ToolShelf] = {}
        self._folders: dict[Path, Toolsets] = {}

    def folder(self, folder: Path) -> Toolsets:
        return self._folders.setdefault(folder, Toolsets(folder))

    def of(self, tools: list[Any]) -> tuple[ToolShelf, tuple[Fault, ...]]:
        """Return the shelf of these tools, and their faults if they were not seen before."""
        key = digest(tools)
        if key in self._known:
            return self._known[key], ()
        shelf = self._known[key] = ToolShelf(tools)
        return shelf, shelf.faults


@dataclass(frozen=True)
class _Located:
    """A topic of a file and where it stands."""

    line: int
    fields: TopicFields

    @property
    def id(self) -> str | int | None:
        value = self.fields.raw.get("id")
        return value if isinstance(value, (str, int)) else None


@dataclass
class _FileCheck:
    """All faults of one topic file.

    Raises:
        DatasetError: At construction, if the file cannot be read.
    """

    path: Path
    shelf: Toolsets
    shelves: _Shelves
    seed: int
    topics: list[_Located] = field(default_factory=list)
    _found: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        for outcome in read_outcomes(self.path):
            if isinstance(outcome, DatasetError):
                self._found.append(_as_fault(outcome, "json"))
            elif isinstance(outcome.value, dict):
                self._add_topic(outcome.number, outcome.value)
            else:
                problem = f"expected a topic object, got {type(outcome.value).__name__}"
                self._found.append(error("json", problem, "write one topic a line").at(line=outcome.number))

    @property
    def turns(self) -> int:
        return sum(topic.fields.turns for topic in self.topics)

    def faults(self) -> tuple[Fault, ...]:
        """Return them in reading order."""
        found = [*self._found, *self._file_faults()]
        for topic in self.topics:
            tools = None
            if topic.fields.tools is not None:
                tools, once = self.shelves.of(topic.fields.tools)
                found.extend(fault.at(line=topic.line, topic=topic.id) for fault in once)
            found.extend(fault.at(line=topic.line, topic=topic.id) for fault in topic_faults(topic.fields, tools))
        broken = {fault.line for fault in found if fault.kind == "list-lengths"}
        dropped, session_faults = self._session(broken)
        found.extend(session_faults)
        found.extend(self._gold_faults(dropped))
        return in_reading_order(fault.at(path=self.path) for fault in found)

    def _add_topic(self, line: int, raw: dict[str, Any]) -> None:
        tools, faults = _tools_of(raw, self.path, line, self.shelf)
        topic = _Located(line, TopicFields(raw if tools is None else {**raw, "tools": tools}, tools))
        over = _limit_fault(topic.fields)
        if over is None:
            self.topics.append(topic)
        else:
            faults = [*faults, over]
        self._found.extend(fault.at(line=line, topic=topic.id) for fault in faults)

    def _file_faults(self) -> Iterator[Fault]:
        if not self.topics and not self._found:
            yield error("no-topic", "expected at least one topic, found none", "check that this is the right file")
        if "_" not in self.path.stem:
            yield warning(
                "file-name",
                f"the name {self.path.stem!r} has no underscore, without which the reference evaluator crashes",
                f"rename the file, for instance to my_{self.path.name}, if it is to be run there",
            )
        first: dict[str | int, int] = {}
        for topic in self.topics:
            if topic.id is not None and first.setdefault(topic.id, topic.line) != topic.line:
                problem = f"the topic of line {first[topic.id]} has this id too, so evidence cannot tell them apart"
                yield error("topic-id", problem, "give each topic an id of its own").at(line=topic.line, topic=topic.id)
            if read_time(topic.fields.raw.get("env_info")) is None:
                problem = (
                    f"expected a time like 2026-03-09 07:36:00 in `env_info`, got {topic.fields.field('env_info')!r}"
                )
                mend = "add it; topics without one come last, and only one of them is played"
                yield warning("time", problem, mend).at(line=topic.line, topic=topic.id)

    def _session(self, broken: set[int | None]) -> tuple[frozenset[str], list[Fault]]:
        """Return the ids of the topics that would not be played, and what playing them runs into.

        Args:
            broken: Lines of topics whose lists do not match, which is told already.
        """
        lines = []
        for topic in self.topics:
            parsed = topic.fields.parse()
            if isinstance(parsed, Topic) and topic.fields.tools is not None and topic.line not in broken:
                lines.append(TopicLine(topic.line, parsed, topic.fields.raw))
        try:
            session = build_session(TopicFile(self.path, tuple(lines)), seed=self.seed)
        except DatasetError as exc:
            return frozenset(), [_as_fault(exc, "session")]
        faults = []
        for drop in session.dropped:
            when = f"the time {drop.time}" if drop.time else "the lack of a time"
            problem = (
                f"dropped: it shares {when} with others, of which the reference evaluator plays only "
                f"{drop.kept_topic_id!r} (seed {self.seed})"
            )
            mend = "give each topic a time of its own, or take this one out"
            faults.append(warning("duplicate-time", problem, mend).at(line=drop.line, topic=drop.topic_id))
        return frozenset(str(drop.topic_id) for drop in session.dropped), faults

    def _gold_faults(self, dropped: frozenset[str]) -> Iterator[Fault]:
        order = _turn_order(self.topics)
        for topic in self.topics:
            for turn in range(min(len(topic.fields.entries("gold")), len(topic.fields.entries("answer_list")))):
                gold, steps = topic.fields.gold(turn), topic.fields.steps(turn)
                here = TurnName(str(topic.id), turn)
                if gold is None or here not in order or None in steps:
                    continue
                whole = [step for step in steps if step is not None]
                for fault in gold_faults(gold, whole, topic.fields.task_type(turn), here, order, dropped):
                    yield fault.at(line=topic.line, topic=topic.id, turn=turn)


def _tools_of(raw: Mapping[str, Any], path: Path, line: int, shelf: Toolsets) -> tuple[list[Any] | None, list[Fault]]:
    """Return the tools of a topic, its own or those its number points to, or why there are none."""
    tools = topic_field(raw, "tools")
    if isinstance(tools, list):
        return tools, []
    if tools is not None:
        problem = f"expected a list of tools, got {type(tools).__name__}"
        return None, [error("schema", problem, "write `tools` as a list, or leave it out and name a `toolset`")]
    number, language = raw.get("toolset"), raw.get("tools_lang") or "en"
    if not isinstance(number, int) or isinstance(number, bool) or language not in ("en", "zh"):
        problem = (
            f"expected `tools`, or `toolset` with a number and `tools_lang` en or zh, got {number!r}, {language!r}"
        )
        return None, [error("schema", problem, "add the tools, or the number of their toolset")]
    try:
        return shelf.tools(path, line, number, "zh" if language == "zh" else "en"), []
    except DatasetError as exc:
        return None, [_as_fault(exc, "toolset")]


def _limit_fault(fields: TopicFields) -> Fault | None:
    """Return why a topic cannot be kept, nor looked at any further, or `None`."""
    turns = range(len(fields.entries("answer_list")))
    answers = [[step for step in fields.steps(turn) if step is not None] for turn in turns]
    gold = [one.model_dump() for turn in range(len(fields.entries("gold"))) if (one := fields.gold(turn)) is not None]
    problem = json_fault(fields.tools, MOST_SCHEMA_NESTING) or steps_fault(answers) or json_fault(gold, MOST_NESTING)
    if problem is None:
        return None
    said, _, mend = problem.rpartition("; ")
    return error("limits", said, mend)


def _turn_order(topics: Sequence[_Located]) -> dict[TurnName, int]:
    """Return every turn with its position in time; topics without a time come last, as in a run."""

    def time(topic: _Located) -> datetime:
        found = read_time(topic.fields.raw.get("env_info"))
        try:
            return datetime.fromisoformat(found) if found else datetime.max
        except ValueError:  # a date that does not exist, which is told elsewhere
            return datetime.max

    names = [
        TurnName(str(topic.id), turn)
        for topic in sorted(topics, key=time)
        if topic.id is not None
        for turn in range(topic.fields.turns)
    ]
    return {name: position for position, name in enumerate(names)}


def _as_fault(exc: DatasetError, kind: str) -> Fault:
    """Return an exception of the readers as a fault; what follows its last semicolon is the mend."""
    problem, separator, mend = exc.problem.rpartition("; ")
    if not separator:
        problem, mend = exc.problem, "correct the line" if exc.line else "correct the file"
    return error(kind, problem, mend).at(path=exc.path, line=exc.line)
