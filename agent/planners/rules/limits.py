"""Parameters that bound what is looked for, or say how many of it are wanted."""

from __future__ import annotations

import re

from memory.language.text import split_name
from memory.language.values.bounds import Bound
from memory.tools import Parameter

_LEAST_NAME = re.compile(r"(?:^|_| )min(?:imum)?(?:_| |$)|\bleast\b|\blower\b|最低|最少|最小|下限", re.IGNORECASE)
_MOST_NAME = re.compile(r"(?:^|_| )max(?:imum)?(?:_| |$)|\bmost\b|\bupper\b|最高|最多|最大|上限", re.IGNORECASE)


def bound_of(parameter: Parameter) -> Bound | None:
    """Return which bound of a range a number is, or `None`."""
    words = f"{' '.join(split_name(parameter.name))} {re.split('[，,。;(（]', parameter.description)[0]}".casefold()
    is_least, is_most = bool(_LEAST_NAME.search(words)), bool(_MOST_NAME.search(words))
    return None if is_least == is_most else "least" if is_least else "most"


_COUNT_NAME = frozenset(("limit", "count", "per", "size", "top", "results", "num", "n", "quantity"))
_COUNT_TEXT = re.compile(
    r"\b(?:number of|how many|maximum)\b.{0,12}\b(?:results|items|entries|records)\b"
    r"|(?:返回|显示|结果)[^，。]{0,8}数量|数量限制"
)


def is_count(parameter: Parameter) -> bool:
    """Whether a number says how many results are wanted."""
    names = {word.casefold() for word in split_name(parameter.name)}
    return bool(_COUNT_TEXT.search(parameter.description)) or (not parameter.is_required and bool(names & _COUNT_NAME))
