"""Erasing what is remembered of a person, and what is told of it afterwards."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from memory.errors import MemoryStoreError
from memory.records import Scope, Turn


class Erasable(Protocol):
    """A further store that holds something of a person, for instance the checkpoints of unfinished turns."""

    @property
    def name(self) -> str:
        """What a receipt calls it."""
        ...

    def erase(self, scope: Scope, turn_ids: Collection[str] | None) -> int:
        """Erase what stems from these turns of `scope` (`None`: all of it) and return how many things that were.

        What cannot be told apart by turn is erased whole. Erasing again what is gone returns 0.
        """
        ...


class TimeSpan(NamedTuple):
    """A span of time; both ends with a zone, or both without one."""

    since: datetime
    until: datetime
    """Not in the span itself."""

    def holds(self, turn: Turn) -> bool | None:
        """Say whether the turn came within the span; `None` where its time or its zone is unknown."""
        if turn.time is None or (turn.time.utcoffset() is None) != (self.since.utcoffset() is None):
            return None
        return self.since <= turn.time < self.until


@dataclass(frozen=True)
class Erased:
    """What became of one store."""

    store: str
    count: int
    """Things erased there, or kept from getting there."""
    error: str | None = None
    """Why not everything is erased; `None`: it is."""
    residue: str | None = None
    """Where bytes of it may stay that only the operator of a server reaches, and how; `None`: nowhere."""


@dataclass(frozen=True)
class Receipt:
    """What an erasure did, store by store."""

    scope: Scope
    stores: tuple[Erased, ...]
    """The turn log first, then the vector index, the journal where it had anything, the settings where everything is
    erased, then the further stores in the order they were named."""
    undated: int = 0
    """With a time span: turns that were kept since their time or its zone is unknown."""

    @property
    def is_complete(self) -> bool:
        """Whether every store erased what it was told to."""
        return all(erased.error is None for erased in self.stores)

    @property
    def residues(self) -> tuple[str, ...]:
        """What is left for the operators of servers to do; empty where no byte is left."""
        return tuple(dict.fromkeys(erased.residue for erased in self.stores if erased.residue))

    def count(self, store: str) -> int:
        """Return how many things were erased in the store of this name."""
        return {erased.store: erased.count for erased in self.stores}[store]


class ErasureError(MemoryStoreError):
    """An erasure that some store did not complete; erase again once it can.

    Args:
        receipt: What was erased and what was not.
    """

    def __init__(self, receipt: Receipt) -> None:
        self.receipt = receipt
        failed = "; ".join(f"{erased.store}: {erased.error}" for erased in receipt.stores if erased.error)
        done = ", ".join(f"{erased.store} {erased.count}" for erased in receipt.stores if not erased.error)
        super().__init__(
            f"not everything of {receipt.scope.user!r} is erased ({failed}). Complete: {done or 'nothing'}. "
            "Erase again when the cause is mended"
        )


def checked_span(span: TimeSpan) -> TimeSpan:
    """Return the span.

    Raises:
        ValueError: If it is empty, or only one end has a zone.
    """
    since, until = span
    if (since.utcoffset() is None) != (until.utcoffset() is None):
        raise ValueError(f"both ends of a time span have a zone or none has; got {since!r} and {until!r}")
    if not since < until:
        raise ValueError(f"a time span begins before it ends; got {since!r} and {until!r}")
    return TimeSpan(since, until)
