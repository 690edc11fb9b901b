"""Public ask-or-act data as situations with the right label: when2call, bfcl_single, bfcl_multi_turn, api_bank."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, JsonValue, ValidationError

from benchmark_adapter.data.jsonl import first_problem, read_lines
from benchmark_adapter.errors import BenchmarkError, DatasetError
from benchmark_adapter.labelling.head import LABELS, Label
from clarifier.decision import Situation
from memory.errors import ToolSchemaError
from memory.recall import Recall, RecallItem
from memory.records import CallStep, Observation, QuestionStep, Step, ToolCall, Turn
from memory.tools import Tool, parse_tool

SUITES: Mapping[str, tuple[str, frozenset[Label]]] = {
    "when2call": ("when2call.jsonl", frozenset({"call", "ask", "cannot"})),
    "bfcl_single": ("bfcl_single.jsonl.gz", frozenset({"call", "cannot"})),
    "bfcl_multi_turn": ("bfcl_multi_turn.jsonl", frozenset({"call", "ask", "cannot"})),
    "api_bank": ("api_bank.jsonl", frozenset({"call", "ask", "reply"})),
}
"""By name: the file, and the labels an item of it may have."""
_TOOLS_FILE = "bfcl_multi_turn_tools.jsonl"


@dataclass(frozen=True)
class DecideItem:
    """A dialogue up to the message to decide on, with what is right there."""

    item_id: str
    group: str
    """Items of one group share a schema or a dialogue; splits never part them."""
    situation: Situation
    label: Label


@dataclass(frozen=True)
class DecideSuite:
    """A data set."""

    name: str
    path: Path
    labels: frozenset[Label]
    items: tuple[DecideItem, ...]


class _Message(BaseModel, frozen=True, extra="ignore"):
    role: Literal["system", "user", "assistant", "tool"]
    content: JsonValue = None
    calls: tuple[str, ...] = ()
    tool_call: dict[str, Any] | None = None


class _Record(BaseModel, frozen=True, extra="ignore"):
    id: str
    messages: tuple[_Message, ...]
    tools: tuple[dict[str, Any], ...] = ()
    tools_ref: tuple[str, ...] = ()
    excluded_functions: tuple[str, ...] = ()
    label: str
    group: str


def load_decide_suites(folder: Path, names: Collection[str] | None = None) -> tuple[DecideSuite, ...]:
    """Return the suites of a folder in the order of `SUITES`; those without a file are left out.

    Args:
        folder: With the files of the suites.
        names: Only these; then a missing file is an error.

    Raises:
        BenchmarkError: If a name is unknown, or no suite is there.
        DatasetError: If a file is not as it should be.
    """
    if unknown := sorted(set(names or ()) - set(SUITES)):
        raise BenchmarkError(f"no suite is called {unknown[0]!r}; choose among {', '.join(SUITES)}")
    wanted = [name for name in SUITES if not names or name in names]
    there = [name for name in wanted if names or (folder / SUITES[name][0]).exists()]
    if not there:
        files = ", ".join(file for file, _ in SUITES.values())
        raise BenchmarkError(f"expected a folder with any of {files}; found none in {folder}; check the path")
    return tuple(_load(folder, name) for name in there)


def _load(folder: Path, name: str) -> DecideSuite:
    file, labels = SUITES[name]
    path = folder / file
    shared = _shared_tools(folder / _TOOLS_FILE) if name == "bfcl_multi_turn" else {}
    items = tuple(_item(path, line.number, line.value, labels, shared) for line in read_lines(path))
    return DecideSuite(name, path, labels, items)


def _shared_tools(path: Path) -> dict[str, tuple[Tool, ...]]:
    """Return the tools that items refer to by name."""
    found: dict[str, tuple[Tool, ...]] = {}
    for line in read_lines(path):
        if not isinstance(line.value, dict) or not isinstance(line.value.get("tools"), list):
            raise DatasetError(path, line.number, "expected an object with `tools_ref` and `tools`; got none")
        found[str(line.value.get("tools_ref"))] = _tools(path, line.number, line.value["tools"])
    return found


def _item(
    path: Path, number: int, value: Any, labels: frozenset[Label], shared: Mapping[str, tuple[Tool, ...]]
) -> DecideItem:
    try:
        record = _Record.model_validate(value)
    except ValidationError as exc:
        raise DatasetError(path, number, f"{first_problem(exc)}; got {exc.errors()[0]['input']!r:.80}") from exc
    label = next((known for known in LABELS if known == record.label and known in labels), None)
    if label is None:
        raise DatasetError(path, number, f"expected a label out of {', '.join(sorted(labels))}; got {record.label!r}")
    if missing := [ref for ref in record.tools_ref if ref not in shared]:
        raise DatasetError(path, number, f"`tools_ref` names {missing[0]!r}, which {_TOOLS_FILE} does not have")
    offered = [*_tools(path, number, record.tools), *(tool for ref in record.tools_ref for tool in shared[ref])]
    tools = tuple(tool for tool in offered if tool.name not in record.excluded_functions)
    every = {tool.name: tool for tool in offered}
    try:
        situation = situation_of(record.messages, tools, every)
    except ValueError as exc:
        raise DatasetError(path, number, str(exc)) from exc
    return DecideItem(record.id, record.group, situation, label)


def _tools(path: Path, number: int, definitions: Sequence[object]) -> tuple[Tool, ...]:
    try:
        return tuple(parse_tool(definition, strict=False) for definition in definitions)
    except ToolSchemaError as exc:
        raise DatasetError(path, number, f"tools: {exc}") from exc


_ASKS = re.compile(
    r"\?|\b(?:please|need|provide|specify|tell me|let me know|confirm|give me|may i|what|which)\b", re.IGNORECASE
)
_OFFERS_MORE = re.compile(
    r"\b(?:anything|something) else\b|\belse (?:i can|you)\b|\bfurther (?:help|assist)", re.IGNORECASE
)


@dataclass
class _OpenTurn:
    """A turn that is still going on."""

    request: str
    steps: list[Step] = field(default_factory=list)
    said: str | None = None
    """What the assistant said last, not yet answered."""

    def closed(self, number: int) -> Turn:
        return Turn(turn_id=f"t{number}", request=self.request, steps=tuple(self.steps), reply=self.said)


def situation_of(messages: Sequence[_Message], tools: tuple[Tool, ...], known: Mapping[str, Tool]) -> Situation:
    """Return a dialogue as a situation: its last turn open, those before it the running topic.

    A message of the person answers what the assistant said last if that asked for something, unless it only offered
    more help; else it opens a turn.

    Args:
        messages: The last is the person's.
        tools: On offer.
        known: Tools by name, to name the arguments of calls that are written without names.

    Raises:
        ValueError: If the dialogue does not end with the person, or a call cannot be read.
    """
    if not messages or messages[-1].role != "user":
        raise ValueError("expected `messages` to end with one of role `user`; cut the dialogue there")
    turns: list[Turn] = []
    open_turn: _OpenTurn | None = None
    for index, message in enumerate(messages):
        if message.role == "user":
            text = str(message.content or "")
            if open_turn is None:
                open_turn = _OpenTurn(text)
            elif open_turn.said and _ASKS.search(open_turn.said) and not _OFFERS_MORE.search(open_turn.said):
                open_turn.steps.append(QuestionStep(question=open_turn.said, answer=text))
                open_turn.said = None
            else:
                turns.append(open_turn.closed(len(turns)))
                open_turn = _OpenTurn(text)
        elif open_turn is not None and message.role == "assistant":
            open_turn.said = str(message.content) if message.content else open_turn.said
            calls = tuple(_calls(message, known, f"m{index}"))
            if calls:
                observations = tuple(Observation(content=_result(messages, index)) for _ in calls)
                open_turn.steps.append(CallStep(calls=calls, observations=observations))
                open_turn.said = None
    assert open_turn is not None  # the last message is the person's
    items = tuple(
        RecallItem(kind="topic", turn_ids=(turn.turn_id,), text=turn.request, tokens=0, turn=turn) for turn in turns
    )
    return Situation(open_turn.request, tools, Recall(items), tuple(open_turn.steps))


def _result(messages: Sequence[_Message], index: int) -> JsonValue:
    """Return what the tool returned right after a call, `None` where nothing is recorded."""
    after = messages[index + 1] if index + 1 < len(messages) else None
    if after is None or after.role != "tool":
        return None
    if not isinstance(after.content, str):
        return after.content
    try:
        content: JsonValue = json.loads(after.content)
    except ValueError:
        return after.content
    return content


def _calls(message: _Message, known: Mapping[str, Tool], prefix: str) -> Iterator[ToolCall]:
    if message.tool_call is not None:
        name, arguments = message.tool_call.get("name"), message.tool_call.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise ValueError(f"expected a `tool_call` with a name and arguments; got {message.tool_call!r:.80}")
        yield ToolCall(id=f"{prefix}-0", name=name, arguments=arguments)
    for index, text in enumerate(message.calls):
        yield read_call(text, known, f"{prefix}-{index}")


def read_call(text: str, known: Mapping[str, Tool], call_id: str) -> ToolCall:
    """Return a call written as in Python, `cd(folder='archive')`; arguments without names take the tool's order.

    An argument that is no literal is kept as it is written.

    Raises:
        ValueError: If it is no call.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as exc:
        raise ValueError(f"expected a call as in Python; got {text!r:.80}") from exc
    if not isinstance(node, ast.Call):
        raise ValueError(f"expected a call as in Python; got {text!r:.80}")
    name = ast.unparse(node.func)
    tool = known.get(name)
    names = [parameter.name for parameter in tool.parameters] if tool is not None else []
    places = {
        (names[place] if place < len(names) else f"argument_{place}"): _value(value)
        for place, value in enumerate(node.args)
    }
    named = {word.arg: _value(word.value) for word in node.keywords if word.arg is not None}
    return ToolCall(id=call_id, name=name, arguments={**places, **named})


def _value(node: ast.expr) -> JsonValue:
    """Return a literal as JSON has it, anything else as it is written."""
    try:
        value: JsonValue = json.loads(json.dumps(ast.literal_eval(node), allow_nan=False))
    except (ValueError, TypeError):
        return ast.unparse(node)
    return value
