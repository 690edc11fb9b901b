"""Tool schemas in every dialect (case B13)."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from agent.dialects.normal_form import MAX_NODES, normal_form
from agent.dialects.rendering import render_tools
from agent.providers import Dialect
from memory.tools import Tool, parse_tool
from tests.schema_rules import faults

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
HOSTED = [dialect for dialect in DIALECTS if dialect not in ("hammer", "pythonic")]

LEGAL: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["name"],
        },
    },
    "properties": {
        "where": {"$ref": "#/$defs/place", "description": "Where to."},
        "tree": {"$ref": "#/$defs/node"},
        "when": {"type": "string", "anyOf": [{"format": "date"}, {"enum": ["today"]}], "description": "When."},
        "either": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        "maybe": {"type": ["number", "null"], "default": 1.5},
        "kind": {"const": "train"},
        "seats": {"type": "integer", "enum": [1, 2, 4]},
        "class": {"type": "string", "enum": ["first", "second"], "minLength": 3},
        "many": {"type": "array"},
    },
    "required": ["where", "kind", "seats"],
}
ARGUMENTS: dict[str, Any] = {
    "where": {"city": "都灵"},
    "tree": {"name": "a", "parts": [{"name": "b", "parts": []}]},
    "when": "today",
    "either": 7,
    "maybe": None,
    "kind": "train",
    "seats": 2,
    "class": "first",
    "many": ["x", 1, True],
}


def tool_of(schema: dict[str, Any], name: str = "book") -> Tool:
    """Return a tool that has only a definition, since the normal form is read from it alone."""
    return Tool(name=name, definition={"type": "function", "function": {"name": name, "parameters": schema}})


def parameters(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return the parameters as the dialect renders them."""
    made = render_tools([tool_of(schema)], dialect).tools[0]
    found: dict[str, Any] = made["parameters"] if dialect in ("hammer", "pythonic") else made["function"]["parameters"]
    return found


@pytest.mark.parametrize("dialect", HOSTED)
def test_a_legal_schema_is_one_that_the_endpoint_takes_and_the_original_stays(dialect: Dialect) -> None:
    original = copy.deepcopy(LEGAL)
    made = render_tools([tool_of(LEGAL)], dialect).tools[0]["function"]
    # Strict mode cannot say "any list", so this tool is offered without it.
    assert faults("openai" if dialect == "openai-strict" else dialect, made["parameters"]) == []
    assert original == LEGAL


@pytest.mark.parametrize("dialect", [one for one in HOSTED if one != "openai-strict"])
def test_valid_arguments_stay_valid_with_value_and_type(dialect: Dialect) -> None:
    Draft202012Validator(LEGAL).validate(ARGUMENTS)
    schema = _with_nullable_types(parameters(LEGAL, dialect))
    Draft202012Validator(schema).validate(ARGUMENTS)
    Draft202012Validator(schema).validate({name: ARGUMENTS[name] for name in LEGAL["required"]})


@pytest.mark.parametrize("dialect", [one for one in HOSTED if one != "openai-strict"])
def test_what_a_schema_refuses_is_still_refused_or_told(dialect: Dialect) -> None:
    schema = _with_nullable_types(parameters(LEGAL, dialect))
    refused: list[dict[str, Any]] = [
        {"where": {}},
        {"where": "Turin"},
        {"kind": 3},
        {"seats": "two"},
        {"class": "third"},
    ]
    for wrong in refused:
        assert not Draft202012Validator(schema).is_valid({**ARGUMENTS, **wrong}), wrong
    told = json.dumps(schema["properties"]["seats"])
    assert '"enum": [1, 2, 4]' in told or "One of: 1, 2, 4." in told


def _with_nullable_types(node: Any) -> Any:
    """Return a schema in which `nullable`, which JSON Schema does not know, is said by the type."""
    if isinstance(node, list):
        return [_with_nullable_types(part) for part in node]
    if not isinstance(node, dict):
        return node
    made = {key: _with_nullable_types(value) for key, value in node.items() if key != "nullable"}
    return {**made, "type": [made["type"], "null"]} if node.get("nullable") else made


def test_moonshot_has_the_type_in_the_alternatives() -> None:
    made = parameters(LEGAL, "moonshot")["properties"]
    assert made["when"] == {
        "description": "When.",
        "anyOf": [
            {"type": "string", "description": '(format: "date")'},
            {"type": "string", "enum": ["today"]},
        ],
    }
    assert made["maybe"] == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    assert made["kind"] == {"type": "string", "enum": ["train"]}


def test_gemini_has_flags_and_words_for_what_it_cannot_say() -> None:
    made = parameters(LEGAL, "gemini")["properties"]
    assert made["maybe"] == {"type": "number", "nullable": True}
    assert made["seats"] == {"type": "integer", "description": "One of: 1, 2, 4."}
    assert made["class"] == {"type": "string", "enum": ["first", "second"], "description": "(minLength: 3)"}
    assert made["where"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "description": "Where to.",
    }


def test_alternatives_at_the_root_become_fields_with_words_where_a_subset_wants_a_plain_object() -> None:
    schema = {
        "type": "object",
        "anyOf": [
            {"properties": {"id": {"type": "string"}}, "required": ["id"]},
            {"properties": {"name": {"type": "string"}}, "required": ["name"]},
        ],
    }
    for dialect in ("moonshot", "gemini"):
        assert parameters(schema, dialect) == {
            "type": "object",
            "properties": {"name": {"type": "string"}, "id": {"type": "string"}},
            "required": [],
            "description": "Give one of: id; name.",
        }


def test_strict_lists_every_field_and_lets_optional_ones_be_null() -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer", "default": 1, "minimum": 1},
            "board": {"type": "string", "enum": ["none", "half"]},
            "guest": {"type": "object", "properties": {"name": {"type": "string"}}},
            "kind": {"const": "room"},
        },
        "required": ["city"],
    }
    rendered = render_tools([tool_of(schema)], "openai-strict")
    function = rendered.tools[0]["function"]
    assert (function["strict"], rendered.notes) == (True, ())
    assert faults("openai-strict", function["parameters"]) == []
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": ["integer", "null"], "description": "Default: 1."},
            "board": {"type": ["string", "null"], "enum": ["none", "half", None]},
            "guest": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"name": {"type": ["string", "null"]}},
                        "required": ["name"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ]
            },
            "kind": {"anyOf": [{"type": "string", "const": "room"}, {"type": "null"}]},
        },
        "required": ["city", "nights", "board", "guest", "kind"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ({"type": "object", "additionalProperties": {}}, "'free' takes any field"),
        ({"type": "object", "additionalProperties": True}, "'free' takes any field"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "'free' takes any field"),
        ({"type": "object"}, "'free' takes any field"),
        ({"type": "array"}, "the elements of 'free' takes any value"),
        ({}, "'free' takes any value"),
    ],
)
def test_strict_falls_back_for_the_one_tool_and_says_so(field: dict[str, Any], why: str) -> None:
    free = tool_of({"type": "object", "properties": {"free": field or {"description": "x", "type": "any"}}}, "free")
    rendered = render_tools([free, tool_of({"type": "object", "properties": {}}, "bound")], "openai-strict")
    assert ["strict" in tool["function"] for tool in rendered.tools] == [False, True]
    assert rendered.notes == (f"free: not strict, since {why}",)


def test_names_of_types_and_absent_names_are_mended_and_said() -> None:
    schema = {
        "type": "dict",
        "properties": {
            "n": {"type": "interger"},
            "x": {"type": "float"},
            "l": {"type": "list", "items": {"type": "str"}},
        },
        "required": ["n", "gone", "gone"],
    }
    form = normal_form(tool_of(schema))
    assert form.schema == {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "x": {"type": "number"},
            "l": {"type": "array", "items": {"type": "string"}},
            "gone": {"type": "string"},
        },
        "required": ["n", "gone"],
    }
    assert form.notes == ("book: 'gone' is required and not described; it is taken to be text",)


def test_recursion_is_bounded_however_many_ways_it_goes() -> None:
    wide = {"type": "object", "properties": {f"p{n}": {"$ref": "#"} for n in range(40)}}
    form = normal_form(tool_of(wide))
    assert json.dumps(form.schema).count("properties") < MAX_NODES
    assert form.notes == ("book: # refers to itself; from the third level on anything is taken",)
    assert normal_form(tool_of({"properties": {"a": {"$ref": "#/$defs/none"}}})).notes == (
        "book: #/$defs/none refers to nothing; anything is taken",
    )


def test_two_tools_of_one_name_are_reported_and_the_last_is_offered() -> None:
    rendered = render_tools([tool_of({"properties": {"a": {}}}), tool_of({"properties": {"b": {}}})], "openai")
    assert [list(tool["function"]["parameters"]["properties"]) for tool in rendered.tools] == [["b"]]
    assert rendered.notes == ("two tools are called 'book'; the last one is offered",)


def test_names_that_endpoints_refuse_are_replaced_and_found_again() -> None:
    tools = [tool_of({}, "rail.book"), tool_of({}, "rail book"), tool_of({}, "订票"), tool_of({}, "9to5")]
    rendered = render_tools(tools, "openai")
    assert dict(rendered.names) == {"rail_book": "rail.book", "rail_book_2": "rail book", "__": "订票", "_9to5": "9to5"}
    assert rendered.sent_name("rail book", "openai") == "rail_book_2"
    assert rendered.sent_name("of an earlier.turn", "openai") == "of_an_earlier_turn"
    assert list(render_tools(tools[:3], "pythonic").names) == ["rail.book", "rail_book", "订票"]


def test_hammer_gets_flat_fields_and_pythonic_gets_the_schema() -> None:
    definition = {
        "name": "find",
        "description": "Finds.",
        "parameters": {"type": "object", "properties": {"q": {"type": "str"}, "n": {"type": "int"}}, "required": ["q"]},
    }
    tool = parse_tool(definition)
    assert render_tools([tool], "hammer").tools == [
        {
            "name": "find",
            "description": "Finds.",
            "parameters": {"q": {"type": "string", "required": True}, "n": {"type": "integer"}},
        }
    ]
    assert render_tools([tool], "pythonic").tools[0]["parameters"] == {
        "type": "object",
        "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["q"],
    }
