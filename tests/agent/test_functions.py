"""Tools that are Python functions."""

from __future__ import annotations

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
