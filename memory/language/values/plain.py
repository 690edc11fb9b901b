"""Text as the readers of values see it: its beginning, in plain letters, digits and signs, place by place."""

from __future__ import annotations

import re

READ_CHARACTERS = 8_000
"""How much of one text is read for what it names, from its beginning: four pages, and what comes later is pasted."""
_WIDE = "".join(
    chr(code) for code in range(0xFF01, 0xFF5F) if chr(code).isalnum() or chr(code) in "＄％＋－．／＃＠～＿＆"
)
_PLAIN = str.maketrans(
    _WIDE + "￥￡￠￦\u3000\u00a0\u202f\u2009\u2212ſKıİ",
    "".join(chr(ord(char) - 0xFEE0) for char in _WIDE) + "¥£¢₩    -sKiI",
)
"""One character for one, so that places stay; the last four are what "ignore case" takes for s, k and i."""
_WIDE_COLON = re.compile(r"(?<=\d)：(?=\d)")


def plain(text: str) -> str:
    """Return what of `text` is read, as long as its beginning of `READ_CHARACTERS`.

    Full-width letters, digits and signs are plain, as are blanks that do not break and the minus sign; Chinese
    punctuation stays but for a colon between digits.
    """
    text = text[:READ_CHARACTERS]
    return text if text.isascii() else _WIDE_COLON.sub(":", text.translate(_PLAIN))
