"""The one offline token counter that budgets and reports use."""

from __future__ import annotations

import re

COUNTER_NAME = "utf8-bytes/4+cjk"
"""Named in every manifest, so that budgets of two runs are comparable."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
"""Characters of three bytes in UTF-8."""


def count_tokens(text: str) -> int:
    """Return the tokens of `text`: each CJK character 1, the rest its UTF-8 bytes / 4 rounded up (DESIGN §5)."""
    return whole_tokens(count_quarters(text))


def count_quarters(text: str) -> int:
    """Return the tokens of `text` in quarters, before rounding: those of its parts add up to it."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-8", "surrogatepass")) + sum(map(len, _CJK.findall(text)))


def whole_tokens(quarters: int) -> int:
    """Return so many quarters of tokens as tokens, rounded up."""
    return -(-quarters // 4)
