"""Ranks the turns of a log by how likely they tell what a query needs: one linear score for every kind of log."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.embedder import Matrix, Vector, dots
from memory.known_turns import KnownTurns
from memory.ranking.columns import Columns
from memory.ranking.log_terms import ALONE, AROUND, WITH_PREVIOUS, Array, LogTerms
from memory.ranking.turn_features import QueryFeatures, nearness_in_time, read_query, read_turn
from memory.records import Turn

FEATURES = (
    "words",
    "words_with_previous",
    "words_around",
    "meaning",
    "meaning_of_neighbours",
    "meaning_of_statement",
    "by_subject",
    "states",
    "asks_nothing",
    "dated_for_when",
    "day_named",
    "takes_side_for_user",
    "asks_nothing_for_user",
    "meaning_of_statement_for_user",
)
"""All in [-1, 1], and more of each is never worse; `RankingLog.features` says what they are."""
_MEANING, _STATEMENT, _STATEMENT_FOR_USER = map(
    FEATURES.index, ("meaning", "meaning_of_statement", "meaning_of_statement_for_user")
)

MEAN_PRIOR_TURNS = 8
"""Turns without direction that are added before the mean vector is taken: few turns say little of what all share."""
CANDIDATES = 64
"""Turns whose statements are compared with the query, the best by all other features: embedding them takes time."""

Embed = Callable[[Sequence[str]], Matrix]


class Ranked(NamedTuple):
    """A turn with its place in a ranking."""

    position: int
    score: float


class Nearness:
    """How near turns and sentences are to a query: cosines after what all turns share is removed (Mu & Viswanath 2018).

    Args:
        rows: Unit vectors of the turns, shape `(n, d)`.
        query: Unit vector of the query, shape `(d,)`.
        embed: Gives unit vectors of sentences, shape `(m, d)`.
    """

    def __init__(self, rows: Matrix, query: Vector, embed: Embed) -> None:
        self._mean: Vector = rows.sum(axis=0) / np.float32(len(rows) + MEAN_PRIOR_TURNS)
        self._direction = query - self._mean
        self._embed = embed
        self.of_turns = self._cosines(rows)
        """Of each turn, shape `(n,)`; 0 where nothing is left of it."""

    def of(self, texts: Sequence[str]) -> Array:
        """Return that of each sentence, shape `(m,)`."""
        return self._cosines(self._embed(texts))

    def _cosines(self, rows: Matrix) -> Array:
        """No row is moved: (r - m)·q = r·q - m·q and |r - m|² = 1 - 2 r·m + |m|²."""
        products = dots(rows, self._direction) - _dot(self._mean, self._direction)
        squares = 1 - 2 * dots(rows, self._mean) + _dot(self._mean, self._mean)
        lengths = np.sqrt(np.maximum(squares, 0)) * np.sqrt(_dot(self._direction, self._direction))
        return np.asarray(np.clip(products / np.maximum(lengths, 1e-6), -1, 1), dtype=np.float64)


class RankingLog:
    """A log of turns, read for ranking. Not safe for concurrent use."""

    def __init__(self) -> None:
        self._turns = KnownTurns()
        self._columns = Columns()
        self._terms = LogTerms()

    def __len__(self) -> int:
        return len(self._turns)

    def is_prefix_of(self, turns: Sequence[Turn]) -> bool:
        """Say whether `turns` are those read so far and perhaps more."""
        return self._turns.begin(turns)

    def follow(self, turns: Sequence[Turn]) -> None:
        """Become the log `turns`; only new turns at its end are read where the others are as before."""
        if not self.is_prefix_of(turns):
            self._turns, self._columns, self._terms = KnownTurns(), Columns(), LogTerms()
        for turn in turns[len(self) :]:
            read = read_turn(turn)
            self._turns.append(turn)
            self._columns.append(read)
            self._terms.append(read.terms)

    def embeddable(self, position: int) -> tuple[str, ...]:
        """Return the statements of a turn whose vectors `ranking` may ask for."""
        return () if self._columns.is_one_statement[position] else self._columns.statements[position]

    def query(self, text: str) -> QueryFeatures:
        """Return the features of a query to this log."""
        return read_query(text, self._columns.speakers)

    def features(self, query: QueryFeatures, nearness: Nearness) -> Array:
        """Return the features of each turn for `query`, shape `(n, len(FEATURES))`.

        - `words…`: how much of the query's terms the turn covers, alone, with the one before, with three on each side.
        - `meaning…`: centred cosine of the query with the turn, with the nearer of its neighbours; that with the
          nearest statement in it is left 0 (see `with_statements`).
        - `by_subject`: the turn is spoken by whom the query is about: by the person named first (1), by another one
          named (0.5). Where nobody is named it is the user, whose turns all are.
        - `states`: that person says something of themselves in it.
        - `asks_nothing`: minus the share of its sentences that ask or request.
        - `dated_for_when`: the query asks when, and the turn speaks of a time.
        - `day_named`: how near the turn is to a day or month that the query names.
        - `takes_side…`: the share of its sentences that take a side (a liking, a rule, a habit, a choice).
        - `…_for_user`: the same, but 0 where the query names a speaker and so is not about the user's own wants.

        Args:
            query: From `query`.
            nearness: To the query's main line.
        """
        log = self._columns
        about_user = not query.speakers
        words = self._terms.coverages(query.term_weights, (ALONE, WITH_PREVIOUS, AROUND))
        subject = log.by_speaker(lambda speaker: _spoken_by(speaker, query.speakers))
        asks_nothing = -np.array(log.asking_shares)
        nothing = np.zeros(len(self))
        columns = {
            "words": words[0],
            "words_with_previous": words[1],
            "words_around": words[2],
            "meaning": nearness.of_turns,
            "meaning_of_neighbours": _nearer_neighbour(nearness.of_turns),
            "meaning_of_statement": nothing,
            "by_subject": subject,
            "states": subject * np.array(log.states),
            "asks_nothing": asks_nothing,
            "dated_for_when": np.array(log.dated) if query.asks_when else nothing,
            "day_named": log.by_day(lambda day: nearness_in_time(query.days, day)) if query.days else nothing,
            "takes_side_for_user": about_user * np.array(log.stance_shares),
            "asks_nothing_for_user": about_user * asks_nothing,
            "meaning_of_statement_for_user": nothing,
        }
        return np.column_stack([columns[name] for name in FEATURES])

    def with_statements(
        self, features: Array, query: QueryFeatures, positions: Sequence[int], nearness: Nearness
    ) -> Array:
        """Return `features` with the nearness of the query to statements filled in for the turns at `positions`.

        It is the centred cosine of the query with the nearest statement of the turn, 0 where there is none or it is
        negative. Where a turn is nothing but one statement, its own vector is that statement's.
        """
        nearest = np.zeros(len(features))
        owners: list[int] = []
        texts: list[str] = []
        for position in positions:
            if self._columns.is_one_statement[position]:
                nearest[position] = max(features[position, _MEANING], 0.0)
            else:
                stated = self.embeddable(position)
                texts.extend(stated)
                owners.extend([position] * len(stated))
        if texts:
            np.maximum.at(nearest, owners, nearness.of(texts))
        filled = features.copy()
        filled[:, _STATEMENT] = nearest
        filled[:, _STATEMENT_FOR_USER] = nearest if not query.speakers else 0.0
        return filled

    def rank(self, query: QueryFeatures, rows: Matrix, vector: Vector, embed: Embed) -> list[Ranked]:
        """Return all turns, best first; ties by position. The arguments are those of `ranking`."""
        order, scores = self.ranking(query, rows, vector, embed)
        return [Ranked(position, float(scores[position])) for position in order.tolist()]

    def ranking(
        self, query: QueryFeatures, rows: Matrix, vector: Vector, embed: Embed
    ) -> tuple[NDArray[np.intp], Array]:
        """Return the positions of all turns, best first and ties by position, and the score of each position.

        Args:
            query: From `query`.
            rows: Unit vectors of the turns, shape `(n, d)`.
            vector: Unit vector of the query's main line, shape `(d,)`.
            embed: Gives unit vectors of sentences, shape `(m, d)`.
        """
        if not self._turns:
            return np.empty(0, dtype=np.intp), np.empty(0)
        nearness = Nearness(rows, vector, embed)
        features = self.features(query, nearness)
        first = _order(_weighed(features))[:CANDIDATES].tolist()
        scores = _weighed(self.with_statements(features, query, first, nearness))
        return _order(scores), scores


@lru_cache(maxsize=1)
def ranking_weights() -> Array:
    """Return the weight of each of `FEATURES`, as fitted by `benchmarks/fit_ranking.py`."""
    stored: dict[str, dict[str, float]] = json.loads(
        files("memory.ranking").joinpath("ranking_weights.json").read_text(encoding="utf-8")
    )
    return np.array([float(stored["weights"][name]) for name in FEATURES])


def _dot(one: Vector, other: Vector) -> np.float32:
    product: np.float32 = np.einsum("i,i->", one, other)
    return product


def _weighed(features: Array) -> Array:
    return np.asarray(np.einsum("ij,j->i", features, ranking_weights()))  # not `@`, see `memory.embedder.dots`


def _order(scores: Array) -> NDArray[np.intp]:
    """Return the places of `scores`, largest first; ties keep their order."""
    order: NDArray[np.intp] = np.argsort(-np.round(scores, 9), kind="stable")
    return order


def _spoken_by(speaker: str | None, named: Sequence[str]) -> float:
    if not named or speaker == named[0]:
        return 1.0
    return 0.5 if speaker in named else 0.0


def _nearer_neighbour(meaning: Array) -> Array:
    """Return for each turn the larger value of the turn before and the turn after it; 0 beyond the ends."""
    padded = np.concatenate([[0.0], meaning, [0.0]])
    nearer: Array = np.maximum(padded[:-2], padded[2:])
    return nearer
