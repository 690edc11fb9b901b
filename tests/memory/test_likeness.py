"""How alike in meaning a value and what somebody said are."""

from __future__ import annotations

import pytest

from memory.language.likeness import likeness


@pytest.mark.parametrize(
    ("name", "meant", "other", "text"),
    [
        ("specialty", "dermatology", "dentistry", "Three names will do. Someone for skin, near home."),
        ("specialty", "dentistry", "dermatology", "My nephew needs somebody for his teeth"),
        ("city", "Phoenix", "Oslo", "我住凤凰城"),
        ("diet", "素食", "清真", "我不吃肉的，有什么川味的做法？"),
    ],
)
def test_what_is_meant_is_liker_than_what_is_not(name: str, meant: str, other: str, text: str) -> None:
    assert likeness(meant, name, text) > 0.2
    assert likeness(meant, name, text) > likeness(other, name, text) + 0.05


@pytest.mark.parametrize(("value", "text"), [("", "Someone for skin"), ("dermatology", ""), (" ", " ")])
def test_nothing_is_like_nothing(value: str, text: str) -> None:
    assert likeness(value, "specialty", text) == 0.0
