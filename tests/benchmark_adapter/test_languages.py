"""Chinese data under any locale, fields and tools of one language beside another, topics that share their time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmark_adapter.cli import app
from benchmark_adapter.data.dataset import load_sessions
from benchmark_adapter.data.source import data_hash
from benchmark_adapter.errors import DatasetError
from benchmark_adapter.runs.manifest import Manifest
from tests.benchmark_adapter.commands import COMMAND, environment
from tests.benchmark_adapter.topics import TOOLS, call, final, library_topics, question, tool, topic, write_topics

ZH_TOOLS = [
    tool("search_books", "按书名查找馆藏图书。", ["title"], title={"type": "string", "description": "书名"}),
    tool(
        "reserve_book",
        "在分馆预约图书。",
        ["title", "branch"],
        title={"type": "string", "description": "书名"},
        branch={"type": "string", "description": "分馆", "enum": ["海港馆", "老磨坊馆"]},
    ),
]
C_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
"""The plainest locale, with all that Python does about it switched off."""


def _chinese_topics() -> list[dict[str, Any]]:
    found = {"books": [{"title": "红楼梦", "copies": 2}]}
    turns = [
        (
            "有《红楼梦》吗？",
            "单工具",
            [call("search_books", {"title": "红楼梦"}, found), final("有，两本。", after=[0])],
        ),
        (
            "帮我预约一本。",
            "澄清",
            [
                question("reserve_book", ["branch"], "在哪个分馆取？", "老磨坊馆。"),
                call("reserve_book", {"title": "红楼梦", "branch": "老磨坊馆"}, {"status": "已预约"}, after=[0]),
                final("已在老磨坊馆预约。", after=[1]),
            ],
        ),
    ]
    made = topic(1, turns, time="2026-03-02 10:00:00 星期一", tools=ZH_TOOLS, turn_subtypes=["指代"])
    return [made, topic(2, turns[:1], time="2026-03-02 10:00:00", tools=ZH_TOOLS)]


def _process(folder: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    given = {**environment(folder), **C_LOCALE}
    return subprocess.run([*command], cwd=folder, env=given, capture_output=True, timeout=120, check=False)


def test_chinese_data_are_read_the_same_in_the_c_locale(tmp_path: Path) -> None:
    """Case B42."""
    write_topics(tmp_path / "data" / "用户_1.jsonl", _chinese_topics())
    script = (
        "from pathlib import Path; from benchmark_adapter.data.source import data_hash; "
        "from benchmark_adapter.data.dataset import load_sessions; print(data_hash(load_sessions(Path('data'))))"
    )

    done = _process(tmp_path, sys.executable, "-c", script)

    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().strip() == data_hash(load_sessions(tmp_path / "data"))


@pytest.mark.slow
def test_a_run_of_chinese_data_in_the_c_locale_ends_with_its_files(tmp_path: Path) -> None:
    write_topics(tmp_path / "data" / "用户_1.jsonl", _chinese_topics())

    ran = _process(tmp_path, *COMMAND, "run", "--data", "data", "--out", "run", "--json")
    scored = _process(tmp_path, *COMMAND, "score", "run/official", "--data", "data", "--json")
    shown = _process(tmp_path, *COMMAND, "score", "run")

    assert (ran.returncode, scored.returncode, shown.returncode) == (0, 0, 0), ran.stderr + scored.stderr + shown.stderr
    assert json.loads(ran.stdout)["exact"] == json.loads(scored.stdout)["exact"]
    (result,) = (tmp_path / "run" / "official" / "result").rglob("用户_1__*_result.jsonl")
    assert json.loads(result.read_text("utf-8"))["result"][0]["inference_log"]["begin_of_current_task"] == {
        "role": "user",
        "content": load_sessions(tmp_path / "data")[0].turns[0].request,
    }


def test_every_topic_that_is_not_played_is_named_by_the_run_and_in_its_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B42."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "no-repository"))
    first, second = library_topics()
    same_time = [first, {**second, "env_info": first["env_info"]}, {**first, "id": "topic_3"}]
    timeless = [{**second, "id": f"topic_{number}", "env_info": "some day"} for number in (4, 5)]
    write_topics(Path("data") / "ann.jsonl", [*same_time, *timeless])
    (session,) = load_sessions(Path("data"))
    kept = {turn.topic_id for turn in session.turns}

    ran = CliRunner().invoke(app, ["run", "--planner", "oracle", "--data", "data", "--out", "run", "--json"])

    assert ran.exit_code == 0, ran.output
    manifest = Manifest.model_validate_json(Path("run/manifest.json").read_text("utf-8"))
    assert len(kept) == 2
    assert {one["topic"] for one in manifest.dropped} == {f"topic_{number}" for number in range(1, 6)} - kept
    assert manifest.dropped == tuple(
        {"session": "ann", "topic": one.topic_id, "line": one.line, "time": one.time, "kept": one.kept_topic_id}
        for one in session.dropped
    )
    for one in session.dropped:
        assert (
            f"ann: topic {one.topic_id!r} (line {one.line}) is not played: of the topics at "
            f"{one.time or 'no readable time'} the reference evaluator keeps one, here {one.kept_topic_id!r}\n"
        ) in ran.stderr
    assert json.loads(ran.stdout)["n"] == len(session.turns)


def test_english_fields_stand_in_for_empty_ones_and_missing_tools_are_told(tmp_path: Path) -> None:
    """Case B42."""
    english = library_topics()[0]
    empty = {**english, "tools": [], "english_tools": TOOLS, "tasks": None, "english_tasks": english["tasks"]}
    (session,) = load_sessions(write_topics(tmp_path / "ann.jsonl", [empty]))
    assert [turn.request for turn in session.turns] == english["tasks"]
    assert session.turns[0].tools == tuple(TOOLS)

    del empty["english_tools"]
    with pytest.raises(DatasetError, match="`toolset` with the number of a toolset, got an empty list"):
        load_sessions(write_topics(tmp_path / "ann.jsonl", [empty]))


@pytest.mark.parametrize("zh_tools", [False, True])
def test_tools_of_one_language_go_with_tasks_of_the_other(tmp_path: Path, zh_tools: bool) -> None:
    """Case B42."""
    (chinese, _), english = _chinese_topics(), library_topics()[0]
    titles = [*ZH_TOOLS, *TOOLS[2:]] if zh_tools else TOOLS
    mixed = {**(english if zh_tools else chinese), "tools": titles}

    (session,) = load_sessions(write_topics(tmp_path / "ann.jsonl", [mixed]))

    assert [turn.request for turn in session.turns] == mixed["tasks"]
    assert session.turns[0].tools == tuple(titles)
    # Names are mapped whatever the language of the rest.
    assert [turn.task_type for turn in session.turns][:2] == ["Single-Tool", "Clarify"]
    assert session.turns[1].subtype == ("Partial Information" if zh_tools else "Coreferential Reference")
