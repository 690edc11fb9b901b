"""The words of the tongues that are read, as data: weekdays, months, ordinals, units, feasts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from pydantic import BaseModel


class Tongue(BaseModel, frozen=True, extra="forbid"):
    """The words of one tongue, in lower case; lists in calendar order."""

    weekdays: tuple[tuple[str, ...], ...]
    """The names of each, Monday first."""
    week: tuple[str, ...] = ()
    """What stands before a name of a weekday, where one does."""
    shy_weekdays: frozenset[str]
    """Names that are as often other words."""
    months: tuple[tuple[str, ...], ...]
    shy_months: frozenset[str]
    ordinals: tuple[str, ...]
    words_not_codes: frozenset[str]
    """Codes of currencies that are words in lower case."""
    of_feasts: tuple[str, ...]
    """After the name of a feast: it is no day."""
    past: tuple[str, ...]
    """Before a date without a year: it is one gone by."""
    offsets: Mapping[str, int]
    """Days from today."""
    units: Mapping[str, tuple[str, ...]]
    """Names by unit."""
    feasts: Mapping[str, tuple[str, ...]]
    """Names by feast."""


NAMES = ("en", "zh")


@lru_cache(maxsize=len(NAMES))
def tongue(name: str) -> Tongue:
    """Return the words of one of `NAMES`, read once."""
    text = files("memory.language").joinpath("tongues", f"{name}.toml").read_text(encoding="utf-8")
    return Tongue.model_validate(tomllib.loads(text))


def tongues() -> tuple[Tongue, ...]:
    """Return all of them."""
    return tuple(map(tongue, NAMES))
