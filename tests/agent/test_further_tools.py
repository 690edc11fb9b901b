"""Tools beside the likeliest one that a request calls for."""

from __future__ import annotations

from agent.planners.rules.arguments import Filler
from agent.planners.rules.further_tools import further
from agent.planners.rules.past_values import Past
from agent.planners.rules.tool_features import NAMES, Features, tool_features
from clarifier.decision import Situation
from memory.tools import parse_tool


def features_of(request: str) -> Features:
    names = {"get_weather": "Tell the weather of a town.", "find_recipe": "Find a recipe for a dish."}
    tools = tuple(parse_tool({"name": name, "description": text}) for name, text in names.items())
    situation = Situation(request=request, tools=tools)
    filler = Filler(situation, Past(situation))
    return tool_features(situation, [filler.fill(tool) for tool in tools], None)


def test_one_row_a_tool_and_one_share_a_clause_and_tool() -> None:
    features = features_of("What is the weather? And find me a recipe for lentil soup.")
    assert features.rows.shape == (2, len(NAMES))
    assert features.shares.shape == (len(features.units), 2)
    assert len(features.units) >= 2


def test_what_is_picked_is_never_a_further_tool() -> None:
    features = features_of("What is the weather? And find me a recipe for lentil soup.")
    assert further(features, [0, 1]) == {}
    assert set(further(features, [0])) <= {1}
