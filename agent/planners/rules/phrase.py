"""A phrase of a request: words in a row that name something, and how its clause speaks of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]
"""Start and end of words in a text."""
LATIN_RUN = re.compile(r"[A-Za-zÀ-ɏ][\wÀ-ɏ'’&.+-]*(?:\s[A-Za-zÀ-ɏ][\wÀ-ɏ'’&.+-]*)*")
"""Words in Latin letters in a row, accents and all."""
Role = Literal["sought", "object", "alone", "subject", "other"]


@dataclass(frozen=True)
class Phrase:
    """Words in a row that name something."""

    text: str
    start: int
    role: Role
    """`sought`: what is to be looked up; `object`: of another wish or verb; `alone`: the whole clause but for days;
    `subject`: of what follows it."""
    is_place: bool = False
    """Whether its word class or a word for a side of it ("池塘里") makes it a place."""
    is_sided: bool = False
    """Whether a word for a side of it follows."""
    is_whole: bool = False
    """Whether it is made of parts that are phrases too."""
    is_latin: bool = False
    """Whether it is written in Latin letters within a Chinese request."""

    @property
    def end(self) -> int:
        """One past its last character."""
        return self.start + len(self.text)
