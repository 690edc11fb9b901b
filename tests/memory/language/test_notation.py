"""The notation of the corpus: what hands write comes back as a reading, and slips are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.corpus.notation import ROLES, NotationError, labels_of, reading_of
from memory.language.reading import Span


def test_clauses_become_a_reading_with_spans_in_characters_of_the_text() -> None:
    reading = reading_of(["yes [v:Mill Road], || answer", "and always [v:that one] [c:for my pills] || rule from that"])
    assert reading.text == "yes Mill Road, and always that one for my pills"
    first, second = reading.clauses
    assert (first.act, first.time, first.deed, first.claim) == ("answer", "now", "ordered", "passing")
    assert (second.act, second.time, second.back, second.deed, second.claim) == (
        "rule", "from", "that", "ruled", "holds",
    )  # fmt: skip
    assert second.spans == (
        Span(role="value", start=26, end=34, text="that one"),
        Span(role="condition", start=35, end=47, text="for my pills"),
    )


@pytest.mark.parametrize(
    ("clauses", "text"),
    [
        (["a || talk", "b || talk"], "a b"),
        (["好的， || talk", "订[v:靠窗] || order"], "好的，订靠窗"),
        (["ok || talk", "[v:靠窗]吧 || order"], "ok靠窗吧"),
        (["[v: tea ] please || order"], " tea  please"),
    ],
)
def test_a_blank_joins_clauses_but_not_beside_chinese(clauses: list[str], text: str) -> None:
    assert reading_of(clauses).text == text


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("book it", "expected `words || labels`"),
        ("book it || now", "the act is missing"),
        ("book it || order buy", "'buy' is no label"),
        ("book it || order ask", "two words for act: order and ask"),
        ("book it || unsure", "'unsure' is no label"),
        ("book [v:the [c:big] one] || order", "a mark is not closed, or stands in another"),
        ("book [v:the big one || order", "a mark is not closed"),
    ],
)
def test_slips_are_told(clause: str, told: str) -> None:
    with pytest.raises(NotationError, match=told.replace("|", r"\|")):
        reading_of([clause])


def test_what_is_left_out_is_the_first_of_its_field() -> None:
    found = labels_of("tell no other")
    assert [found[field] for field in ("act", "time", "polarity", "whom", "back", "deed", "claim")] == [
        "tell", "now", "no", "other", "none", "told", "others",
    ]  # fmt: skip


_PLAIN = st.text(st.characters(exclude_characters="[]|", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text.strip()
)


@given(st.lists(st.one_of(_PLAIN, st.tuples(st.sampled_from(sorted(ROLES)), _PLAIN)), min_size=1, max_size=6))
def test_marks_come_back_as_they_were_written(parts: list[str | tuple[str, str]]) -> None:
    body = " ".join(part if isinstance(part, str) else f"[{part[0]}:{part[1]}]" for part in parts)
    clause = reading_of([f"{body} || tell"]).clauses[0]
    assert [(span.role, span.text) for span in clause.spans] == [
        (ROLES[part[0]], part[1].strip()) for part in parts if isinstance(part, tuple)
    ]
    assert all(clause.text[span.start : span.end] == span.text for span in clause.spans)
