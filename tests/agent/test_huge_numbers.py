"""Numbers beyond what a float holds, in a past call or in the words: no turn may fail on them."""

from __future__ import annotations

import math
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import JsonValue

from agent.agent import Agent
from agent.functions import FunctionExecutor
from agent.planners.rules import RulesPlanner
from memory.errors import RecordError
from memory.memory import Memory
from memory.records import CallStep, Observation, Scope, ToolCall, Turn
from memory.state.extraction import extract_all
from memory.tools import parse_tools

NOW = datetime(2026, 3, 9, 7, 36)
TOOLS = parse_tools(
    [
        {
            "type": "function",
            "function": {
                "name": "book_table",
                "description": "Book a table in a restaurant.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "people": {"type": "integer", "description": "The number of people."},
                        "minutes": {"type": "number", "description": "The length of the stay in minutes."},
                        "hours": {"type": "number", "description": "The length of the stay in hours."},
                    },
                    "required": ["people"],
                },
            },
        }
    ]
)


class Bob:
    """Answers every question in the same way."""

    def ask(self, question: str) -> str:
        return "For 4 people."

    def tell(self, reply: str) -> None:
        assert reply


def past(value: JsonValue) -> Turn:
    made = ToolCall(id="1", name="book_table", arguments={"people": value, "minutes": value})
    step = CallStep(calls=(made,), observations=(Observation(content={"people": value}),))
    return Turn(turn_id="t1", request="Book a table for many people.", steps=(step,), time=NOW)


def people(directory: Path, request: str, *turns: Turn) -> list[JsonValue]:
    """Return what the calls of a turn after `turns` have as `people`."""
    executor = FunctionExecutor({"book_table": lambda people, minutes=None, hours=None: {"table": "12"}})
    with Memory.open(directory) as memory:
        ada = memory.user(Scope("ada"))
        for turn in turns:
            ada.remember(turn)
        agent = Agent(ada, RulesPlanner(), clock=lambda: NOW)
        result = agent.run(request, TOOLS, executor=executor, user=Bob())
        assert agent.state() is not None
        return [call.arguments["people"] for call in result.turn.calls]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_json_has_no_number_for_is_refused_by_the_log_and_read_all_the_same(
    tmp_path: Path, value: JsonValue
) -> None:
    with pytest.raises(RecordError, match="use finite numbers"):
        people(tmp_path, "Book a table for 3 people.", past(value))
    found = extract_all([past(value), past(value)])
    assert [(one.slot.argument, one.kind, one.is_said) for one in found] == [
        ("people", "plain", True),
        ("minutes", "plain", True),
    ] * 2


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_past_number_beyond_a_float(tmp_path: Path, value: JsonValue) -> None:
    assert people(tmp_path, "Book a table for 3 people for 2 hours.", past(value)) == [3]


@pytest.mark.parametrize(
    "request_",
    [f"Book a table for {'9' * 400} people.", f"给{'9' * 400}人订桌子，9{'0' * 400}小时", f"订桌子，{'9' * 5000}小时"],
    ids=["en", "zh", "zh hours"],
)
def test_figures_beyond_a_float_are_asked_about(tmp_path: Path, request_: str) -> None:
    assert people(tmp_path, request_) == [4]
