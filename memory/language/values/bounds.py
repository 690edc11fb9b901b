"""What is said around a number: that it bounds what is looked for ("六万起", "no more than 80"), or counts it."""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["least", "most"]
_LOOK_AROUND = 200
"""Characters beside a number that are read, a long clause."""
_LEAST = (
    re.compile(
        r"(?:\b(?:at least|from|over|above|more than|upwards of|minimum(?: of)?)\s|至少|不低于|不少于|起码)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\s?(?:and (?:up|over|above)|or (?:more|over|above|better)|upwards|plus\b|以上|起|往上|打底)", re.IGNORECASE
    ),
)
_MOST = (
    re.compile(
        r"(?:\b(?:at most|up to|under|below|less than|no more than|within|maximum(?: of)?)\s"
        r"|最多|不超过|不高于|低于|少于)$",
        re.IGNORECASE,
    ),
    re.compile(r"\s?(?:or (?:less|under|below)|tops\b|at (?:the )?most|以下|以内|封顶)", re.IGNORECASE),
)
_UNWANTED = re.compile(
    r"[^，。,.;；]{0,6}(?:别|不要|不用|不看|不考虑|免谈)|[^,.;]{0,12}\b(?:don['’]t|no good|won['’]t)\b", re.IGNORECASE
)
_ENOUGH = re.compile(
    r"(?:\s(?:will|would|should)\s(?:do|suffice)|\s(?:is|are)\s(?:enough|plenty|fine)|\sof them\b"
    r"|\s?(?:[条句首名张家篇份本部种样款则]|个(?!月|小时|星期|钟|礼拜|人)))",
    re.IGNORECASE,
)


def bound_said(text: str, start: int, end: int) -> Bound | None:
    """Return which bound the number at this place is said to be; what lies beyond and is not wanted turns it round."""
    lead, rest = text[max(0, start - _LOOK_AROUND) : start], text[end : end + _LOOK_AROUND]
    is_least = bool(_LEAST[0].search(lead) or _LEAST[1].match(rest))
    is_most = bool(_MOST[0].search(lead) or _MOST[1].match(rest))
    if is_least == is_most:
        return None
    return "least" if is_least != bool(_UNWANTED.match(rest)) else "most"


def counts_results(text: str, end: int) -> bool:
    """Say whether the number before `end` counts what is asked for: "five will do", "三家就行"."""
    return bool(_ENOUGH.match(text, end))
