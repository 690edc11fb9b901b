"""Whether a text is in a tongue that is read at all.

The encoder knows sixteen languages and the network has learned from two, so that it has an opinion of any text. Of one
in another tongue that opinion is no belief: such a text is read as unsure.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "tongues" / "strangers.toml"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_GLUED = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")  # kana and hangul
_LEAST_MARKS = 2
"""Words of another tongue that make a text one of it: one may be a name, as in "Café de Flore"."""


def is_readable(text: str) -> bool:
    """Whether `text` may be English or Chinese, or has no letters at all.

    It is not where fewer than half of its letters are Latin or Han (a Han character counting twice, as it says more),
    where kana or hangul are more than half as many as Han characters, and where words of other tongues in Latin letters
    are two or more, and more than English ones.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)  # full width
    han, glued = len(_HAN.findall(text)), len(_GLUED.findall(text))
    if 2 * glued > han:
        return False
    letters = [letter for letter in text if letter.isalpha()] if not text.isascii() else []
    if 2 * (han + sum(map(_is_latin, letters))) < len(letters) - han:
        return False
    return han > 0 or not _is_stranger(text)


def _is_stranger(text: str) -> bool:
    """Whether a text in Latin letters is in another tongue than English."""
    own, strange = _words()
    ours = marks = 0
    for number, match in enumerate(_WORD.finditer(text)):
        word, folded = match.group(), match.group().casefold().replace("’", "'")
        ours += folded in own or folded.endswith("n't")
        if folded in strange:
            marks += number == 0 or not word[0].isupper()  # what is written large may be a name
        else:
            marks += not word.isascii() and word.islower() and "’" not in word
    return marks >= _LEAST_MARKS and marks > ours


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith(("LATIN", "FULLWIDTH LATIN"))


@cache
def _words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the commonest words of English, and those of other tongues that are no English ones."""
    told = tomllib.loads(FILE.read_text(encoding="utf-8"))
    own = frozenset(told.pop("en").split())
    return own, frozenset(word for words in told.values() for word in words.split()) - own
