"""Erasing a person from memory and from the checkpoints of their unfinished turns (case B20)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from agent.advance import begin
from agent.graph import AgentContext, AgentState, allow_listed, build_graph, thread_config
from agent.stewardship.checkpoint_erasure import CheckpointErasure
from clarifier.decision import Proposal
from memory import Erasable, Memory, Scope, Turn
from memory.errors import MemoryStoreError
from memory.storage.erasure import Erased
from tests.fakes import FixedMemory, HashingEmbedder, RecordingExecutor, ScriptedPlanner, obey

ANN, ANNA = Scope("ann"), Scope("anna")


@pytest.fixture(params=["sqlite", "in memory"])
def checkpointer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseCheckpointSaver[str]]:
    if request.param == "in memory":
        yield InMemorySaver()
        return
    with closing(sqlite3.connect(tmp_path / "checkpoints.sqlite", check_same_thread=False)) as connection:
        yield SqliteSaver(connection)


def ask(checkpointer: BaseCheckpointSaver[str], scope: Scope, thread: str, request: str) -> None:
    """Begin a turn that stops at a question."""
    context = AgentContext(
        planner=ScriptedPlanner([Proposal(question=f"Where, {request}?")]),
        memory=FixedMemory(),
        executor=RecordingExecutor(),
        decide=obey,
        scope=scope,
    )
    state = AgentState(turn=begin(request, [], turn_id="t1", scope=scope))
    build_graph(checkpointer=checkpointer).invoke(state, thread_config(thread), context=context, durability="sync")


def test_bytes_that_a_reader_keeps_are_told_of(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        checkpointer = SqliteSaver(connection)
        ask(checkpointer, ANN, "1", "SECRET-4f1c9 one")
        connection.execute("PRAGMA busy_timeout = 100")
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM checkpoints").fetchone()
            with pytest.raises(MemoryStoreError, match="a reader kept their bytes in the write-ahead log; erase again"):
                CheckpointErasure(checkpointer).erase(ANN, None)
        assert CheckpointErasure(checkpointer).erase(ANN, None) == 0
        assert [file.name for file in tmp_path.iterdir() if b"SECRET" in file.read_bytes()] == []


def threads(checkpointer: BaseCheckpointSaver[str]) -> set[str]:
    return {str(found.config["configurable"]["thread_id"]) for found in allow_listed(checkpointer).list(None)}


def test_a_person_is_erased_from_checkpoints_too_and_nobody_else(
    checkpointer: BaseCheckpointSaver[str], tmp_path: Path
) -> None:
    ask(checkpointer, ANN, "1", "SECRET-4f1c9 one")
    ask(checkpointer, ANN, "2", "SECRET-4f1c9 two")
    ask(checkpointer, ANNA, "3", "KEPT-77a0")
    erasure: Erasable = CheckpointErasure(checkpointer)
    with Memory.open(tmp_path / "memory", embedder=HashingEmbedder(), erasables=[erasure]) as memory:
        memory.user(ANN).remember(Turn(turn_id="t0", request="SECRET-4f1c9 zero"))
        assert memory.erase(ANN, turn_ids=[]).count("checkpoints") == 0
        assert threads(checkpointer) == {"1", "2", "3"}
        assert memory.erase(ANN, turn_ids=["t0"]).stores == (
            Erased("turn log", 1),
            Erased("vector index", 1),
            Erased("checkpoints", 2),  # what they had recalled may stem from that turn
        )
        assert memory.erase(ANN).count("checkpoints") == 0
    assert threads(checkpointer) == {"3"}
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert content.count(b"SECRET") == 0
    assert (b"KEPT-77a0" in content) == isinstance(checkpointer, SqliteSaver)
