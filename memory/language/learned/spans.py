"""From the probabilities of tags to spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.language.learned.embedding import Floats
from memory.language.learned.labels import DIGITS, TAGS
from memory.language.learned.tokens import Token
from memory.language.reading import Span

_MAY_FOLLOW = np.asarray(
    [[not tag.startswith("I-") or before[2:] == tag[2:] for tag in TAGS] for before in TAGS], dtype=bool
)
_FIRST = np.asarray([0.0 if not tag.startswith("I-") else -np.inf for tag in TAGS])
_STEPS = np.where(_MAY_FOLLOW, 0.0, -np.inf)


def spans_of(text: str, held: Sequence[Token], tags: Floats) -> Iterator[Span]:
    """Yield the spans of the likeliest sequence of tags in which no span goes on that has not begun.

    Args:
        text: What the tokens stand in.
        held: The tokens of a clause, at least one.
        tags: Their probabilities, shape `(len(held), len(TAGS))`.
    """
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
            {"role": role, "start": start, "end": past, "text": text[start:past], "p": round(min(1.0, p), DIGITS)}
        )
        at = end


def best_path(probabilities: Floats) -> list[int]:
    """Return the likeliest sequence of tags (Viterbi) in which every `I-` follows its own `B-` or `I-`."""
    logs = np.log(probabilities + 1e-9)
    score, back = logs[0] + _FIRST, list[NDArray[np.int64]]()
    for row in logs[1:]:
        reached = score[:, None] + _STEPS
        back.append(reached.argmax(axis=0))
        score = reached.max(axis=0) + row
    path = [int(score.argmax())]
    for came in reversed(back):
        path.append(int(came[path[-1]]))
    return path[::-1]
