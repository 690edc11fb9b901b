"""Public data sets for retrieval as logs of turns with queries: locomo, prefeval, bfcl-memory, personalens."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel, Field, JsonValue, ValidationError

from benchmark_adapter.data.jsonl import first_problem, read_lines
from benchmark_adapter.errors import BenchmarkError, DatasetError
from memory.records import Turn

LOCOMO_CATEGORIES = (1, 2, 3, 4)
"""Category 5 asks for what was never said: its evidence is about the other speaker, and averages leave it out."""

R = TypeVar("R", bound="_Record")


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


class _Person(_Record):
    """Somebody's turns."""

    user_id: str

    def remembered(self) -> tuple[Turn, ...]:
        """Return the turns, oldest first."""
        raise NotImplementedError


class _Asked(_Record):
    """What is asked after somebody's last turn."""

    user_id: str

    def query(self) -> Query | None:
        """Return the query, `None` where nothing can answer it."""
        raise NotImplementedError


class _Question(_Asked):
    qid: str
    question: str
    evidence: tuple[str, ...]

    def query(self) -> Query | None:
        return Query(self.qid, self.question, gold_turns=frozenset(self.evidence)) if self.evidence else None


class _LocomoTurn(_Record):
    turn_id: str = Field(min_length=1)
    time: datetime
    speaker: str
    text: str
    image_caption: str | None = None

    @property
    def spoken(self) -> str:
        picture = f" [shares a picture: {self.image_caption}]" if self.image_caption else ""
        return f"{self.speaker}: {self.text}{picture}"


class _LocomoConversation(_Person):
    user_id: str = Field(alias="conv_id")
    turns: tuple[_LocomoTurn, ...]

    def remembered(self) -> tuple[Turn, ...]:
        return tuple(Turn(turn_id=turn.turn_id, request=turn.spoken, time=turn.time) for turn in self.turns)


class _LocomoQuestion(_Question):
    user_id: str = Field(alias="conv_id")
    category: int

    def query(self) -> Query | None:
        return super().query() if self.category in LOCOMO_CATEGORIES else None


class _PrefevalTurn(_Record):
    turn_id: str = Field(min_length=1)
    user: str
    assistant: str | None = None


class _PrefevalStream(_Person):
    turns: tuple[_PrefevalTurn, ...]

    def remembered(self) -> tuple[Turn, ...]:
        return tuple(Turn(turn_id=turn.turn_id, request=turn.user, reply=turn.assistant) for turn in self.turns)


class _BfclTurn(_Record):
    turn_id: str = Field(min_length=1)
    text: str


class _BfclStream(_Person):
    turns: tuple[_BfclTurn, ...]

    def remembered(self) -> tuple[Turn, ...]:
        return tuple(Turn(turn_id=turn.turn_id, request=turn.text) for turn in self.turns)


class _Paragraph(_Record):
    memory_id: str = Field(min_length=1)
    text: str


class _PersonalensUser(_Person):
    memories: tuple[_Paragraph, ...]

    def remembered(self) -> tuple[Turn, ...]:
        return tuple(Turn(turn_id=one.memory_id, request=one.text) for one in self.memories)


class _PersonalensTask(_Asked):
    id: str
    request: str
    situation: dict[str, str]
    gold_slots: dict[str, JsonValue]
    gold_memories: tuple[str, ...] = ()

    def query(self) -> Query | None:
        text = "\n".join([self.request, *(f"{name}: {value}" for name, value in self.situation.items())])
        values = tuple(_values(self.gold_slots))
        return Query(self.id, text, frozenset(self.gold_memories), values) if values else None


def _values(slots: Mapping[str, JsonValue]) -> Iterator[str]:
    for value in slots.values():
        for one in value if isinstance(value, list) else [value]:
            if one is not None and str(one):
                yield fold_value(str(one))


class _Layout(NamedTuple):
    """Which files a suite has, and what their lines are."""

    persons: str
    person: type[_Person]
    queries: str
    asked: type[_Asked]


SUITES: Mapping[str, _Layout] = {
    "locomo": _Layout("conversations.jsonl", _LocomoConversation, "questions.jsonl", _LocomoQuestion),
    "prefeval": _Layout("streams.jsonl.gz", _PrefevalStream, "questions.jsonl", _Question),
    "bfcl-memory": _Layout("streams.jsonl", _BfclStream, "questions.jsonl", _Question),
    "personalens": _Layout("users.jsonl.gz", _PersonalensUser, "tasks.jsonl", _PersonalensTask),
}
"""By the name of a suite, which is that of its folder."""


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
    return tuple(Suite(name, tuple(_logs(path / name, SUITES[name]))) for name in found)


def part_of(suites: Collection[Suite], split: str) -> tuple[Suite, ...]:
    """Return the suites with part `K` of `N` of their logs, by a hash of the person that never changes.

    Args:
        suites: To divide.
        split: `K/N`, 1 ≤ K ≤ N; `1/1` is everyone.

    Raises:
        BenchmarkError: If `split` is not of this form, or nobody falls into the part.
    """
    match = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", split)
    if match is None or int(match[1]) > int(match[2]):
        raise BenchmarkError(f"a split is K/N with K from 1 to N, such as 1/2; got {split!r}")
    part, parts = int(match[1]) - 1, int(match[2])

    def is_in(log: Log) -> bool:
        return int(hashlib.sha256(log.user.encode("utf-8", "replace")).hexdigest(), 16) % parts == part

    found = tuple(Suite(suite.name, tuple(filter(is_in, suite.logs))) for suite in suites)
    if not any(suite.logs for suite in found):
        people = sum(len(suite.logs) for suite in suites)
        raise BenchmarkError(f"nobody of {people} falls into part {split}; take fewer parts or another one")
    return found


def _logs(folder: Path, layout: _Layout) -> Iterator[Log]:
    """Yield the persons of a suite with what they are asked.

    Raises:
        DatasetError: If a line is not as it should be, or points to a turn or a person that is not there.
    """
    asked: dict[str, list[_Entry[_Asked]]] = defaultdict(list)
    for entry in _read(folder / layout.queries, layout.asked):
        asked[entry.record.user_id].append(entry)
    for person in _read(folder / layout.persons, layout.person):
        user = person.record.user_id
        turns = person.record.remembered()
        known = {turn.turn_id for turn in turns}
        found = [(entry, query) for entry in asked.pop(user, []) if (query := entry.record.query()) is not None]
        for entry, query in found:
            if strangers := query.gold_turns - known:
                raise entry.fault(f"evidence names {min(strangers)!r}, and {user!r} has no such turn; correct the id")
        yield Log(user, turns, tuple(query for _, query in found))
    for user, (entry, *_) in asked.items():
        raise entry.fault(f"asks {user!r}, who has no turns; add them or remove the line")


@dataclass(frozen=True)
class _Entry(Generic[R]):
    """A record with where it stands."""

    path: Path
    line: int
    record: R

    def fault(self, problem: str) -> DatasetError:
        return DatasetError(self.path, self.line, problem)


def _read(path: Path, kind: type[R]) -> Iterator[_Entry[R]]:
    for line in read_lines(path):
        try:
            yield _Entry(path, line.number, kind.model_validate(line.value))
        except ValidationError as exc:
            raise DatasetError(path, line.number, f"{first_problem(exc)}; correct or remove the line") from exc
