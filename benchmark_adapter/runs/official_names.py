"""Names that the reference evaluator takes for data sets and models, and that every file system does."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence

PREFIX = "utb_"
"""Put before a data set's name without an underscore: the reference evaluator fails on such names (note 9)."""
MOST_BYTES = 96
"""Of a name: two of them and the endings make a file name, of which file systems take 255 bytes."""


def dataset_names(names: Sequence[str]) -> dict[str, str]:
    """Return for each data set, by its own name, the name it is written under; no two are written alike.

    A name that the reference evaluator accepts and that is safe in a path stays as it is.
    """
    written: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        base = safe_name(name)
        base = base if "_" in base else PREFIX + base
        candidate, count = base, 1
        while candidate.casefold() in taken:  # some file systems do not tell case apart
            count += 1
            candidate = f"{base}-{count}"
        taken.add(candidate.casefold())
        written[name] = candidate
    return written


def model_name(*parts: str | None) -> str:
    """Return a model's name from its parts, for instance planner, model and memory.

    The reference evaluator knows tools by another key for a model with `claude` in its name, and then finds every
    argument undefined (note 5); such a name is written with a capital.
    """
    return safe_name("-".join(part for part in ("stead", *parts) if part)).replace("claude", "Claude")


def safe_name(text: str) -> str:
    """Return `text` as a part of a file name: letters, digits, `.`, `-` and single `_`; a long one ends in a hash."""
    kept = re.sub(r"[^\w.-]+", "-", text)
    kept = re.sub(r"_{2,}", "_", kept).strip(".-") or "unnamed"  # `__` stands between data set and model
    encoded = kept.encode()
    if len(encoded) <= MOST_BYTES:
        return kept
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    return encoded[: MOST_BYTES - 9].decode("utf-8", "ignore") + "-" + mark


def file_name(text: str) -> str:
    """Return a safe name as a file's, so that its bytes are UTF-8 whatever the locale takes file names for."""
    return os.fsdecode(text.encode())
