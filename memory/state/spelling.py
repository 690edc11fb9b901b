"""Words that forms and cues turn on, put right where they are typed with one slip.

Only the words by which people say what they like, do and are called; a slip is a letter too many, too few, or two
swapped. Letters mistaken for others are left, since these make words of their own ("like", "hike").
"""

from __future__ import annotations

import re
import string

_LONG = (
    "prefer usually always really never normally generally enjoy drink dislike favourite favorite vegetarian birthday "
    "working living called everything definitely"
)
"""Any slip."""
_SHORT = "like love hate live name work with dont"
"""Letters swapped only: with fewer or more many are other words."""
_OTHER_WORDS = frozenset(("ever", "rally", "alway", "preference", "rink", "lively", "liking"))
_CONTRACTIONS = "dont doesnt didnt isnt arent wasnt werent cant wont couldnt shouldnt wouldnt havent hasnt hadnt im ive"
_WORD = re.compile(r"[A-Za-z]{2,13}")


def _swapped(word: str) -> set[str]:
    return {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}


def _slips(word: str) -> set[str]:
    """Return `word` with one slip; endings that it may have by right are none."""
    fewer = {word[:at] + word[at + 1 :] for at in range(1, len(word))}
    more = {word[:at] + letter + word[at:] for at in range(1, len(word) + 1) for letter in string.ascii_lowercase}
    return fewer | (more - {word + ending for ending in "sdry"}) | _swapped(word)


_MEANT = (
    {"hav": "have", "luv": "love", "movd": "moved"}
    | {slip: word for word in _SHORT.split() for slip in _swapped(word)}
    | {slip: word for word in _LONG.split() for slip in _slips(word)}
)
for _word in (*_LONG.split(), *_SHORT.split(), *_OTHER_WORDS):
    _MEANT.pop(_word, None)


def mended(text: str) -> str:
    """Return `text` with the words of forms put right, and contractions with their apostrophe."""
    return text if _MENDED.keys().isdisjoint(_WORD.findall(text.lower())) else _WORD.sub(_meant, text)


def _whole(contraction: str) -> str:
    at = 1 if contraction in ("im", "ive") else len(contraction) - 1
    return f"{contraction[:at]}'{contraction[at:]}"


_MENDED = {slip: _whole(word) if word == "dont" else word for slip, word in _MEANT.items()} | {
    word: _whole(word) for word in _CONTRACTIONS.split()
}


def _meant(found: re.Match[str]) -> str:
    word = found.group()
    meant = _MENDED.get(word.lower(), word)
    return meant.capitalize() if word[0].isupper() and meant != word else meant
