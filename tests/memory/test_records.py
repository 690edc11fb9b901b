"""Scopes: what may be one."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from memory.errors import ScopeError
from memory.records import Scope
from tests.memory.scopes import ALIKE, PARTS


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("value", ["", " ", "\u3000\n", None, 7, b"ann", "a\x00b", "\udc00 half", "é" * 257])
def test_an_id_that_names_nobody_is_refused_at_once(part: str, value: Any) -> None:
    with pytest.raises(ScopeError, match=f"a scope needs a {part} id"):
        Scope(**({"user": "u"} | {part: value}))
    with pytest.raises(ValidationError):
        Scope.model_validate({"user": "u"} | {part: value})


@pytest.mark.parametrize("part", PARTS)
def test_ids_that_look_alike_are_different_and_stay_as_they_are(part: str) -> None:
    scopes = [Scope(**({"user": "u"} | {part: value})) for value in ALIKE]
    assert len({*scopes}) == len({scope.key for scope in scopes}) == len(ALIKE)
    assert [getattr(scope, part) for scope in scopes] == ALIKE


def test_the_longest_id_takes_512_bytes() -> None:
    assert Scope("é" * 256).key == ("default", "é" * 256, "default")
