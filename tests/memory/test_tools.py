"""Tool definitions in normal form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import JsonValue

from memory.errors import ToolSchemaError
from memory.language.values.descriptions import described_default, described_enum, described_format
from memory.tools import Parameter, parse_tool, parse_tools
from tests.shared import shared_path


def tool(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required or []}
    return {"type": "function", "function": {"name": "f", "description": "d", "parameters": parameters}}


def test_a_definition_in_normal_form() -> None:
    definition = tool(
        {
            "units": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "price": {"type": "float", "description": "The budget. The default value is 0.5."},
            "days": {"type": "interger"},
            "free": {"description": "Anything."},
            "maybe": {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
            "items": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "int"}}}},
        },
        ["units", "days", "ghost"],
    )
    before = json.dumps(definition)
    parsed = parse_tool(definition, strict=False)
    assert parsed.name == "f"
    assert parsed.parameters == (
        Parameter(name="units", enum=("C", "F"), default="C", is_required=True),
        Parameter(name="price", type="number", description="The budget. The default value is 0.5.", default=0.5),
        Parameter(name="days", type="integer", is_required=True),
        Parameter(name="free", description="Anything."),
        Parameter(name="maybe", type="boolean"),
        Parameter(
            name="items",
            type="array",
            items=Parameter(name="items", type="object", properties=(Parameter(name="n", type="integer"),)),
        ),
        Parameter(name="ghost", is_required=True),
    )
    assert json.dumps(definition) == before
    assert parsed.definition == definition


def test_a_parameter_that_takes_anything_may_be_written_as_true() -> None:
    parsed = parse_tool({"name": "f", "parameters": {"properties": {"x": True, "y": {}}, "required": ["x"]}})
    assert parsed.parameters == (Parameter(name="x", is_required=True), Parameter(name="y"))


@pytest.mark.parametrize("key", ["input_schema", "inputSchema"])
def test_schemas_of_other_houses_are_read_and_offered_as_function_tools(key: str) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    parsed = parse_tool({"name": "f", "description": "d", key: schema})
    assert parsed.parameters == (Parameter(name="city", is_required=True),)
    function = {"name": "f", "description": "d", "parameters": schema}
    assert parsed.definition == {"type": "function", "function": function}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ([], "`parameters` of tool 'f' must be a JSON object; got []"),
        ({"properties": {"a": {"type": "strang"}}}, "tool 'f', parameter 'a' has the type 'strang'; expected one of"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "tool 'f', parameter 'a' refers to '#/$defs/b', which is not"),
        ({"properties": {"a": {}}, "required": ["b"]}, "tool 'f' requires 'b', which its `properties` do not describe"),
    ],
)
def test_a_schema_that_means_nothing_certain_is_refused_unless_told_otherwise(parameters: Any, said: str) -> None:
    with pytest.raises(ToolSchemaError) as caught:
        parse_tool({"name": "f", "parameters": parameters})
    assert said in str(caught.value)
    parse_tool({"name": "f", "parameters": parameters}, strict=False)


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ToolSchemaError, match="two are called 'f'"):
        parse_tools([{"name": "f"}, {"name": "g"}, {"name": "f"}])


def test_a_recursive_reference_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "day": {"$ref": "#/$defs/day"}}}
    day = {"type": "string", "format": "date"}
    definition = tool({"root": {"$ref": "#/$defs/node"}})
    definition["function"]["parameters"]["$defs"] = {"node": node, "day": day}
    parsed = parse_tool(definition)
    depth, parameter = 0, parsed.parameters[0]
    while parameter.properties:
        depth, parameter = depth + 1, parameter.properties[0]
    assert depth == 4 - 1
    assert parsed.parameters[0].properties[1] == Parameter(name="day", format="date")


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ("search", "a tool definition must be a JSON object; got 'search'"),
        ({"function": {"description": "x"}}, "needs a `name`"),
        ({"name": "f", "parameters": {"properties": ["a"]}}, "`properties` must be a JSON object"),
        ({"name": "f", "parameters": {"properties": {}, "required": "a"}}, "`required` must be a list"),
        ({"name": "f", "parameters": {"properties": {"a": "string"}}}, "parameter 'a' must be a JSON object"),
    ],
)
def test_a_malformed_definition_says_what_was_expected(definition: Any, said: str) -> None:
    with pytest.raises(ToolSchemaError) as caught:
        parse_tool(definition)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("description", "kind", "values"),
    [
        ("Seat class, either first_class or second_class.", "string", ("first_class", "second_class")),
        ("Optional values: 'a', 'b'. The default is 'c'.", "string", ("a", "b")),
        ("Optional values are 'C' (Celsius) or 'F' (Fahrenheit), the default being 'C'.", "string", ("C", "F")),
        ("The optional values include 'low','medium', 'high'.", "string", ("low", "medium", "high")),
        (
            "Time unit. Optional values include minute, hour, day. Defaults to hour.",
            "string",
            ("minute", "hour", "day"),
        ),
        ("排序，可选值：'a', 'b'，默认为'a'。", "string", ("a", "b")),
        ("数据的格式，支持'XML'、'CSV'，默认为'JSON'。", "string", ("XML", "CSV")),
        ("One of: 1, 2, 3.", "integer", (1, 2, 3)),
        ("Optional values include '1m', '1h', etc.", "string", ()),
        ("The type, such as 'a' or 'b'.", "string", ()),
        ("The name of the city.", "string", ()),
    ],
)
def test_allowed_values_of_a_description(description: str, kind: str, values: tuple[JsonValue, ...]) -> None:
    assert described_enum(description, kind) == values


@pytest.mark.parametrize(
    ("description", "kind", "default"),
    [
        ("Whether to include x, default is false.", "boolean", False),
        ("The default value is 1,000.", "integer", 1000),
        ("with a default value of 5 days.", "integer", 5),
        ("The format, default is'mp3'.", "string", "mp3"),
        ("The day, defaulting to the current date. The format is 'YYYY-MM-DD'.", "string", "current date"),
        ("半径，默认为500。", "integer", 500),
        ("格式，默认值为'JSON'。", "string", "JSON"),
        ("The genre, default is empty.", "string", None),
        ("标签，默认为空。", "array", None),
        ("The city.", "string", None),
    ],
)
def test_the_default_of_a_description(description: str, kind: str, default: JsonValue) -> None:
    assert described_default(description, kind) == default


@pytest.mark.parametrize(
    ("name", "description", "found"),
    [
        ("d", "In the format 'YYYY-MM-DD'.", "date"),
        ("d", "Format YYYY-MM-DD HH:MM:SS.", "datetime"),
        ("t", "格式为'HH:MM'。", "time"),
        ("travel_date", "When to go.", "date"),
        ("u", "The URL to check.", "url"),
        ("location", "In the format 'latitude,longitude'.", "coordinates"),
        ("country", "The two-letter ISO code of the country", "country_code"),
        ("update", "What changed.", None),
        ("time", "When the shop is busy, by default 'any'.", None),
        ("time", "观鸟的时段，如'清晨'、'黄昏'。", None),
        ("time", "The user's time and the court's slot.", "time"),
        ("time", "Start time, by default 'now'.", "time"),
        ("start_date", "First day, by default 'current date'.", "date"),
    ],
)
def test_the_format_of_a_description(name: str, description: str, found: str | None) -> None:
    assert described_format(name, description, "string") == found


def test_every_public_tool_set_is_read() -> None:
    for name in ("tools_en.jsonl", "tools_zh.jsonl"):
        for line in shared_path("toolsets", name).read_text(encoding="utf-8").splitlines():
            definitions = json.loads(line)
            parsed = parse_tools(definitions, strict=False)  # some require what they do not describe
            assert [tool.name for tool in parsed] == [part["function"]["name"] for part in definitions]
            required = [part["function"]["parameters"]["required"] for part in definitions]
            assert [[p.name for p in tool.required] for tool in parsed] == required or all(
                {p.name for p in tool.required} == set(names) for tool, names in zip(parsed, required, strict=True)
            )
