"""What the turns of a log say, read once a turn as the log grows."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memory.cutting import TurnForm
from memory.evidence import Evidence
from memory.known_turns import KnownTurns
from memory.language.read import read_ahead
from memory.language.values.value_forms import wall_time
from memory.recall import TurnShelf
from memory.records import Turn
from memory.state.extraction import Extractor, with_further
from memory.state.log_evidence import LogEvidence
from memory.state.redaction import redacted
from memory.state.state_fold import StateFold
from memory.state.user_state import Retention, UserState, fold_evidence, has_lapsed
from memory.state.weighing import texts_of


@dataclass(frozen=True)
class TurnCard:
    """A turn with what showing it takes, worked out once."""

    turn: Turn

    @cached_property
    def least_tokens(self) -> int:
        """Of its shortest form with the whole request."""
        return TurnForm(self.turn).least_tokens  # which is not kept: most turns are never shown

    @cached_property
    def barest_tokens(self) -> int:
        """Of its shortest form with the beginning of the request."""
        return TurnForm(self.turn).barest_tokens

    @cached_property
    def form(self) -> TurnForm:
        """What its shorter forms are made of."""
        return TurnForm(self.turn)

    def prepare(self) -> None:
        """Work out all of it now."""
        _ = self.least_tokens, self.barest_tokens, self.redacted.least_tokens

    @cached_property
    def redacted(self) -> TurnCard:
        """The turn without what is sensitive; itself where nothing is."""
        less = redacted(self.turn)
        return self if less is self.turn else TurnCard(less)


class Callers:
    """Which turns of a log called which tool."""

    def __init__(self) -> None:
        self._positions: dict[str, array[int]] = {}

    def add(self, position: int, turn: Turn) -> None:
        """Take in the next turn."""
        for name in {call.name for call in turn.calls}:
            self._positions.setdefault(name, array("l")).append(position)

    def of(self, tools: Iterable[str], end: int) -> NDArray[np.bool_]:
        """Return for each turn before `end` whether it called one of `tools`."""
        has_called = np.zeros(end, dtype=np.bool_)
        for name in tools:
            if name in self._positions:
                positions = np.array(self._positions[name])
                has_called[positions[: np.searchsorted(positions, end)]] = True
        return has_called


@dataclass(frozen=True)
class LogMoment:
    """A log as it was after one of its turns."""

    turns: tuple[Turn, ...]
    turn_ids: tuple[str, ...]
    evidence: tuple[tuple[Evidence, ...], ...]
    """By turn."""
    state: UserState
    position: Mapping[str, int]
    """Of each turn, by its id; perhaps with later ones."""
    cards: Sequence[TurnCard]
    """One a turn, and perhaps more."""
    callers: Callers
    """Perhaps with later ones."""
    clock: datetime | None = None
    """The newest time of a turn: what had ended by then is not in the state."""
    ending: tuple[Evidence, ...] = ()
    """The evidence that ends by itself."""

    def calling(self, tools: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each turn whether it called one of `tools`."""
        return self.callers.of(tools, len(self.turns))

    def extended(self, extractor: Extractor) -> LogMoment:
        """Return the log with the evidence that `extractor` adds."""
        evidence = tuple(with_further(self.evidence, extractor(self.turns)))
        pieces = (piece for of_turn in evidence for piece in of_turn)
        return replace(self, evidence=evidence, state=fold_evidence(pieces, now=self.clock))

    def at(self, now: datetime | None) -> LogMoment:
        """Return the log with the state of `now`: a rule may have ended since the last turn.

        What has ended is no evidence of its turn any more, so that it fills nothing where that turn is recalled.
        """
        if self.clock is None:
            return self
        moment = max(self.clock, wall_time(now)) if now is not None else self.clock
        ended = {piece for piece in self.ending if piece.until and wall_time(piece.until) <= moment}
        if not ended:
            return self
        evidence = list(self.evidence)
        for place in {self.position[piece.turn_id] for piece in ended}:
            evidence[place] = tuple(piece for piece in evidence[place] if piece not in ended)
        slots = {piece.slot for piece in ended if piece.until and self.clock < wall_time(piece.until)}
        if not slots:
            return replace(self, evidence=tuple(evidence))
        pieces = (piece for of_turn in self.evidence for piece in of_turn if piece.slot in slots)
        state = fold_evidence(pieces, now=moment)
        return replace(self, evidence=tuple(evidence), state=UserState({**self.state.slots, **state.slots}))

    def unlapsed(self, retention: Retention, now: datetime | None) -> LogMoment:
        """Return the log without the evidence that `retention` ends by `now`, and turns of which none is left.

        A turn that never was evidence of anything stays: it is of no kind that retention could be settled for.

        Args:
            retention: How long evidence is used.
            now: `None`: the time of the last turn whose time is known.
        """
        clock = now or next((turn.time for turn in reversed(self.turns) if turn.time is not None), None)
        left = [tuple(piece for piece in pieces if not has_lapsed(piece, clock, retention)) for pieces in self.evidence]
        kept = [place for place, pieces in enumerate(left) if pieces or not self.evidence[place]]
        turns = tuple(self.turns[place] for place in kept)
        callers = Callers()
        for position, turn in enumerate(turns):
            callers.add(position, turn)
        return LogMoment(
            turns,
            tuple(turn.turn_id for turn in turns),
            tuple(left[place] for place in kept),
            fold_evidence((piece for place in kept for piece in left[place]), now=clock),
            {turn.turn_id: position for position, turn in enumerate(turns)},
            [self.cards[place] for place in kept],
            callers,
            self.clock,
            tuple(piece for piece in self.ending if not has_lapsed(piece, clock, retention)),
        )


_TOGETHER = 512
"""Turns whose words are read together, which takes a third of the time."""


class _Log:
    """What was read of a log that has only grown."""

    def __init__(self) -> None:
        self.turns = KnownTurns()
        self.evidence = LogEvidence()
        self.fold = StateFold()
        self.position: dict[str, int] = {}
        self.cards: list[TurnCard] = []
        self.prepared = 0
        """Cards that were worked out before anybody asked."""
        self.callers = Callers()

    def append(self, turn: Turn) -> None:
        position = len(self.turns)
        if self.evidence.append(turn):
            self.fold.take_back()
            self.fold.append(self.evidence.pieces[-2], self.cards[-1].turn.time)
        self.fold.append(self.evidence.pieces[-1], turn.time)
        self.turns.append(turn)
        self.position[turn.turn_id] = position
        self.cards.append(TurnCard(turn))
        self.callers.add(position, turn)

    def moment(self) -> LogMoment:
        evidence = tuple(self.evidence.pieces)
        turns, turn_ids = tuple(self.turns), tuple(self.position)
        state, clock, ending = self.fold.state(), self.fold.clock, self.fold.ending()
        return LogMoment(turns, turn_ids, evidence, state, self.position, self.cards, self.callers, clock, ending)


class LogReading:
    """Follows a shelf; as long as its turns are only added to, each is read once. Safe to share by threads."""

    def __init__(self) -> None:
        self._reading = threading.RLock()
        self._log = _Log()
        self._moment: LogMoment | None = None

    def follow(self, shelf: TurnShelf, limit: int | None = None) -> bool:
        """Read up to `limit` turns that are new on `shelf`, and say whether there are more."""
        with self._reading:
            turns = shelf.turns()
            self._read(turns, limit)
            log, start = self._log, self._log.prepared
            log.prepared = len(log.cards) if limit is None else min(start + limit, len(log.cards))
            has_more = log.prepared < len(turns)
        for card in log.cards[start : log.prepared]:  # while others may recall
            card.prepare()
        return has_more

    def moment(self, shelf: TurnShelf, extractor: Extractor | None) -> LogMoment:
        """Return the log as `shelf` has it now, with what `extractor` adds; nothing is kept of turns that are gone."""
        with self._reading:
            self._read(shelf.turns(), None)
            if self._moment is None:
                moment = self._log.moment()
                self._moment = moment if extractor is None else moment.extended(extractor)
            return self._moment

    def _read(self, turns: Sequence[Turn], limit: int | None) -> None:
        known = len(self._log.turns)
        if not self._log.turns.begin(turns):
            self._log, self._moment, known = _Log(), None, 0
        new = turns[known:] if limit is None else turns[known : known + limit]
        for start in range(0, len(new), _TOGETHER):
            some = new[start : start + _TOGETHER]
            read_ahead(text for turn in some for text in texts_of(turn))
            for turn in some:
                self._log.append(turn)
                self._moment = None
