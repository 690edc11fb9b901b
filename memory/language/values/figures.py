"""Digits as numbers, exactly or not at all."""

from __future__ import annotations

import math

Number = int | float


def finite(value: str | float) -> float | None:
    """Return a number, or the digits of one, as a float; `None` if it is no number or beyond what a float holds."""
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None


def natural(digits: str) -> int | None:
    """Return digits as an integer, exactly; `None` if they are none or more than a float can hold."""
    return int(digits) if digits.isdecimal() and finite(digits) is not None else None


def whole(value: float) -> Number:
    """Return a whole float as an integer and any other number (one that is not finite, too) as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
