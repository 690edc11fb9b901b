"""Chinese words with their word classes."""

from __future__ import annotations

import warnings

from memory.language.text_cache import text_cache


@text_cache(256)
def tagged(text: str) -> tuple[tuple[str, str], ...]:
    """Return the words of `text` with jieba's word-class tags; joined they are `text` again."""
    with warnings.catch_warnings():
        # jieba 0.42 has string escapes and a resource API that newer Pythons warn about.
        warnings.simplefilter("ignore")
        import jieba
        import jieba.posseg
    jieba.setLogLevel("WARNING")
    return tuple((pair.word, pair.flag) for pair in jieba.posseg.cut(text))
