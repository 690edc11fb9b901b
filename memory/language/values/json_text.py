"""Reading JSON that others wrote."""

from __future__ import annotations

import json

from pydantic import JsonValue
from pydantic_core import from_json


def json_value(text: str) -> JsonValue:
    """Return the value that a JSON text is.

    Raises:
        ValueError: If it is none, or one that no turn can hold: a number that is not finite or has more digits than
            Python reads, half a surrogate pair, brackets 200 deep. The standard library's reader takes some of these,
            and fails on the others with errors that are no `JSONDecodeError`.
    """
    value: JsonValue = from_json(text, allow_inf_nan=False)
    json.dumps(value, allow_nan=False)  # 1e999 is read as infinite all the same
    return value
