"""Runs the tools of a demo toolset on tables in memory: plausible, seeded, and the same every time."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from pydantic import JsonValue

from agent.demo.toolsets import Change, Create, DemoToolset, Draw, FieldSpec, Search
from memory.language.text import Language
from memory.language.values.values import canonical_key
from memory.records import Observation, ToolCall
from memory.tools import Tool

Row = dict[str, JsonValue]


class _Refused(Exception):
    """What a tool answers instead of a result; it becomes the error of the observation."""


_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "tool": "no tool is called {tool!r}",
        "unknown": "unknown {name}: {value!r}; take one that a tool has returned in this session",
        "required": "{name} is required",
        "extra": "{tool} takes no {name}",
        "choice": "{name} must be one of {allowed}; got {value!r}",
    },
    "zh": {
        "tool": "没有叫{tool}的工具",
        "unknown": "{name}不存在：{value}；请用本次会话中工具返回过的值",
        "required": "缺少{name}",
        "extra": "{tool}没有参数{name}",
        "choice": "{name}只能是{allowed}，不能是{value}",
    },
}
"""What a tool says when it refuses, in the language of its toolset."""


class Simulator:
    """A `ToolExecutor` for a demo toolset.

    Args:
        toolset: What can be called.
        seed: Another seed draws other trains, restaurants and weather.
        language: Of what a tool says when it refuses.
    """

    def __init__(self, toolset: DemoToolset, *, seed: int = 0, language: Language = "en") -> None:
        self._words = _WORDS[language]
        self._tools = {tool.name: tool for tool in toolset.tools}
        self._simulations = toolset.simulations
        self._seed = seed
        self._tables: dict[str, dict[str, Row]] = defaultdict(dict)

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        """Return what every call gives, in order; what cannot be done is an error and changes nothing."""
        return [self._observe(call) for call in calls]

    def _observe(self, call: ToolCall) -> Observation:
        try:
            return Observation(content=self._run(call))
        except _Refused as exc:
            return Observation(error=str(exc))

    def _run(self, call: ToolCall) -> JsonValue:
        tool = self._tools.get(call.name)
        if tool is None:
            raise _Refused(self._words["tool"].format(tool=call.name))
        _check(tool, call.arguments, self._words)
        spec = self._simulations[call.name]
        match spec:
            case Draw():
                return self._drawn(spec.fields, call.name, *(call.arguments.get(name) for name in spec.by))
            case Search():
                return self._search(spec, call.arguments)
            case Create():
                return self._create(spec, call.arguments)
            case Change():
                row = self._row(spec.table, spec.id, call.arguments)
                row.update({**call.arguments, **spec.set})
                return dict(row)
            case _:
                assert_never(spec)

    def _search(self, spec: Search, arguments: Row) -> JsonValue:
        by = [arguments[name] for name in spec.by]
        given: Row = {name: arguments[name] for name in spec.by}
        columns = {name: self._column(field, spec.rows, spec.table, name, *by) for name, field in spec.fields.items()}
        rows: list[Row] = []
        for number in range(spec.rows):
            row_id = spec.prefix + self._number(spec.table, *by, number)
            row: Row = {spec.id: row_id, **given, **{name: column[number] for name, column in columns.items()}}
            self._tables[spec.table][row_id] = row
            rows.append(row)
        found = [row for row in rows if _passes(spec, row, arguments)]
        return [dict(row) for row in sorted(found, key=lambda row: _order(row[spec.sort]))]

    def _create(self, spec: Create, arguments: Row) -> JsonValue:
        for argument, table in spec.of.items():
            self._row(table, argument, arguments)
        table_rows = self._tables[spec.table]
        row_id = spec.prefix + self._number(spec.table, arguments, len(table_rows))
        table_rows[row_id] = {spec.id: row_id, **arguments, **spec.add}
        return dict(table_rows[row_id])

    def _row(self, table: str, argument: str, arguments: Row) -> Row:
        row = self._tables[table].get(str(arguments[argument]))
        if row is None:
            raise _Refused(self._words["unknown"].format(name=argument, value=arguments[argument]))
        return row

    def _drawn(self, fields: dict[str, FieldSpec], *key: JsonValue) -> Row:
        draw = self._random(*key)
        return {name: _draw(spec, draw) for name, spec in fields.items()}

    def _column(self, field: FieldSpec, rows: int, *key: JsonValue) -> list[JsonValue]:
        """Return a value a row; choices repeat only where there are fewer of them than rows."""
        draw = self._random(*key)
        is_range = all(isinstance(bound, int) for bound in field)
        if not is_range and len(field) >= rows:
            return draw.sample(field, rows)
        return [_draw(field, draw) for _ in range(rows)]

    def _number(self, *key: JsonValue) -> str:
        return str(self._random("id", *key).randint(10000, 99999))

    def _random(self, *key: JsonValue) -> random.Random:
        # From text, since text seeds the same stream in every process. Values that are equal draw the same.
        return random.Random(f"{self._seed} {canonical_key(list(key))}")


def _draw(spec: FieldSpec, draw: random.Random) -> JsonValue:
    match spec:
        case (int(low), int(high)):
            return draw.randint(low, high)
        case _:
            return draw.choice(spec)


def _check(tool: Tool, arguments: Row, words: Mapping[str, str]) -> None:
    for parameter in tool.required:
        if arguments.get(parameter.name) in (None, ""):
            raise _Refused(words["required"].format(name=parameter.name))
    for name, value in arguments.items():
        parameter_or_none = tool.parameter(name)
        if parameter_or_none is None:
            raise _Refused(words["extra"].format(tool=tool.name, name=name))
        if parameter_or_none.enum and value not in parameter_or_none.enum:
            allowed = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in parameter_or_none.enum)
            raise _Refused(words["choice"].format(name=name, allowed=allowed, value=value))


def _passes(spec: Search, row: Row, arguments: Row) -> bool:
    tests: tuple[tuple[dict[str, str], Callable[[JsonValue, JsonValue], bool]], ...] = (
        (spec.equal, lambda has, wanted: canonical_key(has) == canonical_key(wanted)),
        (spec.at_least, lambda has, wanted: _order(has) >= _order(wanted)),
        (spec.at_most, lambda has, wanted: _order(has) <= _order(wanted)),
    )
    return all(
        test(row[field], arguments[argument])
        for filters, test in tests
        for field, argument in filters.items()
        if arguments.get(argument) is not None
    )


def _order(value: JsonValue) -> tuple[bool, float, str]:
    """Return a sort key: numbers by size and before texts, texts by their letters."""
    try:
        return (False, float(str(value)), "")
    except ValueError:
        return (True, 0.0, str(value))
