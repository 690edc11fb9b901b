"""Coverage of terms, features and the ranking, on vectors that are easy to follow."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embedder import Matrix
from memory.ranking.lexical import K1, B
from memory.ranking.log_terms import ALONE, AROUND, WITH_PREVIOUS, LogTerms
from memory.ranking.ranker import FEATURES, MEAN_PRIOR_TURNS, Nearness, RankingLog, ranking_weights
from memory.records import Turn
from tests.memory.turns import turn


def terms_of(*turns: dict[str, int]) -> LogTerms:
    made = LogTerms()
    for terms in turns:
        made.append(terms)
    return made


def test_coverage_is_bm25_as_a_share_of_the_most_there_can_be() -> None:
    log = terms_of({"tea": 1, "cup": 1}, {"milk": 2}, {"cup": 2})
    tea, cup = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    one, two = 1 / (1 + K1), 2 / (2 + K1)  # every turn has two terms: no discount for length
    expected = [(tea * one + cup * one) / (tea + cup), 0, cup * two / (tea + cup)]
    assert log.coverage({"tea": 1.0, "cup": 1.0}, ALONE) == pytest.approx(expected)


def test_coverage_reads_neighbours_within_the_window() -> None:
    log = terms_of({"tea": 1}, {"cup": 1}, {"mug": 1}, {"pot": 1}, {"jar": 1})
    assert np.flatnonzero(log.coverage({"tea": 1.0}, ALONE)).tolist() == [0]
    assert np.flatnonzero(log.coverage({"tea": 1.0}, WITH_PREVIOUS)).tolist() == [0, 1]
    assert np.flatnonzero(log.coverage({"tea": 1.0}, AROUND)).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(log.coverage({"jar": 1.0}, AROUND)).tolist() == [1, 2, 3, 4]


def test_longer_windows_are_discounted() -> None:
    log = terms_of({"tea": 1}, {"tea": 1, "cup": 3})
    shares = [1 / (1 + K1 * (1 - B + B * length / 2.5)) for length in (1, 4)]
    assert log.coverage({"tea": 1.0}, ALONE) == pytest.approx(shares)


def test_coverage_of_nothing_is_nothing() -> None:
    assert terms_of().coverage({"tea": 1.0}, AROUND).tolist() == []
    assert terms_of({"tea": 1}).coverage({}, ALONE).tolist() == [0]
    assert terms_of({}, {}).coverage({"tea": 1.0}, ALONE).tolist() == [0, 0]


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 9), max_size=3), max_size=8),
    st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 1), max_size=4),
)
def test_coverage_is_a_share(log: list[dict[str, int]], query: dict[str, float]) -> None:
    for window in (ALONE, WITH_PREVIOUS, AROUND):
        found = terms_of(*log).coverage(query, window)
        assert found.shape == (len(log),)
        assert np.all((found >= 0) & (found < 1))


def test_what_all_turns_share_is_removed_before_cosines() -> None:
    rows = np.array([[1, 0], [0, 1]] * 50, dtype=np.float32)
    mean = 50 / (100 + MEAN_PRIOR_TURNS)
    expected = -2 * mean * (1 - mean) / (mean**2 + (1 - mean) ** 2)
    nearness = Nearness(rows, rows[0], lambda texts: rows[: len(texts)])
    assert nearness.of_turns[:2].tolist() == pytest.approx([1.0, expected], abs=1e-6)
    assert nearness.of(["this", "that"]).tolist() == pytest.approx([1.0, expected], abs=1e-6)
    assert Nearness(rows[:0], rows[0], lambda _: rows).of_turns.tolist() == []


LOG = (
    turn("0", "Ann: Do you like the sea?"),
    turn("1", "Bob: I love the sea. It was cold yesterday."),
    turn("2", "Ann: Nice."),
)
ROWS = np.eye(3, dtype=np.float32)


def embed_first(texts: Sequence[str]) -> Matrix:
    """Return the first axis for every text."""
    return np.repeat(ROWS[:1], len(texts), axis=0)


def column(name: str, query: str, turns: Sequence[Turn] = LOG) -> list[float]:
    log = RankingLog()
    log.follow(turns)
    asked = log.query(query)
    nearness = Nearness(ROWS, ROWS[0], embed_first)
    features = log.with_statements(log.features(asked, nearness), asked, range(len(turns)), nearness)
    values: list[float] = features[:, FEATURES.index(name)].tolist()
    return values


def test_features_tell_whose_turn_it_is_and_what_it_does() -> None:
    assert column("by_subject", "What does Bob tell Ann?") == [0.5, 1, 0.5]
    assert column("by_subject", "What is nice?") == [1, 1, 1]
    assert column("states", "What does Ann like?") == [0, 0, 0]
    assert column("states", "What does Bob like?") == [0, 1, 0]
    assert column("asks_nothing", "x") == [-1, 0, 0]
    assert column("dated_for_when", "When was it cold?") == [0, 1, 0]
    assert column("dated_for_when", "Was it cold?") == [0, 0, 0]


def test_features_for_the_user_are_silent_where_a_speaker_is_named() -> None:
    assert column("takes_side_for_user", "Somewhere to swim?") == [0, 0.5, 0]
    assert column("takes_side_for_user", "Where would Bob swim?") == [0, 0, 0]
    assert column("asks_nothing_for_user", "Somewhere to swim?") == [-1, 0, 0]
    assert column("meaning_of_statement_for_user", "Where would Bob swim?") == [0, 0, 0]


def test_the_meaning_of_a_turn_of_its_neighbours_and_of_its_statements() -> None:
    turn_itself, other, _ = column("meaning", "x")
    assert turn_itself == pytest.approx(1)
    assert other < 0
    assert column("meaning_of_neighbours", "x") == pytest.approx([0, 1, 0], abs=0.2)
    assert column("meaning_of_statement", "x") == pytest.approx([0, 1, 0])


def test_a_turn_that_is_one_statement_has_its_own_meaning() -> None:
    turns = [turn("0", "I love the sea."), turn("1", "I hate the sea."), turn("2", "Sea?")]
    assert column("meaning_of_statement", "x", turns) == pytest.approx([1, 0, 0])


def ranked(turns: Sequence[Turn], query: str) -> list[int]:
    log = RankingLog()
    log.follow(turns)
    rows = np.zeros((len(turns), 3), dtype=np.float32)
    return [hit.position for hit in log.rank(log.query(query), rows, ROWS[0], embed_first)]


def test_ranks_every_turn_once_and_equal_ones_by_position() -> None:
    assert ranked([turn(str(n), "Nothing.") for n in range(5)], "sea") == [0, 1, 2, 3, 4]
    assert ranked([], "sea") == []


def test_a_statement_outranks_a_question_with_the_same_words() -> None:
    turns = [turn("0", "Is the sea cold?"), turn("1", "I avoid the cold sea."), turn("2", "Cold sea, is it?")]
    assert ranked(turns, "Somewhere to swim in the cold sea?")[0] == 1


def test_a_log_that_lost_a_turn_is_read_anew() -> None:
    log, fresh = RankingLog(), RankingLog()
    log.follow(LOG)
    for turns in (LOG[1:], (*LOG[1:], LOG[0])):
        log.follow(turns)
        fresh = RankingLog()
        fresh.follow(turns)
        rows = ROWS[: len(turns)]
        asked = log.query("sea")
        assert log.rank(asked, rows, ROWS[0], embed_first) == fresh.rank(asked, rows, ROWS[0], embed_first)


def test_the_weights_are_those_of_the_features_and_none_is_negative() -> None:
    stored = json.loads(files("memory.ranking").joinpath("ranking_weights.json").read_text(encoding="utf-8"))
    assert tuple(stored["weights"]) == FEATURES
    assert ranking_weights().tolist() == list(stored["weights"].values())
    assert min(ranking_weights()) >= 0
    assert stored["provenance"]["fitted_by"] == "benchmarks/fit_ranking.py"
