"""`stead calibrate`: heads from a product's own log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.cli import app
from agent.stewardship.past_decisions import past_decisions
from clarifier.calibration.heads import load_heads
from memory.embedders import open_embedder
from memory.memory import Memory
from memory.records import CallStep, Observation, QuestionStep, Scope, Step, ToolCall, Turn
from memory.tools import parse_tools

BOOK = {
    "type": "function",
    "function": {
        "name": "book_table",
        "description": "Book a table in a restaurant.",
        "parameters": {
            "type": "object",
            "properties": {"restaurant": {"type": "string"}, "area": {"type": "string", "enum": ["inside", "terrace"]}},
            "required": ["restaurant", "area"],
        },
    },
}


def booking(index: int, request: str, *, asked: bool = False) -> Turn:
    call = ToolCall(id="c", name="book_table", arguments={"restaurant": "Luna", "area": "terrace"})
    steps: list[Step] = [CallStep(calls=(call,), observations=(Observation(content="booked"),))]
    if asked:
        steps.insert(0, QuestionStep(question="Where?", answer="On the terrace.", slots=("book_table.area",)))
    return Turn(turn_id=f"t{index}", request=request, steps=tuple(steps), reply="Done.")


def said(index: int, request: str) -> Turn:
    return Turn(turn_id=f"t{index}", request=request, reply="All right.")


def log(n: int) -> list[Turn]:
    """Return n bookings at Luna, each fourth undone, and a last word."""
    turns: list[Turn] = []
    for index in range(n):
        turns.append(booking(len(turns), "A table at Luna, please"))
        turns.append(said(len(turns), "Undo that" if index % 4 == 0 else "Lovely, thank you"))
    return turns


def remember(folder: Path, **turns: Sequence[Turn]) -> None:
    with Memory.open(folder / "data", embedder=open_embedder("use")) as memory:
        for user, own in turns.items():
            memory.user(Scope(user)).remember_all(own)
    (folder / "tools.json").write_text(json.dumps([BOOK]))


def calibrate(folder: Path, *arguments: str) -> Result:
    options = ["--data", str(folder / "data"), "--tools", str(folder / "tools.json"), "--out", str(folder / "out.json")]
    return CliRunner().invoke(app, ["calibrate", *options, *arguments])


def test_labels_and_signals_of_past_turns() -> None:
    turns = [
        booking(0, "A table at Luna, please", asked=True),
        said(1, "Lovely"),
        booking(2, "A table at Luna on the terrace"),
        said(3, "Undo that"),
        booking(4, "A table at Luna"),
    ]
    tools = parse_tools([BOOK])
    found = list(past_decisions(turns, "anna", lambda request: tools, open_embedder("use")))
    assert [one.labels for one in found] == [{"p_calls": True, "p_asked": True}, {"p_calls": False}]
    assert [one.person for one in found] == ["anna", "anna"]
    assert [one.signals["min_c"] for one in found] == [1.0, 1.0]  # both arguments were said
    assert list(past_decisions(turns, "anna", lambda request: (), open_embedder("use"))) == []


@pytest.mark.slow
def test_one_person_moves_the_intercept(tmp_path: Path) -> None:
    remember(tmp_path, me=log(20))
    result = calibrate(tmp_path, "--json")
    assert result.exit_code == 0, result.output
    written = json.loads(result.stdout)
    assert (written["labels"], written["accepted"]) == (20, 15)
    assert written["provenance"].endswith("intercepts of p_calls refitted with the rules planner and stead memory")
    heads, before = load_heads(tmp_path / "out.json"), load_heads()
    assert heads.p_calls.weights == before.p_calls.weights
    assert heads.p_calls.intercept != before.p_calls.intercept
    assert (heads.p_act, heads.p_asked) == (before.p_act, before.p_asked)


@pytest.mark.slow
def test_several_persons_fit_weights(tmp_path: Path) -> None:
    remember(tmp_path, anna=log(26), ben=log(26))
    result = calibrate(tmp_path, "--user", "anna", "--user", "ben")
    assert result.exit_code == 0, result.output
    assert "52 turns with calls, 38 accepted" in result.stdout
    heads = load_heads(tmp_path / "out.json")
    assert heads.fit is not None
    assert heads.fit.persons == ("anna", "ben")
    assert list(heads.fit.scores) == ["p_calls"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "heads cannot be fitted: every head had too few labels"),
        (["--user", "nobody"], "every head had too few labels"),
        (["--base", "mood"], "'mood' cannot be used"),
        (["--tools", "{folder}/none.json"], "cannot read"),
        (["--tools", "{folder}/bad.json"], "expected a JSON list of tool definitions"),
        (["--data", "{folder}/elsewhere"], "there is no data directory"),
    ],
)
def test_bad_input_is_one_message_and_writes_nothing(tmp_path: Path, arguments: list[str], message: str) -> None:
    remember(tmp_path, me=log(1))
    (tmp_path / "bad.json").write_text("{}")
    result = calibrate(tmp_path, *[one.format(folder=tmp_path) for one in arguments])
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out.json").exists()


def test_chat_takes_heads(tmp_path: Path) -> None:
    heads = load_heads().model_copy(update={"planner": "chat", "strategy": "stead"})
    (tmp_path / "heads.json").write_text(heads.model_dump_json())
    chat = ["chat", "--data", str(tmp_path / "data"), "--planner", "rules", "--heads"]
    talked = CliRunner().invoke(app, [*chat, str(tmp_path / "heads.json")], input="/quit\n")
    assert talked.exit_code == 0, talked.output
    assert "the heads were fitted with planner 'chat', not 'rules'" in talked.stderr
    refused = CliRunner().invoke(app, [*chat, "mood"], input="/quit\n")
    assert refused.exit_code == 2
    assert "the heads in 'mood' cannot be used" in refused.stderr
