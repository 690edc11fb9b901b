"""The memory of one user: their turns, and finding those that are near in meaning."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, cast

import numpy as np

from memory.embedder import Embedder
from memory.errors import EmbedderMismatchError, MemoryStoreError, TurnRunningError
from memory.language.text_cache import empty_text_caches
from memory.recall import Derived, Hit, Kept, TurnVectors
from memory.records import Scope, Turn
from memory.state.extraction import Extractor
from memory.storage.embedding_text import embedding_text
from memory.storage.index import IndexEntry, VectorIndex, nearest
from memory.storage.indexer import Indexer
from memory.storage.residents import Residents
from memory.storage.sql_journal import JournalStore
from memory.storage.turn_locks import TurnLocks
from memory.storage.turn_log import LogEntry, TurnLog
from memory.storage.user_journal import UserJournal
from memory.storage.user_settings import SettingsStore, UserSettings
from memory.storage.user_view import UserView

_log = logging.getLogger(__name__)

_EMBEDDED_AT_ONCE = 256
"""Texts; what was embedded is stored after so many, so that an interrupted rebuild goes on where it stopped."""
_APPENDED_AT_ONCE = 64
"""Turns that are acknowledged together: one transaction for all takes a fifth of the time of one each."""
_STORED_AT_ONCE = 64
"""Vectors that wait for each other while more turns wait to be embedded: one call of Chroma for 64 takes half the
processor time of four for 16."""
_MAX_BACKLOG = 1024
"""Turns of one user that may wait to be indexed; whoever remembers more indexes first."""


class Forgotten(NamedTuple):
    """How much was erased, store by store."""

    turns: int
    """In the turn log."""
    vectors: int
    """In the index, or on their way there."""


class UserMemory:
    """The turns of one scope, for reading (it is a `TurnShelf`), remembering and forgetting; safe to share by threads.

    What is cached is checked against the version of the log at every use, so that turns which another process appended
    or erased are seen at once. The index follows the log in the background; a search embeds first what it lacks. Where
    the index cannot be read, that is warned of, and turns of earlier processes go without vectors.
    """

    def __init__(
        self,
        scope: Scope,
        log: TurnLog,
        index: VectorIndex,
        embedder: Embedder,
        indexer: Indexer,
        settings: SettingsStore | None = None,
        extractor: Extractor | None = None,
        residents: Residents | None = None,
        journal: JournalStore | None = None,
        turn_locks: TurnLocks | None = None,
    ) -> None:
        self.scope = scope
        self.extractor = extractor
        """Reads further evidence than is found without a model; `None`: nothing does."""
        self.journal = UserJournal(scope, journal, lambda: self.settings.is_paused) if journal is not None else None
        """Of what turns are about to change; `None`: nothing is written down before a turn is over."""
        self._turn_locks = turn_locks or TurnLocks()
        self._may_be_cut_off = journal is not None
        """Whether turns may have been cut off that nobody has looked for."""
        self._log = log
        self._index = index
        self._embedder = embedder
        self._indexer = indexer
        self._settings = settings
        self._residents = residents
        self._view: UserView | None = None
        self._kept: dict[type[Derived], Derived] = {}
        """What strategies have derived from the turns."""
        self._looking = threading.RLock()
        """Held while the view is read or changed; within the other two where several are held."""
        self._embedding = threading.Lock()
        """Held while turns are embedded, so that no two threads embed the same ones."""
        self._storing = threading.Lock()
        """Held while the index is written, so that nothing is stored again after it was erased."""

    @property
    def embedder(self) -> Embedder:
        """What the vectors come from."""
        return self._embedder

    @property
    def settings(self) -> UserSettings:
        """What the person has settled about their memory."""
        return self._settings.get(self.scope) if self._settings is not None else UserSettings()

    def settle(self, settings: UserSettings) -> None:
        """Keep what the person has settled.

        Raises:
            MemoryStoreError: If there is no store for it.
        """
        if self._settings is None:
            raise MemoryStoreError("this memory was made without a store for settings; open it with Memory.open")
        self._settings.put(self.scope, settings)

    @contextmanager
    def turn(self, wait_s: float = 30.0) -> Iterator[None]:
        """Hold the person's turn: one runs at a time, among all threads and processes that use this memory.

        What was cut off before is in the log then.

        Args:
            wait_s: Seconds to wait for the one that runs, at least 0.

        Raises:
            TurnRunningError: If it still runs then.
            MemoryStoreError: If a turn that was cut off cannot be put into the log.
        """
        with self._turn_locks.held(self.scope, wait_s):
            self.close_cut_off()
            yield

    def close_cut_off(self) -> None:
        """Put the turns that were cut off into the log, with what they did; only while holding the person's turn."""
        self._may_be_cut_off = False
        if self.journal is not None:
            self.journal.close_cut_off({turn.turn_id for turn in self.kept_turns()}, self.remember)

    def turns(self) -> tuple[Turn, ...]:
        """Return every acknowledged turn, oldest first; none while the person has paused."""
        return () if self.settings.is_paused else self.kept_turns()

    def kept_turns(self) -> tuple[Turn, ...]:
        """Return every acknowledged turn, also during a pause: for the person to see, take along and erase."""
        self._look_for_cut_off()
        with self._looking:
            turns = self._current().turns
        if self._residents is not None:
            self._residents.use(self)
        return turns

    def vectors(self) -> TurnVectors:
        """Return the vector of every acknowledged turn; only of those embedded here while the index cannot be read.

        Raises:
            EmbedderError: If the embedder fails.
        """
        view = self._embedded(may_lack=True)
        with self._looking:
            found = TurnVectors(view.vectors.turn_ids, view.vectors.matrix)
            is_behind = view.is_behind
        if is_behind:
            self._indexer.submit(self)
        return found

    def similar(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return for each query the `k` turns nearest to it of those with `vectors`, best first; ties keep log order.

        Raises:
            EmbedderError: If the embedder fails.
        """
        if not queries or self.settings.is_paused:
            return [[] for _ in queries]
        vectors = np.stack([self._embedder.embed_query(query) for query in queries])
        view = self._embedded(may_lack=True)
        with self._looking:
            turn_ids = view.vectors.turn_ids
            found = nearest(vectors, view.vectors.matrix, k)
            is_behind = view.is_behind
        if is_behind:
            self._indexer.submit(self)
        return [[Hit(turn_ids[row], similarity) for row, similarity in rows] for rows in found]

    def remember(self, turn: Turn, *, even_if_paused: bool = False) -> None:
        """Store one turn; see `remember_all`."""
        self.remember_all([turn], even_if_paused=even_if_paused)

    def remember_all(self, turns: Iterable[Turn], *, even_if_paused: bool = False) -> None:
        """Store turns, oldest first. The same turn again changes nothing, and during a pause nothing is stored.

        A turn is acknowledged, and survives a crash, once it is in the log; it is indexed soon after, and found at
        once. Where the embedder or the index is out of order, a later use catches up.

        Raises:
            RecordError: If another turn has the id of one, or one cannot be stored without loss; those before it are.
            MemoryStoreError: If the log cannot be written.
        """
        if self.settings.is_paused and not even_if_paused:
            return
        waiting = iter(turns)
        while batch := list(islice(waiting, _APPENDED_AT_ONCE)):
            with self._indexer.standing_back(), self._looking:
                entries = map(LogEntry, self._log.append_all(self.scope, batch), batch)
                backlog = max(self._view.note(entry) if self._view else 1 for entry in entries)
            if backlog and (backlog > _MAX_BACKLOG or not self._indexer.submit(self)):
                self._index_at_once()

    def grow(self, turn: Turn) -> None:
        """Let the stored turn of this id become `turn`, which says all that it says and more; nothing during a pause.

        Raises:
            RecordError: If no such turn is stored, or the stored one says something else.
            MemoryStoreError: If the log cannot be written.
        """
        if self.settings.is_paused:
            return
        with self._indexer.standing_back(), self._looking:
            self._log.grow(self.scope, turn)
        if not self._indexer.submit(self):
            self._index_at_once()

    def keep(self, kind: type[Kept]) -> Kept:
        """Return what is derived from the turns in this way; it follows them in the background, and goes with them."""
        with self._looking:
            found = self._kept.get(kind)
            if found is None:
                found = self._kept[kind] = kind()
                self._indexer.submit(self)
            return cast(Kept, found)  # it was put there by its type

    @property
    def turns_in_memory(self) -> int:
        """How many turns are held, with all that is derived from them."""
        view = self._view
        return len(view.turns) if view is not None else 0

    def release(self) -> None:
        """Hold nothing in memory; the next use reads it again."""
        with self._looking:
            self._view = None
            self._kept.clear()

    def wait_indexed(self) -> None:
        """Return once the index has every turn, and strategies in use have read them.

        Raises:
            MemoryStoreError: If the embedder or the index fails.
        """
        while self.index():
            pass
        while self._read_on(_EMBEDDED_AT_ONCE):
            pass

    def forget(self) -> Forgotten:
        """Erase everything of this scope from log and index."""
        return self._forget(None)

    def forget_turns(self, turn_ids: Collection[str]) -> Forgotten:
        """Erase these turns from log and index; unknown ids are passed over."""
        return self._forget(frozenset(turn_ids))

    def erase_from_log(self, turn_ids: Collection[str] | None) -> int:
        """Erase these turns (`None`: all) from the log, and return how many there were."""
        with self._storing:
            count = self._log.forget(self.scope, turn_ids)
            self.release()
            empty_text_caches()
            return count

    def erase_from_journal(self, turn_ids: Collection[str] | None) -> int:
        """Erase what the journal has of these turns (`None`: all), and return how many entries there were."""
        return self.journal.erase(turn_ids) if self.journal is not None else 0

    def erase_from_index(self) -> int:
        """Erase from the index what is not in the log, and return how much that was."""
        with self._storing:
            return self._retain_logged()

    def index(self, limit: int | None = None) -> bool:
        """Embed and store up to `limit` turns that the index lacks, and say whether there are more.

        With a `limit`, strategies in use read as many of them too.
        """
        if self._index_some(limit):
            return True
        try:
            return limit is not None and self._read_on(limit)
        except MemoryStoreError:
            raise
        except Exception:  # whatever keeps a strategy from reading shows when it recalls; the index goes on
            _log.debug("turns are read when they are recalled", exc_info=True)
            return False

    def _read_on(self, limit: int) -> bool:
        with self._looking:
            kept = list(self._kept.values())
        return any([one.follow(self, limit) for one in kept])

    def _index_some(self, limit: int | None) -> bool:
        view = self._embedded(limit)
        with self._storing:
            with self._looking:
                if view is not self._view:
                    return True
                if view.unembedded and len(view.unstored) < _STORED_AT_ONCE:
                    return True
                turn_ids = list(view.unstored)
                entries = [_index_entry(view.entry(turn_id)) for turn_id in turn_ids]
                vectors = view.vectors.rows(turn_ids)
            for start in range(0, len(entries), _EMBEDDED_AT_ONCE):
                batch = slice(start, start + _EMBEDDED_AT_ONCE)
                self._index.upsert(self.scope, entries[batch], vectors[batch])
                with self._looking:
                    view.unstored.difference_update(turn_ids[batch])
            with self._looking:
                is_erased = self._current() is not view
                strangers, view.strangers = view.strangers, 0
            if (entries and is_erased) or strangers:  # stored what another process was erasing, or a crash left it
                self._retain_logged()  # before anybody who waits for the index may go on
        return is_erased or bool(view.unembedded)

    def reindex(self, *, from_scratch: bool = False) -> None:
        """Bring the index to the log, after comparing the two anew; `from_scratch` embeds every turn again."""
        with self._storing:
            if from_scratch:
                self._index.retain(self.scope, ())
            self._look_anew()
        while self.index(_EMBEDDED_AT_ONCE):
            pass

    def _forget(self, turn_ids: frozenset[str] | None) -> Forgotten:
        turns = self.erase_from_log(turn_ids)
        self.erase_from_journal(turn_ids)
        return Forgotten(turns=turns, vectors=max(turns, self.erase_from_index()))

    def _retain_logged(self) -> int:
        """Erase from the index what is not in the log; only while holding `_storing`."""
        self._look_anew()
        return self._index.retain(self.scope, [entry.turn.turn_id for entry in self._log.entries(self.scope)])

    def _index_at_once(self) -> None:
        try:
            self.index()
        except MemoryStoreError as exc:
            self._indexer.report(exc)

    def _look_for_cut_off(self) -> None:
        """At the first use: put turns into the log that an earlier process was cut off in, where none runs now."""
        if not self._may_be_cut_off:
            return
        try:
            with self._turn_locks.held(self.scope, 0.0):
                self.close_cut_off()
        except TurnRunningError:
            self._may_be_cut_off = True
        except MemoryStoreError as exc:  # a full disk, say: no reason to keep the person from their turns
            self._may_be_cut_off = True
            _log.warning("turns that were cut off are not in the log yet: %s", exc)

    def _look_anew(self) -> None:
        with self._looking:
            self._view = None

    def _current(self) -> UserView:
        """Return what is known of the log as it is now."""
        version, view = self._log.version(self.scope), self._view
        if view is None or not view.is_continued_by(version):
            if view is not None:  # turns that were erased elsewhere may have been read
                self._kept.clear()
            view = self._view = UserView(version, self._log.entries(self.scope), self._embedder.dimensions)
        elif view.version != version:
            view.grow(version, self._log.entries(self.scope, after=view.last_position))
        return view

    def _embedded(self, limit: int | None = None, *, may_lack: bool = False) -> UserView:
        """Return the current view after embedding what lacks a vector, at most `limit` turns of it.

        Where the index cannot be read and `may_lack`, what may be in it is left without.
        """
        is_readable = True
        with self._embedding:
            while True:
                with self._looking:
                    view = self._current()
                    unread = {turn_id: view.entry(turn_id) for turn_id in view.unread}
                    lacking = (turn_id for turn_id in view.unembedded if turn_id not in unread)
                    batch = [view.entry(turn_id) for turn_id in islice(lacking, limit or _EMBEDDED_AT_ONCE)]
                    is_whole = view.is_unseen or len(unread) == len(view.turns)
                if (unread or (view.is_unseen and not may_lack)) and is_readable:
                    try:
                        self._take_stored(view, unread, is_whole=is_whole)
                    except EmbedderMismatchError:
                        raise
                    except MemoryStoreError as exc:
                        if not may_lack:
                            raise
                        self._indexer.report(exc)
                        is_readable = False
                    continue
                if not batch:
                    return view
                rows = self._embedder.embed_documents([embedding_text(entry.turn) for entry in batch])
                with self._looking:
                    if self._view is view:
                        view.put(batch, rows, is_stored=False)
                if limit is not None:
                    return view

    def _take_stored(self, view: UserView, unread: Mapping[str, LogEntry], *, is_whole: bool) -> None:
        """Take over what the index has of turns whose vectors are unknown here."""
        stored = (self._index.read if is_whole else self._index.fetch)(self.scope, unread)
        fresh = [row for row, known in enumerate(stored.entries) if known == _index_entry(unread[known.turn_id])]
        entries = [unread[stored.entries[row].turn_id] for row in fresh]
        with self._looking:
            view.put(entries, stored.vectors[fresh], is_stored=True)
            view.unread.difference_update(unread)
            view.strangers += stored.strangers
            view.is_unseen = view.is_unseen and not is_whole


def _index_entry(entry: LogEntry) -> IndexEntry:
    text = embedding_text(entry.turn).encode("utf-8", "surrogatepass")
    return IndexEntry(entry.turn.turn_id, hashlib.sha256(text).hexdigest()[:16])
