"""Requests of many pages: how much of them is read."""

from __future__ import annotations

from datetime import datetime

from agent.planners.rules import RulesPlanner
from clarifier.decision import Situation
from memory.typed.mentions import READ_CHARACTERS
from tests.agent.test_rules_planner import TOOLS

NOW = datetime(2026, 3, 9, 7, 36)


def test_of_a_long_request_the_beginning_is_read() -> None:
    request = "Find a ferry from Dover to Calais." + " so" * (READ_CHARACTERS // 3)
    told = Situation(request + ", on 2 May at 9:30.", TOOLS, now=NOW)
    assert len(request) > READ_CHARACTERS
    assert RulesPlanner().plan(told) == RulesPlanner().plan(Situation(request[:READ_CHARACTERS], TOOLS, now=NOW))
    [call] = RulesPlanner().plan(told).calls
    assert call.arguments == {"origin": "Dover", "destination": "Calais"}
