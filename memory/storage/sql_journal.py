"""The journal of every scope, in the database of the turn log."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, cast

from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, delete, insert, select, update

from memory.errors import RecordError
from memory.journal import Intent, JournalEntry, Stage
from memory.records import Observation, Scope
from memory.storage.schema import journal
from memory.storage.sql_turn_log import SqlTurnLog, of, of_scope, row_key, rows_of
from memory.storage.turn_log import encode_turn

_ENTRIES = (  # asked for at every turn, so made once
    select(journal.c.turn_id, journal.c.number, journal.c.intent, journal.c.result, journal.c.stage)
    .where(of_scope(journal))
    .order_by(journal.c.turn_id, journal.c.number)
)
_INSERT = insert(journal)


class JournalStore(Protocol):
    """Keeps the entries of every scope. Only the holder of a scope's turn writes them."""

    def add(self, scope: Scope, entry: JournalEntry) -> None:
        """Write an entry without a result down; when this returns it would survive a power cut.

        Raises:
            RecordError: If it cannot be stored without loss.
        """
        ...

    def settle(self, scope: Scope, entry: JournalEntry, observation: Observation) -> None:
        """Write the result of an entry down; it survives the end of this process at once."""
        ...

    def entries(self, scope: Scope) -> tuple[JournalEntry, ...]:
        """Return every entry of `scope`, those of a turn together and in order."""
        ...

    def move(self, scope: Scope, entries: Iterable[JournalEntry], stage: Stage) -> None:
        """Put entries at another stage."""
        ...

    def drop(self, scope: Scope, entries: Iterable[JournalEntry], *, scrubs: bool = False) -> None:
        """Delete entries; `scrubs` leaves no byte of them in the files."""
        ...

    def erase(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        """Erase the entries of these turns (`None`: all of the scope) for good, and return how many there were."""
        ...


class SqlJournal:
    """Keeps them in the database of a turn log, which it does not close.

    Args:
        log: The turn log.
    """

    def __init__(self, log: SqlTurnLog) -> None:
        self._log = log

    def add(self, scope: Scope, entry: JournalEntry) -> None:
        encode_turn(entry.intent.turn)  # which says what would be lost
        row = {
            "turn_id": entry.turn_id,
            "number": entry.number,
            "stage": entry.stage,
            "intent": _encoded(entry.intent),
            "result": None,
        }
        with self._log.connection("write the journal in", writes=True) as connection:
            connection.execute(_INSERT, {**row_key(scope), **row})

    def settle(self, scope: Scope, entry: JournalEntry, observation: Observation) -> None:
        result = observation.model_dump_json()
        with self._log.connection("write the journal in", writes=True, waits_for_disk=False) as connection:
            connection.execute(update(journal).where(_row_of(scope, entry)).values(result=result))

    def entries(self, scope: Scope) -> tuple[JournalEntry, ...]:
        with self._log.connection("read the journal from") as connection:
            rows = connection.execute(_ENTRIES, of(scope)).all()
        return tuple(_entry(*row) for row in rows)

    def move(self, scope: Scope, entries: Iterable[JournalEntry], stage: Stage) -> None:
        if not (moved := list(entries)):
            return
        with self._log.connection("write the journal in", writes=True, waits_for_disk=False) as connection:
            for entry in moved:
                connection.execute(update(journal).where(_row_of(scope, entry)).values(stage=stage))

    def drop(self, scope: Scope, entries: Iterable[JournalEntry], *, scrubs: bool = False) -> None:
        if not (dropped := list(entries)):
            return
        with self._log.connection(
            "erase the journal from", writes=True, erases=scrubs, waits_for_disk=False
        ) as connection:
            for entry in dropped:
                connection.execute(delete(journal).where(_row_of(scope, entry)))

    def erase(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        where = rows_of(journal, scope)
        with self._log.connection("read the journal from") as connection:
            found = connection.execute(select(journal.c.turn_id).where(where)).scalars().all()
        meant = set(found) if turn_ids is None else set(found) & set(turn_ids)
        if not meant:
            return 0
        with self._log.connection("erase the journal from", erases=True) as connection:
            return sum(
                connection.execute(delete(journal).where(where, journal.c.turn_id == turn_id)).rowcount
                for turn_id in meant
            )


def _row_of(scope: Scope, entry: JournalEntry) -> ColumnElement[bool]:
    return and_(rows_of(journal, scope), journal.c.turn_id == entry.turn_id, journal.c.number == entry.number)


def _encoded(intent: Intent) -> str:
    content = intent.model_dump_json()
    if Intent.model_validate_json(content) != intent:
        raise RecordError(
            f"call {intent.call.id!r} would be read back as another one; use finite numbers and plain JSON in arguments"
        )
    return content


def _entry(turn_id: str, number: int, intent: str, result: str | None, stage: str) -> JournalEntry:
    try:
        observation = None if result is None else Observation.model_validate_json(result)
        return JournalEntry(number, Intent.model_validate_json(intent), observation, cast(Stage, stage))
    except ValidationError as exc:
        reason = exc.errors(include_input=False)[0]["msg"]
        raise RecordError(
            f"the entry of turn {turn_id!r} in the journal cannot be read: it is damaged, or of a newer version "
            f"({reason}). Put the turn log back from a backup, or erase that turn: memory.erase(scope, turn_ids=[…])"
        ) from None
