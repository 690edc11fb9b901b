"""Tools that are Python functions."""

from __future__ import annotations

import asyncio

import pytest

from agent.functions import FunctionExecutor
from memory.records import Observation, ToolCall


def test_each_call_runs_its_function_and_what_it_raises_is_its_error_alone() -> None:
    def halve(number: int) -> float:
        if number % 2:
            raise ValueError(f"{number} is odd")
        return number / 2

    executor = FunctionExecutor({"halve": halve})
    observed = executor.execute(
        [
            ToolCall(id="a", name="halve", arguments={"number": 3}),
            ToolCall(id="b", name="halve", arguments={"number": 8}),
            ToolCall(id="c", name="halve", arguments={"amount": 8}),
            ToolCall(id="d", name="double"),
        ]
    )
    assert observed[:2] == [Observation(error="ValueError: 3 is odd"), Observation(content=4.0)]
    assert (observed[2].error or "").startswith("TypeError: ")
    assert observed[3] == Observation(error="no tool is called 'double'")


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_an_async_function_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="expected plain functions, got async ones for double; give one that waits"):
        FunctionExecutor({"double": double})


def test_an_async_function_runs_in_the_loop_of_the_application() -> None:
    async def application() -> list[Observation]:
        loop = asyncio.get_running_loop()
        executor = FunctionExecutor(
            {"double": lambda **arguments: asyncio.run_coroutine_threadsafe(double(**arguments), loop).result()}
        )
        call = ToolCall(id="a", name="double", arguments={"number": 4})
        return await asyncio.to_thread(executor.execute, [call])

    assert asyncio.run(application()) == [Observation(content=8)]
