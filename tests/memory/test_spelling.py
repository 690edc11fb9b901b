"""Slips of the fingers in the words that forms turn on."""

from __future__ import annotations

import pytest

from memory.state.spelling import mended


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("i realy prefere tea", "i really prefer tea"),
        ("Alwyas the aisle", "Always the aisle"),
        ("i dont eat meat and im tired", "i don't eat meat and i'm tired"),
        ("my nmae is Tom", "my name is Tom"),
        ("She prefers drinks, never ever", "She prefers drinks, never ever"),
        ("I hike, form a queue and lick a stamp", "I hike, form a queue and lick a stamp"),
        ("我平时喝 tea", "我平时喝 tea"),
    ],
)
def test_one_slip_is_put_right_and_other_words_are_left(typed: str, meant: str) -> None:
    assert mended(typed) == meant
