"""Prompts as files, what each block costs, and recall that gives way."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from agent.errors import PlannerSettingsError
from agent.planners.prompt import Style, build_messages
from agent.planners.prompt_costs import block_costs, cost_lines, fitted, prompt_budget
from agent.planners.prompt_files import BUNDLED, PromptFiles
from agent.providers import find_profile
from clarifier.decision import Situation
from memory.recall import Recall, RecallItem
from memory.records import Turn
from memory.tokens import count_tokens
from tests.fakes import make_tool

TOOL = make_tool("find", "place")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLED, tmp_path / "prompts"))


def style(situation: Situation, files: PromptFiles | None = None, provider: str | None = None) -> Style:
    profile = find_profile(provider, {}).model_copy(update={"stated_sources": "off"})
    return Style.of(situation, profile, files or PromptFiles.load())


def test_a_folder_of_ones_own_replaces_the_words_and_changes_the_hash(folder: Path) -> None:
    assert PromptFiles.load(folder).hash == PromptFiles.load().hash
    (folder / "system.md").write_text("Be brief. Costs $$5. Ask with $ask.")
    files = PromptFiles.load(folder)
    situation = Situation("hi", (TOOL,))
    assert (
        build_messages(situation, style(situation, files))[0]["content"]
        == "Be brief. Costs $5. Ask with the tool ask_user."
    )
    assert files.hash != PromptFiles.load().hash


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("plain.md", None, r"has no plain\.md; begin with a copy of .*prompts and change that"),
        ("system.md", "Hello $nmae", r"system\.md may hold \$ask, and a plain \$ as \$\$; found 'nmae'"),
        ("plain.md", "Costs 5 $", r"plain\.md may hold no \$name"),
        ("ask_user.json", "{", r"ask_user\.json is no definition of a tool"),
        ("ask_user.json", '{"name": "ask"}', r"ask_user\.json needs the arguments `question` and `slots`"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_with_what_is_wrong(
    folder: Path, name: str, text: str | None, words: str
) -> None:
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    with pytest.raises(PlannerSettingsError, match=words):
        PromptFiles.load(folder)


def test_recalled_turns_have_their_date_where_it_is_known() -> None:
    dated = Turn(turn_id="t1", request="tea", time=datetime(2026, 3, 1, 9, 5))
    items = (RecallItem("turn", ("t1",), "user: tea", 3, turn=dated), RecallItem("turn", ("t2",), "user: milk", 3))
    situation = Situation("hi", (), Recall(items))
    assert build_messages(situation, style(situation))[0]["content"].endswith(
        '<earlier>\n{"turns": ["t1"], "time": "2026-03-01 09:05", "text": "user: tea"}\n'
        '{"turns": ["t2"], "text": "user: milk"}\n</earlier>\n'
    )


def test_a_model_that_writes_its_calls_is_shown_the_tools_and_how() -> None:
    situation = Situation("hi", (TOOL,))
    hammer = build_messages(situation, style(situation, provider="hammer"))[0]["content"]
    flat = {"name": "find", "description": "", "parameters": {"place": {"type": "string", "required": True}}}
    assert json.dumps(flat) in hammer
    assert "directly output an empty list '[]'" in hammer
    plain = style(situation, provider="hammer")
    bare = build_messages(situation, replace(plain, without_tools=True))[0]["content"]
    assert '"find"' not in bare
    assert "ask_user" not in bare
    assert bare.endswith(f"{plain.files.plain}\n")


def test_every_block_is_counted() -> None:
    items = (
        RecallItem("state", ("t1",), "find.place: Turin", 5),
        RecallItem("exemplar", ("t1",), "find(place=Turin)", 5),
    )
    situation = Situation("where?", (TOOL,), Recall(items), now=datetime(2026, 3, 9, 8, 0))
    shown = style(situation)
    costs = block_costs(situation, shown)
    assert list(costs) == [
        "rules", "sources", "tools", "clock", "known", "examples", "earlier", "hints", "plain", "topic", "request",
        "steps",
    ]  # fmt: skip
    assert costs["known"] == count_tokens('<known>\n{"turns": ["t1"], "text": "find.place: Turin"}\n</known>\n')
    assert costs["clock"] == count_tokens("The clock says 2026-03-09 08:00:00, a Monday.\n")
    assert costs["request"] == 2
    assert (costs["earlier"], costs["hints"], costs["steps"]) == (0, 0, 0)
    lines = cost_lines(costs)
    assert lines[-1] == f"all      {sum(costs.values()):>8}"
    assert [line.split()[0] for line in lines] == ["rules", "tools", "clock", "known", "examples", "request", "all"]


def test_recall_gives_way_oldest_first_and_what_is_known_last() -> None:
    items = (
        RecallItem("state", ("t0",), "s" * 400, 100),
        RecallItem("exemplar", ("t1",), "e" * 400, 100),
        RecallItem("turn", ("t2",), "a" * 400, 100),
        RecallItem("turn", ("t3",), "b" * 400, 100),
    )
    situation = Situation("hi", (TOOL,), Recall(items))
    shown = style(situation)
    whole = sum(block_costs(situation, shown).values())
    assert fitted(situation, shown, None).situation is situation
    assert fitted(situation, shown, whole) == (situation, ())
    fits = fitted(situation, shown, whole - 150)
    assert [item.turn_ids[0] for item in fits.situation.recall.items] == ["t0", "t1"]
    assert sum(block_costs(fits.situation, shown).values()) <= whole - 150
    assert fits.notes == (f"recall was cut by 2 of turn so that the request fits {whole - 150} tokens",)
    bare = fitted(situation, shown, 10)
    assert bare.situation.recall.items == ()
    assert "tokens over" in bare.notes[0]


def test_the_window_less_the_answer_is_the_budget() -> None:
    hammer = style(Situation("", ()), provider="hammer")
    assert prompt_budget(hammer.profile, prompt_tokens=None, max_tokens=768) == 32000
    assert prompt_budget(hammer.profile, prompt_tokens=None, max_tokens=None) == 28672
    assert prompt_budget(hammer.profile, prompt_tokens=500, max_tokens=None) == 500
    assert prompt_budget(style(Situation("", ())).profile, prompt_tokens=None, max_tokens=9) is None
