"""One user's turns with what they say, read from the shelf, and the items made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np

from memory.cutting import Cut, Purpose, TurnCuts
from memory.embedder import Matrix
from memory.recall import Extracting, ItemKind, Recall, RecallItem, TurnShelf
from memory.state.sensitive import is_sensitive_text
from memory.state.topic import running_topic
from memory.storage.user_settings import Settled
from memory.strategies._log_reading import LogMoment, LogReading, TurnCard
from memory.strategies._shelved import Shelved
from memory.tools import Tool

LEAST_TURN_TOKENS = 24
"""Below this a cut down turn says too little to be worth its place: nothing but a bare request fits."""

_READING_ORDER: dict[ItemKind, int] = {"state": 0, "exemplar": 1, "turn": 2, "topic": 3}


class Snapshot:
    """The turns of one moment, their evidence and the state they amount to, and how each is shown."""

    def __init__(self, moment: LogMoment, now: datetime | None = None) -> None:
        self.moment = moment
        self._now = now
        self.turns = moment.turns
        self.state = moment.state
        self.position = moment.position
        """The place of each turn, by its id; perhaps also of later ones."""
        self._vectors: Matrix | None = None
        self._cuts: dict[tuple[object, ...], TurnCuts] = {}
        """Of the turns shown so far: a budget is shared out more than once."""

    def vectors(self, shelf: TurnShelf) -> Matrix:
        """Return a row for each turn, shape `(n, d)`; of zeros where `shelf` has lost the turn since."""
        if self._vectors is None:
            found = shelf.vectors()
            self._vectors = found.rows
            if found.turn_ids != self.moment.turn_ids:
                places = np.array([self.position.get(turn_id, -1) for turn_id in found.turn_ids], dtype=np.intp)
                is_known = (places >= 0) & (places < len(self.turns))
                self._vectors = np.zeros((len(self.turns), found.rows.shape[1]), dtype=np.float32)
                self._vectors[places[is_known]] = found.rows[is_known]
        return self._vectors

    def topic_start(self, tools: Sequence[Tool]) -> int:
        """Return the position where the running topic starts (see `memory.state.topic.running_topic`)."""
        return running_topic(self.turns, tools, now=self._now)

    def item(
        self, position: int, kind: ItemKind, purpose: Purpose, *, max_tokens: int, score: float, is_kin: bool = False
    ) -> RecallItem | None:
        """Return the turn at `position` cut down for `purpose` (see `memory.cutting.fit_turn`).

        It is `None` if the turn cannot be as short as `max_tokens`. What is sensitive is left out as by `whole`.
        """
        if kind == "turn" and self._for_task(position, kind, purpose.wanted, is_kin).least_tokens > max_tokens:
            return None
        cut = self.cuts(position, kind, purpose, is_kin=is_kin).fit(max_tokens)
        return self._shown(position, kind, cut, score) if cut is not None else None

    def cuts(self, position: int, kind: ItemKind, purpose: Purpose, *, is_kin: bool = False) -> TurnCuts:
        """Return what `item` chooses from."""
        card = self._for_task(position, kind, purpose.wanted, is_kin)
        key = (position, kind == "turn", card is self.moment.cards[position], purpose)
        if key not in self._cuts:
            self._cuts[key] = TurnCuts(card.form, purpose, keeps_request=kind == "turn")
        return self._cuts[key]

    def whole(self, position: int, kind: ItemKind, *, wanted: str = "", is_kin: bool = False) -> RecallItem:
        """Return the turn at `position` uncut.

        What a turn of another task (kind `turn`, and not `is_kin`: of a tool on offer) tells of health, belief and the
        like is left out, unless `wanted` is about that. So it is for every strategy: no other way leads to a turn.
        """
        cuts = TurnCuts(self._for_task(position, kind, wanted, is_kin).form, Purpose(wanted))
        return self._shown(position, kind, cuts.whole, 0.0)

    def all(self, request: str, tools: Sequence[Tool]) -> Recall:
        """Return every turn uncut, oldest first, the running topic as such."""
        start = self.topic_start(tools)
        kinds: list[ItemKind] = ["topic" if position >= start else "turn" for position in range(len(self.turns))]
        return self.arrange(
            self.whole(position, kind, wanted=request, is_kin=self.is_kin(position, tools))
            for position, kind in enumerate(kinds)
        )

    def has_at_most(self, tokens: int) -> bool:
        """Whether the turns together take no more tokens, uncut."""
        for card in reversed(self.moment.cards):
            tokens -= card.form.whole_tokens
            if tokens < 0:
                return False
        return True

    def is_kin(self, position: int, tools: Sequence[Tool]) -> bool:
        """Whether the turn at `position` called a tool on offer."""
        offered = {tool.name for tool in tools}
        return any(call.name in offered for call in self.turns[position].calls)

    def _for_task(self, position: int, kind: ItemKind, wanted: str, is_kin: bool) -> TurnCard:
        card = self.moment.cards[position]
        return card.redacted if kind == "turn" and not is_kin and not is_sensitive_text(wanted) else card

    def _shown(self, position: int, kind: ItemKind, cut: Cut, score: float) -> RecallItem:
        evidence = self.moment.evidence[position]
        turn_ids = (self.turns[position].turn_id,)
        return RecallItem(kind, turn_ids, cut.text, cut.tokens, score=score, turn=cut.turn, evidence=evidence)

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
        start = self.topic_start(tools)
        purpose = Purpose(request)
        taken: list[RecallItem] = []
        left = budget
        for position, score in ranking:
            if left < LEAST_TURN_TOKENS:
                break
            kind: ItemKind = "topic" if position >= start else "turn"
            is_kin = self.is_kin(position, tools)
            item = self.item(position, kind, purpose, max_tokens=left, score=score, is_kin=is_kin)
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
        self._settled = shelf if isinstance(shelf, Settled) else None  # asking that reads what is settled
        self._extracting = shelf if isinstance(shelf, Extracting) else None
        self._reading = Shelved(shelf, LogReading)

    def snapshot(self, now: datetime | None = None) -> Snapshot:
        """Return the turns the shelf holds now, but those that have lapsed by `now` (`None`: by the last turn)."""
        retention = self._settled.settings.retention_days if self._settled is not None else {}
        extractor = self._extracting.extractor if self._extracting is not None else None
        moment = self._reading.get().moment(self._shelf, extractor)
        return Snapshot((moment.unlapsed(retention, now) if retention else moment).at(now), now)
