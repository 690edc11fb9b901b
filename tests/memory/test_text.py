from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.text import common_terms, fold_accents, language, normalise, split_name, stem, tokenise


def test_normalises_width_case_and_spaces() -> None:
    assert normalise("  Ｆｌｉｇｈｔ　ＣＡ１２３\n Straße ") == "flight ca123 strasse"


def test_folds_accents() -> None:
    assert fold_accents("Café naïve Zürich") == "Cafe naive Zurich"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("travelDate", ("travel", "date")),
        ("travel_date", ("travel", "date")),
        ("getCityAQIForecast", ("get", "city", "aqi", "forecast")),
        ("HTTPServer", ("http", "server")),
        ("", ()),
    ],
)
def test_splits_identifiers(name: str, words: tuple[str, ...]) -> None:
    assert split_name(name) == words


@pytest.mark.parametrize(
    ("words", "root"),
    [
        (("book", "books", "booked", "booking"), "book"),
        (("city", "cities"), "city"),
        (("stop", "stops", "stopped", "stopping"), "stop"),
        (("make", "makes", "making"), "mak"),
        (("class", "classes"), "class"),
        (("status",), "status"),
        (("bus",), "bus"),
    ],
)
def test_stems_the_common_endings(words: tuple[str, ...], root: str) -> None:
    assert {stem(word) for word in words} == {root}


def test_tokenises_english_with_identifiers_and_figures() -> None:
    assert tokenise("Booked the getTrainTickets call for 2 adults, Café") == [
        "book",
        "the",
        "get",
        "train",
        "ticket",
        "call",
        "for",
        "2",
        "adult",
        "caf",
    ]


def test_tokenises_chinese_into_words_and_bigrams() -> None:
    assert tokenise("靠窗的座位") == ["靠窗", "座位", "窗的", "的座"]


def test_a_lone_character_and_korean_are_terms() -> None:
    assert tokenise("辣") == ["辣"]
    assert tokenise("창가 좌석") == ["창가", "좌석"]


def test_full_width_digits_are_digits() -> None:
    assert tokenise("５００元") == tokenise("500元")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Book me a seat", "en"),
        ("帮我订个座", "zh"),
        ("IVE的 Kitsch 歌词发我", "zh"),
        ("What does 你好 mean, and how would I say it?", "en"),
        ("", "en"),
        ("42", "en"),
    ],
)
def test_tells_the_language(text: str, expected: str) -> None:
    assert language(text) == expected


@given(st.text())
def test_terms_are_never_empty_and_do_not_depend_on_width(text: str) -> None:
    terms = tokenise(text)
    assert all(terms)
    assert terms == tokenise(unicodedata.normalize("NFKC", text))


@given(
    st.text(alphabet="台北京站票ab -sCafé12のス", max_size=12),
    st.text(alphabet="台北京站票ab -sCafé12のス", max_size=12),
)
def test_common_terms_are_shared_just_where_index_terms_are(one: str, other: str) -> None:
    is_shared = not set(tokenise(one)).isdisjoint(tokenise(other))
    assert is_shared == (not common_terms(one).isdisjoint(common_terms(other)))
