"""Shares over turns on many resampled sets of turns at once, and the intervals they give.

Topics are drawn with replacement within each person, as many as the person has (Efron & Tibshirani, 1993, ch. 6 and 8:
the bootstrap of clusters). So intervals speak of further topics of these persons, not of other persons.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

N_DRAWS = 1000
LEVEL = 0.95
DIGITS = 6
"""Of intervals; below, floating point varies with the machine."""

Values = NDArray[np.float64]
"""One value a draw; not a number where it is undefined."""


@dataclass(frozen=True)
class Draws:
    """How often each topic, with all its turns, counts in each draw."""

    topic_of_turn: NDArray[np.intp]
    """Shape `(turns,)`."""
    person_of_topic: NDArray[np.intp]
    """Shape `(topics,)`."""
    counts: Values
    """Whole numbers, shape `(draws, topics)`."""
    is_resampled: bool

    @classmethod
    def once(cls, turns: Sequence[tuple[Hashable, Hashable]]) -> Draws:
        """Return the one draw in which every turn counts once: what a run has measured.

        Args:
            turns: Person and topic of each turn; topics of two persons are two.
        """
        topics = {key: index for index, key in enumerate(dict.fromkeys(turns))}
        persons = {person: index for index, person in enumerate(dict.fromkeys(person for person, _ in topics))}
        return cls(
            np.array([topics[key] for key in turns], dtype=np.intp),
            np.array([persons[person] for person, _ in topics], dtype=np.intp),
            np.ones((1, len(topics))),
            is_resampled=False,
        )

    def resampled(self, *, seed: int, n: int = N_DRAWS) -> Draws:
        """Return `n` draws of topics within persons."""
        rng = np.random.default_rng(seed)
        counts = np.zeros((n, len(self.person_of_topic)))
        for topics in self._topics_by_person:
            counts[:, topics] = rng.multinomial(len(topics), np.full(len(topics), 1 / len(topics)), size=n)
        return Draws(self.topic_of_turn, self.person_of_topic, counts, is_resampled=True)

    @property
    def can_vary(self) -> bool:
        """Whether any person has more than one topic to draw from."""
        return any(len(topics) > 1 for topics in self._topics_by_person)

    def weights(self, turns: NDArray[np.intp] | slice = slice(None)) -> Values:
        """Return how often some turns count, shape `(draws, turns)`."""
        return self.counts[:, self.topic_of_turn[turns]]

    def share(self, part: ArrayLike, whole: ArrayLike) -> Values:
        """Return Σ part / Σ whole over all turns, a draw each.

        Args:
            part: One number a turn.
            whole: Likewise.
        """
        return divide(self.counts @ self._by_topic(part), self.counts @ self._by_topic(whole))

    def share_by_person(self, part: ArrayLike, whole: ArrayLike, *, empty: float = np.nan) -> Values:
        """Return the mean over persons of each one's Σ part / Σ whole.

        Args:
            part: One number a turn.
            whole: Likewise.
            empty: The share of a person whose wholes are 0; not a number leaves the person out.
        """
        parts, wholes = self._by_topic(part), self._by_topic(whole)
        shares: Values = np.empty((len(self.counts), len(self._topics_by_person)))
        for person, topics in enumerate(self._topics_by_person):
            counts = self.counts[:, topics]
            shares[:, person] = divide(counts @ parts[topics], counts @ wholes[topics])
        if not np.isnan(empty):
            shares = np.where(np.isnan(shares), empty, shares)
        return mean_of_defined(shares)

    @cached_property
    def _topics_by_person(self) -> list[NDArray[np.intp]]:
        persons = int(self.person_of_topic.max(initial=-1)) + 1
        return [np.flatnonzero(self.person_of_topic == person) for person in range(persons)]

    def _by_topic(self, values: ArrayLike) -> Values:
        sums: Values = np.zeros(len(self.person_of_topic))
        np.add.at(sums, self.topic_of_turn, np.asarray(values, dtype=float))
        return sums


def divide(part: ArrayLike, whole: ArrayLike) -> Values:
    """Return `part / whole`, not a number where `whole` is 0."""
    parts, wholes = np.broadcast_arrays(np.asarray(part, dtype=float), np.asarray(whole, dtype=float))
    shares: Values = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=shares, where=wholes != 0)
    return shares


def mean_of_defined(values: Values) -> Values:
    """Return the mean of each row, shape `(rows, columns)`, over what is defined in it."""
    is_defined = ~np.isnan(values)
    return divide(np.where(is_defined, values, 0.0).sum(axis=1), is_defined.sum(axis=1))


def point(values: Values) -> float | None:
    """Return the value of the one draw of `Draws.once`, `None` where it is undefined."""
    (value,) = values
    return None if np.isnan(value) else float(value)


def interval(values: Values) -> list[float] | None:
    """Return the middle 95 % of the draws in which a value is defined, `None` if it is in none."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [round(float(low), DIGITS), round(float(high), DIGITS)]
