"""Scopes that a careless store would take for one another, and scopes that none may take."""

from __future__ import annotations

from typing import Any

from memory.records import Scope

PARTS = ("user", "tenant", "agent")

ALIKE = [
    "acme",
    "acme-corp",
    "john_doe",
    "john-doe",
    "john%",
    "a%",
    "a_",
    "a*",
    "用户1",
    "用户10",
    "ALICE",
    "alice",
    "ａｌｉｃｅ",
    "é",
    "e\u0301",
    " a",
    "a\\",
    "a'",
]
"""Ids that a prefix search, a wildcard, an escape, a collation or a normal form would take for one another."""


def unsayable_scopes() -> list[Any]:
    """Return what is no scope: other types, and scopes made past their own check."""
    values = ("", " ", None, 7, "a\x00b", "half \ud83d", "x" * 513)
    made = [Scope("ann").model_copy(update={part: value}) for part in PARTS for value in values]
    return [None, "ann", ("default", "ann", "default"), *made, Scope.model_construct(user="")]
