"""Reading topic files: what comes out, and what is said of every fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark_adapter.data.reference import Action, ReferenceStep
from benchmark_adapter.data.topics import Gold, read_topic_file, read_topic_files
from benchmark_adapter.errors import DatasetError
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.storage.turn_log import decode_turn, encode_turn
from tests.shared import ROOT, shared_path

SEARCH = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}


def raw_topic(**changes: Any) -> dict[str, Any]:
    step = {"action": {"name": "search", "arguments": {"q": "Löwe"}}, "observation": {"n": 1}, "dependency_list": []}
    topic = {
        "id": "t1",
        "env_info": "2026-03-01 10:00:00",
        "tools": [SEARCH],
        "tasks": ["Find the lion."],
        "answer_list": [[step]],
        "task_types": ["Single-Tool"],
        "turn_subtypes": [],
    }
    return {key: value for key, value in (topic | changes).items() if value is not ...}


def write(path: Path, *lines: Any) -> Path:
    texts = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def toolsets(folder: Path) -> Path:
    folder.mkdir()
    write(folder / "tools_en.jsonl", [], [SEARCH])
    write(folder / "tools_zh.jsonl", [SEARCH])
    return folder


def test_a_topic_is_read_whole(tmp_path: Path) -> None:
    gold = {"recoverable": True, "evidence": ["t0#1"], "slots": {"q": "history"}, "trap": None}
    file = read_topic_file(write(tmp_path / "p_1.jsonl", "", raw_topic(gold=[gold])))

    assert (file.name, file.lines[0].line) == ("p_1", 2)
    topic = file.topics[0]
    assert (topic.id, topic.env_info, topic.tasks) == ("t1", "2026-03-01 10:00:00", ("Find the lion.",))
    assert topic.answer_list == (
        (ReferenceStep(action=Action(name="search", arguments={"q": "Löwe"}), observation={"n": 1}),),
    )
    assert topic.gold == (Gold(recoverable=True, evidence=("t0#1",), slots={"q": "history"}),)


def test_english_fields_stand_in_for_empty_ones(tmp_path: Path) -> None:
    line = raw_topic(tasks=[], env_info="", task_types=None, tools=..., english_tools=[SEARCH])
    line |= {"english_tasks": ["Find it."], "english_env_info": "Monday", "english_task_types": ["Chat"]}

    topic = read_topic_file(write(tmp_path / "p.jsonl", line)).topics[0]

    assert (topic.tasks, topic.env_info, topic.task_types) == (("Find it.",), "Monday", ("Chat",))
    assert topic.tools == (SEARCH,)


def test_a_toolset_is_found_by_number_and_language(tmp_path: Path) -> None:
    folder = toolsets(tmp_path / "sets")
    path = write(
        tmp_path / "p.jsonl",
        raw_topic(tools=..., toolset=1),
        raw_topic(tools=..., toolset=0, tools_lang="zh"),
    )

    topics = read_topic_file(path, toolsets=folder).topics

    assert [topic.tools for topic in topics] == [(SEARCH,), (SEARCH,)]


def test_toolsets_are_looked_for_inside_and_beside_the_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    path = write(data / "p.jsonl", raw_topic(tools=..., toolset=1))
    toolsets(tmp_path / "toolsets")

    assert read_topic_file(path).topics[0].tools == (SEARCH,)


def deep(levels: int) -> Any:
    value: Any = "v"
    for _ in range(levels):
        value = {"a": value}
    return value


def searching(arguments: Any = {}, observation: Any = 1) -> list[list[dict[str, Any]]]:  # noqa: B006, it is only read
    return [[{"action": {"name": "search", "arguments": arguments}, "observation": observation}]]


def searching_with(**parameters: Any) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": "search", "parameters": {"type": "object", **parameters}}}]


def nested_schema(levels: int) -> list[dict[str, Any]]:
    """Return a tool whose definition has that many levels: 4 of its own, 2 for each object in the parameters."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range((levels - 5) // 2):
        schema = {"type": "object", "properties": {"a": schema}}
    return searching_with(properties={"a": schema})


STEP = {"action": {"name": "fly", "arguments": {}}, "dependency_list": []}
LOOP = {"action": {"name": "search", "arguments": {}}, "dependency_list": [3]}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": ', "expected one JSON value a line, got text that fails: Expecting value"),
        ([1], "expected a topic object, got list"),
        (raw_topic(id=...), "expected a field `id`, got none"),
        (raw_topic(tasks=...), "expected a field `tasks`, got none"),
        (raw_topic(tasks=[]), "expected a field `tasks`, got an empty list; give it an entry a turn"),
        (raw_topic(tools=[]), "expected `tools`, or `toolset` with the number of a toolset, got an empty list"),
        (raw_topic(tasks=[5]), "field `tasks.0`: Input should be a valid string, got 5"),
        (
            raw_topic(tasks=["a", "b"]),
            "topic 't1': expected one entry per turn in each list, got tasks 2, answer_list 1, task_types 1",
        ),
        (raw_topic(gold=[]), "got tasks 1, answer_list 1, task_types 1, gold 0"),
        (
            raw_topic(tasks=["a", "b"], answer_list=[[], []], task_types=["Chat", "Chat"]),
            "expected a turn subtype for each turn after the first (1), got 0",
        ),
        (
            raw_topic(answer_list=[[STEP]]),
            "topic 't1', turn 0, step 0: expected a tool of the topic's toolset, got 'fly'; the toolset has search",
        ),
        (
            raw_topic(answer_list=[[LOOP]]),
            "topic 't1', turn 0, step 0: expected dependencies between 0 and 0, got 3",
        ),
        (
            raw_topic(tools=...),
            "expected `tools`, or `toolset` with the number of a toolset, got neither",
        ),
        (raw_topic(tools=..., toolset=2), "expected a toolset between 0 and 1 of tools_en.jsonl, got 2"),
        (
            raw_topic(tools=..., toolset=1, tools_lang="zh"),
            "expected a toolset between 0 and 0 of tools_zh.jsonl, got 1",
        ),
        (
            raw_topic(answer_list=searching(deep(101))),
            "topic 't1', turn 0, step 0, arguments: expected at most 100 levels of objects and lists, got more; make",
        ),
        (raw_topic(answer_list=searching(json.dumps(deep(101)))), "turn 0, step 0, arguments: expected at most 100"),
        (raw_topic(answer_list=searching({}, deep(101))), "topic 't1', turn 0, step 0, observation: expected at most"),
        (
            json.dumps(raw_topic(answer_list=searching({}, [{"\udc00": 1}]))),
            r"turn 0, step 0, observation: expected keys of whole characters, got '\udc00' with half a surrogate pair",
        ),
        (
            json.dumps(raw_topic(gold=[{"slots": {"\ud800": "history"}}])),
            r"topic 't1', gold: expected keys of whole characters, got '\ud800'",
        ),
        (
            json.dumps(raw_topic(tools=[SEARCH, {"function": {"name": "\ud800"}}])),
            r"topic 't1', tool 1: expected a name of whole characters, got '\ud800'; rename the tool",
        ),
        (
            json.dumps(raw_topic(tools=searching_with(properties={"\ud800": {}}))),
            "topic 't1', tools: expected keys of whole characters",
        ),
        (
            raw_topic(tools=searching_with(required="city")),
            "topic 't1', tool 0: `required` must be a list of names; got 'city'; correct the tool's schema",
        ),
        (
            raw_topic(tools=[SEARCH, {"function": {"name": " "}}]),
            "topic 't1', tool 1: a tool definition needs a `name`",
        ),
        (
            raw_topic(tools=nested_schema(203)),
            "topic 't1', tools: expected at most 200 levels of objects and lists, got more; make it flatter",
        ),
    ],
)
def test_a_fault_is_told_with_file_and_line(tmp_path: Path, line: Any, problem: str) -> None:
    path = write(tmp_path / "p.jsonl", raw_topic(), line)

    with pytest.raises(DatasetError) as info:
        read_topic_file(path, toolsets=toolsets(tmp_path / "sets"))

    assert (info.value.path, info.value.line) == (path, 2)
    assert problem in info.value.problem
    assert str(info.value) == f"{path}:2: {info.value.problem}"


def test_what_is_just_within_the_limits_is_read_and_can_be_remembered(tmp_path: Path) -> None:
    tools = nested_schema(199)
    line = raw_topic(tools=tools, answer_list=searching(deep(100), deep(100)), extra=deep(300))

    topic = read_topic_file(write(tmp_path / "p.jsonl", line)).topics[0]

    (step,) = topic.answer_list[0]
    assert isinstance(step.action.arguments, dict)
    call = ToolCall(id="1", name="search", arguments=step.action.arguments)
    seen = Observation(content=step.observation)
    turn = Turn(turn_id="t", request="Find it.", steps=(CallStep(calls=(call,), observations=(seen,)),))
    assert decode_turn(encode_turn(turn), "here") == turn
    assert topic.tools == tuple(tools)


def test_a_missing_toolsets_folder_says_how_to_name_it(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", raw_topic(tools=..., toolset=7))

    with pytest.raises(
        DatasetError, match=r"toolset 7 needs a toolsets folder, and .* is none; name it with --toolsets"
    ):
        read_topic_file(path, toolsets=tmp_path / "nowhere")


def test_a_line_that_is_no_utf8_is_told(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"id": "\xff"}\n')

    with pytest.raises(DatasetError, match=r"p\.jsonl:1: expected UTF-8, got byte 8"):
        read_topic_file(path)


def test_empty_files_and_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="expected at least one topic, found none"):
        read_topic_file(write(tmp_path / "p.jsonl", ""))
    with pytest.raises(DatasetError, match="nothing is there; expected a folder of persona files"):
        read_topic_files(tmp_path / "gone.jsonl")
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty" / "p.profile.json", {"summary": "not a topic"})
    with pytest.raises(DatasetError, match=r"expected a folder with \.jsonl topic files, found none"):
        read_topic_files(tmp_path / "empty")


def test_a_folder_is_read_in_natural_order(tmp_path: Path) -> None:
    for name in ("persona10", "persona9"):
        write(tmp_path / f"{name}.jsonl", raw_topic())
    write(tmp_path / "persona9.profile.json", {"summary": "hidden"})

    assert [file.name for file in read_topic_files(tmp_path)] == ["persona9", "persona10"]


def test_the_locale_plays_no_part(tmp_path: Path) -> None:
    path = write(tmp_path / "人.jsonl", raw_topic(tasks=["查询狮子"]))
    code = (
        "import sys; from pathlib import Path; from benchmark_adapter.data.topics import read_topic_file\n"
        "print(ascii(read_topic_file(Path(sys.argv[1])).topics[0].tasks[0]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.strip() == ascii("查询狮子")


def test_the_development_set_reads_whole() -> None:
    files = read_topic_files(shared_path("utb-dev"), toolsets=shared_path("toolsets"))

    assert {file.name: sum(len(topic.tasks) for topic in file.topics) for file in files} == {
        "persona21": 30,
        "persona22": 30,
        "persona23": 30,
    }
