"""Which tokens of a text are signs of what (`tongues/signs.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.language.learned.tokens import Token, tokens

FILE = Path(__file__).parents[1] / "tongues" / "signs.toml"


@cache
def sign_names() -> tuple[str, ...]:
    """Return the names of the signs, in the order of the columns of `signs_of`."""
    return tuple(dict.fromkeys(name for tongue in _tongues().values() for name in tongue))


def signs_of(held: Sequence[Token]) -> NDArray[np.float32]:
    """Return for each token which signs it belongs to, shape `(n, signs)`, each 0 or 1."""
    found = np.zeros((len(held), len(sign_names())), dtype=np.float32)
    words = [token.text.casefold().replace("’", "'") for token in held]
    phrases = _phrases()
    for start, word in enumerate(words):
        if word.endswith("n't"):
            found[start, _column("negation")] = 1
        for phrase, column in phrases.get(word, ()):
            if words[start : start + len(phrase)] == list(phrase):
                found[start : start + len(phrase), column] = 1
    return found


def bears(text: str, sign: str) -> bool:
    """Say whether `text` has words that are a sign of `sign`."""
    return bool(signs_of(tokens(text, 64))[:, _column(sign)].any())


@cache
def _tongues() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def _column(name: str) -> int:
    return sign_names().index(name)


@cache
def _phrases() -> dict[str, tuple[tuple[tuple[str, ...], int], ...]]:
    """Return the phrases by their first token, each with its column."""
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for tongue in _tongues().values():
        for name, phrases in tongue.items():
            for phrase in phrases:
                parts = tuple(token.text.casefold() for token in tokens(phrase, 16))
                found.setdefault(parts[0], []).append((parts, _column(name)))
    return {word: tuple(phrases) for word, phrases in found.items()}
