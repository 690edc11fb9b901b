from __future__ import annotations

import math

import pytest

from memory.ranking.lexical import K1, B, LexicalIndex


def index(**texts: str) -> LexicalIndex:
    made = LexicalIndex()
    for key, text in texts.items():
        made.add(key, text)
    return made


def test_scores_by_bm25() -> None:
    # N = 2, average length 3. "tea": in one text of length 4, twice. "green": in both.
    found = index(a="tea tea green cup", b="green hat").search("green tea")
    rare, common = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    long, short = K1 * (1 - B + B * 4 / 3), K1 * (1 - B + B * 2 / 3)
    expected = {
        "a": common * (K1 + 1) / (1 + long) + rare * 2 * (K1 + 1) / (2 + long),
        "b": common * (K1 + 1) / (1 + short),
    }
    assert {hit.key: hit.score for hit in found} == pytest.approx(expected)
    assert [hit.key for hit in found] == ["a", "b"]


def test_ties_keep_the_order_of_adding() -> None:
    assert [hit.key for hit in index(z="a window", a="a window", m="the aisle").search("window")] == ["z", "a"]


def test_an_unrelated_query_finds_nothing() -> None:
    assert index(a="a window seat").search("peanut") == []
    assert LexicalIndex().search("anything") == []
    assert index(a="a window seat").search("") == []


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
    assert [hit.key for hit in index(**MEMORIES).search(query)][:1] == [key]


def test_an_unrelated_chinese_query_finds_nothing() -> None:
    assert index(**MEMORIES).search("明天天气") == []


def test_a_replaced_text_leaves_no_trace() -> None:
    replaced = index(a="window seat", b="aisle")
    replaced.add("a", "peanuts")
    assert replaced.search("window") == []
    assert replaced.keys == ("b", "a")
    assert replaced.search("peanut") == index(b="aisle", a="peanuts").search("peanut")


def test_a_discarded_text_is_as_if_it_had_never_been() -> None:
    one, other = index(a="window seat", b="window blind", c="aisle"), index(a="window seat", c="aisle")
    one.discard("b")
    one.discard("never there")
    assert one.search("window seat") == other.search("window seat")
    assert ("b" in one, len(one)) == (False, 2)


def test_returns_at_most_k() -> None:
    assert len(index(a="tea", b="tea", c="tea").search("tea", 2)) == 2
