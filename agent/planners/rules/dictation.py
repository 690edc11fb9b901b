"""Parameters that take names, what is looked for, or whole sentences, and the sentences that a text dictates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.planners.rules.utterance import Said, Text
from memory.language.text import split_name
from memory.tools import Parameter

_SEARCHED = frozenset(("query", "keyword", "keywords", "search", "term", "terms", "topic", "q", "phrase"))
_SEARCHED_TEXT = re.compile(r"\b(?:search|keywords?|query)\b|关键词|搜索|检索词", re.IGNORECASE)
_NAMES = frozenset(("name", "author", "artist", "username", "user", "owner", "company", "title"))
_SENTENCES = frozenset(
    ("message", "text", "content", "body", "note", "comment", "remark", "description", "instructions")
)


def takes_any_words(parameter: Parameter) -> bool:
    """Whether a parameter takes what is looked for in whatever words."""
    return bool(_words(parameter) & _SEARCHED) or bool(_SEARCHED_TEXT.search(parameter.description))


def takes_names(parameter: Parameter) -> bool:
    """Whether a parameter takes what somebody or something is called."""
    return bool(_words(parameter) & _NAMES)


def takes_sentences(parameter: Parameter) -> bool:
    """Whether a parameter takes what is to be written or read."""
    return bool(_words(parameter) & _SENTENCES)


def _words(parameter: Parameter) -> frozenset[str]:
    return frozenset(word.casefold() for word in split_name(parameter.name))


_DICTATED = re.compile(
    r"(?:\b(?:say|says|saying|said|read|reads|reading|write|writes|writing|text|message)|写上?|说|内容是?|正文)"
    r"\s?[:：]\s?",
    re.IGNORECASE,
)
_LETTERS = r"[A-Za-zÀ-ɏ][0-9A-Za-zÀ-ɏ'’-]*"
_STRETCH = re.compile(rf"{_LETTERS}(?:[,;:]?\s{_LETTERS}){{2,}}[.!?]?")
"""A sentence in Latin letters within Chinese: three words or more, with the marks between."""


def dictated(parameter: Parameter, text: Text, *, is_listed: bool) -> Iterator[Said]:
    """Yield the words that are to be written: all that follows a colon, or a sentence in Latin letters within Chinese.

    "it should say: Keys on Friday, please."; of a list (`is_listed`) the sentences are read one by one instead.
    """
    if not takes_sentences(parameter) or is_listed:
        return
    for match in _DICTATED.finditer(text.text):
        if words := text.text[match.end() :].strip():
            yield Said(words, match.end(), len(text.text), 1.0)
    for match in _STRETCH.finditer(text.text) if re.search(r"[\u4e00-\u9fff]", text.text) else ():
        yield Said(match.group(), match.start(), match.end(), 0.9)
