"""Tokens of a text with their places: Latin words, numbers, single Han characters, other signs."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]+(?:['’][^\W\d_\u3400-\u9fff]+)*"  # a word, its apostrophes included
    r"|\d+(?:[.,:]\d+)*"
    r"|[\u3400-\u9fff\uf900-\ufaff]"
    r"|\S"
)


class Token(NamedTuple):
    """A token and where it stands, in characters."""

    text: str
    start: int
    end: int


def tokens(text: str, limit: int) -> list[Token]:
    """Return the first `limit` tokens of `text`."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        if len(found) == limit:
            break
        found.append(Token(match.group(), match.start(), match.end()))
    return found


def is_han(token: str) -> bool:
    """Whether a token is a Han character."""
    return len(token) == 1 and ("\u3400" <= token <= "\u9fff" or "\uf900" <= token <= "\ufaff")
