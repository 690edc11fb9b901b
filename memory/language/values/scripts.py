"""Chinese script: traditional characters as simplified ones, so that both compare and are read alike."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memory.language.text_cache import text_cache

if TYPE_CHECKING:
    from opencc import OpenCC

_HAN = re.compile("[\u3400-\u9fff]")


def simplified(text: str) -> str:
    """Return `text` in simplified Chinese, character by character and phrase by phrase; other text as it is."""
    return text if text.isascii() else _simplified(text)


@text_cache(8192)
def _simplified(text: str) -> str:
    return _converter().convert(text) if _HAN.search(text) else text


@lru_cache(maxsize=1)
def _converter() -> OpenCC:
    from opencc import OpenCC  # its dictionaries take a fifth of a second to load

    return OpenCC("t2s")
