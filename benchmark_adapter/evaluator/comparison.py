"""Where two JSON values first differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

FLOAT_TOLERANCE = 1e-12


def first_difference(got: Any, expected: Any, path: str = "") -> str | None:
    """Return where two values first differ and how, or None if they are equal.

    Floats are compared to `FLOAT_TOLERANCE`, absolute and relative, and pass for integers of the same value, since JSON
    does not tell them apart; booleans and numbers differ; tuples pass for lists.
    """
    if isinstance(got, Mapping) and isinstance(expected, Mapping):
        return _mapping_difference(got, expected, path)
    if _is_list(got) and _is_list(expected):
        return _list_difference(got, expected, path)
    return None if _same_scalar(got, expected) else f"{path or 'value'}: got {got!r:.200}, expected {expected!r:.200}"


def _mapping_difference(got: Mapping[str, Any], expected: Mapping[str, Any], path: str) -> str | None:
    for key in [*expected, *(key for key in got if key not in expected)]:
        where = f"{path}.{key}" if path else str(key)
        if key not in got:
            return f"{where}: got nothing, expected {expected[key]!r:.200}"
        if key not in expected:
            return f"{where}: got {got[key]!r:.200}, expected nothing"
        if (difference := first_difference(got[key], expected[key], where)) is not None:
            return difference
    return None


def _list_difference(got: Sequence[Any], expected: Sequence[Any], path: str) -> str | None:
    for index, (left, right) in enumerate(zip(got, expected, strict=False)):
        if (difference := first_difference(left, right, f"{path}[{index}]")) is not None:
            return difference
    if len(got) != len(expected):
        return f"{path or 'value'}: got {len(got)} items, expected {len(expected)}"
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _same_scalar(got: Any, expected: Any) -> bool:
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    if isinstance(got, float) and isinstance(expected, float) and math.isnan(got) and math.isnan(expected):
        return True
    if isinstance(got, (int, float)) and isinstance(expected, (int, float)):
        return got == expected or math.isclose(got, expected, rel_tol=FLOAT_TOLERANCE, abs_tol=FLOAT_TOLERANCE)
    return type(got) is type(expected) and bool(got == expected)
