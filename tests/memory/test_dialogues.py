"""What the user state makes of whole dialogues; the measured accuracies stand in docs/user-state.md."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.memory.dialogues import read

DIALOGUES = read()


def test_both_halves_have_every_kind_in_both_languages() -> None:
    cells = Counter((one.half, one.language, one.kind) for one in DIALOGUES)
    assert len(DIALOGUES) == 639
    for halves in ("AB", "CD"):
        kinds = {one.kind for one in DIALOGUES if one.half in halves and one.kind != "script"}
        assert {cell for cell in cells if cell[0] in halves and cell[2] != "script"} == {
            (half, language, kind) for half in halves for language in ("en", "zh") for kind in kinds
        }


# Floors, not figures: what a fitted reader makes of a single dialogue may change with its weights.
@pytest.mark.parametrize(
    ("half", "language", "floor", "total"),
    [
        ("A", "en", 56, 59),
        ("A", "zh", 56, 59),
        ("B", "en", 46, 59),
        ("B", "zh", 51, 59),
        ("C", "en", 36, 38),
        ("C", "zh", 37, 40),
        ("D", "en", 30, 38),
        ("D", "zh", 29, 40),
        ("E", "en", 24, 28),
        ("E", "zh", 23, 27),
        ("F", "en", 19, 27),
        ("F", "zh", 18, 28),
        ("G", "en", 33, 37),
        ("G", "zh", 27, 31),
        ("H", "en", 29, 37),
        ("H", "zh", 22, 32),
    ],
)
def test_the_halves(half: str, language: str, floor: int, total: int) -> None:
    held = [one for one in DIALOGUES if (one.half, one.language) == (half, language)]
    assert len(held) == total
    assert sum(not one.failed() for one in held) >= floor
