"""What the user state makes of whole dialogues; the measured accuracies stand in docs/user-state.md."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmark_adapter.suites.dialogues import Dialogue
from tests.memory.dialogues import read

DIALOGUES = read()
MISSED = {
    "en-dates-4",  # a diet that no word ends
    "en-equality-1",  # a number that was once written as text
    "zh-equality-1",
    "e-en-answer-3",  # an answer about a present for somebody else
    "e-zh-rule_change-1",  # a refusal bound to a time of the day
    "e-zh-context-3",  # a context without a word after it
    "e-zh-other_person-3",  # what a call took up is no statement
    "en-r-rule_change-9",  # "Pavel gets them now"
    "zh-r-change-5",  # a seat and the aisle are two topics
    "zh-r-change-7",  # what one no longer goes to, by "that one"
    "en-r-exception-7",  # a rule that is a thing of several words
    "zh-r-exception-5",  # all but one
}


def test_both_halves_have_every_kind_in_both_languages() -> None:
    cells = Counter((one.half, one.language, one.kind) for one in DIALOGUES)
    assert len(DIALOGUES) == 639
    for halves in ("AB", "CD"):
        kinds = {one.kind for one in DIALOGUES if one.half in halves and one.kind != "script"}
        assert {cell for cell in cells if cell[0] in halves and cell[2] != "script"} == {
            (half, language, kind) for half in halves for language in ("en", "zh") for kind in kinds
        }


@pytest.mark.parametrize("dialogue", [one for one in DIALOGUES if one.half in "ACEG"], ids=lambda one: one.id)
def test_the_half_that_was_mended_with(dialogue: Dialogue) -> None:
    assert bool(dialogue.failed()) == (dialogue.id in MISSED)


@pytest.mark.parametrize(
    ("half", "language", "floor", "total"),
    [
        ("B", "en", 50, 59),
        ("B", "zh", 53, 59),
        ("D", "en", 32, 38),
        ("D", "zh", 30, 40),
        ("F", "en", 20, 27),
        ("F", "zh", 19, 28),
        ("H", "en", 29, 37),
        ("H", "zh", 23, 32),
    ],
)
def test_the_halves_that_only_measure(half: str, language: str, floor: int, total: int) -> None:
    held_out = [one for one in DIALOGUES if (one.half, one.language) == (half, language)]
    assert len(held_out) == total
    assert sum(not one.failed() for one in held_out) >= floor
