"""The argument check of the reference evaluator: the prediction against its schema, then against the reference.

Its leniency (similar texts pass) and its strictness (1 and 1.0 differ) are the reference's own (conformance notes,
30-39). They serve scores only and are never used to decide anything at run time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmark_adapter.errors import ReferenceCrashError
from benchmark_adapter.evaluator.similarity import SimilarityMode, edit_similarity, word_similarity

CORRECT = "correct"
INVALID_JSON = "error: args invalid json format"

SHORT_TEXT_CHARACTERS = 10
"""References with fewer characters, white space included, must pass the edit similarity too."""
EDIT_THRESHOLD = 0.8
WORD_THRESHOLD = 0.7

# Booleans pass as integers and numbers, being ints in Python; the comparison then tells them apart.
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "float": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def functions_by_name(tools: Sequence[Any]) -> dict[str, Any]:
    """Return the `function` of each well-formed tool by its name; of two with one name the last.

    Parameters may be absent, which is no parameters, but not null: such a tool is on offer and cannot be called.
    """
    functions = (tool.get("function") for tool in tools if isinstance(tool, Mapping))
    return {
        one["name"]: one
        for one in functions
        if isinstance(one, Mapping) and isinstance(one.get("name"), str) and one.get("parameters", {}) is not None
    }


def check_arguments(
    functions: Mapping[str, Any], name: str, predicted: Any, reference: Any, mode: SimilarityMode
) -> str:
    """Return `correct`, or the reference evaluator's message for the first thing that is wrong.

    Args:
        functions: Tools on offer, as `functions_by_name` gives them.
        name: The tool that was called.
        predicted: JSON text as the model wrote it.
        reference: JSON text of the reference arguments. It is not checked against the schema.
        mode: Second similarity of texts.

    Raises:
        ReferenceCrashError: Where the reference evaluator raises: a tool that is not on offer, arguments that are not
            text, a schema that is none.
    """
    result = check_schema(functions, name, predicted)
    if result != CORRECT:
        return result
    try:
        expected = json.loads(reference)
    except ValueError:
        return INVALID_JSON
    return compare_arguments(json.loads(predicted), expected, functions[name].get("parameters", {}), mode)


def check_schema(functions: Mapping[str, Any], name: str, predicted: Any) -> str:
    """Return `correct`, or the message for the first way in which a prediction breaks its tool's schema.

    Raises:
        ReferenceCrashError: As `check_arguments`.
    """
    try:
        parameters = functions[name].get("parameters", {})
        try:
            arguments = json.loads(predicted)
        except ValueError:
            return INVALID_JSON
        if not isinstance(arguments, dict):
            return "error_schema: args type inconsistent"
        properties = parameters.get("properties", {})
        if any(key not in arguments for key in parameters.get("required", [])):
            return "error_schema: required args missing"
        for key, value in arguments.items():
            if key not in properties:
                return "error_schema: args not defined"
            if (result := _check_value(value, properties[key])) != CORRECT:
                return result
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError) as exc:
        # A schema that is none fails here as it fails in the reference evaluator, and with the same exception.
        raise ReferenceCrashError(type(exc).__name__, str(exc)) from exc
    return CORRECT


def _check_value(value: Any, schema: Any) -> str:
    """Check a value below the top; every message speaks of nested arguments, whatever the depth."""
    if "anyOf" in schema:
        return _check_alternatives(value, schema["anyOf"])
    expected = schema.get("type", "string")
    if expected in _TYPES and not isinstance(value, _TYPES[expected]):
        return "error_schema: nested args type inconsistent"
    if "enum" in schema and value not in schema["enum"]:
        return "error_schema: nested args value not in enum"
    if expected == "object":
        return _check_object(value, schema)
    if expected == "array" and "items" in schema:
        results = (_check_value(item, schema["items"]) for item in value)
        return next((result for result in results if result != CORRECT), CORRECT)
    return CORRECT


def _check_alternatives(value: Any, alternatives: Sequence[Any]) -> str:
    first = _check_value(value, alternatives[0])
    if first == CORRECT or any(_check_value(value, other) == CORRECT for other in alternatives[1:]):
        return CORRECT
    return first


def _check_object(value: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    properties = schema.get("properties", {})
    if any(key not in value for key in schema.get("required", [])):
        return "error_schema: required nested args missing"
    for key, item in value.items():
        if key in properties:
            if (result := _check_value(item, properties[key])) != CORRECT:
                return result
        elif schema.get("additionalProperties") is not True:
            return "error_schema: nested args not defined"
    return CORRECT


def compare_arguments(predicted: Any, reference: Any, parameters: Any, mode: SimilarityMode) -> str:
    """Return `correct`, or the message for the first difference, in the order of the reference's keys.

    Args:
        predicted: Parsed arguments.
        reference: Parsed arguments.
        parameters: The tool's schema. It decides nothing, but looking it up can fail, and then the exception's text is
            the message.
        mode: Second similarity of texts.
    """
    try:
        return _compare(predicted, reference, parameters, "", mode)
    except (AttributeError, RecursionError, TypeError) as exc:
        return f"error: comparison failed - {exc}"


def _compare(predicted: Any, reference: Any, schema: Any, path: str, mode: SimilarityMode) -> str:
    at = f" at '{path}'" if path else ""
    if type(predicted) is not type(reference):
        return f"error_match: value type inconsistent{at}"
    if isinstance(reference, dict):
        return _compare_objects(predicted, reference, schema, path, mode)
    if isinstance(reference, list):
        if len(predicted) != len(reference):
            return f"error_match: array length mismatch{at}"
        pairs = zip(predicted, reference, strict=True)
        for index, (left, right) in enumerate(pairs):
            result = _compare(left, right, schema.get("items", {}), f"{path}[{index}]", mode)
            if result != CORRECT:
                return result
        return CORRECT
    if isinstance(reference, str):
        return _compare_texts(predicted, reference, at, mode)
    return CORRECT if predicted == reference else f"error_match: value mismatch{at}"


def _compare_objects(
    predicted: Mapping[str, Any], reference: Mapping[str, Any], schema: Any, path: str, mode: SimilarityMode
) -> str:
    missing = sorted(reference.keys() - predicted.keys())
    extra = sorted(predicted.keys() - reference.keys())
    if missing or extra:
        at = f" at '{path}'" if path else ""
        parts = [f"{word}: {keys}" for word, keys in (("missing", missing), ("extra", extra)) if keys]
        return f"error_match: args keys mismatch{at} ({', '.join(parts)})"
    # Without `properties` the schema itself is searched, so that an argument called `type` finds the text "object".
    known = schema.get("properties", schema) if isinstance(schema, dict) else {}
    for key, value in reference.items():
        below = known.get(key, {}) if isinstance(known, dict) else {}
        result = _compare(predicted[key], value, below, f"{path}.{key}" if path else key, mode)
        if result != CORRECT:
            return result
    return CORRECT


def _compare_texts(predicted: str, reference: str, at: str, mode: SimilarityMode) -> str:
    if _squeezed(predicted) == _squeezed(reference):
        return CORRECT
    if len(reference) < SHORT_TEXT_CHARACTERS:
        edit = edit_similarity(predicted, reference)
        if edit < EDIT_THRESHOLD:
            return f"error_match: string similarity too low{at} (edit score: {edit:.2f})"
    word = word_similarity(predicted, reference, mode)
    if word is None:
        return f"error_match: rouge calculation failed{at}"
    if word < WORD_THRESHOLD:
        return f"error_match: string similarity too low{at} (rouge score: {word:.2f})"
    return CORRECT


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()
