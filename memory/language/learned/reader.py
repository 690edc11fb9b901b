"""The learned reader: texts in their context go through the network together, and come out as `Reading`s."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memory.language.learned.embedding import Floats, Inputs, clause_vectors, grams, inputs
from memory.language.learned.labels import DIGITS, WORDS
from memory.language.learned.network import FIELDS, Network
from memory.language.learned.spans import spans_of
from memory.language.learned.tokens import Token, tokens
from memory.language.learned.weights import WEIGHTS, load_weights
from memory.language.readable import is_readable
from memory.language.reading import Clause, Reading, ReadRequest

READ_TOKENS = 400
"""Of a text; what follows is not read, so that no text takes long."""
READ_CHARACTERS = 4_000
"""Of a text: a token may be long."""
BEFORE_TOKENS = 24
"""The last ones of what was said before that the network sees."""
_TOGETHER = 64
"""Texts that go through the network at once, and so many characters of them at most unless one has more."""
_CHARACTERS_TOGETHER = 6_000

_log = logging.getLogger(__name__)


class TokenRun(NamedTuple):
    """A text as the network takes it, after what was said before."""

    tokens: list[Token]
    """Of the text alone; at least one."""
    skip: int
    """Rows of `inputs` that come before them."""
    inputs: Inputs


def sequences_of(texts: Sequence[tuple[str, str]]) -> list[TokenRun | None]:
    """Return the tokens of texts, each in its context (what was said before it), `None` where a text has none."""
    own = [tokens(text[:READ_CHARACTERS], READ_TOKENS) for text, _ in texts]
    context = [
        tokens(before[-400:], READ_TOKENS)[-BEFORE_TOKENS:] if held else []
        for held, (_, before) in zip(own, texts, strict=True)
    ]
    stretches = [*((held, 1) for held in own if held), *((held, 0) for held in context if held)]
    told = inputs(stretches) if stretches else []
    texts_told, contexts_told = iter(told), iter(told[sum(map(bool, own)) :])
    found: list[TokenRun | None] = []
    for held, said in zip(own, context, strict=True):
        if not held:
            found.append(None)
            continue
        one = next(texts_told)
        if said:
            before = next(contexts_told)
            one = Inputs(*(np.concatenate([a, b]) for a, b in zip(before, one, strict=True)))
        found.append(TokenRun(held, len(said), one))
    return found


def sequence_of(text: str, before: str) -> TokenRun | None:
    """Return the tokens of one text in its context, `None` where it has none."""
    return sequences_of([(text, before)])[0]


@dataclass(frozen=True)
class LearnedReader:
    """Reads with the packaged weights, or with others of the same form."""

    network: Network
    version: str

    @property
    def name(self) -> str:
        return f"learned-{self.version}"

    def read_many(self, requests: Sequence[ReadRequest]) -> list[Reading]:
        return [reading for some in _batches(requests) for reading in self._read(some)]

    def _read(self, requests: Sequence[ReadRequest]) -> list[Reading]:
        try:
            sequences = sequences_of([(request.text, request.before) for request in requests])
            clauses = self._clauses(requests, sequences)
        except Exception:  # a text must never end a turn, whatever is in it, nor spoil those beside it
            if len(requests) > 1:
                return [reading for request in requests for reading in self._read([request])]
            digest = sha256(requests[0].text.encode("utf-8", "replace")).hexdigest()[:12]
            _log.exception("a text could not be read (sha256 %s)", digest)
            return [unread(requests[0].text)]
        return [
            Reading(text=request.text, clauses=held, reader=self.name)
            for request, held in zip(requests, clauses, strict=True)
        ]

    def _clauses(
        self, requests: Sequence[ReadRequest], sequences: Sequence[TokenRun | None]
    ) -> list[tuple[Clause, ...]]:
        """Return the clauses of each text."""
        given = [one for one in sequences if one is not None]
        if not given:
            return [()] * len(requests)
        all_states = self.network.states([one.inputs for one in given])
        own = [states[one.skip :] for states, one in zip(all_states, given, strict=True)]
        states = np.concatenate(own)
        ends = np.cumsum([len(one) for one in own])
        chances = np.split(self.network.beginnings(states), ends[:-1])
        starts = [_starts(one.tokens, chance) for one, chance in zip(given, chances, strict=True)]
        held = [
            one.tokens[a:b]
            for one, firsts in zip(given, starts, strict=True)
            for a, b in _stretches(firsts, len(one.tokens))
        ]
        first_rows = np.cumsum([0, *(len(one) for one in held[:-1])])
        rows = [(int(a), int(a) + len(one)) for a, one in zip(first_rows, held, strict=True)]
        judged = self.network.judged(
            states,
            np.repeat(np.stack([one.mean(axis=0) for one in own]), [len(firsts) for firsts in starts], axis=0),
            first_rows,
            clause_vectors(np.concatenate([one.inputs.vectors[one.skip :] for one in given]), rows),
            [grams([token.text for token in one]) for one in held],
        )
        tags = self.network.tags(states)
        numbers = iter(range(len(held)))
        counts = (len(firsts) for firsts in starts)
        found: list[tuple[Clause, ...]] = []
        for request, sequence in zip(requests, sequences, strict=True):
            clauses = list[Clause]()
            is_read = is_readable(request.text[:READ_CHARACTERS])
            for number in islice(numbers, next(counts) if sequence is not None else 0):
                mine = {field: judged[field][number] for field in FIELDS}
                clauses.append(_clause(request.text, held[number], mine, tags[slice(*rows[number])], is_read))
            found.append(tuple(clauses))
        return found


def _clause(text: str, held: Sequence[Token], judged: dict[str, Floats], tags: Floats, is_read: bool) -> Clause:
    start, end = held[0].start, held[-1].end
    if not is_read or not is_readable(text[start:end]):
        return Clause(start=start, end=end, text=text[start:end])
    best = {field: int(values.argmax()) for field, values in judged.items()}
    return Clause.model_validate(
        {
            "start": start,
            "end": end,
            "text": text[start:end],
            "spans": tuple(spans_of(text, held, tags)),
            **{field: WORDS[field][at] for field, at in best.items()},
            **{f"p_{field}": round(min(1.0, float(judged[field][at])), DIGITS) for field, at in best.items()},
        }
    )


def _batches(requests: Sequence[ReadRequest]) -> Iterator[list[ReadRequest]]:
    """Yield the requests in runs that go through the network at once without taking much room."""
    some, characters = list[ReadRequest](), 0
    for request in requests:
        size = min(len(request.text), READ_CHARACTERS)
        if some and (len(some) == _TOGETHER or characters + size > _CHARACTERS_TOGETHER):
            yield some
            some, characters = [], 0
        some.append(request)
        characters += size
    if some:
        yield some


def _stretches(starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    """Yield each start with the next one, the last with `end`."""
    yield from zip(starts, [*starts[1:], end], strict=True)


_STOPS, _PAUSES = frozenset(".?!。？！…"), frozenset(",;，；:：")
_AFTER_STOP, _AFTER_PAUSE, _ELSEWHERE = 0.1, 0.35, 0.6
"""How sure the network must be that a clause begins after a sentence, after a pause, and in the middle of words."""


def _starts(held: Sequence[Token], chances: Floats) -> list[int]:
    """Return the tokens that clauses begin with, the first of all among them."""
    starts = [0]
    for at in range(1, len(held)):
        before = held[at - 1].text
        least = _AFTER_STOP if before in _STOPS else _AFTER_PAUSE if before in _PAUSES else _ELSEWHERE
        if chances[at] > least and held[at].text not in _STOPS:
            starts.append(at)
    return starts


def unread(text: str) -> Reading:
    """Return the reading of a text that nothing is known of: one clause, unsure."""
    return Reading(text=text, clauses=(Clause(start=0, end=len(text), text=text),) if text.strip() else ())


@cache
def learned_reader() -> LearnedReader:
    """Return the reader with the packaged weights, read once."""
    return load_reader(WEIGHTS)


def load_reader(path: Path) -> LearnedReader:
    """Return a reader with the weights of a file.

    Raises:
        WeightsError: If there are none, or they are of another version, or damaged.
    """
    return LearnedReader(*load_weights(path))
