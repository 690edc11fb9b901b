"""Public data sets for retrieval as logs of turns with queries: locomo, prefeval, bfcl-memory, personalens."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, JsonValue, ValidationError

from benchmark_adapter.data.jsonl import read_lines
from benchmark_adapter.errors import BenchmarkError, DatasetError
from memory.records import Turn

LOCOMO_CATEGORIES = (1, 2, 3, 4)
"""Category 5 asks for what was never said: its evidence is about the other speaker, and averages leave it out."""


@dataclass(frozen=True)
class Query:
    """A query and what answers it: turns, or values that turns hold."""

    query_id: str
    text: str
    gold_turns: frozenset[str] = frozenset()
    gold_values: tuple[str, ...] = ()
    """Where there are any they are looked for in place of the turns: each is found once a turn's text holds it."""


@dataclass(frozen=True)
class Log:
    """One person's turns, oldest first, with the queries put after the last."""

    user: str
    turns: tuple[Turn, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True)
class Suite:
    """A data set."""

    name: str
    logs: tuple[Log, ...]

    @property
    def n(self) -> int:
        """The number of queries."""
        return sum(len(log.queries) for log in self.logs)


def fold_value(text: str) -> str:
    """Return `text` as values are compared: NFKC, case-folded."""
    return unicodedata.normalize("NFKC", text).casefold()


class _Record(BaseModel, frozen=True, extra="ignore"):
    """A line of a data set; fields that retrieval has no use for are passed over."""


class _LocomoTurn(_Record):
    turn_id: str = Field(min_length=1)
    time: datetime
    speaker: str
    text: str
    image_caption: str | None = None


class _LocomoConversation(_Record):
    conv_id: str
    turns: tuple[_LocomoTurn, ...]


class _LocomoQuestion(_Record):
    qid: str
    conv_id: str
    question: str
    category: int
    evidence: tuple[str, ...]


class _PrefevalTurn(_Record):
    turn_id: str = Field(min_length=1)
    user: str
    assistant: str | None = None


class _PrefevalStream(_Record):
    user_id: str
    turns: tuple[_PrefevalTurn, ...]


class _Question(_Record):
    qid: str
    user_id: str
    question: str
    evidence: tuple[str, ...]


class _BfclTurn(_Record):
    turn_id: str = Field(min_length=1)
    text: str


class _BfclStream(_Record):
    user_id: str
    turns: tuple[_BfclTurn, ...]


class _Paragraph(_Record):
    memory_id: str = Field(min_length=1)
    text: str


class _PersonalensUser(_Record):
    user_id: str
    memories: tuple[_Paragraph, ...]


class _PersonalensTask(_Record):
    id: str
    user_id: str
    request: str
    situation: dict[str, str]
    gold_slots: dict[str, JsonValue]
    gold_memories: tuple[str, ...] = ()


def load_suites(path: Path, names: Collection[str] | None = None) -> tuple[Suite, ...]:
    """Return the suites of `path` called `names`, in the order of `SUITES`.

    Args:
        path: The folder that holds a folder for each suite.
        names: `None`: all that have a folder.

    Raises:
        DatasetError: If there is none, a named one or a file of one is missing, or a line is not as it should be.
        BenchmarkError: If a name is not that of a suite.
    """
    known = ", ".join(SUITES)
    if unknown := next((name for name in names or () if name not in SUITES), None):
        raise BenchmarkError(f"no suite is called {unknown!r}; choose one of {known}")
    found = [name for name in SUITES if ((path / name).is_dir() if names is None else name in names)]
    if not found:
        raise DatasetError(path, None, f"expected a folder that holds one of {known}, found none; check the path")
    return tuple(Suite(name, tuple(SUITES[name](path / name))) for name in found)


def part_of(suites: Collection[Suite], split: str) -> tuple[Suite, ...]:
    """Return the suites with part `K` of `N` of their logs, by a hash of the person that never changes.

    Args:
        suites: To divide.
        split: `K/N`, 1 ≤ K ≤ N; `1/1` is everyone.

    Raises:
        BenchmarkError: If `split` is not of this form.
    """
    match = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", split)
    if match is None or int(match[1]) > int(match[2]):
        raise BenchmarkError(f"a split is K/N with K from 1 to N, such as 1/2; got {split!r}")
    part, parts = int(match[1]) - 1, int(match[2])

    def is_in(log: Log) -> bool:
        return int(hashlib.sha256(log.user.encode("utf-8", "replace")).hexdigest(), 16) % parts == part

    return tuple(Suite(suite.name, tuple(filter(is_in, suite.logs))) for suite in suites)


def _locomo(folder: Path) -> Iterator[Log]:
    asked = _grouped(_read(folder / "questions.jsonl", _LocomoQuestion), "conv_id")
    for line in _read(folder / "conversations.jsonl", _LocomoConversation):
        conversation = line.record
        turns = tuple(Turn(turn_id=turn.turn_id, request=_spoken(turn), time=turn.time) for turn in conversation.turns)
        questions = [entry for entry in asked.pop(conversation.conv_id, []) if _counts(entry.record)]
        yield _log(conversation.conv_id, turns, questions)
    _refuse_strangers(asked)


def _counts(question: _LocomoQuestion) -> bool:
    return question.category in LOCOMO_CATEGORIES and bool(question.evidence)


def _spoken(turn: _LocomoTurn) -> str:
    picture = f" [shares a picture: {turn.image_caption}]" if turn.image_caption else ""
    return f"{turn.speaker}: {turn.text}{picture}"


def _prefeval(folder: Path) -> Iterator[Log]:
    asked = _grouped(_read(folder / "questions.jsonl", _Question), "user_id")
    for line in _read(folder / "streams.jsonl.gz", _PrefevalStream):
        turns = tuple(Turn(turn_id=turn.turn_id, request=turn.user, reply=turn.assistant) for turn in line.record.turns)
        yield _log(line.record.user_id, turns, asked.pop(line.record.user_id, []))
    _refuse_strangers(asked)


def _bfcl_memory(folder: Path) -> Iterator[Log]:
    asked = _grouped(_read(folder / "questions.jsonl", _Question), "user_id")
    for line in _read(folder / "streams.jsonl", _BfclStream):
        turns = tuple(Turn(turn_id=turn.turn_id, request=turn.text) for turn in line.record.turns)
        yield _log(line.record.user_id, turns, asked.pop(line.record.user_id, []))
    _refuse_strangers(asked)


def _personalens(folder: Path) -> Iterator[Log]:
    asked = _grouped(_read(folder / "tasks.jsonl", _PersonalensTask), "user_id")
    for line in _read(folder / "users.jsonl.gz", _PersonalensUser):
        turns = tuple(Turn(turn_id=one.memory_id, request=one.text) for one in line.record.memories)
        tasks = [entry.record for entry in asked.pop(line.record.user_id, [])]
        queries = (
            Query(task.id, _with_situation(task), frozenset(task.gold_memories), tuple(_values(task.gold_slots)))
            for task in tasks
        )
        yield Log(line.record.user_id, turns, tuple(query for query in queries if query.gold_values))
    _refuse_strangers(asked)


def _with_situation(task: _PersonalensTask) -> str:
    return "\n".join([task.request, *(f"{name}: {value}" for name, value in task.situation.items())])


def _values(slots: Mapping[str, JsonValue]) -> Iterator[str]:
    for value in slots.values():
        for one in value if isinstance(value, list) else [value]:
            if one is not None and str(one):
                yield fold_value(str(one))


SUITES: Mapping[str, Callable[[Path], Iterator[Log]]] = {
    "locomo": _locomo,
    "prefeval": _prefeval,
    "bfcl-memory": _bfcl_memory,
    "personalens": _personalens,
}
"""The name of a suite, which is that of its folder, and what reads it."""


@dataclass(frozen=True)
class _Entry:
    """A record with where it stands."""

    path: Path
    line: int
    record: Any


def _read(path: Path, kind: type[_Record]) -> Iterator[_Entry]:
    for line in read_lines(path):
        try:
            yield _Entry(path, line.number, kind.model_validate(line.value))
        except ValidationError as exc:
            first = exc.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise DatasetError(
                path, line.number, f"{where} is not as expected: {first['msg']}; correct or remove the line"
            ) from exc


def _grouped(entries: Iterator[_Entry], key: str) -> dict[str, list[_Entry]]:
    groups: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        groups[getattr(entry.record, key)].append(entry)
    return dict(groups)


def _log(user: str, turns: tuple[Turn, ...], questions: Collection[_Entry]) -> Log:
    known = {turn.turn_id for turn in turns}
    for entry in questions:
        if strangers := set(entry.record.evidence) - known:
            raise DatasetError(
                entry.path,
                entry.line,
                f"evidence names {sorted(strangers)[0]!r}, and {user!r} has no such turn; correct the id",
            )
    queries = (
        Query(entry.record.qid, entry.record.question, gold_turns=frozenset(entry.record.evidence))
        for entry in questions
    )
    return Log(user, turns, tuple(query for query in queries if query.gold_turns))


def _refuse_strangers(left: Mapping[str, Collection[_Entry]]) -> None:
    for user, entries in left.items():
        entry = next(iter(entries))
        raise DatasetError(entry.path, entry.line, f"asks {user!r}, who has no turns; add them or remove the line")
