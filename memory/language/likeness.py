"""How alike in meaning a value and what somebody said are, English and Chinese in one space.

Words that share no letter may mean the same: "someone for skin" is for dermatology. The score is a cosine of the
packaged encoder's vectors, and is no proof: letters, numbers and names are compared elsewhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.language.encoder import packaged_encoder
from memory.language.read import read
from memory.language.text import split_name
from memory.language.text_cache import text_cache

Unit = NDArray[np.float32]
_LONGEST = 200
"""Characters of a value that are compared: what is longer is a text of its own, and never one clause's."""


def likeness(value: str, name: str, text: str) -> float:
    """Return how like the nearest clause of `text` is to `value`, in [-1, 1]; 0 for an empty text.

    The mean of two cosines, of the bare value and of the value spelled out with what it is of: the first tells
    "dermatology" from "dentistry", the second "specialty: blue" from "colour: blue". Over the development personas a
    tenth of the values that were meant without being named are below 0.1, and a twentieth of those that were not meant
    are above 0.16.

    Args:
        value: Of an argument.
        name: Of the argument.
        text: What was said.
    """
    said = _clauses(text)
    if not value.strip() or not said:
        return 0.0
    spelled = f"{' '.join(split_name(name))}: {value}"
    return max(float((_vector(value) + _vector(spelled)) @ _vector(clause) / 2) for clause in said)


def _clauses(text: str) -> tuple[str, ...]:
    return tuple(clause.text for clause in read(text).clauses) if text.strip() else ()


@text_cache(16_384)
def _vector(text: str) -> Unit:
    """The unit vector of a short text, shape `(512,)`."""
    vector: Unit = np.asarray(packaged_encoder().encode(text[:_LONGEST]), dtype=np.float32).ravel()
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
