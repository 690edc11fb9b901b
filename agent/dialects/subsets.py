"""Schemas for endpoints that take a subset of JSON Schema: Moonshot, Gemini, GLM.

A constraint that a subset cannot say is told in the description, so that the model still reads it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from agent.dialects.normal_form import JSON_TYPES, Schema, type_of

_ANY = ("string", "number", "boolean", "object")
"""The alternatives that stand for any value; a list may not be one of them, since it would need elements again."""
_STRUCTURE = frozenset({"type", "properties", "required", "items", "additionalProperties", "anyOf", "enum", "const"})
_SILENT = frozenset({"title", "description", "default", "examples", "example"})
_LIMITS = frozenset({"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"})


def moonshot_schema(schema: Schema) -> Schema:
    """Return a schema in normal form as Moonshot takes it.

    Its endpoint refuses `type` beside `anyOf`, wants a type everywhere else, and an object without alternatives at the
    root ("when using anyOf, type should be defined in anyOf items instead of the parent schema").
    """
    return _moonshot(_plain_root(schema))


def gemini_schema(schema: Schema) -> Schema:
    """Return a schema in normal form as Gemini takes it.

    Refused are `$ref`, `$defs`, `additionalProperties`, `const`, lists of types, an `enum` that is not of texts,
    a list without `items`, and anything beside `anyOf`.
    """
    return _gemini(_plain_root(schema))


def glm_schema(schema: Schema) -> Schema:
    """Return a schema in normal form as GLM takes it: the same, without the rarer keywords."""
    node = dict(schema)
    kept = _STRUCTURE | _SILENT | _LIMITS | {"format", "pattern"}
    made = _told(node, [key for key in node if key not in kept])
    for key, part in node.items():
        if key in ("items", "additionalProperties") and isinstance(part, Mapping):
            made[key] = glm_schema(dict(part))
    if "properties" in node:
        made["properties"] = {name: glm_schema(part) for name, part in node["properties"].items()}
    if "anyOf" in node:
        made["anyOf"] = [glm_schema(part) for part in node["anyOf"]]
    return made


def _plain_root(schema: Schema) -> Schema:
    """Return `schema` without alternatives at its root: all their fields, of which those of every one are required."""
    if "anyOf" not in schema:
        return schema
    parts = schema["anyOf"]
    properties = dict(schema.get("properties", {}))
    for part in parts:
        properties = {**part.get("properties", {}), **properties}
    common = set.intersection(*(set(part.get("required", ())) for part in parts)) if parts else set()
    required = [name for name in properties if name in common or name in schema.get("required", ())]
    groups = [" and ".join(part["required"]) for part in parts if part.get("required")]
    made = {key: value for key, value in schema.items() if key != "anyOf"}
    made.update(properties=properties, required=required)
    return _with_words(made, f"Give one of: {'; '.join(groups)}.") if groups else made


def _moonshot(node: Schema) -> Schema:
    node = _one_kind(node)
    if "anyOf" in node:
        return {**_description(node), "anyOf": [_moonshot(part) for part in node["anyOf"]]}
    kept = _STRUCTURE | _SILENT | _LIMITS
    made = _told(node, [key for key in node if key not in kept])
    if "const" in made:
        made["enum"] = [made.pop("const")]
    if "properties" in node:
        made["properties"] = {name: _moonshot(part) for name, part in node["properties"].items()}
    if isinstance(node.get("items"), Mapping):
        made["items"] = _moonshot(node["items"])
    if isinstance(node.get("additionalProperties"), Mapping):
        made["additionalProperties"] = _moonshot(node["additionalProperties"])
    return made


def _gemini(node: Schema) -> Schema:
    node = _one_kind(node)
    if "anyOf" in node:
        return _gemini_alternatives(node)
    dropped = [key for key in node if key not in _STRUCTURE | _SILENT | {"minimum", "maximum", "minItems", "maxItems"}]
    made = _told(node, dropped)
    allowed = made.pop("enum", None) or ([made.pop("const")] if "const" in made else [])
    if allowed and node["type"] == "string":
        made["enum"] = allowed
    elif allowed:
        made = _with_words(made, f"One of: {', '.join(json.dumps(one, ensure_ascii=False) for one in allowed)}.")
    for key in ("additionalProperties", "examples", "example", "default", "title"):
        made.pop(key, None)
    if "default" in node:
        made = _with_words(made, f"Default: {json.dumps(node['default'], ensure_ascii=False)}.")
    if node["type"] == "array":
        made["items"] = _gemini(node["items"] if isinstance(node.get("items"), Mapping) else {})
    made.pop("properties", None)
    if node.get("properties"):
        made["properties"] = {name: _gemini(part) for name, part in node["properties"].items()}
    return made


def _gemini_alternatives(node: Schema) -> Schema:
    """Return alternatives with what they share in each, since `anyOf` must stand alone; null is a flag of its own."""
    parts = [part for part in node["anyOf"] if part.get("type") != "null"]
    takes_null = len(parts) < len(node["anyOf"])
    made = []
    for part in map(_gemini, parts):
        flagged = {**part, "nullable": True} if takes_null and "anyOf" not in part else part
        made.append({**_description(node), **flagged} if "anyOf" not in part else flagged)
    return made[0] if len(made) == 1 else {"anyOf": made}


def _one_kind(node: Schema) -> Schema:
    """Return a part that has either one type, or alternatives and nothing beside them but words."""
    if "anyOf" in node:
        return {**_description(node), "anyOf": [_inheriting(part, node) for part in node["anyOf"]]}
    kinds = node.get("type")
    if isinstance(kinds, str):
        return node
    values: Sequence[object] = node["enum"] if isinstance(node.get("enum"), list) else ()
    named = kinds or list(dict.fromkeys(type_of(value) for value in values)) or _ANY
    rest = {key: value for key, value in node.items() if key not in ("type", "description")}
    return {**_description(node), "anyOf": [_of_kind(rest, kind, values) for kind in named if kind in JSON_TYPES]}


def _of_kind(rest: Schema, kind: str, values: Sequence[object]) -> Schema:
    made: Schema = {"type": kind}
    if kind == "object":
        made.update({k: rest[k] for k in ("properties", "required", "additionalProperties") if k in rest})
    elif kind == "array":
        made.update({k: rest[k] for k in ("items", "minItems", "maxItems") if k in rest})
    elif kind != "null" and (fitting := [value for value in values if _is_of(value, kind)]):
        made["enum"] = fitting
    return made


def _is_of(value: object, kind: str) -> bool:
    return type_of(value) == kind or (kind == "number" and type_of(value) == "integer")


def _inheriting(part: Schema, parent: Schema) -> Schema:
    """Return an alternative with the type and the fields that its parent states for all."""
    made = dict(part)
    if "type" not in made and "anyOf" not in made and "type" in parent:
        made["type"] = parent["type"]
    if made.get("type") == "object" and parent.get("properties"):
        made["properties"] = {**parent["properties"], **made.get("properties", {})}
        made["required"] = list(dict.fromkeys([*parent.get("required", ()), *made.get("required", ())]))
    return made


def _told(node: Schema, dropped: Sequence[str]) -> Schema:
    """Return `node` without the keywords `dropped`, which its description names instead."""
    made = {key: value for key, value in node.items() if key not in dropped}
    words = [f"{key}: {json.dumps(node[key], ensure_ascii=False)}" for key in dropped if _is_plain(node[key])]
    return _with_words(made, f"({', '.join(words)})") if words else made


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int, float))


def _with_words(node: Schema, words: str) -> Schema:
    return {**node, "description": f"{node['description']} {words}" if node.get("description") else words}


def _description(node: Schema) -> Schema:
    return {"description": node["description"]} if node.get("description") else {}
