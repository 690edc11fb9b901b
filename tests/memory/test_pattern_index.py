"""Patterns searched only where their literals stand: never one too few."""

from __future__ import annotations

import re

import pytest

from memory.state.cues import cues_in
from memory.state.fact_forms import FACTS
from memory.state.pattern_index import PatternIndex, needed
from memory.state.statement_forms import ATTITUDES, OTHERS
from tests.memory.dialogues import read


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"\bfor (?:just |only )?once\b", {"for just once", "for only once", "for once"}),
        (r"\bif (?:i|we) .*\bwould\b", {"would"}),
        (r"colou?r", {"color", "colour"}),
        (r"(?:run|runs) .+", {"run ", "runs "}),
        (r"(?:run|runs|running)$", {"run"}),
        (r"\w+ing|\bask", {"ing", "ask"}),
        (r"\w+ing|\bi\b", set()),
        (r"x*yy+z?", set()),
        (r"(?:abc)+", {"abc"}),
        (r"(?=.*都)以[后往]", {"以后", "以往"}),
        (r"(?<!not )mine|我的", {"mine", "我的"}),
        (r"\d+|fünf", set()),
    ],
)
def test_a_match_holds_one_of_the_needed_literals(pattern: str, literals: set[str]) -> None:
    assert needed(re.compile(pattern)) == literals


def test_literals_are_found_in_whatever_case_the_pattern_allows() -> None:
    index = PatternIndex([(re.compile("skip", re.IGNORECASE), "skip"), (re.compile("以后"), "later")])
    assert [[meaning for _, meaning in index.matches(text)] for text in ("SKIP it", "ſKİP", "以后 skıp", "ship")] == [
        ["skip"],
        ["skip"],
        ["skip", "later"],
        [],
    ]


def test_a_narrowed_index_matches_as_the_whole_does() -> None:
    index = PatternIndex([(re.compile(r"\d"), "digit"), (re.compile("one"), "one"), (re.compile("two"), "two")])
    narrow = index.narrowed(["one 1", "none"])
    assert [meaning for _, meaning in narrow.matches("one 1")] == ["digit", "one"]
    assert [meaning for _, meaning in narrow.matches("none")] == ["one"]


_FORMS = [form.pattern for form in (*ATTITUDES, *OTHERS)] + [fact.pattern for fact in FACTS]


@pytest.mark.parametrize("pattern", _FORMS)
def test_no_form_is_passed_over_in_any_dialogue(pattern: re.Pattern[str]) -> None:
    index = PatternIndex([(pattern, None)])
    said = [turn.request for dialogue in read() for turn in dialogue.turns]
    assert needed(pattern)
    assert [bool(list(index.matches(text))) for text in said] == [bool(pattern.search(text)) for text in said]


def test_cues_of_both_languages_are_found_in_one_text() -> None:
    assert cues_in("from now on 以后都坐靠窗 for my wife") == {"standing", "other_person"}
