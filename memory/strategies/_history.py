"""One user's turns with what they say, read from the shelf, and the items made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import cached_property

from memory.recall import Extracting, ItemKind, Recall, RecallItem, TurnShelf
from memory.records import Turn
from memory.rendering import fit_turn, render_turn
from memory.state.extraction import Extractor, Reading, read, settle, with_further
from memory.state.redaction import redacted
from memory.state.sensitive import is_sensitive_text
from memory.state.topic import running_topic
from memory.state.user_state import Retention, UserState, fold_evidence, has_lapsed
from memory.storage.user_settings import Settled
from memory.tokens import count_tokens
from memory.tools import Tool

LEAST_TURN_TOKENS = 24
"""Below this a cut down turn says too little to be worth its place: nothing but a bare request fits."""

_READING_ORDER: dict[ItemKind, int] = {"state": 0, "exemplar": 1, "turn": 2, "topic": 3}


class Snapshot:
    """The turns of one moment, their evidence and the state they amount to.

    What is older at that moment than the person lets it be used is left out: evidence, and turns of which none is left.

    Args:
        turns: The log.
        readings: One a turn.
        retention: How long evidence is used.
        now: Which moment; `None`: that of the last turn whose time is known.
        extractor: Adds evidence.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        readings: Sequence[Reading],
        retention: Retention | None = None,
        now: datetime | None = None,
        extractor: Extractor | None = None,
    ) -> None:
        self.turns = tuple(turns)
        self._evidence = settle(self.turns, readings)
        if extractor is not None:
            self._evidence = with_further(self._evidence, extractor(self.turns))
        if retention:
            self._leave_out_lapsed(retention, now)
        self.position = {turn.turn_id: position for position, turn in enumerate(self.turns)}

    def _leave_out_lapsed(self, retention: Retention, now: datetime | None) -> None:
        clock = now or next((turn.time for turn in reversed(self.turns) if turn.time is not None), None)
        kept = [
            tuple(piece for piece in pieces if not has_lapsed(piece, clock, retention)) for pieces in self._evidence
        ]
        said = list(zip(self.turns, self._evidence, kept, strict=True))
        # A turn that never was evidence of anything is of no kind that retention could be settled for.
        self.turns = tuple(turn for turn, pieces, left in said if left or not pieces)
        self._evidence = [left for _, pieces, left in said if left or not pieces]

    @cached_property
    def state(self) -> UserState:
        """The user state after these turns."""
        return fold_evidence(piece for pieces in self._evidence for piece in pieces)

    def item(
        self,
        position: int,
        kind: ItemKind,
        *,
        max_tokens: int,
        wanted: str,
        score: float,
        slots: Collection[str] = (),
        is_kin: bool = False,
    ) -> RecallItem | None:
        """Return the turn at `position` cut down for `wanted` and `slots` (see `memory.rendering.fit_turn`).

        It is `None` if the turn cannot be as short as `max_tokens`. What is sensitive is left out as by `whole`.
        """
        fitted = fit_turn(self._for_task(position, kind, wanted, is_kin), max_tokens, wanted=wanted, slots=slots)
        if fitted is None:
            return None
        return self._shown(position, kind, fitted, score)

    def whole(self, position: int, kind: ItemKind, *, wanted: str = "", is_kin: bool = False) -> RecallItem:
        """Return the turn at `position` uncut.

        What a turn of another task (kind `turn`, and not `is_kin`: of a tool on offer) tells of health, belief and the
        like is left out, unless `wanted` is about that. So it is for every strategy: no other way leads to a turn.
        """
        return self._shown(position, kind, self._for_task(position, kind, wanted, is_kin), 0.0)

    def is_kin(self, position: int, tools: Sequence[Tool]) -> bool:
        """Whether the turn at `position` called a tool on offer."""
        offered = {tool.name for tool in tools}
        return any(call.name in offered for call in self.turns[position].calls)

    def _for_task(self, position: int, kind: ItemKind, wanted: str, is_kin: bool) -> Turn:
        turn = self.turns[position]
        return redacted(turn) if kind == "turn" and not is_kin and not is_sensitive_text(wanted) else turn

    def _shown(self, position: int, kind: ItemKind, turn: Turn, score: float) -> RecallItem:
        text = render_turn(turn)
        evidence = self._evidence[position]
        return RecallItem(kind, (turn.turn_id,), text, count_tokens(text), score=score, turn=turn, evidence=evidence)

    def take(
        self,
        ranking: Iterable[tuple[int, float]],
        request: str,
        tools: Sequence[Tool],
        budget: int,
        *,
        is_unbroken: bool = False,
    ) -> list[RecallItem]:
        """Return the turns of `ranking` (position and score, best first) that fit into `budget` together.

        Each is cut down to what is left, keeping what `request` names. One that does not fit is passed over; with
        `is_unbroken` it ends the list.
        """
        start = running_topic(self.turns, tools)
        taken: list[RecallItem] = []
        left = budget
        for position, score in ranking:
            if left < LEAST_TURN_TOKENS:
                break
            kind: ItemKind = "topic" if position >= start else "turn"
            is_kin = self.is_kin(position, tools)
            item = self.item(position, kind, max_tokens=left, wanted=request, score=score, is_kin=is_kin)
            if item is not None:
                taken.append(item)
                left -= item.tokens
            elif is_unbroken:
                break
        return taken

    def arrange(self, items: Iterable[RecallItem]) -> Recall:
        """Return the items in reading order: by kind, then as given for state lines and by position for turns."""
        return Recall(
            tuple(
                sorted(
                    items,
                    key=lambda item: (
                        _READING_ORDER[item.kind],
                        self.position[item.turn.turn_id] if item.turn is not None else 0,
                    ),
                )
            )
        )


class History:
    """Reads the shelf anew for every recall and reads each turn once."""

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._readings: dict[tuple[str, int], Reading] = {}
        self._seen: tuple[Sequence[Turn], Retention, datetime | None] = ((), {}, None)
        self._snapshot = Snapshot((), ())

    def snapshot(self, now: datetime | None = None) -> Snapshot:
        """Return the turns the shelf holds now, but those that have lapsed by `now` (`None`: by the last turn).

        Nothing is kept of turns that are gone from the shelf.
        """
        turns = tuple(self._shelf.turns())
        retention = self._shelf.settings.retention_days if isinstance(self._shelf, Settled) else {}
        seen = (turns, retention, now if retention else None)
        if seen == self._seen:
            return self._snapshot
        keys = [(turn.turn_id, position) for position, turn in enumerate(turns)]
        self._readings = {
            key: self._readings[key] if key in self._readings else read(turn, key[1])
            for key, turn in zip(keys, turns, strict=True)
        }
        extractor = self._shelf.extractor if isinstance(self._shelf, Extracting) else None
        self._snapshot = Snapshot(turns, list(self._readings.values()), retention, now, extractor)
        self._seen = seen
        return self._snapshot
