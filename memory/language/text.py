"""Text as the lexical parts of memory read it: normal form, tokens, language (English and Chinese)."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from memory.language.text_cache import text_cache

if TYPE_CHECKING:
    from types import ModuleType

Language = Literal["en", "zh"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SYLLABIC = "\u3040-\u30ff\uac00-\ud7af"  # kana and hangul: written without spaces or glued to particles
_RUN = re.compile(rf"[{_HAN}{_SYLLABIC}]+|[^\W_{_HAN}{_SYLLABIC}]+")
_IS_HAN = re.compile(f"[{_HAN}]")
_IS_CJK = re.compile(f"[{_HAN}{_SYLLABIC}]")
_WORD = re.compile(rf"[^\W\d_{_HAN}{_SYLLABIC}]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)(?<![A-Z])")


def normalise(text: str) -> str:
    """Return `text` in NFKC, case-folded, with runs of white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fold_accents(text: str) -> str:
    """Return `text` without combining marks: `Café` gives `Cafe`."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if not unicodedata.combining(char)))


def language(text: str) -> Language:
    """Return the language a person would be answered in: Chinese once Han characters are as many as other words."""
    han = len(_IS_HAN.findall(text))
    return "zh" if han and han >= len(_WORD.findall(text)) else "en"


@text_cache(8192)
def split_name(name: str) -> tuple[str, ...]:
    """Return the words of an identifier, lower case: `travelDate` and `travel_date` give `("travel", "date")`."""
    return tuple(part.casefold() for part in re.split(r"[\W_]+", _CAMEL.sub(" ", name)) if part)


def tokenise(text: str) -> list[str]:
    """Return the index terms of `text` in order, repeats kept; accents folded, endings stripped.

    Latin words lose plural, `-ed`, `-ing` and a final `-e`; identifiers are split into their words. A run of Chinese
    gives its words (jieba) and those character bigrams that are not among them, so that a query segmented otherwise
    still matches; a lone character is a term of its own.
    """
    folded = fold_accents(unicodedata.normalize("NFKC", text))
    return list(_terms(_CAMEL.sub(" ", folded), _words))


def common_terms(text: str) -> frozenset[str]:
    """Return terms of which two texts share one wherever they share one of `tokenise`, and only there.

    No Chinese is segmented for them: who shares a word shares its bigrams.
    """
    folded = fold_accents(unicodedata.normalize("NFKC", text))
    return frozenset(_terms(_CAMEL.sub(" ", folded), lambda _: []))


def _terms(text: str, words_of: Callable[[str], list[str]]) -> Iterator[str]:
    for match in _RUN.finditer(text):
        run = match.group()
        if _IS_CJK.match(run):
            yield from _cjk_terms(run, words_of(run))
        else:
            yield stem(run.casefold())


def _words(run: str) -> list[str]:
    return [word for word in _segmenter().cut_for_search(run) if len(word) > 1] if _IS_HAN.search(run) else []


def _cjk_terms(run: str, words: list[str]) -> Iterator[str]:
    yield from words
    known = set(words)
    yield from (run[i : i + 2] for i in range(len(run) - 1) if run[i : i + 2] not in known)
    if len(run) == 1:
        yield run


@text_cache(16_384)  # people use the same few thousand words
def stem(word: str) -> str:
    """Return a lower-case word without its commonest English ending; only ever compared with other stems."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and re.search("[aeiouy]", base):
            doubled = base[-1] == base[-2] and base[-1] not in "lsz"
            word = base[:-1] if doubled else base
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=1)
def _segmenter() -> ModuleType | Any:
    """Load jieba at first use, silently: its import warns and it logs while it builds its dictionary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba

        jieba.setLogLevel("ERROR")
        jieba.initialize()
    return jieba
