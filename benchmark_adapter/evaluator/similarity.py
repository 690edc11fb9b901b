"""How alike the reference evaluator finds two texts (conformance notes, 36-38).

Its second similarity depends on what is installed: ROUGE-L over jieba words where both packages are there (`rouge`),
the sequence-matcher ratio where they are not (`fallback`, what the installation line of the public code gives).
Numbers of the two modes cannot be compared, so the mode is part of a run's manifest.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any, Literal

SimilarityMode = Literal["rouge", "fallback"]

LONG_TEXT_WORDS = 400
"""From this many words of both texts on, ROUGE runs on a fresh stack."""


def edit_similarity(predicted: str, reference: str) -> float:
    """Return the sequence-matcher ratio of two texts, in [0, 1]; it is not symmetric."""
    return SequenceMatcher(None, predicted, reference).ratio()


def word_similarity(predicted: str, reference: str, mode: SimilarityMode) -> float | None:
    """Return the second similarity of two texts, in [0, 1], or None where its calculation fails.

    If either text has a character in U+4E00..U+9FA5, both are cut into words (in mode `fallback`: characters) and
    joined with spaces; otherwise they are compared as they are. ROUGE fails on empty texts and such of full stops only,
    and on texts of about a thousand words and more, by the interpreter's recursion limit (1000 unless something raised
    it).
    """
    if _has_chinese(predicted) or _has_chinese(reference):
        cut = _jieba_cut() if mode == "rouge" else list
        predicted, reference = " ".join(cut(predicted)), " ".join(cut(reference))
    if mode == "fallback":
        return edit_similarity(predicted, reference)
    if len(predicted.split()) + len(reference.split()) < LONG_TEXT_WORDS:
        return _rouge_l(predicted, reference)
    # The recursion is as deep as the texts are long. On a fresh stack the outcome does not depend on who called.
    outcome: list[float | None] = []
    thread = threading.Thread(target=lambda: outcome.append(_rouge_l(predicted, reference)), name="rouge")
    thread.start()
    thread.join()
    return outcome[0]


def _has_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fa5" for character in text)


def _rouge_l(predicted: str, reference: str) -> float | None:
    try:
        return float(_rouge().get_scores(predicted, reference)[0]["rouge-l"]["f"])
    except (ValueError, RecursionError):
        return None


@functools.cache
def _rouge() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations of the package's own dependencies
        from rouge import Rouge
    return Rouge(metrics=["rouge-l"])


@functools.cache
def _jieba_cut() -> Callable[[str], list[str]]:
    """Return jieba's word cutter. It reads its dictionary at the first use, which takes about a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the package, and its use of pkg_resources
        import jieba
    jieba.setLogLevel("WARNING")
    cut: Callable[[str], list[str]] = jieba.lcut
    return cut
