"""The corpus as it lies beside this module: a file an author, a text a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

from pydantic import BaseModel

from memory.language.corpus.notation import reading_of
from memory.language.reading import Reading

FOLDER = Path(__file__).parent


class CorpusLine(BaseModel, frozen=True, extra="forbid"):
    """A text of the corpus with what it says."""

    author: str
    """Whose hand it is in: the name of the file. Figures are of authors that were left out of a fit."""
    domain: str
    voice: str
    """The invented person who speaks."""
    language: str
    before: str = ""
    """What the assistant said just before; empty: nothing."""
    clauses: tuple[str, ...]
    """In the notation."""
    second: tuple[str, ...] = ()
    """The labels that another hand gave each clause without sight of the first; empty: none has yet."""

    @property
    def is_set_aside(self) -> bool:
        """Whether its domain is one of the eighth that no shipped weights were fitted on."""
        return crc32(self.domain.casefold().encode()) % 8 == 0

    @property
    def reading(self) -> Reading:
        """What the text says."""
        return reading_of(self.clauses)


@cache
def read_corpus() -> tuple[CorpusLine, ...]:
    """Return all lines, file after file.

    Raises:
        ValidationError: If one is not as it should be.
        NotationError: From `reading`, if a clause is not in the notation.
    """
    return tuple(_lines())


def _lines() -> Iterator[CorpusLine]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield CorpusLine.model_validate(json.loads(line) | {"author": path.stem})
