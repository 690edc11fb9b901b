"""The argument check: schema, comparison, order of errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.arguments import check_arguments, check_schema, functions_by_name
from benchmark_adapter.evaluator.convert import convert_tools


def tool(name: str = "t", **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": ["a"] if "a" in properties else []}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def check(schema: Any, predicted: Any, reference: Any | None = None) -> str:
    """Check the argument `a` of a tool with this schema; the reference is the prediction unless given."""
    functions = functions_by_name([tool(a=schema)])
    expected = predicted if reference is None else reference
    return check_arguments(functions, "t", json.dumps({"a": predicted}), json.dumps({"a": expected}), "rouge")


WRONG_TYPE = "error_schema: nested args type inconsistent"


@pytest.mark.parametrize(
    ("schema", "value", "result"),
    [
        ({"type": "string"}, 1, WRONG_TYPE),
        ({}, 1, WRONG_TYPE),  # a missing type means string
        ({"type": "number"}, 1, "correct"),
        ({"type": "number"}, 1.5, "correct"),
        ({"type": "float"}, 1, WRONG_TYPE),
        ({"type": "float"}, 1.0, "correct"),
        ({"type": "integer"}, 1.0, WRONG_TYPE),
        ({"type": "integer"}, True, "correct"),
        ({"type": "null"}, None, "correct"),
        ({"type": "date"}, 5, "correct"),  # unknown types are not checked
        ({"type": "string", "enum": ["x"]}, "y", "error_schema: nested args value not in enum"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}], "enum": ["x"]}, 5, "correct"),
        (
            {"anyOf": [{"type": "object", "properties": {}}, {"type": "null"}]},
            {"k": 1},
            "error_schema: nested args not defined",
        ),
        ({"type": "array"}, [1, "x"], "correct"),
        ({"type": "array", "items": {"type": "integer"}}, [1, "x"], WRONG_TYPE),
        ({"type": "object"}, {"k": 1}, "error_schema: nested args not defined"),
        ({"type": "object", "additionalProperties": True}, {"k": 1}, "correct"),
        ({"type": "object", "additionalProperties": {}}, {"k": 1}, "error_schema: nested args not defined"),
        ({"type": "object", "required": ["k"]}, {}, "error_schema: required nested args missing"),
    ],
)
def test_schema(schema: Any, value: Any, result: str) -> None:
    assert check(schema, value) == result


@pytest.mark.parametrize(
    ("predicted", "result"),
    [
        ("{", "error: args invalid json format"),
        ("\ufeff{}", "error: args invalid json format"),
        ("[]", "error_schema: args type inconsistent"),
        ("{}", "error_schema: required args missing"),
        ('{"a": "x", "b": 1}', "error_schema: args not defined"),
        ('{"a": 1, "b": 1}', WRONG_TYPE),  # in the order the model wrote them
        ('{"a": 1, "a": "x"}', "correct"),  # the last of duplicate keys
    ],
)
def test_top_level(predicted: str, result: str) -> None:
    assert check_schema(functions_by_name([tool(a={"type": "string"})]), "t", predicted) == result


@pytest.mark.parametrize(
    ("schema", "exception"),
    [
        (True, "TypeError"),
        ("string", "AttributeError"),
        ({"type": ["string", "null"]}, "TypeError"),
        ({"anyOf": []}, "IndexError"),
    ],
)
def test_a_schema_that_is_none_is_a_crash(schema: Any, exception: str) -> None:
    with pytest.raises(ReferenceCrashError) as info:
        check(schema, "x")
    assert info.value.type_name == exception


@pytest.mark.parametrize(
    "definitions",
    [
        [{"function": {"parameters": {}}}, {"name": "flat"}, None],
        [{"function": {"name": "flat", "parameters": None}}],
    ],
)
def test_a_tool_that_is_not_on_offer_is_a_crash(definitions: list[Any]) -> None:
    functions = functions_by_name(definitions)

    with pytest.raises(ReferenceCrashError) as info:
        check_schema(functions, "flat", "{}")
    assert (info.value.type_name, info.value.detail) == ("KeyError", "'flat'")


def test_of_two_tools_with_one_name_the_last_counts() -> None:
    functions = functions_by_name([tool(a={"type": "string"}), tool(a={"type": "integer"})])

    assert check_schema(functions, "t", '{"a": 1}') == "correct"


ANY = {"type": "object", "additionalProperties": True}


@pytest.mark.parametrize(
    ("predicted", "reference", "result"),
    [
        (1, 1.0, "error_match: value type inconsistent at 'a'"),
        (True, 1, "error_match: value type inconsistent at 'a'"),
        (1, 2, "error_match: value mismatch at 'a'"),
        ([1], [1, 2], "error_match: array length mismatch at 'a'"),
        ([2, 1], [1, 2], "error_match: value mismatch at 'a[0]'"),
        ({"x": 1, "z": 0}, {"y": 1, "x": 1}, "error_match: args keys mismatch at 'a' (missing: ['y'], extra: ['z'])"),
        ({"x": {"y": 1}}, {"x": {"y": 2}}, "error_match: value mismatch at 'a.x.y'"),
        ({"x": 1, "y": 1}, {"y": 2, "x": 2}, "error_match: value mismatch at 'a.y'"),  # in the reference's key order
        (float("nan"), float("nan"), "error_match: value mismatch at 'a'"),
    ],
)
def test_comparison(predicted: Any, reference: Any, result: str) -> None:
    assert check({"type": "any"} if not isinstance(reference, dict) else ANY, predicted, reference) == result


def test_a_schema_word_as_a_key_of_an_undeclared_object_fails_on_lists() -> None:
    assert check(ANY, {"type": ["x"]}) == "error: comparison failed - 'str' object has no attribute 'get'"
    assert check(ANY, {"type": {"k": "x"}}) == "correct"


@pytest.mark.parametrize(
    ("predicted", "reference", "result"),
    [
        ("New  York", "newyork", "correct"),
        ("apples", "apple", "error_match: string similarity too low at 'a' (rouge score: 0.00)"),
        ("lemon", "apple", "error_match: string similarity too low at 'a' (edit score: 0.40)"),
        ("", "two words long", "error_match: rouge calculation failed at 'a'"),
    ],
)
def test_texts_with_the_libraries(predicted: str, reference: str, result: str) -> None:
    assert check({"type": "string"}, predicted, reference) == result


def test_texts_without_the_libraries() -> None:
    functions = functions_by_name([tool(a={"type": "string"})])

    assert check_arguments(functions, "t", '{"a": "apples"}', '{"a": "apple"}', "fallback") == "correct"


def test_a_reference_that_is_no_json_is_an_error_of_json() -> None:
    functions = functions_by_name([tool(a={"type": "string"})])

    assert check_arguments(functions, "t", '{"a": "x"}', '{"a":', "rouge") == "error: args invalid json format"


def test_float_becomes_number_in_the_text_of_the_tools() -> None:
    before = tool(
        a={"type": "float", "default": {"type": "float"}, "enum": ["float"], "description": '"type": "float"'}
    )
    after = tool(
        a={"type": "number", "default": {"type": "number"}, "enum": ["float"], "description": '"type": "float"'}
    )

    assert convert_tools([before], "some-model") == [after]
    assert before["function"]["parameters"]["properties"]["a"]["type"] == "float"


def test_for_claude_the_parameters_leave_the_function() -> None:
    (converted,) = convert_tools([tool(a={"type": "string"})], "claude-x")

    assert converted["function"] == {"name": "t"}
    assert converted["inputSchema"]["required"] == ["a"]
    assert check_schema(functions_by_name([converted]), "t", '{"a": "x"}') == "error_schema: args not defined"
    assert check_schema(functions_by_name([converted]), "t", "{}") == "correct"
    with pytest.raises(ReferenceCrashError, match="KeyError"):
        convert_tools([{"function": {"name": "np"}}], "claude-x")
