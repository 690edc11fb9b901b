"""The notation that clauses are written in by hand, and read back from (`README.md` is the guide for whoever writes).

A clause is its words with marks, a bar, and its labels, the words of `memory.language.reading` in any order; what is
left out is the first of its field: `and always [v:that one] [c:for my prescriptions] || rule from that`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, get_args

from memory.language.reading import (
    Act,
    ActTime,
    Back,
    Clause,
    Polarity,
    Reading,
    Role,
    Span,
    Whom,
    claim_of,
    deed_of,
)

ROLES: dict[str, Role] = {"v": "value", "x": "set_aside", "s": "subject", "c": "condition", "w": "who"}
_MARK = re.compile(r"\[([vxscw]):([^\[\]]*)\]")
_FIELDS: dict[str, tuple[str, ...]] = {
    "act": get_args(Act),
    "time": get_args(ActTime),
    "polarity": get_args(Polarity),
    "whom": get_args(Whom),
    "back": get_args(Back),
}
_FIELD_OF = {word: field for field, words in _FIELDS.items() for word in words if word not in ("none", "unsure")}
_SIGNS = "，。！？；：、…“”（）～"


class NotationError(ValueError):
    """A clause is not in the notation; says what was expected and what came."""


def reading_of(clauses: Sequence[str]) -> Reading:
    """Return the reading that clauses in the notation amount to; a blank joins them, but not beside Chinese.

    Raises:
        NotationError: If one is not in the notation.
    """
    text, read = "", list[Clause]()
    for clause in clauses:
        body, bar, labels = clause.rpartition("||")
        if not bar:
            raise NotationError(f"expected `words || labels`, got {clause!r}")
        body = body.strip()
        if text and not (_is_chinese(text[-1]) or _is_chinese(_MARK.sub(r"\2", body)[:1])):
            text += " "
        read.append(_clause(body, len(text), labels))
        text += read[-1].text
    return Reading(text=text, clauses=tuple(read), reader="hand")


def _clause(body: str, start: int, labels: str) -> Clause:
    plain, spans, end = "", list[Span](), 0
    for mark in _MARK.finditer(body):
        plain += body[end : mark.start()]
        held = mark[2]
        at = start + len(plain) + len(held) - len(held.lstrip())
        if stripped := held.strip():
            spans.append(Span(role=ROLES[mark[1]], start=at, end=at + len(stripped), text=stripped))
        plain += held
        end = mark.end()
    plain += body[end:]
    if re.search(r"\[[a-z]:", plain):
        raise NotationError(f"a mark is not closed, or stands in another: {body!r}")
    return Clause(start=start, end=start + len(plain), text=plain, spans=tuple(spans), **labels_of(labels))


def labels_of(labels: str) -> dict[str, Any]:
    """Return the fields of a clause that its labels say, what follows from them included.

    Raises:
        NotationError: If a word is no label, two are of one field, or the act is missing.
    """
    found: dict[str, Any] = {}
    for word in labels.split():
        field = _FIELD_OF.get(word)
        if field is None:
            raise NotationError(f"{word!r} is no label; they are {', '.join(sorted(_FIELD_OF))}")
        if found.setdefault(field, word) != word:
            raise NotationError(f"two words for {field}: {found[field]} and {word}")
    if "act" not in found:
        raise NotationError(f"the act is missing in {labels!r}")
    told = {field: found.get(field, words[0]) for field, words in _FIELDS.items()}
    deed = deed_of(told["act"], told["time"], told["polarity"])
    claim = claim_of(told["act"], told["time"], told["polarity"], told["whom"])
    sure = {f"p_{field}": 1.0 for field in (*_FIELDS, "deed", "claim")}
    return told | {"deed": deed, "claim": claim} | sure


def _is_chinese(character: str) -> bool:
    return bool(character) and ("\u3400" <= character <= "\u9fff" or character in _SIGNS)
