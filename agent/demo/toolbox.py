"""The demo toolsets of both languages, each request served in its own."""

from __future__ import annotations

from collections.abc import Sequence

from agent.demo.simulator import Simulator
from agent.demo.toolsets import DemoToolset, load_toolset
from memory.language.text import Language, language
from memory.records import Observation, ToolCall
from memory.tools import Tool


class Toolbox:
    """A `ToolExecutor` that offers the toolset called `name` in the language of the last request.

    Args:
        name: Of the toolset.
        seed: Of the simulators.

    Raises:
        ToolsetError: If there is none.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.toolsets: dict[Language, DemoToolset] = {"en": load_toolset(name, "en"), "zh": load_toolset(name, "zh")}
        self._simulators = {key: Simulator(toolset, seed=seed, language=key) for key, toolset in self.toolsets.items()}
        self._language: Language = "en"

    def tools_for(self, request: str) -> tuple[Tool, ...]:
        """Return the tools on offer for a request: those in its language."""
        self._language = language(request)
        return self.toolsets[self._language].tools

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        """Return what every call gives, in order."""
        return self._simulators[self._language].execute(calls)
