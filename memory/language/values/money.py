"""The currency that stands beside a number: "€50", "50 euros", "US$ 20"."""

from __future__ import annotations

from collections.abc import Callable

from memory.language.values.codes import find_codes


def currency_beside(text: str) -> Callable[[int, int], str | None]:
    """Return what tells the ISO code of the currency beside the number from a start to an end, `None` without one."""
    found = find_codes("currency", text)
    ending = {money.end: money.code for money in found}
    beginning = {money.start: money.code for money in found}

    def beside(start: int, end: int) -> str | None:
        return ending.get(start - 1) or ending.get(start) or beginning.get(end) or beginning.get(end + 1)

    return beside
