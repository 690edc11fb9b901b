"""Tool schemas in the form the reference evaluator sends to a model and checks arguments against."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmark_adapter.errors import ReferenceCrashError


def convert_tools(tools: Sequence[Any], model_name: str) -> list[Any]:
    """Return a copy of the tools with type `float` as `number`, in the shape the reference uses for a model.

    The replacement works on the JSON text of all tools, so that it also reaches a literal default `{"type": "float"}`
    but no longer type name. For a model whose name contains `claude` (lower case) the parameters move out of
    the function to `inputSchema`; the argument check, which looks inside the function, then knows no argument.

    Raises:
        ReferenceCrashError: For such a model, if a tool has no function, or a function no parameters.
    """
    converted: list[Any] = json.loads(json.dumps(tools).replace('"type": "float"', '"type": "number"'))
    if "claude" in model_name:
        for tool in converted:
            try:
                tool["inputSchema"] = tool["function"].pop("parameters")
            except (AttributeError, KeyError, TypeError) as exc:
                raise ReferenceCrashError(type(exc).__name__, str(exc)) from exc
    return converted
