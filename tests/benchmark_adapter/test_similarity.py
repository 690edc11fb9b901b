"""The second similarity of texts, in both modes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmark_adapter.evaluator.similarity import edit_similarity, word_similarity
from tests.shared import ROOT


def test_edit_similarity_is_the_matcher_ratio() -> None:
    # 5 matching characters of 5 + 6.
    assert edit_similarity("apple", "apples") == pytest.approx(10 / 11, abs=1e-12)
    assert edit_similarity("", "") == 1.0


def test_rouge_l_counts_words_in_order() -> None:
    # Longest common subsequence 3 of 4 words on both sides; the package adds 1e-8 to the denominator.
    score = word_similarity("the red old house", "the red new house", "rouge")

    assert score == pytest.approx(2 * 0.75 * 0.75 / (0.75 + 0.75 + 1e-8), abs=1e-12)


def test_seven_of_ten_words_just_fail() -> None:
    reference = "one two three four five six seven eight nine ten"
    score = word_similarity("one two three four five six seven x y z", reference, "rouge")

    assert score is not None
    assert f"{score:.2f}" == "0.70"
    assert score < 0.7


def test_one_chinese_character_on_either_side_segments_both() -> None:
    # "北京" is one word for jieba, so that the texts share one of two words each.
    assert word_similarity("北京天气", "北京酒店", "rouge") == pytest.approx(0.5, abs=1e-6)
    # Characters joined with spaces: 北 京 and the three spaces match, 5 of 7 characters on both sides.
    assert word_similarity("北京天气", "北京酒店", "fallback") == pytest.approx(10 / 14, abs=1e-12)


@pytest.mark.parametrize("text", ["", ".", "..."])
def test_nothing_and_only_full_stops_fail_with_rouge_only(text: str) -> None:
    assert word_similarity(text, "two words", "rouge") is None
    assert word_similarity(text, "two words", "fallback") is not None


def test_a_blank_is_unlike_anything() -> None:
    assert word_similarity(" ", "two words", "rouge") == 0.0


@pytest.mark.slow
def test_very_long_texts_fail_with_rouge_at_any_depth_of_the_stack() -> None:
    def deep(depth: int, words: int) -> float | None:
        if depth:
            return deep(depth - 1, words)
        text = " ".join(f"w{index}" for index in range(words))
        return word_similarity(text, text + " x", "rouge")

    for depth in (0, 200):
        assert deep(depth, 900) is not None
        assert deep(depth, 1100) is None


def test_importing_the_module_loads_no_library() -> None:
    code = (
        "import sys, benchmark_adapter.evaluator.similarity as s; s.word_similarity('a', 'b', 'fallback')\n"
        "print(sorted({'jieba', 'rouge'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"
