"""Every line of the corpus is what it should be."""

from __future__ import annotations

from memory.language.corpus.lines import FOLDER, read_corpus
from memory.language.corpus.notation import labels_of
from memory.language.readable import is_readable


def test_every_line_parses_and_its_spans_lie_inside_their_clauses() -> None:
    lines = read_corpus()
    assert len(lines) > 7_000
    for line in lines:
        reading = line.reading
        assert reading.text.strip(), line
        for clause in reading.clauses:
            assert reading.text[clause.start : clause.end] == clause.text
            for span in clause.spans:
                assert clause.start <= span.start < span.end <= clause.end
                assert reading.text[span.start : span.end] == span.text


def test_second_labels_are_labels_one_a_clause() -> None:
    labelled = [line for line in read_corpus() if line.second]
    assert len(labelled) > 3_000
    assert [line for line in labelled if len(line.second) != len(line.clauses)] == []
    for line in labelled:
        for labels in line.second:
            labels_of(labels)


def test_a_share_of_the_domains_is_set_aside_in_both_languages() -> None:
    lines = read_corpus()
    for language in ("en", "zh"):
        own = [line for line in lines if line.language == language]
        assert 0.05 < sum(line.is_set_aside for line in own) / len(own) < 0.3


def test_all_of_it_is_in_a_tongue_that_is_read() -> None:
    assert [line.reading.text for line in read_corpus() if not is_readable(line.reading.text)] == []


def test_the_data_card_lies_beside_it() -> None:
    card = (FOLDER / "README.md").read_text("utf-8")
    assert all(path.stem in card for path in FOLDER.glob("*.jsonl"))
