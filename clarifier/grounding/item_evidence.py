"""The evidence of recalled items by slot and by value, kept from one recall to the next.

Of a long past most state lines are the same from turn to turn, piece by piece the same objects: telling so costs next
to nothing, sorting thousands of pieces anew costs milliseconds.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

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


class _Kept(NamedTuple):
    """The evidence of an item as it was last recalled, sorted where it was recalled twice."""

    pieces: tuple[Evidence, ...]
    sorted: ItemEvidence | None


_kept: OrderedDict[tuple[int, int, int], _Kept] = OrderedDict()
"""By the number of pieces and the identity of the first and the last, which a kept item keeps alive."""


def item_evidence(recalled: Iterable[tuple[Evidence, ...]]) -> list[ItemEvidence]:
    """Return the evidence of items, as few groups as do.

    What was recalled before is sorted once and kept. What is new is sorted together, each piece once, since items
    share pieces by the thousand; most of it is another tuple in the next turn.
    """
    found: list[ItemEvidence] = []
    fresh: list[tuple[Evidence, ...]] = []
    for pieces in filter(None, recalled):
        key = (len(pieces), id(pieces[0]), id(pieces[-1]))
        known = _kept.pop(key, None)
        if known is None or known.pieces != pieces:
            fresh.append(pieces)
            _kept[key] = _Kept(pieces, None)
        else:
            sorted_ = known.sorted or ItemEvidence(pieces)
            _kept[key] = _Kept(known.pieces, sorted_)
            found.append(sorted_)
    while len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    if fresh:
        together = list(chain.from_iterable(fresh))
        found.append(ItemEvidence(tuple(dict(zip(map(id, together), together, strict=True)).values())))
    return found


def _grouped(evidence: Iterable[Evidence], key_of: Callable[[Evidence], Key]) -> dict[Key, list[Evidence]]:
    groups: defaultdict[Key, list[Evidence]] = defaultdict(list)
    for piece in evidence:
        groups[key_of(piece)].append(piece)
    return dict(groups)
