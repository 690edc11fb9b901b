"""Tokens stand where they say; signs and tongues are told from them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.learned.signs import sign_names, signs_of
from memory.language.learned.tokens import is_han, tokens
from memory.language.readable import is_readable


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("don't book it, ok?", ["don't", "book", "it", ",", "ok", "?"]),
        ("at 7:30 for £1,200.50", ["at", "7:30", "for", "£", "1,200.50"]),
        ("订7月3日靠窗", ["订", "7", "月", "3", "日", "靠", "窗"]),
        ("Café Bl\u00fcm", ["Café", "Bl\u00fcm"]),
        ("用Uber吧", ["用", "Uber", "吧"]),
        (" \n\t", []),
    ],
)
def test_a_text_is_cut_into_words_numbers_and_han_characters(text: str, found: list[str]) -> None:
    assert [token.text for token in tokens(text, 100)] == found


@given(st.text(st.characters(exclude_categories=[])), st.integers(0, 20))
def test_tokens_stand_where_they_say_in_order_and_leave_out_only_blanks(text: str, limit: int) -> None:
    found = tokens(text, limit)
    assert len(found) <= limit
    assert all(text[token.start : token.end] == token.text for token in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    if len(found) < limit:
        assert "".join(token.text for token in found) == "".join(text.split())


def test_is_han() -> None:
    assert [is_han(text) for text in ("窗", "か", "a", "窗口", "")] == [True, False, False, False, False]


def test_signs_are_found_as_phrases_wherever_they_stand() -> None:
    held = tokens("From now on, I don't eat meat", 100)
    found = signs_of(held)
    assert found.shape == (len(held), len(sign_names()))
    onset, negation = found[:, sign_names().index("onset")], found[:, sign_names().index("negation")]
    assert onset.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert negation[5] == 1
    assert signs_of([]).shape == (0, len(sign_names()))


@pytest.mark.parametrize(
    "text",
    [
        "book me a table",
        "给我订个靠窗的位置",
        "hotel Ritz Madrid",
        "Café de Flore at 8",
        "São Paulo",
        "ok",
        "42",
        "",
        "😀",
        "Ｂｏｏｋ ｍｅ ａ ｔａｂｌｅ",
        "我要去Москва",
        "la Sagrada Família, then São Paulo",
        "bitte, table for two at Zum Goldenen Hirsch",
        "「つもり」跟「予定」差在哪？",
        "always a flat white at Le Pain Quotidien",
        "不要 late checkout，谢谢",
    ],
)
def test_texts_that_may_be_english_or_chinese_are_read(text: str) -> None:
    assert is_readable(text)


@pytest.mark.parametrize(
    "text",
    [
        "me gustaría reservar un hotel en Madrid",
        "Забронируй мне отель",
        "je veux toujours un siège près de la fenêtre",
        "ホテルを予約してください",
        "東京駅の近くのホテルを予約",
        "نعم",
        "Ich möchte immer einen Fensterplatz",
        "창가 자리로 예약해줘",
        "quero um voo para Lisboa amanhã",
        "prenota un tavolo per due domani sera",
        "boek een hotel in Utrecht voor morgen",
        "Zarezerwuj stolik na jutro wieczorem",
        "Yarın için bir otel ayır",
        "จองโรงแรมให้หน่อย",
        "मुझे एक होटल बुक करो",
        "hãy đặt cho tôi một khách sạn",
        "Pesan hotel untuk besok",
    ],
)
def test_texts_in_other_tongues_are_not(text: str) -> None:
    assert not is_readable(text)
