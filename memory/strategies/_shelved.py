"""What strategies derive from a shelf: kept by the shelf where it can, so that all of them share it."""

from __future__ import annotations

from typing import Generic

from memory.recall import KeepingShelf, Kept, TurnShelf


class OwnKeeper:
    """Keeps things for a shelf that does not."""

    def __init__(self) -> None:
        self._kept: dict[type, object] = {}

    def keep(self, kind: type[Kept]) -> Kept:
        """Return the one of this kind."""
        found = self._kept.setdefault(kind, kind())
        assert isinstance(found, kind)
        return found


class Shelved(Generic[Kept]):
    """What is derived from a shelf in one way.

    Args:
        shelf: Whose turns; they are followed in the background from now on, if the shelf does that.
        kind: Made without arguments.
    """

    def __init__(self, shelf: TurnShelf, kind: type[Kept]) -> None:
        self._kind = kind
        self._keeper: KeepingShelf = shelf if isinstance(shelf, KeepingShelf) else OwnKeeper()
        self._keeper.keep(kind)

    def get(self) -> Kept:
        """Return it as it is now; the shelf decides how long there is one."""
        return self._keeper.keep(self._kind)
