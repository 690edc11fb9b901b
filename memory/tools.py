"""Tool schemas in one normal form, shared by planners, clarifier and strategies."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, JsonValue

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
