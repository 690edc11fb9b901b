"""Calls leave the adapter spelled so that the reference evaluator neither refuses nor mistakes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.replay.spelling import Spelling
from benchmark_adapter.scoring.exact import score_turn
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.tools import parse_tool
from tests.benchmark_adapter.topics import call, final, reference_turn, tool

ORDER = tool(
    "order_prints",
    "Order prints of a page.",
    ["copies"],
    paper={"type": "string", "enum": ["Plain", "Glossy"]},
    copies={"type": "integer"},
    width={"type": "number"},
    book_id={"type": "string"},
    pages={"type": "array", "items": {"type": "integer"}},
    colour={"type": "boolean"},
    note={"anyOf": [{"type": "string"}, {"type": "null"}]},
    address={"type": "object", "properties": {"street": {"type": "string"}, "number": {"type": "integer"}}},
)


def _turn(*calls: Mapping[str, Any]) -> Turn:
    made = tuple(ToolCall(id=str(index), name="order_prints", arguments=dict(one)) for index, one in enumerate(calls))
    step = CallStep(calls=made, observations=(Observation(content="ok"),) * len(made))
    return Turn(turn_id=f"t{len(calls)}", request="Prints, please.", steps=(step,))


def _spelled(arguments: dict[str, Any], *past: Turn, name: str = "order_prints") -> str:
    return Spelling([parse_tool(ORDER)], past).arguments(ToolCall(id="1", name=name, arguments=arguments))


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"copies": 5.0}, '{"copies": 5}'),
        ({"copies": "5"}, '{"copies": 5}'),
        ({"copies": 5.5}, '{"copies": 5.5}'),
        ({"copies": True}, '{"copies": true}'),
        ({"width": 5.0}, '{"width": 5}'),
        ({"width": "2.5"}, '{"width": 2.5}'),
        ({"book_id": 17}, '{"book_id": "17"}'),
        ({"paper": "glossy"}, '{"paper": "Glossy"}'),
        ({"paper": "velvet"}, '{"paper": "velvet"}'),
        ({"pages": [1.0, "2"]}, '{"pages": [1, 2]}'),
        ({"pages": "[1, 2]"}, '{"pages": [1, 2]}'),
        ({"colour": "true"}, '{"colour": true}'),
        ({"address": {"number": "7", "street": "Quay"}}, '{"address": {"street": "Quay", "number": 7}}'),
        ({"copies": 1, "shipping": "fast"}, '{"copies": 1}'),
        ({"copies": 1, "colour": None}, '{"copies": 1}'),
        ({"copies": None}, '{"copies": null}'),
        ({"copies": 1, "note": None}, '{"copies": 1, "note": null}'),
        ({"book_id": "红楼梦"}, '{"book_id": "红楼梦"}'),
    ],
)
def test_values_take_the_type_of_their_schema_where_that_is_certain(given: dict[str, Any], written: str) -> None:
    """Case B41: 5.0 and "5" as 5, optional arguments that the tool does not have left out."""
    assert _spelled(given) == written


def test_a_tool_that_is_not_on_offer_keeps_its_arguments_as_they_are() -> None:
    assert _spelled({"b": 5.0, "a": None}, name="print_order") == '{"b": 5.0, "a": null}'


def test_keys_stand_as_in_the_schema_where_nothing_is_known_of_past_calls() -> None:
    assert _spelled({"book_id": "B-17", "copies": 2, "paper": "Plain"}) == (
        '{"paper": "Plain", "copies": 2, "book_id": "B-17"}'
    )


def test_keys_stand_as_in_the_last_past_call_that_has_them_all() -> None:
    past = (
        _turn({"book_id": "B-1", "copies": 1, "paper": "Plain"}),
        _turn({"copies": 1, "book_id": "B-2", "paper": "Plain"}),
        _turn({"paper": "Plain", "copies": 3}),
    )

    assert _spelled({"paper": "Glossy", "book_id": "B-17", "copies": 2}, *past) == (
        '{"copies": 2, "book_id": "B-17", "paper": "Glossy"}'
    )
    assert _spelled({"copies": 2, "paper": "Glossy"}, *past) == '{"paper": "Glossy", "copies": 2}'


def test_nested_keys_have_their_order_from_past_calls_too() -> None:
    past = _turn({"copies": 1, "address": {"number": 1, "street": "Quay"}})

    assert _spelled({"address": {"street": "Mill Lane", "number": 7}}, past) == (
        '{"address": {"number": 7, "street": "Mill Lane"}}'
    )


def test_whole_numbers_are_written_as_they_were_before() -> None:
    assert _spelled({"width": 5}, _turn({"copies": 1, "width": 4.0})) == '{"width": 5.0}'
    assert _spelled({"width": 5.0}, _turn({"copies": 1, "width": 4.0}), _turn({"width": 3})) == '{"width": 5}'
    # 2.5 shows nothing of whole numbers.
    assert _spelled({"width": 5}, _turn({"width": 4.0}), _turn({"width": 2.5})) == '{"width": 5.0}'


def test_without_the_order_of_past_calls_two_calls_of_one_tool_would_be_paired_wrongly() -> None:
    """Case B41: the order of keys."""
    wanted = [{"book_id": "B-1", "branch": "Station"}, {"book_id": "B-2", "branch": "Harbour"}]
    turn = reference_turn(
        *(call("reserve_book", arguments, "reserved") for arguments in wanted), final(after=[0, 1]), task_type=None
    )
    swapped = [dict(reversed(arguments.items())) for arguments in wanted]

    def label(made: list[dict[str, Any]]) -> str:
        calls = tuple(
            WrittenCall(id=str(index), name="reserve_book", arguments=json.dumps(one)) for index, one in enumerate(made)
        )
        return score_turn(turn, [Reply(calls=calls), Reply(content="Done.")], similarity="rouge").label

    assert label(swapped) == "error"
    past = Turn(
        turn_id="t0",
        request="Reserve Dune.",
        steps=(
            CallStep(
                calls=(ToolCall(id="0", name="reserve_book", arguments={"book_id": "B-9", "branch": "Old Mill"}),),
                observations=(Observation(content="reserved"),),
            ),
        ),
    )
    spelling = Spelling([parse_tool(one) for one in turn.tools], [past])
    spelled = [
        json.loads(spelling.arguments(ToolCall(id="1", name="reserve_book", arguments=arguments)))
        for arguments in swapped
    ]
    assert label(spelled) == "correct"


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\n", " : ")])
def test_spacing_does_not_change_the_verdict(separators: tuple[str, str]) -> None:
    """Case B41: the exact score is the same however the text is spaced."""
    turn = reference_turn(call("reserve_book", {"book_id": "B-1", "branch": "Station"}, "reserved"), final(after=[0]))
    text = json.dumps({"branch": "Station", "book_id": "B-1"}, separators=separators)
    replies = [Reply(calls=(WrittenCall(id="1", name="reserve_book", arguments=text),)), Reply(content="Done.")]

    assert score_turn(turn, replies, similarity="rouge").label == "correct"


@pytest.mark.parametrize(
    ("weeks", "label"), [("3", "correct"), ("3.0", "error"), ('"3"', "error"), ('3, "express": true', "error")]
)
def test_the_verdict_itself_stays_the_references(weeks: str, label: str) -> None:
    turn = reference_turn(call("renew_loans", {"book_ids": ["B-1"], "weeks": 3}, "renewed"), final(after=[0]))
    text = f'{{"book_ids": ["B-1"], "weeks": {weeks}}}'
    replies = [Reply(calls=(WrittenCall(id="1", name="renew_loans", arguments=text),)), Reply(content="Done.")]

    assert score_turn(turn, replies, similarity="rouge").label == label
