"""The one offline token counter that budgets and reports use."""

from __future__ import annotations

import re

COUNTER_NAME = "utf8-bytes/4+cjk"
"""Named in every manifest, so that budgets of two runs are comparable."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CJK_BYTES = 3
"""Of each of these characters, as UTF-8."""


def count_tokens(text: str) -> int:
    """Return the tokens of `text`: each CJK character 1, the rest its UTF-8 bytes / 4 rounded up (DESIGN §5)."""
    if text.isascii():
        return -(-len(text) // 4)
    cjk = sum(map(len, _CJK.findall(text)))
    return cjk + -(-(len(text.encode("utf-8", "surrogatepass")) - _CJK_BYTES * cjk) // 4)
