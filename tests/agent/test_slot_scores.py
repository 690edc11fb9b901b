"""Values of a request weighed for the arguments of a tool, on schemas that the weights have not seen."""

from __future__ import annotations

import pytest

from agent.planners.rules.slot_scores import SlotScorer
from agent.planners.rules.utterance import Text
from memory.tools import Tool, parse_tool


def tool(**parameters: str) -> Tool:
    properties = {name: {"type": "string", "description": text} for name, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return parse_tool({"name": "ask", "description": "Answer a question.", "parameters": schema})


WAY = tool(start_location="Where the way begins.", end_location="Where the way ends.")
ROWS = [
    (WAY, "How far is it from the Old Mill to the Lime Tree?", {"start_location": "Mill", "end_location": "Lime"}),
    (WAY, "Directions from Harwich to Colchester please", {"start_location": "Harwich", "end_location": "Colchester"}),
]


@pytest.mark.parametrize(("asked", "request_text", "told"), ROWS)
def test_the_likeliest_value_of_each_argument(asked: Tool, request_text: str, told: dict[str, str]) -> None:
    scorer = SlotScorer(asked, Text(request_text, None))
    best = {one.name: scorer.said(one)[0].value for one in asked.parameters}
    assert {name: told[name] in str(value) for name, value in best.items()} == dict.fromkeys(told, True)


def test_probabilities_of_one_argument_share_out_at_most_one() -> None:
    scorer = SlotScorer(WAY, Text("somewhere near the river, from Ghent", None), {"*": 1.0})
    found = [one.strength for one in scorer.said(WAY.parameters[0]) if one.strength < 0.3]
    assert found
    assert sum(found) <= 1


def test_words_without_a_figure_are_no_id() -> None:
    ids = tool(order_id="The id of the order.")
    found = SlotScorer(ids, Text("cancel the blue one", None)).said(ids.parameters[0])
    assert all(any(char.isdigit() for char in str(one.value)) for one in found)


def test_nothing_is_said_by_an_empty_text() -> None:
    assert SlotScorer(WAY, Text("", None)).said(WAY.parameters[0]) == []
