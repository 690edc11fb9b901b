"""The parts of a request: sentences and clauses with their places, and what they show of how they are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memory.evidence import Kind
from memory.language.text import normalise
from memory.language.text_cache import text_cache
from memory.language.values.mentions import Mention, mentions
from memory.state.cues import cues_in

_SENTENCE = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_CLAUSE = re.compile(
    r"[,;:](?=\s|$)|[，；：、]|\s[-–—]\s|—|(?<=[\u3400-\u9fff\d])\s+|\s+(?=[\u3400-\u9fff])|\s(?=and\s)"
)


@text_cache(1024)
def named(text: str, now: datetime | None) -> tuple[Mention, ...]:
    """Return what `text` names, kept: every tool and entry is held against the same words."""
    return mentions(text, now)


@dataclass(frozen=True)
class Segment:
    """A piece of a request."""

    text: str
    start: int
    """Of its first character within the request."""
    cues: frozenset[Kind]
    """How its wording says that it is meant."""

    @property
    def end(self) -> int:
        """One past its last character."""
        return self.start + len(self.text)

    @property
    def is_aside(self) -> bool:
        """Whether it only says what might be."""
        return "hypothetical" in self.cues


@text_cache(512)
def sentences(text: str) -> tuple[Segment, ...]:
    """Return the sentences of `text`."""
    return tuple(_pieces(text, 0, _SENTENCE))


@text_cache(512)
def clauses(text: str) -> tuple[Segment, ...]:
    """Return the clauses of `text`; a space between Chinese words ends one, as people type it."""
    return tuple(
        clause for sentence in _pieces(text, 0, _SENTENCE) for clause in _pieces(sentence.text, sentence.start, _CLAUSE)
    )


def _pieces(text: str, offset: int, separator: re.Pattern[str]) -> Iterator[Segment]:
    position = 0
    for match in [*separator.finditer(text), None]:
        end = len(text) if match is None else match.start()
        piece = text[position:end]
        stripped = piece.strip()
        if stripped:
            start = position + piece.index(stripped)
            yield Segment(stripped, offset + start, cues_in(normalise(stripped)))
        position = end if match is None else match.end()


_OPENING = r"(?:so |and |now |well |then |please |right |just |also )*"
_ORDER = (
    "give|show|let|find|look|get|tell|send|book|put|pull|dig|compare|check|see|search|make|add|log|track|set|run|work|have|"
    "keep|hold|renew|cancel|stop|convert|read|list|do"
)
_WISH = (
    "i'd like|i want|i need|please|could you|can you|would you|will you|let me|give me|show me|get me|find me|tell me|"
    "look up|book it|put me"
)
_ASKS = re.compile(rf"\?|^{_OPENING}(?:{_ORDER})\b|\b(?:{_WISH})\b", re.IGNORECASE)


def is_asking(text: str) -> bool:
    """Whether `text` asks for something in so many words: by a question, an order or a wish."""
    return bool(_ASKS.search(text) or _ASKS_ZH.search(text))


_ASKS_ZH = re.compile(r"？|[吗呢](?:$|[。！])|怎么样|什么|多少|如何|帮我|给我|[查看]一?下|[查看]看")


@text_cache(512)
def asking_sentences(text: str) -> tuple[Segment, ...]:
    """Return the sentences that ask for something, all where none does, without asides if anything is left then."""
    parts = sentences(text)
    asking = tuple(part for part in parts if _ASKS.search(text[part.start : part.end + 1]))
    plain = tuple(part for part in asking or parts if not part.is_aside)
    return plain or asking or parts


@text_cache(512)
def asking_clauses(text: str) -> tuple[Segment, ...]:
    """Return the clauses of the sentences that ask for something, without asides if anything else is left."""
    asking = asking_sentences(text)
    inside = tuple(part for part in clauses(text) if any(whole.start <= part.start < whole.end for whole in asking))
    return tuple(part for part in inside if not part.is_aside) or inside
