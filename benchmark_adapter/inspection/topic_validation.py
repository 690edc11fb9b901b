"""Faults of one topic: its fields, its lists, its turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from benchmark_adapter.data.dataset import CROSS_TOPIC, SUBTYPE_NAMES, TASK_TYPE_NAMES
from benchmark_adapter.data.reference import ReferenceStep
from benchmark_adapter.data.topics import FALLBACK_FIELDS, Gold, Topic, topic_field
from benchmark_adapter.inspection.argument_validation import ToolShelf
from benchmark_adapter.inspection.faults import Fault, error, warning
from benchmark_adapter.inspection.reference_validation import reference_faults, step_faults
from benchmark_adapter.scoring.metrics import group_of

TASK_TYPES = ("Single-Tool", "Multi-Tool", "Clarify", "Chat")
SUBTYPES = (*dict.fromkeys(SUBTYPE_NAMES.values()), CROSS_TOPIC)
_Model = TypeVar("_Model", ReferenceStep, Gold)
_PER_TURN = ("tasks", "task_types", "answer_list", "gold")


@dataclass(frozen=True)
class TopicFields:
    """The fields of a topic as read, `english_*` fallbacks applied; nothing about them is certain."""

    raw: Mapping[str, Any]
    tools: list[Any] | None
    """`None` where they cannot be had."""

    def field(self, name: str) -> Any:
        if name == "tools":
            return self.tools
        return topic_field(self.raw, name) if name in FALLBACK_FIELDS else self.raw.get(name)

    def entries(self, name: str) -> list[Any]:
        """Return a list field; empty where it is none."""
        value = self.field(name)
        return value if isinstance(value, list) else []

    @property
    def turns(self) -> int:
        """The number of turns: the length of the longest list with one entry per turn."""
        return max(len(self.entries(name)) for name in _PER_TURN)

    def parse(self) -> Topic | list[Fault]:
        """Return the topic, or all that keeps it from being one."""
        fields = {**self.raw, **{name: self.field(name) for name in FALLBACK_FIELDS}}
        if self.tools is None:
            fields["tools"] = []  # reported where they were looked for
        try:
            return Topic.model_validate({key: value for key, value in fields.items() if value is not None})
        except ValidationError as exc:
            return _schema_faults(exc)

    def task_type(self, turn: int) -> str | None:
        """Return the task type of a turn in the reference evaluator's words, `None` where there is none."""
        types = self.entries("task_types")
        value = types[turn] if turn < len(types) else None
        return TASK_TYPE_NAMES.get(value, value) if isinstance(value, str) else None

    def steps(self, turn: int) -> list[ReferenceStep | None]:
        """Return the reference of a turn, `None` for each step that is none; empty where it is no list."""
        steps = self.entries("answer_list")[turn]
        return [_parsed(ReferenceStep, step) for step in steps] if isinstance(steps, list) else []

    def gold(self, turn: int) -> Gold | None:
        """Return the gold block of a turn, `None` where there is none."""
        blocks = self.entries("gold")
        return _parsed(Gold, blocks[turn]) if turn < len(blocks) else None


def topic_faults(topic: TopicFields, tools: ToolShelf | None) -> Iterator[Fault]:
    """Yield what is wrong with a topic but for its gold blocks, which need the whole file."""
    parsed = topic.parse()
    if isinstance(parsed, list):
        yield from parsed
    yield from _length_faults(topic)
    yield from _label_faults(topic)
    for turn, answer in enumerate(topic.entries("answer_list")):
        if not isinstance(answer, list):
            continue
        steps = topic.steps(turn)
        whole = [step for step in steps if step is not None]
        # With a step missing, what depends on what cannot be told.
        found = reference_faults(whole, tools) if len(whole) == len(steps) else step_faults(steps, tools)
        yield from (fault.at(turn=turn) for fault in found)
        if len(whole) == len(steps):
            yield from (fault.at(turn=turn) for fault in _type_faults(topic.task_type(turn), whole))


def _parsed(model: type[_Model], value: Any) -> _Model | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None


def _schema_faults(exc: ValidationError) -> list[Fault]:
    faults: dict[tuple[int | str, ...], Fault] = {}
    for one in exc.errors():
        loc = one["loc"]
        if "arguments" in loc:  # arguments may be an object or text; pydantic tells of both
            loc = loc[: loc.index("arguments") + 1]
        turn = loc[1] if len(loc) > 1 and loc[0] in _PER_TURN else None
        step = loc[2] if len(loc) > 2 and loc[0] == "answer_list" else None
        where = ".".join(map(str, loc))
        if one["type"] == "missing":
            fault = error("schema", f"expected a field `{where}`, got none", "add it")
        else:
            fault = error("schema", f"field `{where}`: {one['msg']}, got {one['input']!r:.80}", "correct the field")
        inside = [part if isinstance(part, int) else None for part in (turn, step)]
        faults.setdefault(loc, fault.at(turn=inside[0], step=inside[1]))
    return list(faults.values())


def _length_faults(topic: TopicFields) -> Iterator[Fault]:
    lists = {name: topic.field(name) for name in _PER_TURN}
    counts = {name: len(value) for name, value in lists.items() if isinstance(value, list)}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        yield error("list-lengths", f"expected one entry per turn in each list, got {listed}", "make them equally long")
    subtypes = topic.field("turn_subtypes") or []
    later = max(topic.turns - 1, 0)
    if isinstance(subtypes, list) and len(subtypes) < later:
        problem = f"expected a turn subtype for each turn after the first ({later}), got {len(subtypes)}"
        yield error("list-lengths", problem, "add the missing ones to `turn_subtypes`")
    elif isinstance(subtypes, list) and len(subtypes) > later:
        problem = f"expected a turn subtype for each turn after the first ({later}), got {len(subtypes)}"
        yield warning("list-lengths", f"{problem}; the last are ignored", "leave out the one of the first turn")


def _label_faults(topic: TopicFields) -> Iterator[Fault]:
    for turn, value in enumerate(topic.entries("task_types")):
        if (value is None or isinstance(value, str)) and group_of(topic.task_type(turn)) is None:
            yield error(
                "task-type",
                f"unknown task type {value!r}: the turn counts in no column but micro",
                f"take one of {', '.join(TASK_TYPES)}, or its Chinese name",
                turn=turn,
            )
    for turn, value in enumerate(topic.entries("turn_subtypes"), start=1):
        if (value is None or isinstance(value, str)) and SUBTYPE_NAMES.get(value or "", value) not in SUBTYPES:
            mend = f"take one of {', '.join(SUBTYPES)}"
            yield warning("turn-subtype", f"unknown turn subtype {value!r}", mend, turn=turn)
    for turn, request in enumerate(topic.entries("tasks")):
        if isinstance(request, str) and not request.strip():
            yield warning("no-request", "the person says nothing", "write the request", turn=turn)


def _type_faults(task_type: str | None, steps: Sequence[ReferenceStep]) -> Iterator[Fault]:
    calls = sum(step.is_tool_call for step in steps)
    group = group_of(task_type)
    fitting = {"ST": calls == 1, "MT": calls > 1, "Chat": calls == 0}.get(group or "", True)
    if not fitting:
        problem = f"a {task_type} turn whose reference has {calls} tool call{'' if calls == 1 else 's'}"
        yield warning("task-type", problem, "correct the task type, or the reference")
