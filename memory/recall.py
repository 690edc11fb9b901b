"""Recall: what of memory is shown for one request, and the seam that strategies implement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from memory.embedder import Embedder, Matrix
from memory.evidence import Evidence
from memory.records import Turn
from memory.state.extraction import Extractor
from memory.tools import Tool

ItemKind = Literal["topic", "turn", "state", "exemplar"]


@dataclass(frozen=True)
class RecallItem:
    """One thing recalled, as the planner sees it."""

    kind: ItemKind
    """`topic`: a turn of the running topic; `turn`: an earlier turn; `state`: lines of the user state;
    `exemplar`: a similar past call."""
    turn_ids: tuple[str, ...]
    """The turns it stems from, oldest first."""
    text: str
    """What the planner reads."""
    tokens: int
    """Of `text`, by `memory.tokens.count_tokens`."""
    score: float = 0.0
    """Higher is more relevant; comparable within one recall only."""
    turn: Turn | None = None
    """The turn that `text` renders, cut down to what `text` shows; `None` for items that are not a turn."""
    evidence: tuple[Evidence, ...] = ()
    """What the item says about slots. Nothing else of memory speaks for a value."""


@dataclass(frozen=True)
class Recall:
    """What a strategy recalls for one request: the only way from memory to planner and clarifier."""

    items: tuple[RecallItem, ...] = ()
    """In reading order: state, exemplars, earlier turns, then the running topic, oldest first within each."""

    @property
    def tokens(self) -> int:
        """Tokens of all items together."""
        return sum(item.tokens for item in self.items)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The recalled turns as far as they are shown, oldest first as items stand, each turn once."""
        seen: dict[str, Turn] = {}
        for item in self.items:
            if item.turn is not None:
                seen.setdefault(item.turn.turn_id, item.turn)
        return tuple(seen.values())

    @property
    def topic_turns(self) -> tuple[Turn, ...]:
        """The turns of the running topic, oldest first."""
        return tuple(item.turn for item in self.items if item.kind == "topic" and item.turn is not None)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence of the items, each piece once."""
        return tuple(dict.fromkeys(piece for item in self.items for piece in item.evidence))


class Hit(NamedTuple):
    """A turn found by its vector."""

    turn_id: str
    similarity: float
    """Cosine, in [-1, 1]; higher is nearer."""


class TurnVectors(NamedTuple):
    """The vectors of turns."""

    turn_ids: tuple[str, ...]
    """In log order."""
    rows: Matrix
    """A unit vector a turn, shape `(n, d)`."""


class TurnShelf(Protocol):
    """One user's turns, as a strategy reads them."""

    @property
    def embedder(self) -> Embedder:
        """What the vectors come from."""
        ...

    def turns(self) -> Sequence[Turn]:
        """Return every acknowledged turn, oldest first."""
        ...

    def similar(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return for each query the `k` turns nearest to it, best first; ties keep log order."""
        ...

    def vectors(self) -> TurnVectors:
        """Return the vector of every acknowledged turn."""
        ...


@runtime_checkable
class Extracting(Protocol):
    """A shelf of turns out of which further evidence is read than is found without a model."""

    @property
    def extractor(self) -> Extractor | None:
        """What reads it."""
        ...


class Derived(Protocol):
    """Something that follows the turns of a shelf, so that a recall need not read them."""

    def follow(self, shelf: TurnShelf, limit: int | None = None) -> bool:
        """Take in up to `limit` turns that are new on `shelf`, and say whether there are more."""
        ...


Kept = TypeVar("Kept", bound=Derived)


@runtime_checkable
class KeepingShelf(Protocol):
    """A shelf that keeps what was derived from its turns, as long as it has them in memory."""

    def keep(self, kind: type[Kept]) -> Kept:
        """Return the one of this kind, made without arguments where there is none; do not hold on to it."""
        ...


class Strategy(Protocol):
    """A way to remember and recall, for one user."""

    @property
    def name(self) -> str:
        """The name it is chosen by."""
        ...

    def observe(self, turn: Turn) -> None:
        """Take in a turn that has just been acknowledged by the log."""
        ...

    def recall(self, request: str, tools: Sequence[Tool], now: datetime | None, budget: int) -> Recall:
        """Return what helps with `request`, at most `budget` tokens of it unless the strategy ignores budgets."""
        ...
