"""The evidence of one recalled item by slot and by value, kept from one recall to the next.

Of a long past most state lines are the same from turn to turn, piece by piece the same objects: telling so costs next
to nothing, sorting thousands of pieces anew costs milliseconds.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from memory.evidence import FILLING_KINDS, Evidence, Slot

Key = TypeVar("Key", bound=Hashable)
MOST_KEPT = 256
"""Items kept, of all persons together; the longest unused goes first."""
_SLOT: Callable[[Evidence], Slot] = attrgetter("slot")
_VALUE: Callable[[Evidence], str] = attrgetter("value_key")
_KIND: Callable[[Evidence], str] = attrgetter("kind")
_POSITION: Callable[[Evidence], int] = attrgetter("position")


class ItemEvidence:
    """The evidence of one item. What no question needs is not built."""

    def __init__(self, pieces: tuple[Evidence, ...]) -> None:
        self.pieces = pieces
        self.by_slot = _grouped(pieces, _SLOT)
        self.last_position = max(map(_POSITION, pieces), default=-1)
        self.has_passing = not FILLING_KINDS.issuperset(map(_KIND, pieces))
        """Whether some of it may not fill a slot."""

    @cached_property
    def by_value(self) -> dict[str, list[Evidence]]:
        """The pieces by canonical value."""
        return _grouped(self.pieces, _VALUE)


_kept: OrderedDict[tuple[int, int, int], ItemEvidence] = OrderedDict()
"""By the number of pieces and the identity of the first and the last, which a kept item keeps alive."""


def item_evidence(pieces: tuple[Evidence, ...]) -> ItemEvidence:
    """Return the evidence of an item, sorted once for all items that have the same.

    Args:
        pieces: At least one.
    """
    key = (len(pieces), id(pieces[0]), id(pieces[-1]))
    kept = _kept.pop(key, None)
    found = kept if kept is not None and kept.pieces == pieces else ItemEvidence(pieces)
    _kept[key] = found
    while len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return found


def _grouped(evidence: Iterable[Evidence], key_of: Callable[[Evidence], Key]) -> dict[Key, list[Evidence]]:
    groups: defaultdict[Key, list[Evidence]] = defaultdict(list)
    for piece in evidence:
        groups[key_of(piece)].append(piece)
    return dict(groups)
