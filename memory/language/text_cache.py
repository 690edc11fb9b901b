"""What was worked out of a text, kept by the process for the next time it is asked; an erasure empties all of it.

Such caches belong to no person, so none of them may outlive the erasure of what somebody said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, Protocol, TypeVar, cast
from weakref import WeakSet

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Emptied(Protocol):
    """Something else that keeps what it made of texts."""

    def empty(self) -> None:
        """Keep nothing of what was made so far."""
        ...


_of_functions: list[Callable[[], None]] = []
_further: WeakSet[Emptied] = WeakSet()


def text_cache(maxsize: int) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Return a decorator like `functools.lru_cache` whose results go when anything is erased.

    Args:
        maxsize: Results kept; the least recently used goes first.
    """

    def kept(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        cached = lru_cache(maxsize=maxsize)(function)
        _of_functions.append(cached.cache_clear)
        return cast(Callable[Arguments, Result], cached)

    return kept


def empty_with_texts(cache: Emptied) -> None:
    """Empty `cache` as well, as long as it lives."""
    _further.add(cache)


def empty_text_caches() -> None:
    """Keep nothing in the process of what was worked out of texts."""
    for clear in _of_functions:
        clear()
    for cache in tuple(_further):
        cache.empty()
