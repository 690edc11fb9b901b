"""Tools that are Python functions."""

from __future__ import annotations

import asyncio

from langchain_core.tools import StructuredTool

from agent.functions import FunctionExecutor
from memory.records import Observation, ToolCall
from memory.tools import parse_tools


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


def test_what_returns_an_awaitable_is_awaited_within_a_loop_and_without() -> None:
    executor = FunctionExecutor({"double": double, "twice": lambda number: double(number)})
    made = [ToolCall(id="a", name=name, arguments={"number": 4}) for name in ("double", "twice")]

    async def within() -> list[Observation]:
        return executor.execute(made)

    assert executor.execute(made) == asyncio.run(within()) == [Observation(content=8)] * 2


def test_a_tool_of_langchain_is_described_and_invoked_as_it_is() -> None:
    def weather(city: str, days: int = 1) -> str:
        """Tell the weather."""
        return f"{city} {days}"

    made = StructuredTool.from_function(weather)
    waiting = StructuredTool.from_function(coroutine=double, name="double", description="Doubles.")
    (tool,) = parse_tools([made])
    assert (tool.name, [(one.name, one.type, one.is_required) for one in tool.parameters]) == (
        "weather",
        [("city", "string", True), ("days", "integer", False)],
    )
    assert FunctionExecutor({"weather": made, "double": waiting}).execute(
        [
            ToolCall(id="a", name="weather", arguments={"city": "Rome"}),
            ToolCall(id="b", name="double", arguments={"number": 2}),
        ]
    ) == [Observation(content="Rome 1"), Observation(content=4)]


def test_an_async_function_runs_in_the_loop_of_the_application() -> None:
    async def application() -> list[Observation]:
        loop = asyncio.get_running_loop()
        executor = FunctionExecutor(
            {"double": lambda **arguments: asyncio.run_coroutine_threadsafe(double(**arguments), loop).result()}
        )
        call = ToolCall(id="a", name="double", arguments={"number": 4})
        return await asyncio.to_thread(executor.execute, [call])

    assert asyncio.run(application()) == [Observation(content=8)]
