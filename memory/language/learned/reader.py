"""The learned reader: a text in its context goes through the network once, and comes out as a `Reading`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memory.language.errors import WeightsError
from memory.language.learned.embedding import Floats, Inputs, clause_vectors, grams, inputs
from memory.language.learned.network import FIELDS, Network
from memory.language.learned.tokens import Token, tokens
from memory.language.reading import (
    Act,
    ActTime,
    Back,
    Claim,
    Clause,
    Deed,
    Polarity,
    Reading,
    ReadRequest,
    Role,
    Span,
    Whom,
)

WEIGHTS = Path(__file__).with_name("weights.npz")
FORMAT = 1
"""Of the weights file; another one is refused."""
READ_TOKENS = 400
"""Of a text; what follows is not read, so that no text takes long."""
BEFORE_TOKENS = 24
"""The last ones of what was said before that the network sees."""
WORDS: Mapping[str, tuple[str, ...]] = {
    "act": tuple(word for word in get_args(Act) if word != "unsure"),
    "time": get_args(ActTime),
    "polarity": get_args(Polarity),
    "whom": get_args(Whom),
    "back": get_args(Back),
    "deed": get_args(Deed),
    "claim": get_args(Claim),
}
TAGS = ("O", *(f"{place}-{role}" for role in get_args(Role) for place in ("B", "I")))

_log = logging.getLogger(__name__)


class TokenRun(NamedTuple):
    """A text as the network takes it, after what was said before."""

    tokens: list[Token]
    """Of the text alone."""
    skip: int
    """Rows of `inputs` that come before them."""
    inputs: Inputs


def sequence_of(text: str, before: str) -> TokenRun | None:
    """Return the tokens of a text in its context, `None` where it has none."""
    own = tokens(text, READ_TOKENS)
    if not own:
        return None
    context = tokens(before[-400:], READ_TOKENS)[-BEFORE_TOKENS:] if before else []
    told = inputs(own, 1)
    if context:
        said = inputs(context, 0)
        told = Inputs(*(np.concatenate([a, b]) for a, b in zip(said, told, strict=True)))
    return TokenRun(own, len(context), told)


@dataclass(frozen=True)
class LearnedReader:
    """Reads with the packaged weights, or with others of the same form.

    Raises:
        WeightsError: If the weights are of another version, or damaged.
    """

    network: Network
    version: str

    @property
    def name(self) -> str:
        return f"learned-{self.version}"

    def read_many(self, requests: Sequence[ReadRequest]) -> list[Reading]:
        return [self._read(request) for request in requests]

    def _read(self, request: ReadRequest) -> Reading:
        try:
            sequence = sequence_of(request.text, request.before)
            clauses = tuple(self._clauses(request.text, sequence)) if sequence is not None else ()
        except Exception:  # a text must never end a turn, whatever is in it
            digest = sha256(request.text.encode("utf-8", "replace")).hexdigest()[:12]
            _log.exception("a text could not be read (sha256 %s)", digest)
            return unread(request.text)
        return Reading(text=request.text, clauses=clauses, reader=self.name)

    def _clauses(self, text: str, sequence: TokenRun) -> Iterator[Clause]:
        states = self.network.states(sequence.inputs)
        own = states[sequence.skip :]
        starts = np.flatnonzero(self.network.beginnings(own) > 0.5).tolist()
        starts = [0, *(start for start in starts if start > 0)]
        borders = list(zip(starts, [*starts[1:], len(own)], strict=True))
        words = [[token.text for token in sequence.tokens[a:b]] for a, b in borders]
        rows = [(a + sequence.skip, b + sequence.skip) for a, b in borders]
        vectors = clause_vectors(sequence.inputs.vectors, rows)
        judged = self.network.judged(states, rows, vectors, [grams(one) for one in words])
        tags = self.network.tags(own)
        for index, (first, past) in enumerate(borders):
            held = sequence.tokens[first:past]
            found = {field: _best(judged[field][index], WORDS[field]) for field in FIELDS}
            yield Clause.model_validate(
                {
                    "start": held[0].start,
                    "end": held[-1].end,
                    "text": text[held[0].start : held[-1].end],
                    "spans": tuple(_spans(text, held, tags[first:past])),
                    **{field: word for field, (word, _) in found.items()},
                    **{f"p_{field}": p for field, (_, p) in found.items()},
                }
            )


def unread(text: str) -> Reading:
    """Return the reading of a text that nothing is known of: one clause, unsure."""
    return Reading(text=text, clauses=(Clause(start=0, end=len(text), text=text),) if text.strip() else ())


def _best(probabilities: Floats, words: Sequence[str]) -> tuple[str, float]:
    at = int(probabilities.argmax())
    return words[at], min(1.0, float(probabilities[at]))


def _spans(text: str, held: Sequence[Token], tags: Floats) -> Iterator[Span]:
    """Yield the spans of the likeliest sequence of tags in which no span goes on that has not begun."""
    path = best_path(tags)
    at = 0
    while at < len(path):
        tag = TAGS[path[at]]
        end = at + 1
        if tag == "O":
            at = end
            continue
        role = tag[2:]
        while end < len(path) and TAGS[path[end]] == f"I-{role}":
            end += 1
        start, past = held[at].start, held[end - 1].end
        p = float(np.mean([tags[i, path[i]] for i in range(at, end)]))
        yield Span.model_validate(
            {"role": role, "start": start, "end": past, "text": text[start:past], "p": min(1.0, p)}
        )
        at = end


_MAY_FOLLOW = np.asarray(
    [[not tag.startswith("I-") or before[2:] == tag[2:] for tag in TAGS] for before in TAGS], dtype=bool
)


def best_path(probabilities: Floats) -> list[int]:
    """Return the likeliest sequence of tags (Viterbi) in which every `I-` follows its own `B-` or `I-`."""
    logs = np.log(probabilities + 1e-9)
    starts = np.asarray([0.0 if not tag.startswith("I-") else -np.inf for tag in TAGS])
    steps = np.where(_MAY_FOLLOW, 0.0, -np.inf)
    score, back = logs[0] + starts, list[NDArray[np.int64]]()
    for row in logs[1:]:
        reached = score[:, None] + steps
        back.append(reached.argmax(axis=0))
        score = reached.max(axis=0) + row
    path = [int(score.argmax())]
    for came in reversed(back):
        path.append(int(came[path[-1]]))
    return path[::-1]


@cache
def learned_reader() -> LearnedReader:
    """Return the reader with the packaged weights, read once."""
    return load_reader(WEIGHTS)


def load_reader(path: Path) -> LearnedReader:
    """Return a reader with the weights of a file.

    Raises:
        WeightsError: If there are none, or they are of another version, or damaged.
    """
    try:
        data = path.read_bytes()
        with np.load(path, allow_pickle=False) as held:
            form = int(held["format"])
            told = tuple(str(word) for word in held["words"])
            weights = {name: held[name].astype(np.float32) for name in held.files if name not in ("format", "words")}
    except (OSError, ValueError, KeyError, EOFError) as exc:
        raise WeightsError(f"{path.name} holds no weights of a reader ({exc}); install the package anew") from exc
    if form != FORMAT or told != _signature():
        raise WeightsError(
            f"{path.name} is of form {form} and of other labels than this version reads ({FORMAT}); "
            "fit it anew (docs/reading.md) or install the package anew"
        )
    return LearnedReader(Network(weights), sha256(data).hexdigest()[:8])


def save_weights(weights: Mapping[str, NDArray[np.float32]], path: Path = WEIGHTS) -> None:
    """Write weights as `load_reader` takes them, at half precision."""
    halves = {name: value.astype(np.float16) for name, value in weights.items()}
    np.savez_compressed(path, allow_pickle=False, format=np.asarray(FORMAT), words=np.asarray(_signature()), **halves)


def _signature() -> tuple[str, ...]:
    """What the outputs of the network mean, in order."""
    return (*TAGS, *(f"{field}={word}" for field in FIELDS for word in WORDS[field]))
