"""Runs tools that are Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.records import Observation, ToolCall

_KEY = "idempotency_key"


def takes(function: Callable[..., object], keyword: str) -> bool:
    """Say whether a function has a parameter of this name."""
    try:
        return keyword in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False


class FunctionExecutor:
    """A `ToolExecutor` over plain functions, each called with the arguments by name.

    Args:
        functions: By name of the tool. What one returns that JSON does not hold becomes text (`memory.storable`); what
            it raises becomes the call's error. One that takes an `idempotency_key` gets that of the deed: the same
            again where it is not known whether an earlier call was made.

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
        self._keyed = {name for name, function in functions.items() if takes(function, _KEY)}

    def execute(
        self, calls: Sequence[ToolCall], *, idempotency_keys: Mapping[str, str] | None = None
    ) -> list[Observation]:
        """Return one observation a call, in order, run one after the other."""
        keys = idempotency_keys or {}
        return [self._run(call, keys.get(call.id)) for call in calls]

    def _run(self, call: ToolCall, key: str | None) -> Observation:
        function = self._functions.get(call.name)
        if function is None:
            return Observation(error=f"no tool is called {call.name!r}")
        try:
            more = {_KEY: key} if call.name in self._keyed else {}
            return Observation.of(function(**call.arguments, **more))
        except Exception as exc:
            # Whatever a tool fails with, the planner has to learn of it and the other calls have to run.
            return Observation(error=f"{type(exc).__name__}: {exc}")
