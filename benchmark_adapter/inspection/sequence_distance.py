"""Distance of sequences: the normalised edit distance of Levenshtein (1966), over any comparable elements."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edit_distance(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the least number of elements to insert, delete or replace that makes the sequences equal."""
    if len(left) < len(right):
        left, right = right, left
    row = list(range(len(right) + 1))
    for i, element in enumerate(left, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(right, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (element != other))
    return row[-1]


def normalised_distance(left: Sequence[Hashable], right: Sequence[Hashable]) -> float:
    """Return the edit distance over the longer length, in [0, 1]; 0 for two empty sequences."""
    longer = max(len(left), len(right))
    return edit_distance(left, right) / longer if longer else 0.0
