"""Runs tools that are Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.records import Observation, ToolCall


class FunctionExecutor:
    """A `ToolExecutor` over plain functions, each called with the arguments by name.

    Args:
        functions: By name of the tool. What one returns must be JSON; what it raises becomes the call's error.

    Raises:
        TypeError: If a function is asynchronous: a turn is not.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        awaited = [name for name, function in functions.items() if inspect.iscoroutinefunction(function)]
        if awaited:
            raise TypeError(
                f"expected plain functions, got async ones for {', '.join(awaited)}; give one that waits for the "
                "result: lambda **arguments: asyncio.run_coroutine_threadsafe(function(**arguments), loop).result() "
                "with your loop, the turn in asyncio.to_thread"
            )
        self._functions = dict(functions)

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        """Return one observation a call, in order, run one after the other."""
        return [self._run(call) for call in calls]

    def _run(self, call: ToolCall) -> Observation:
        function = self._functions.get(call.name)
        if function is None:
            return Observation(error=f"no tool is called {call.name!r}")
        try:
            return Observation(content=function(**call.arguments))
        except Exception as exc:
            # Whatever a tool fails with, the planner has to learn of it and the other calls have to run.
            return Observation(error=f"{type(exc).__name__}: {exc}")
