"""A time worked out from a bare number is less sure than one that is spelled out."""

from __future__ import annotations

import pytest

from clarifier.grounding.matching import Match, match
from clarifier.settings import GroundingSettings
from memory.tools import Parameter
from tests.clarifier.samples import NOW

SETTINGS = GroundingSettings()
STATED, DERIVED = Match(1.0, "stated"), Match(SETTINGS.derived, "derived")


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        ("20:00", "a table for two tonight in Milan at 8", DERIVED),
        ("16:00", "at four", DERIVED),
        ("20:00", "今晚在米兰订位，8点", DERIVED),
        ("20:00", "tonight at 8pm", STATED),
        ("20:00", "晚上八点", STATED),
        ("12:00", "at noon", STATED),
        ("20:00", "at 20:00", STATED),
    ],
)
def test_a_bare_hour_is_derived(value: str, text: str, found: Match) -> None:
    assert SETTINGS.derived <= 0.95
    assert match(value, text, Parameter(name="time", format="time"), NOW, SETTINGS) == found
