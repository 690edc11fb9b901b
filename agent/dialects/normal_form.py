"""The normal form of a tool's parameters as JSON Schema, which every dialect is rendered from.

In it `$ref` is followed, `oneOf` and `allOf` are gone, types have their JSON Schema names, every required name is
described, and the root is an object. All else that the schema says stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memory.tools import Tool

Schema = dict[str, Any]
"""A JSON Schema, or a part of one."""

TYPE_NAMES: Mapping[str, str] = {
    "str": "string", "text": "string", "int": "integer", "interger": "integer", "long": "integer", "float": "number",
    "double": "number", "decimal": "number", "bool": "boolean", "list": "array", "tuple": "array", "dict": "object",
    "map": "object", "none": "null",
}  # fmt: skip
"""Type names of other languages, and a misspelling, that tool lists carry and endpoints refuse."""
JSON_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
MAX_SAME_REFERENCE = 2
"""Times one `$ref` is followed within itself; below that a recursive schema goes on as anything."""
MAX_NODES = 4000
"""Parts of one normal form; what lies beyond is anything."""

_META = frozenset(
    {"$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "$ref", "nullable", "oneOf", "allOf"}
)


class NormalForm(NamedTuple):
    """A tool's parameters in normal form."""

    schema: Schema
    """An object with `properties`."""
    notes: tuple[str, ...]
    """What was mended, in words."""


def normal_form(tool: Tool) -> NormalForm:
    """Return the parameters of a tool in normal form; its definition stays as it is."""
    function = tool.definition.get("function", tool.definition)
    root = function.get("parameters") if isinstance(function, Mapping) else None
    normaliser = _Normaliser(root if isinstance(root, Mapping) else {}, tool.name)
    schema = normaliser.schema(normaliser.root, ())
    schema["type"] = "object"
    schema.setdefault("properties", {})
    return NormalForm(schema, tuple(dict.fromkeys(normaliser.notes)))


class _Normaliser:
    def __init__(self, root: Mapping[str, Any], tool: str) -> None:
        self.root = root
        self.notes: list[str] = []
        self._tool = tool
        self._left = MAX_NODES

    def schema(self, node: Any, followed: tuple[str, ...]) -> Schema:
        """Return a part in normal form.

        Args:
            node: The part.
            followed: The references that led here, outermost first.
        """
        self._left -= 1
        if not isinstance(node, Mapping) or self._left < 0:
            return {}  # `true` stands for anything
        if "$ref" in node:
            return self._referred(node, followed)
        if isinstance(parts := node.get("allOf"), list):
            return self.schema(_merged([{k: v for k, v in node.items() if k != "allOf"}, *parts]), followed)
        made: Schema = {key: value for key, value in node.items() if key not in _META}
        if alternatives := node.get("anyOf") or node.get("oneOf"):
            made["anyOf"] = [self.schema(part, followed) for part in alternatives if isinstance(part, Mapping)]
        self._name_type(made)
        if node.get("nullable") is True and isinstance(made.get("type"), str):
            made["type"] = [made["type"], "null"]
        if isinstance(node.get("items"), Mapping):
            made["items"] = self.schema(node["items"], followed)
        elif isinstance(node.get("items"), list):  # one schema a place, which few endpoints take
            made["items"] = {}
        if isinstance(node.get("additionalProperties"), Mapping):
            made["additionalProperties"] = self.schema(node["additionalProperties"], followed)
        self._describe_fields(made, followed)
        return made

    def _referred(self, node: Mapping[str, Any], followed: tuple[str, ...]) -> Schema:
        reference = str(node["$ref"])
        beside = {key: value for key, value in node.items() if key != "$ref"}
        if followed.count(reference) >= MAX_SAME_REFERENCE:
            self.notes.append(f"{self._tool}: {reference} refers to itself; from the third level on anything is taken")
            return self.schema({k: v for k, v in beside.items() if k == "description"}, followed)
        target = self._target(reference)
        if target is None:
            self.notes.append(f"{self._tool}: {reference} refers to nothing; anything is taken")
            target = {}
        return self.schema({**target, **beside}, (*followed, reference))

    def _target(self, reference: str) -> Mapping[str, Any] | None:
        found: Any = self.root
        for key in reference.removeprefix("#").split("/")[1:]:
            found = found.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else None

    def _name_type(self, made: Schema) -> None:
        kind = made.get("type")
        if isinstance(kind, list):
            names = [name for name in map(_type_name, kind) if name]
            made["type"] = names[0] if len(names) == 1 else list(dict.fromkeys(names))
        elif kind is not None:
            made["type"] = _type_name(kind)
        elif "anyOf" not in made:
            made["type"] = _implied_type(made)
        if not made.get("type"):
            made.pop("type", None)

    def _describe_fields(self, made: Schema, followed: tuple[str, ...]) -> None:
        described = made.get("properties")
        wanted = made.pop("required", None)
        if not isinstance(described, Mapping) and not isinstance(wanted, list):
            return
        fields = described.items() if isinstance(described, Mapping) else ()
        properties = {str(name): self.schema(part, followed) for name, part in fields}
        required = list(dict.fromkeys(name for name in wanted or () if isinstance(name, str)))
        for name in required:
            if name not in properties and "anyOf" not in made:
                self.notes.append(f"{self._tool}: {name!r} is required and not described; it is taken to be text")
                properties[name] = {"type": "string"}
        made["properties"] = properties
        if required:
            made["required"] = required


def _type_name(name: object) -> str | None:
    known = TYPE_NAMES.get(str(name).strip().casefold(), str(name).strip().casefold())
    return known if known in JSON_TYPES else None


def _implied_type(made: Schema) -> str | None:
    if "properties" in made or isinstance(made.get("required"), list):
        return "object"
    if "items" in made:
        return "array"
    values = made.get("enum") if isinstance(made.get("enum"), list) else [made["const"]] if "const" in made else []
    kinds = {type_of(value) for value in values or ()}
    return kinds.pop() if len(kinds) == 1 else None


def type_of(value: object) -> str:
    """Return the JSON Schema type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "object")


def _merged(parts: list[Any]) -> Schema:
    """Return one schema that says what all of `parts` say; of two words on one thing the later goes."""
    made: Schema = {}
    for part in parts:
        for key, value in part.items() if isinstance(part, Mapping) else ():
            if key == "properties" and isinstance(made.get(key), Mapping) and isinstance(value, Mapping):
                made[key] = {**made[key], **value}
            elif key == "required" and isinstance(made.get(key), list) and isinstance(value, list):
                made[key] = [*made[key], *value]
            else:
                made[key] = value
    return made
