from __future__ import annotations

import math
import subprocess
import sys

import pytest

from memory.ranking.lexical import K1, B, LexicalIndex, content_terms


def search(query: str, **texts: str) -> dict[str, float]:
    """Return the score of each text that is found, by its key, best first."""
    index = LexicalIndex()
    for text in texts.values():
        index.add(text)
    numbers, scores = index.search(content_terms(query))
    return {list(texts)[number]: score for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)}


def test_scores_by_bm25() -> None:
    # N = 2, average length 3. "tea": in one text of length 4, twice. "green": in both.
    found = search("green tea", a="tea tea green cup", b="green hat")
    rare, common = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    long, short = K1 * (1 - B + B * 4 / 3), K1 * (1 - B + B * 2 / 3)
    expected = {
        "a": common * (K1 + 1) / (1 + long) + rare * 2 * (K1 + 1) / (2 + long),
        "b": common * (K1 + 1) / (1 + short),
    }
    assert found == pytest.approx(expected)
    assert list(found) == ["a", "b"]


def test_ties_keep_the_order_of_adding() -> None:
    assert list(search("window", z="a window", a="a window", m="the aisle")) == ["z", "a"]


def test_an_unrelated_query_finds_nothing() -> None:
    assert search("peanut", a="a window seat") == {}
    assert search("anything") == {}
    assert search("", a="a window seat") == {}


MEMORIES = {
    "seat": "我一般坐靠窗的座位",
    "allergy": "我对花生过敏",
    "budget": "預算五百以內",
    "cafe": "Café naïve, ５号桌",
}


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("靠窗", "seat"),
        ("过敏", "allergy"),
        ("对花生", "allergy"),
        ("五百", "budget"),
        ("cafe", "cafe"),
        ("CAFÉ", "cafe"),
        ("5号", "cafe"),
    ],
)
def test_finds_chinese_accents_and_widths(query: str, key: str) -> None:
    assert list(search(query, **MEMORIES))[:1] == [key]


def test_an_unrelated_chinese_query_finds_nothing() -> None:
    assert search("明天天气", **MEMORIES) == {}


def test_reading_english_loads_no_chinese_dictionary() -> None:
    program = "import sys; from memory.ranking.lexical import content_terms as terms; print(terms('Is the seat free?'))"
    ran = subprocess.run(
        [sys.executable, "-c", f"{program}; print('jieba' in sys.modules)"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split("\n") == ["['seat', 'fre']", "False", ""]
