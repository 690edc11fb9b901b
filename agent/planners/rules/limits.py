"""Numbers that bound what is looked for ("六万起", "no more than 80") or say how many of it are wanted."""

from __future__ import annotations

import re
from typing import Literal

from agent.planners.rules.utterance import before
from memory.language.text import split_name
from memory.language.values.mentions import Mention
from memory.tools import Parameter

Bound = Literal["least", "most"]
_LEAST_NAME = re.compile(r"(?:^|_| )min(?:imum)?(?:_| |$)|\bleast\b|\blower\b|最低|最少|最小|下限", re.IGNORECASE)
_MOST_NAME = re.compile(r"(?:^|_| )max(?:imum)?(?:_| |$)|\bmost\b|\bupper\b|最高|最多|最大|上限", re.IGNORECASE)
_LEAST_SAID = (
    re.compile(
        r"(?:\b(?:at least|from|over|above|more than|upwards of|minimum(?: of)?)\s|至少|不低于|不少于|起码)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\s?(?:and (?:up|over|above)|or (?:more|over|above|better)|upwards|plus\b|以上|起|往上|打底)", re.IGNORECASE
    ),
)
_MOST_SAID = (
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


def bound_of(parameter: Parameter) -> Bound | None:
    """Return which bound of a range a number is, or `None`."""
    words = f"{' '.join(split_name(parameter.name))} {re.split('[，,。;(（]', parameter.description)[0]}".casefold()
    is_least, is_most = bool(_LEAST_NAME.search(words)), bool(_MOST_NAME.search(words))
    return None if is_least == is_most else "least" if is_least else "most"


def bound_said(text: str, mention: Mention) -> Bound | None:
    """Return which bound a number is said to be ("六万起"); what lies beyond and is not wanted turns it round."""
    lead, rest = before(text, mention), text[mention.end :]
    is_least = bool(_LEAST_SAID[0].search(lead) or _LEAST_SAID[1].match(rest))
    is_most = bool(_MOST_SAID[0].search(lead) or _MOST_SAID[1].match(rest))
    if is_least == is_most:
        return None
    return "least" if is_least != bool(_UNWANTED.match(rest)) else "most"


_COUNT_NAME = frozenset(("limit", "count", "per", "size", "top", "results", "num", "n", "quantity"))
_COUNT_TEXT = re.compile(
    r"\b(?:number of|how many|maximum)\b.{0,12}\b(?:results|items|entries|records)\b"
    r"|(?:返回|显示|结果)[^，。]{0,8}数量|数量限制"
)
_ENOUGH = re.compile(
    r"(?:\s(?:will|would|should)\s(?:do|suffice)|\s(?:is|are)\s(?:enough|plenty|fine)|\sof them\b"
    r"|\s?(?:[条句首名张家篇份本部种样款则]|个(?!月|小时|星期|钟|礼拜|人)))",
    re.IGNORECASE,
)


def is_count(parameter: Parameter) -> bool:
    """Whether a number says how many results are wanted."""
    names = {word.casefold() for word in split_name(parameter.name)}
    return bool(_COUNT_TEXT.search(parameter.description)) or (not parameter.is_required and bool(names & _COUNT_NAME))


def counts_results(text: str, mention: Mention) -> bool:
    """Whether a number counts what is asked for and nothing that it names: "five will do", "三家就行"."""
    return bool(_ENOUGH.match(text, mention.end))
