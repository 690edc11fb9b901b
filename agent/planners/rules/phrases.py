"""The things a request speaks of in common words: what is wanted or looked for, where, and what stands alone.

Names are told by their form; what people ask for ("drum and bass", "河边", "foggy forest") seldom is. It is read from
the clause: words of meaning in a row, by what stands before and after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from agent.planners.rules.chinese_phrases import chinese_phrases
from agent.planners.rules.english_phrases import english_phrases
from agent.planners.rules.phrase import LATIN_RUN, Phrase, Span
from agent.planners.rules.segments import Segment, clauses, named
from memory.language.text_cache import text_cache


@text_cache(512)
def phrases(text: str, now: datetime | None) -> tuple[Phrase, ...]:
    """Return the phrases of `text`, in order; where one is made of parts ("柏林的岗位"), the parts after the whole."""
    taken = [
        (m.start, m.end)
        for m in named(text, now)
        if m.kind in ("date", "date_range", "time", "number", "url", "email", "ip", "coordinates", "id")
    ]
    read = _english if not has_chinese(text) else _mixed if is_mixed(text) else _chinese
    found = [
        phrase
        for clause in clauses(text)
        if not clause.is_aside
        for phrase in read(clause, text, [(a, b) for a, b in taken if a < clause.end and clause.start < b])
    ]
    free = [
        one
        for one in found
        if not any(
            a < one.end
            and one.start < b
            and not (one.is_latin and one.start <= a and b <= one.end and b - a < len(one.text))
            for a, b in taken
        )
    ]
    return tuple(_paired(free, text))


def has_chinese(text: str) -> bool:
    """Whether there is a Chinese character in `text`."""
    return bool(_CJK.search(text))


_CJK = re.compile(r"[\u4e00-\u9fff]")


@text_cache(512)
def is_mixed(text: str) -> bool:
    """Whether a Chinese request has English grammar in it ("check 一下 my orders"), so that Latin words may be any."""
    runs = [[word.casefold() for word in run.group().split()] for run in LATIN_RUN.finditer(text)]
    return any(run[0] in _GRAMMAR or _ADDRESS & set(run) for run in runs)


def _english(clause: Segment, _: str, taken: Sequence[Span]) -> Iterator[Phrase]:
    return english_phrases(clause, taken)


def _chinese(clause: Segment, text: str, _: Sequence[Span]) -> Iterator[Phrase]:
    return chinese_phrases(clause, text)


def _mixed(clause: Segment, text: str, taken: Sequence[Span]) -> Iterator[Phrase]:
    """Yield the phrases of both languages: the Chinese ones, and those within the runs of Latin words."""
    for phrase in chinese_phrases(clause, text):
        if not phrase.is_latin:
            yield phrase
            continue
        if joined := _JOINING.match(phrase.text):
            phrase = replace(phrase, text=phrase.text[joined.end() :], start=phrase.start + joined.end())
        start = phrase.start - clause.start
        inner = list(english_phrases(Segment(phrase.text, phrase.start, clause.cues), taken))
        lead = clause.text[:start]
        is_split = len(inner) != 1 or inner[0].text != phrase.text
        if is_split:
            yield replace(phrase, is_whole=True)
        for one in inner:
            is_sought = one.role == "alone" and _ZH_SOUGHT.search(lead)
            yield replace(one, is_latin=True, role="sought" if is_sought else one.role)


_JOINING = re.compile(r"(?:and|or|with|plus)\s(?:the\s|some\s)?", re.IGNORECASE)
_ZH_SOUGHT = re.compile(r"[查搜找看](?:一?[下个些]|看)?\s?$")
_ADDRESS = frozenset(("my", "your", "please", "can", "could", "me", "i", "you", "i'm", "i'd"))
_GRAMMAR_WORDS = (
    "the a an of for and to is are what where in on with it that this by at near check find get show tell give add "
    "send order cancel update search look want need pay book text just only live"
)
_GRAMMAR = _ADDRESS | frozenset(_GRAMMAR_WORDS.split())
"""English words of grammar and of asking, with which no value begins."""


def _paired(found: Sequence[Phrase], text: str) -> list[Phrase]:
    """Return the phrases with two plain words that "and" joins as one: "drum and bass"."""
    kept: list[Phrase] = []
    for phrase in found:
        first = kept[-1] if kept else None
        if (
            first
            and text[first.end : phrase.start] == " and "
            and all(_PLAIN.fullmatch(x.text) for x in (first, phrase))
        ):
            kept[-1] = replace(first, text=text[first.start : phrase.end])
        else:
            kept.append(phrase)
    return kept


_PLAIN = re.compile(r"[a-z]+")
