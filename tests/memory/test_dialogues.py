"""What the user state makes of whole dialogues; the measured accuracies stand in docs/user-state.md."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.memory.dialogues import Dialogue, read

DIALOGUES = read()
MISSED = {"en-dates-4", "en-equality-1", "en-sensitive-6", "zh-equality-1"}
"""Of half A: a diet that no word ends, a number that was once written as text, a like in one sentence with a vote."""


def test_both_halves_have_every_kind_in_both_languages() -> None:
    kinds = {one.kind for one in DIALOGUES}
    cells = Counter((one.half, one.language, one.kind) for one in DIALOGUES)
    assert len(DIALOGUES) == 236
    assert {cell for cell, count in cells.items() if count >= 2} == {
        (half, language, kind) for half in "AB" for language in ("en", "zh") for kind in kinds
    }


@pytest.mark.parametrize("dialogue", [one for one in DIALOGUES if one.half == "A"], ids=lambda one: one.id)
def test_the_half_that_was_mended_with(dialogue: Dialogue) -> None:
    assert bool(dialogue.failed()) == (dialogue.id in MISSED)


@pytest.mark.parametrize(("language", "floor"), [("en", 49), ("zh", 53)])
def test_the_half_that_only_measures(language: str, floor: int) -> None:
    held_out = [one for one in DIALOGUES if (one.half, one.language) == ("B", language)]
    assert len(held_out) == 59
    assert sum(not one.failed() for one in held_out) >= floor
