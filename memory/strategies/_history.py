"""One user's turns with what they say, read from the shelf, and the items made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import numpy as np

from memory.embedder import Matrix
from memory.recall import Extracting, ItemKind, Recall, RecallItem, TurnShelf
from memory.rendering import Cut, TurnCuts, render_turn
from memory.state.sensitive import is_sensitive_text
from memory.state.topic import running_topic
from memory.storage.user_settings import Settled
from memory.strategies._log_reading import LogMoment, LogReading, TurnCard
from memory.strategies._shelved import Shelved
from memory.tokens import count_tokens
from memory.tools import Tool

LEAST_TURN_TOKENS = 24
"""Below this a cut down turn says too little to be worth its place: nothing but a bare request fits."""

_READING_ORDER: dict[ItemKind, int] = {"state": 0, "exemplar": 1, "turn": 2, "topic": 3}


class Snapshot:
    """The turns of one moment, their evidence and the state they amount to, and how each is shown."""

    def __init__(self, moment: LogMoment) -> None:
        self.moment = moment
        self.turns = moment.turns
        self.state = moment.state
        self.position = moment.position
        """The place of each turn, by its id."""
        self._vectors: Matrix | None = None
        self._cuts: dict[tuple[object, ...], TurnCuts] = {}
        """Of the turns shown so far: a budget is shared out more than once."""

    def vectors(self, shelf: TurnShelf) -> Matrix:
        """Return a row for each turn, shape `(n, d)`; of zeros where `shelf` has lost the turn since."""
        if self._vectors is None:
            found = shelf.vectors()
            self._vectors = found.rows
            if found.turn_ids != tuple(turn.turn_id for turn in self.turns):
                places = np.array([self.position.get(turn_id, -1) for turn_id in found.turn_ids], dtype=np.intp)
                is_known = places >= 0
                self._vectors = np.zeros((len(self.turns), found.rows.shape[1]), dtype=np.float32)
                self._vectors[places[is_known]] = found.rows[is_known]
        return self._vectors

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
        card = self._for_task(position, kind, wanted, is_kin)
        if kind == "turn" and card.least_tokens > max_tokens:
            return None
        key = (position, kind, is_kin, wanted, tuple(slots))
        if key not in self._cuts:
            self._cuts[key] = TurnCuts(card.turn, wanted=wanted, slots=slots, keeps_request=kind == "turn")
        cut = self._cuts[key].fit(max_tokens)
        return self._shown(position, kind, cut, score) if cut is not None else None

    def whole(self, position: int, kind: ItemKind, *, wanted: str = "", is_kin: bool = False) -> RecallItem:
        """Return the turn at `position` uncut.

        What a turn of another task (kind `turn`, and not `is_kin`: of a tool on offer) tells of health, belief and the
        like is left out, unless `wanted` is about that. So it is for every strategy: no other way leads to a turn.
        """
        turn = self._for_task(position, kind, wanted, is_kin).turn
        text = render_turn(turn)
        return self._shown(position, kind, Cut(turn, text, count_tokens(text)), 0.0)

    def is_kin(self, position: int, tools: Sequence[Tool]) -> bool:
        """Whether the turn at `position` called a tool on offer."""
        offered = {tool.name for tool in tools}
        return any(call.name in offered for call in self.turns[position].calls)

    def _for_task(self, position: int, kind: ItemKind, wanted: str, is_kin: bool) -> TurnCard:
        card = self.moment.cards[position]
        return card.redacted if kind == "turn" and not is_kin and not is_sensitive_text(wanted) else card

    def _shown(self, position: int, kind: ItemKind, cut: Cut, score: float) -> RecallItem:
        turn, text, tokens = cut
        evidence = self.moment.evidence[position]
        return RecallItem(kind, (turn.turn_id,), text, tokens, score=score, turn=turn, evidence=evidence)

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
    """What is on a shelf, read once a turn however many strategies ask."""

    def __init__(self, shelf: TurnShelf) -> None:
        self._shelf = shelf
        self._reading = Shelved(shelf, LogReading)

    def snapshot(self, now: datetime | None = None) -> Snapshot:
        """Return the turns the shelf holds now, but those that have lapsed by `now` (`None`: by the last turn)."""
        retention = self._shelf.settings.retention_days if isinstance(self._shelf, Settled) else {}
        extractor = self._shelf.extractor if isinstance(self._shelf, Extracting) else None
        moment = self._reading.get().moment(self._shelf, extractor)
        return Snapshot(moment.unlapsed(retention, now) if retention else moment)
