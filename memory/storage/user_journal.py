"""The journal of one person: what their turns are about to change, and what is still to be told or asked of it."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby

from memory.errors import MemoryStoreError
from memory.journal import Intent, JournalEntry, cut_off_turn, outline
from memory.language.values.values import canonical_key
from memory.records import Observation, Scope, ToolCall, Turn
from memory.storage.sql_journal import JournalStore

_log = logging.getLogger(__name__)


class UserJournal:
    """The journal of one scope, for whoever holds its turn.

    Args:
        scope: Whose.
        store: Keeps the entries.
        keeps_nothing: Says whether the person has paused: then nothing of a turn stays when it is over.
    """

    def __init__(self, scope: Scope, store: JournalStore, keeps_nothing: Callable[[], bool]) -> None:
        self._scope = scope
        self._store = store
        self._keeps_nothing = keeps_nothing
        self._unwritten: dict[tuple[str, int], Observation] = {}
        """Results that the store did not take, as on a full disk."""

    def intend(self, turn: Turn, call: ToolCall, words: str, *, is_parked: bool = False) -> tuple[JournalEntry, bool]:
        """Write down that `call` is about to be made, and return its entry and whether it is new.

        One that is not new was made by a process that was cut off: its observation is the result, where it has one. A
        call whose outcome is unknown from an earlier turn has the same key here.

        Raises:
            RecordError: If it cannot be stored without loss.
            MemoryStoreError: If the journal cannot be written; then the call must not be made.
        """
        entries = self.entries()
        for entry in entries:
            if entry.turn_id == turn.turn_id and entry.intent.call.id == call.id:
                return entry, False
        same = [one for one in entries if one.is_unknown and is_same_call(one.intent.call, call)]
        key = same[-1].intent.key if same else secrets.token_hex(16)
        entry = JournalEntry(
            number=max((one.number for one in entries if one.turn_id == turn.turn_id), default=-1) + 1,
            intent=Intent(turn=outline(turn), call=call, words=words, key=key),
            observation=None,
            stage="parked" if is_parked else "running",
        )
        self._store.add(self._scope, entry)
        return entry, True

    def settle(self, entry: JournalEntry, observation: Observation) -> None:
        """Write the result of a call down. Where that fails, it is tried again, and the turn goes on: it is done."""
        try:
            self._store.settle(self._scope, entry, observation)
        except MemoryStoreError as exc:
            self._unwritten[entry.turn_id, entry.number] = observation
            _log.warning("the result of %s is not written down yet: %s", entry.intent.call.name, exc)

    def withdraw(self, entry: JournalEntry) -> None:
        """Take an entry back whose call was not made."""
        self._store.drop(self._scope, [entry])

    def finish(self, turn_id: str, *, is_told: bool) -> None:
        """Close the entries of a turn that is over and in the log; what was told and done needs none any more."""
        entries = self.entries()
        mine = [entry for entry in entries if entry.turn_id == turn_id]
        with self._put_off():
            if not is_told:
                self._store.move(self._scope, mine, "untold")
                return
            made = [entry.intent.call for entry in mine]
            doubtful = [one for one in entries if one.turn_id != turn_id and one.is_unknown]
            self._close(mine)
            self.resolve([one for one in doubtful if any(is_same_call(one.intent.call, call) for call in made)])

    def close_cut_off(self, known: Collection[str], remember: Callable[[Turn], object]) -> None:
        """Let the log have every turn that was cut off.

        Args:
            known: The ids of the turns that are in the log: these were only not closed any more.
            remember: Puts a turn into the log.

        Raises:
            MemoryStoreError: If log or journal cannot be written.
        """
        running = [entry for entry in self.entries() if entry.stage == "running"]
        for turn_id, group in groupby(running, lambda entry: entry.turn_id):
            entries = list(group)
            if turn_id in known:
                self._close(entries)
                continue
            remember(cut_off_turn(entries))
            self._store.move(self._scope, entries, "untold")

    def entries(self) -> tuple[JournalEntry, ...]:
        """Return every entry; results that could not be written before are written now."""
        entries = self._store.entries(self._scope)
        if not self._unwritten:
            return entries
        for entry in entries:
            if observation := self._unwritten.pop((entry.turn_id, entry.number), None):
                self.settle(entry, observation)
        return self._store.entries(self._scope) if not self._unwritten else tuple(map(self._as_known, entries))

    def told(self, entries: Iterable[JournalEntry]) -> None:
        """Note that the person has heard of these."""
        with self._put_off():
            self._close(list(entries))

    def resolve(self, entries: Iterable[JournalEntry]) -> None:
        """Drop what the person was asked about and has settled."""
        if settled := list(entries):
            with self._put_off():
                self._store.drop(self._scope, settled, scrubs=self._keeps_nothing())

    def erase(self, turn_ids: Collection[str] | None) -> int:
        """Erase the entries of these turns (`None`: all) for good, and return how many there were."""
        self._unwritten.clear()
        return self._store.erase(self._scope, turn_ids)

    def _close(self, entries: list[JournalEntry]) -> None:
        """Keep of these what nobody knows the outcome of, and drop the others."""
        self._store.move(self._scope, [one for one in entries if one.is_unknown and one.stage != "unknown"], "unknown")
        done = [one for one in entries if not one.is_unknown]
        self._store.drop(self._scope, done, scrubs=bool(done) and self._keeps_nothing())

    @contextmanager
    def _put_off(self) -> Iterator[None]:
        """Let what only tidies up fail, as on a full disk: the next turn finds it as it is, and does it."""
        try:
            yield
        except MemoryStoreError as exc:
            _log.warning("the journal is not tidied up yet: %s", exc)

    def _as_known(self, entry: JournalEntry) -> JournalEntry:
        found = self._unwritten.get((entry.turn_id, entry.number))
        return entry if found is None else JournalEntry(entry.number, entry.intent, found, entry.stage)


def is_same_call(one: ToolCall, other: ToolCall) -> bool:
    """Say whether two calls ask for the same; ids and the order of arguments say nothing."""
    return one.name == other.name and canonical_key(one.arguments) == canonical_key(other.arguments)
