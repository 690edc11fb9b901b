from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ranking.sentences import sentences, split_speaker


@pytest.mark.parametrize(
    ("text", "kind", "is_stance"),
    [
        ("Which hotels in Lisbon have a pool?", "question", False),
        ("what are good ways to get around", "question", False),
        ("Find me a hotel in Lisbon.", "request", False),
        ("Hi, please book a table for my wife.", "request", False),
        ("I want you to order lunch for us.", "request", False),
        ("I never stay in hotels with a pool.", "statement", True),
        ("When I travel, I prefer the aisle.", "statement", True),
        ("I went to Lisbon last week.", "statement", False),
        ("I'll go with option 4.", "statement", True),
        ("The weather was fine.", "other", False),
        ("“My doctor is strict.”", "statement", True),
        ("有泳池的酒店有哪些", "question", False),
        ("帮我订一个酒店。", "request", False),
        ("我对花生过敏。", "statement", True),
        ("我昨天去了上海。", "statement", False),
        ("天气不错。", "other", False),
    ],
)
def test_a_sentence_has_a_kind(text: str, kind: str, is_stance: bool) -> None:
    [sentence] = sentences(text)
    assert (sentence.kind, sentence.is_stance) == (kind, is_stance)


def test_text_is_split_at_its_ends_and_short_sentences_join_the_next() -> None:
    assert [
        (one.text, one.kind) for one in sentences("Hi! I like tea. Do you?\nBook a table now。我喜欢靠窗的座位！")
    ] == [
        ("Hi! I like tea.", "statement"),
        ("Do you? Book a table now。", "question"),
        ("我喜欢靠窗的座位！", "statement"),
    ]
    assert sentences(" \n ") == ()


@given(st.text(max_size=80))
def test_splitting_loses_nothing_but_white_space_and_quotes(text: str) -> None:
    lost = "\"')]”’」』"
    kept = "".join(one.text for one in sentences(text))
    assert [char for char in text if not char.isspace() and char not in lost] == [
        char for char in kept if not char.isspace() and char not in lost
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann: hello", ("ann", "hello")),
        ("Mary Ann: hello", ("mary ann", "hello")),
        ("小明：你好", ("小明", "你好")),
        ("hello", (None, "hello")),
        ("Meet at 10:30", (None, "Meet at 10:30")),
        ("https://x.example/y", (None, "https://x.example/y")),
        ("Ann: ", (None, "Ann: ")),
    ],
)
def test_a_line_of_a_chat_says_who_speaks(text: str, expected: tuple[str | None, str]) -> None:
    assert split_speaker(text) == expected
