"""What endpoints refuse in a tool's schema, written down apart from the code that renders schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}
_GEMINI = {
    "type", "description", "properties", "required", "items", "anyOf", "enum", "nullable", "minimum", "maximum",
    "minItems", "maxItems",
}  # fmt: skip
_STRICT = {"type", "description", "enum", "const", "anyOf", "properties", "required", "items", "additionalProperties"}


def faults(dialect: str, schema: Mapping[str, Any]) -> list[str]:
    """Return why the endpoints of a dialect refuse the parameters of a tool; empty where they take them."""
    found = [] if schema.get("type") == "object" else ["root: type is required and must be object"]
    if dialect in ("moonshot", "gemini", "openai-strict") and "anyOf" in schema:
        found.append("root: alternatives")
    for path, node in _nodes(schema, "root"):
        found += [f"{path}: {fault}" for fault in _node_faults(dialect, node)]
    return found


def _nodes(node: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(node, Mapping):
        return
    yield path, node
    for name, part in node.get("properties", {}).items():
        yield from _nodes(part, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        yield from _nodes(node.get(key), f"{path}[{key}]")
    for number, part in enumerate(node.get("anyOf", ())):
        yield from _nodes(part, f"{path}|{number}")


def _node_faults(dialect: str, node: Mapping[str, Any]) -> Iterator[str]:
    kinds = node.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds] if kinds is not None else []:
        if kind not in _TYPES:
            yield f"{kind!r} is no type"
    yield from (f"{key} is refused" for key in ("$ref", "$defs", "definitions", "oneOf", "allOf") if key in node)
    yield from (f"{name!r} is not described" for name in node.get("required", ()) if name not in node["properties"])
    if dialect in _RULES:
        yield from _RULES[dialect](node)


def _moonshot(node: Mapping[str, Any]) -> Iterator[str]:
    if "anyOf" in node and "type" in node:
        yield "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    if "anyOf" not in node and not isinstance(node.get("type"), str):
        yield "type is not defined"


def _gemini(node: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key} is refused" for key in sorted(set(node) - _GEMINI))
    if "anyOf" in node and len(node) > 1:
        yield "anyOf must stand alone"
    if "anyOf" not in node and not isinstance(node.get("type"), str):
        yield "type is not defined"
    if "enum" in node and node.get("type") != "string":
        yield "enum is for texts"
    if node.get("type") == "array" and "items" not in node:
        yield "items is missing"


def _strict(node: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key} is refused" for key in sorted(set(node) - _STRICT))
    if not {"type", "anyOf", "const"} & set(node):
        yield "type is not defined"
    if "properties" in node or node.get("type") == "object":
        if node.get("additionalProperties") is not False:
            yield "additionalProperties must be false"
        if set(node.get("required", ())) != set(node.get("properties", {})):
            yield "every field must be required"


_RULES = {"moonshot": _moonshot, "gemini": _gemini, "openai-strict": _strict}
