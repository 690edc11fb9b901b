"""Typed values: when two are the same, and one canonical form of each."""

from __future__ import annotations

import json
import unicodedata

from pydantic import JsonValue


def canonical_key(value: JsonValue) -> str:
    """Return one text for all values that are equal whatever their key order, case, width or number form."""
    return json.dumps(_canonical(value), ensure_ascii=False, sort_keys=True)


def _canonical(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    return value
