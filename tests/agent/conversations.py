"""Conversations of `stead chat` with the planner `rules` on the demo tools, in process."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from agent.agent import Agent
from agent.demo.toolbox import Toolbox
from agent.planners.rules.planner import RulesPlanner
from agent.terminal import Chat
from memory.embedders import open_embedder
from memory.memory import Memory
from memory.records import QuestionStep, Scope
from tests.agent.test_cli_chat import Lines
from tests.fakes import HashingEmbedder

NOW = datetime(2026, 3, 9, 7, 36)


class Talked(NamedTuple):
    """What came of a conversation."""

    answers: list[list[str | None]]
    """Of each remembered turn."""
    calls: list[tuple[str, dict[str, JsonValue]]]
    """Of all turns, in order."""
    written: list[str]
    """What the person read."""

    def arguments_of(self, tool: str) -> list[dict[str, JsonValue]]:
        """Return the arguments of the calls of `tool`, in order."""
        return [arguments for name, arguments in self.calls if name == tool]


def talk(path: Path, *lines: str, tools: str = "all") -> Talked:
    """Return what comes of typing `lines` with demo tools on offer, with a memory at `path`.

    The planner reads meaning as `stead chat` does, the memory does without.
    """
    console = Lines(lines)
    with Memory.open(path, embedder=HashingEmbedder()) as opened:
        agent = Agent(opened.user(Scope("ada")), RulesPlanner(open_embedder("use")), clock=lambda: NOW)
        Chat(agent, Toolbox(tools), console).talk()
        turns = agent.turns()
    answers = [[step.answer for step in turn.steps if isinstance(step, QuestionStep)] for turn in turns]
    return Talked(answers, [(c.name, dict(c.arguments)) for turn in turns for c in turn.calls], console.written)
