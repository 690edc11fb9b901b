"""Tool schemas in one normal form, shared by planners, clarifier and strategies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel, JsonValue

from memory.errors import ToolSchemaError
from memory.language.values.descriptions import described_default, described_enum, described_format

ValueType = Literal["string", "integer", "number", "boolean", "array", "object", "any"]


class Parameter(BaseModel, frozen=True, extra="forbid"):
    """One argument that a tool takes."""

    name: str
    type: ValueType = "string"
    description: str = ""
    is_required: bool = False
    enum: tuple[JsonValue, ...] = ()
    """The allowed values; empty where free. Also read from the description where that lists them."""
    default: JsonValue = None
    """What the tool assumes when it is left out (from the schema, else from the description); `None`: none stated."""
    items: Parameter | None = None
    """The elements of an array."""
    properties: tuple[Parameter, ...] = ()
    """The fields of an object."""
    format: str | None = None
    """Of text: `date`, `time`, `datetime`, `url`, `email`, … from the schema or the description."""


class Tool(BaseModel, frozen=True, extra="forbid"):
    """A tool on offer."""

    name: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    definition: dict[str, JsonValue]
    """The original function-tool object, untouched."""

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters a call must have, in schema order."""
        return tuple(parameter for parameter in self.parameters if parameter.is_required)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter called `name`, or `None`."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def parse_tools(definitions: Iterable[object], *, strict: bool = True) -> tuple[Tool, ...]:
    """Return the normal form of every definition (`parse_tool`), in order.

    Raises:
        ToolSchemaError: If a definition cannot be read, or, if `strict`, two have one name.
    """
    tools = tuple(parse_tool(definition, strict=strict) for definition in definitions)
    names = [tool.name for tool in tools]
    twice = next((name for name in names if names.count(name) > 1), None) if strict else None
    if twice is not None:
        raise ToolSchemaError(f"every tool needs a name of its own; two are called {twice!r}")
    return tools


def parse_tool(definition: object, *, strict: bool = True) -> Tool:
    """Return the normal form of a tool: OpenAI's, Anthropic's, MCP's or a tool of LangChain.

    Misspelt and missing types are mended, `anyOf` is read as its first alternative that is not null, `$ref` is
    followed (a recursive one to a bounded depth); allowed values, default and format are read from the description
    where the schema states none.

    Args:
        definition: `{"type": "function", "function": {…}}` or its inner part; an object with `input_schema` (Anthropic)
            or `inputSchema` (MCP); or a LangChain tool.
        strict: Whether a schema that means nothing certain is refused: an unknown type, a `$ref` to nothing, a required
            name that is not described. Else such a type is `any`, and such a name a text parameter.

    Raises:
        ToolSchemaError: If there is no name, or a part is not of the kind it must be.
    """
    outer = _mapping(_function_tool(definition), "a tool definition")
    function = _mapping(outer["function"], "`function`") if "function" in outer else outer
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ToolSchemaError(f"a tool definition needs a `name` that is text and not blank; got {name!r}")
    given = function.get("parameters")
    schema = _mapping(given if given is not None and (given or strict) else {}, f"`parameters` of tool {name!r}")
    if strict:
        _check(schema, schema, f"tool {name!r}")
    return Tool(
        name=name,
        description=str(function.get("description") or ""),
        parameters=_fields(schema, schema, _REF_DEPTH),
        definition=dict(outer),
    )


def _function_tool(definition: object) -> object:
    """Return a definition in another house's form as a function tool; one of ours as it is."""
    if isinstance(definition, Mapping):
        key = next((key for key in ("input_schema", "inputSchema") if key in definition), None)
        if key is None:
            return definition
        name, description, schema = definition.get("name"), definition.get("description"), definition[key]
    elif hasattr(definition, "tool_call_schema"):  # of LangChain, which need not be installed
        made: Any = definition
        name, description, schema = made.name, made.description, made.tool_call_schema
        schema = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema
    else:
        return definition
    function = {"name": name, "description": str(description or ""), "parameters": schema}
    return {"type": "function", "function": function}


def _check(schema: object, root: Mapping[str, Any], where: str) -> None:
    """Refuse what a schema cannot mean.

    Raises:
        ToolSchemaError: With where it stands and what was expected.
    """
    if not isinstance(schema, Mapping):
        return  # `_parameter` says what is wrong with it
    named = schema.get("type")
    for kind in named if isinstance(named, list) else [named]:
        if kind is not None and str(kind).strip().casefold() not in _TYPES:
            raise ToolSchemaError(f"{where} has the type {kind!r}; expected one of {', '.join(get_args(ValueType))}")
    if "$ref" in schema and _target(str(schema["$ref"]), root) is None:
        raise ToolSchemaError(f"{where} refers to {schema['$ref']!r}, which is not in the schema")
    described, required = schema.get("properties"), schema.get("required")
    described = described if isinstance(described, Mapping) else {}
    is_all_there = "$ref" not in schema and "allOf" not in schema
    for name in required if isinstance(required, list) and is_all_there else ():
        if name not in described:
            raise ToolSchemaError(f"{where} requires {name!r}, which its `properties` do not describe")
    for name, part in described.items():
        _check(part, root, f"{where}, parameter {name!r}")
    _check(schema.get("items"), root, f"{where}, items")
    for part in _alternatives(schema):
        _check(part, root, where)


def _alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the alternatives of a schema that stand for themselves; `required` alone speaks of the fields beside."""
    for key in ("anyOf", "oneOf"):
        parts = schema.get(key)
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Mapping) and "required" not in part:
                yield part


def _target(reference: str, root: Mapping[str, Any]) -> object:
    found: Any = root
    for key in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
        found = found.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found


_REF_DEPTH = 4
"""References followed in a row before a schema counts as recursive and its rest as `any`."""

_TYPES: dict[str, ValueType] = {
    "str": "string", "text": "string", "int": "integer", "interger": "integer", "long": "integer", "float": "number",
    "double": "number", "decimal": "number", "bool": "boolean", "list": "array", "tuple": "array", "dict": "object",
    "map": "object", "null": "any",
}  # fmt: skip
_TYPES.update((name, name) for name in get_args(ValueType))


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ToolSchemaError(f"{what} must be a JSON object; got {value!r}")
    return value


def _fields(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> tuple[Parameter, ...]:
    described = _mapping(schema.get("properties") or {}, "`properties`")
    required = schema.get("required") or []
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise ToolSchemaError(f"`required` must be a list of names; got {required!r}")
    fields = [_parameter(str(name), part, root, depth, name in required) for name, part in described.items()]
    absent = [name for name in required if name not in described]
    return (*fields, *(Parameter(name=name, is_required=True) for name in dict.fromkeys(absent)))


def _parameter(name: str, part: object, root: Mapping[str, Any], depth: int, is_required: bool) -> Parameter:
    part = {} if part is True else part  # JSON Schema for "anything"
    schema, depth = _resolved(_mapping(part, f"parameter {name!r}"), root, depth)
    kind = _type(schema)
    description = str(schema.get("description") or "")
    items = fields = None
    if depth > 0 and kind == "array" and isinstance(schema.get("items"), Mapping):
        items = _parameter(name, schema["items"], root, depth - ("$ref" in schema["items"]), is_required=False)
    if depth > 0 and kind == "object":
        fields = _fields(schema, root, depth)
    enum = tuple(schema["enum"]) if isinstance(schema.get("enum"), list) else described_enum(description, kind)
    if kind == "array" and enum and (items is None or not items.enum):
        items = (items or Parameter(name=name)).model_copy(update={"enum": enum})
    default = schema["default"] if "default" in schema else described_default(description, kind)
    stated = str(schema["format"]) if schema.get("format") else None
    return Parameter(
        name=name,
        type=kind,
        description=description,
        is_required=is_required,
        enum=() if kind == "array" else enum,
        default=default,
        items=items,
        properties=fields or (),
        format=stated or (None if enum else described_format(name, description, kind)),
    )


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> tuple[Mapping[str, Any], int]:
    """Return `schema` with its references and alternatives followed, and the depth that is left."""
    while True:
        if "$ref" in schema and depth > 0:
            target: Any = root
            for key in str(schema["$ref"]).removeprefix("#/").split("/"):
                target = target.get(key, {}) if isinstance(target, Mapping) else {}
            schema = {**_mapping(target, "a `$ref`"), **{k: v for k, v in schema.items() if k != "$ref"}}
            depth -= 1
            continue
        alternatives = schema.get("anyOf") or schema.get("oneOf")
        if "type" in schema or not isinstance(alternatives, list):
            return schema, depth
        chosen = next((part for part in alternatives if isinstance(part, Mapping) and part.get("type") != "null"), {})
        schema = {**{k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}, **chosen}


def _type(schema: Mapping[str, Any]) -> ValueType:
    named = schema.get("type")
    if isinstance(named, list):
        named = next((name for name in named if name != "null"), "any")
    if named is None:
        if "$ref" in schema:  # the depth of references is used up
            return "any"
        named = "object" if "properties" in schema else "array" if "items" in schema else "string"
    return value_type(str(named))


def value_type(named: str) -> ValueType:
    """Return the type that a schema names, also where it is misspelt; `any` where nobody knows it."""
    return _TYPES.get(named.strip().casefold(), "any")
