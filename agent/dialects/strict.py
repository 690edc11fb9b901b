"""The schema of OpenAI's strict mode, where decoding cannot leave the schema.

Every object lists all its fields as required and allows no others; what is optional takes null instead.
https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

import json

from agent.dialects.normal_form import Schema, type_of

MAX_DEPTH = 10
_KEPT = ("type", "description", "enum", "const")


class NotStrictError(ValueError):
    """A schema that strict mode cannot say; the message says which part."""


def strict_schema(schema: Schema) -> Schema:
    """Return a schema in normal form as strict mode takes it.

    Raises:
        NotStrictError: If a part of it takes any value or any field.
    """
    if "anyOf" in schema:
        raise NotStrictError("its root offers alternatives")
    return _strict(schema, "the root", 1)


def nullable(schema: Schema) -> Schema:
    """Return `schema` with null allowed too."""
    if "anyOf" in schema:
        already = any(part.get("type") == "null" for part in schema["anyOf"])
        return schema if already else {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "const" in schema or "properties" in schema:
        description = {"description": schema["description"]} if "description" in schema else {}
        return {**description, "anyOf": [schema, {"type": "null"}]}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    made = {**schema, "type": list(dict.fromkeys([*kinds, "null"]))}
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _strict(node: Schema, where: str, depth: int) -> Schema:
    if depth > MAX_DEPTH:
        raise NotStrictError(f"{where} lies deeper than {MAX_DEPTH} levels")
    made: Schema = {key: node[key] for key in _KEPT if key in node}
    if "default" in node:
        stated = f"Default: {json.dumps(node['default'], ensure_ascii=False)}."
        made["description"] = f"{made['description']} {stated}" if made.get("description") else stated
    if "anyOf" in node:
        made.pop("type", None)
        made["anyOf"] = [_strict(part, f"an alternative of {where}", depth + 1) for part in node["anyOf"]]
        return made
    kinds = node.get("type")
    if kinds is None:
        if "const" not in node:
            raise NotStrictError(f"{where} takes any value")
        made["type"] = kinds = type_of(node["const"])
    if "object" in kinds:
        made.update(_fields(node, where, depth))
    if "array" in kinds:
        made["items"] = _strict(node.get("items", {}), f"the elements of {where}", depth + 1)
    return made


def _fields(node: Schema, where: str, depth: int) -> Schema:
    properties = node.get("properties")
    if node.get("additionalProperties", False) is not False or (not properties and depth > 1):
        raise NotStrictError(f"{where} takes any field")
    required = node.get("required", ())
    made = {name: _strict(part, f"{name!r}", depth + 1) for name, part in (properties or {}).items()}
    return {
        "properties": {name: part if name in required else nullable(part) for name, part in made.items()},
        "required": list(made),
        "additionalProperties": False,
    }
