"""`stead reindex` on real directories."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import app
from memory import Memory, Scope, Turn
from memory.errors import EmbedderMismatchError
from tests.fakes import HashingEmbedder

ANN = Scope("ann")


def stead(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_a_directory_of_another_embedder_is_refused_and_rebuilt(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        memory.user(ANN).remember_all(
            [Turn(turn_id="1", request="a window seat"), Turn(turn_id="2", request="花生过敏")]
        )
        memory.user(Scope("bob")).remember(Turn(turn_id="1", request="water the plants"))
        memory.wait_indexed()
    with pytest.raises(EmbedderMismatchError, match="stead reindex"):
        Memory.open(tmp_path, embedder="use")
    assert stead("reindex", "--data", str(tmp_path)) == (0, "The index has 3 turns of 2 users, embedded by use.\n", "")
    with Memory.open(tmp_path, embedder="use") as memory:
        assert memory.user(ANN).similar(["seat on a plane"], 1)[0][0].turn_id == "1"
    arguments = ("reindex", "--data", str(tmp_path), "--from-scratch")
    assert stead(*arguments) == (0, "The index has 3 turns of 2 users, embedded by use.\n", "")


def test_what_is_wrong_is_said_in_one_message(tmp_path: Path) -> None:
    assert stead("reindex", "--data", str(tmp_path)) == (
        2,
        "",
        f"stead: no memory is in {str(tmp_path)!r}; name the directory of `stead chat` with --data\n",
    )
    Memory.open(tmp_path, embedder=HashingEmbedder()).close()
    status, out, error = stead("reindex", "--data", str(tmp_path), "--embedder", "glove")
    assert (status, out) == (2, "")
    assert error.startswith("stead: no embedder is called 'glove'; choose one of ")
    assert list(tmp_path.glob("*.tmp")) == []


def test_the_command_is_listed_and_loads_nothing_heavy() -> None:
    script = (
        "import sys; from agent.cli import app\n"
        "assert not {'chromadb', 'sqlalchemy', 'langgraph', 'numpy'} & sys.modules.keys(), sys.modules.keys()\n"
        "app(['--help'])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "reindex" in run.stdout


@pytest.mark.parametrize("broken", ["chroma/chroma.sqlite3", "index.json"])
def test_a_broken_index_costs_one_warning_and_is_rebuilt(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory.open(tmp_path, embedder="use") as memory:
        memory.user(ANN).remember_all(
            [Turn(turn_id="1", request="a window seat"), Turn(turn_id="2", request="花生过敏")]
        )
        memory.wait_indexed()
    (tmp_path / "index" / broken).write_bytes(random.Random(1).randbytes(50_000))
    status, out, error = stead("reindex", "--data", str(tmp_path))
    assert (status, out, error) == (0, "The index has 2 turns of 1 user, embedded by use.\n", "")
    assert caplog.messages == [f"the index in {str(tmp_path / 'index')!r} cannot be read and is made anew"]
    with Memory.open(tmp_path, embedder="use") as memory:
        assert memory.user(ANN).similar(["seat on a plane"], 1)[0][0].turn_id == "1"


def test_a_chat_on_a_broken_index_prints_one_line_for_it(tmp_path: Path) -> None:
    talk = [sys.executable, "-m", "agent.cli", "chat", "--data", str(tmp_path), "--user", "ann", "--planner", "rules"]
    said = "weather in Turin tomorrow\n"
    subprocess.run(talk, input=said, capture_output=True, text=True, check=True)
    (tmp_path / "index" / "chroma" / "chroma.sqlite3").write_bytes(random.Random(1).randbytes(50_000))
    run = subprocess.run(talk, input=said * 2, capture_output=True, text=True, check=True)
    assert run.stdout.count("stead> ") == 2
    assert run.stderr.splitlines() == [
        f"turns are kept but wait to be indexed: cannot read the index in {str(tmp_path / 'index')!r}: error returned "
        "from database: (code: 26) file is not a database; `stead reindex` rebuilds it from the turn log (or close it, "
        "delete the folder, and open again)"
    ]
