"""Runs tools that are Python functions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from memory.records import Observation, ToolCall

_KEY = "idempotency_key"


def takes(function: Callable[..., object], keyword: str) -> bool:
    """Say whether a function has a parameter of this name."""
    try:
        return keyword in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False


def _invoking(function: Any) -> Callable[..., Any]:
    """Return a tool of LangChain as a function of its arguments by name, all else as it is."""
    if not hasattr(function, "ainvoke") or not hasattr(function, "tool_call_schema"):
        return function  # type: ignore[no-any-return] # which the caller says is callable
    is_async = getattr(function, "coroutine", None) is not None and getattr(function, "func", None) is None
    return lambda **arguments: function.ainvoke(arguments) if is_async else function.invoke(arguments)


def _awaited(result: object) -> object:
    """Return what an awaitable comes to, whether a loop runs in this thread or not; all else as it is."""
    if not inspect.isawaitable(result):
        return result

    async def wait(awaited: Awaitable[object]) -> object:
        return await awaited

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait(result))
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, wait(result)).result()


class FunctionExecutor:
    """A `ToolExecutor` over plain functions, each called with the arguments by name.

    Args:
        functions: By name of the tool. What one returns that JSON does not hold becomes text (`memory.storable`); what
            it raises becomes the call's error. One that takes an `idempotency_key` gets that of the deed: the same
            again where it is not known whether an earlier call was made.

            A tool of LangChain is invoked. What returns an awaitable is awaited, in a loop of its own; where it needs
            the application's loop, give a function that hands it over:
            `lambda **arguments: asyncio.run_coroutine_threadsafe(function(**arguments), loop).result()`.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = {name: _invoking(function) for name, function in functions.items()}
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
            return Observation.of(_awaited(function(**call.arguments, **more)))
        except Exception as exc:
            # Whatever a tool fails with, the planner has to learn of it and the other calls have to run.
            return Observation(error=f"{type(exc).__name__}: {exc}")
