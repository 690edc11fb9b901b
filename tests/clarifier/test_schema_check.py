"""The last look at a call: its arguments against the tool's own JSON Schema."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from clarifier.clarifier import decide
from clarifier.decision import Hint, Proposal, Situation
from clarifier.policy import open_policy
from clarifier.schema_check import faults_of
from memory.evidence import Slot
from memory.records import QuestionStep, ToolCall
from memory.tools import Tool, parse_tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rating": {"type": "interger", "minimum": 1, "maximum": 5, "description": "Stars"},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "time"},
        "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "mail": {"type": "string", "format": "email"},
        "guest": {"$ref": "#/$defs/guest"},
    },
    "$defs": {
        "guest": {
            "type": "object",
            "properties": {"name": {"type": "str"}, "age": {"type": ["integer", "null"], "minimum": 0}},
            "required": ["name"],
            "additionalProperties": False,
        }
    },
    "required": ["rating"],
    "additionalProperties": False,
}


def tool(schema: dict[str, Any] | None = None) -> Tool:
    return parse_tool({"name": "rate_place", "description": "Rate a place", "parameters": schema or SCHEMA})


def call(**arguments: Any) -> ToolCall:
    return ToolCall(id="1", name="rate_place", arguments=arguments)


ROWS: list[tuple[dict[str, Any], list[str], str]] = [
    ({"rating": 5, "guest": {"name": "Ann", "age": None}}, [], ""),
    ({"rating": 4.0, "day": "2026-03-01", "at": "19:00", "code": "AB", "mail": "a@b.example"}, [], ""),
    ({"rating": 11}, ["rating"], "11 is greater than the maximum of 5"),
    ({"rating": "5"}, ["rating"], "'5' is not of type 'integer'"),
    ({"rating": 5, "day": "2026-02-30"}, ["day"], "'2026-02-30' is not a 'date'"),
    ({"rating": 5, "at": "seven"}, ["at"], "'seven' is not a 'time'"),
    ({"rating": 5, "code": "abc"}, ["code"], "'abc' does not match '^[A-Z]{2}$'"),
    ({"rating": 5, "mail": "me"}, ["mail"], "'me' is not a 'email'"),
    ({"rating": 5, "guest": {}}, ["guest"], "'name' is a required property"),
    ({"rating": 5, "guest": {"name": "A", "age": -1}}, ["guest"], "age: -1 is less than the minimum of 0"),
    ({"rating": 5, "sauce": 1}, ["sauce"], "Additional properties are not allowed ('sauce' was unexpected)"),
    ({}, ["rating"], "'rating' is a required property"),
]


@pytest.mark.parametrize(("arguments", "at_fault", "reason"), ROWS)
def test_what_the_schema_refuses_is_found(arguments: dict[str, Any], at_fault: list[str], reason: str) -> None:
    faults = faults_of(call(**arguments), tool())
    assert [fault.argument for fault in faults] == at_fault
    assert [fault.reason for fault in faults][:1] == [reason] * bool(reason)


@pytest.mark.parametrize("schema", [{"type": "object", "properties": {"rating": {"type": "strange"}}}, {"required": 3}])
def test_a_schema_that_is_none_refuses_nothing(schema: dict[str, Any]) -> None:
    refusing = tool(SCHEMA).model_copy(update={"definition": {"name": "rate_place", "parameters": schema}})
    assert faults_of(call(rating="x"), refusing) == ()


def test_the_planner_learns_the_reason_once_and_then_the_person_is_asked() -> None:
    situation = Situation("Give it a rating of 11", (tool(),), now=datetime(2026, 3, 1))
    proposal = Proposal(calls=(call(rating=11),))
    again = decide(situation, proposal, policy=open_policy("product"))
    assert again.kind == "plan_again"
    reason = "11 is greater than the maximum of 5"
    assert again.hints == (Hint("invalid", Slot("rate_place", "rating"), value=reason),)
    hinted = Situation(situation.request, situation.tools, now=situation.now, hints=again.hints)
    asked = decide(hinted, proposal, policy=open_policy("product"))
    assert (asked.kind, getattr(asked, "slots", None)) == ("ask", ("rate_place.rating",))
    steps = (QuestionStep(question="?", answer="eleven", slots=("rate_place.rating",)),)
    over = Situation(situation.request, situation.tools, steps=steps, now=situation.now, hints=again.hints)
    assert decide(over, proposal, policy=open_policy("product")).kind == "answer"
