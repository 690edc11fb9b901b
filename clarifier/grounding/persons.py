"""Which persons a text speaks of, so that what was done for one of them counts when that very one is named again."""

from __future__ import annotations

import re
from collections.abc import Set

from clarifier.grounding.matching import is_identifier
from clarifier.grounding.recalled import leaves
from clarifier.grounding.spoken import IS_CJK, mentions_in
from memory.language.text_cache import text_cache
from memory.language.values.mentions import OPENERS, READ_CHARACTERS
from memory.language.values.words import tagged
from memory.records import Turn
from memory.state.cues import RELATION, RELATION_ZH

_MANY_TEXT = (
    "friend friends colleague colleagues coworker co-worker client clients neighbour neighbor neighbours kids "
    "朋友 同事 同学 客户 邻居 室友 舍友"
)
"""Of whom one has several: the next is not the last."""
_RELATION = re.compile(rf"\b(?:my|our) ({RELATION})\b(?!-)", re.IGNORECASE)
_RELATION_ZH = re.compile(rf"(?P<who>{RELATION_ZH})(?P=who)?")
_OWN_ZH = re.compile(rf"[我咱俺]们?的?({RELATION_ZH})")
_NAME = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][^\W\d_\u4e00-\u9fff]+")
_NO_NAME_TEXT = (
    "dr mr mrs ms prof miss sir monday tuesday wednesday thursday friday saturday sunday january february march april "
    "may june july august september october november december christmas easter"
)
_NO_NAME = frozenset((*_MANY_TEXT.split(), *_NO_NAME_TEXT.split())) | OPENERS


@text_cache(2048)
def persons_in(text: str) -> frozenset[str]:
    """Return what `text` calls persons by, in lower case: names and "my sister"; in English any name may be one."""
    text = text[:READ_CHARACTERS]
    found = {*_RELATION.findall(text), *_OWN_ZH.findall(text)}
    for word, tag in tagged(text) if IS_CJK.search(text) else ():
        relation = _RELATION_ZH.fullmatch(word)
        found.update([relation["who"]] if relation else [word] if tag == "nr" and len(word) > 1 else [])
    named = [text] if IS_CJK.search(text) else [one.text for one in mentions_in(text, None) if one.kind == "name"]
    found.update(word for words in named for word in _NAME.findall(words))
    return frozenset(word.casefold() for word in found) - _NO_NAME


def served_in(turn: Turn) -> Set[str]:
    """Return whom a turn may have been for: the persons its request speaks of, less what its calls are about."""
    values = (leaf.value for call in turn.calls for leaf in leaves(call.arguments))
    about = {
        word.casefold()
        for value in values
        if isinstance(value, str) and not is_identifier(value)
        for word in re.findall(r"[^\W\d_]+", value)
    }
    return persons_in(turn.request) - about
