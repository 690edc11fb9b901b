"""The turn log: the append-only truth that everything else in `memory` is derived from."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError
from sqlalchemy import ColumnElement, Connection, Engine, and_, create_engine, delete, event, func, insert, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from memory.errors import MemoryStoreError, RecordError, ScopeError
from memory.records import Scope, Turn
from memory.schema import migrate, turns

_BUSY_TIMEOUT_MS = 10_000
"""How long SQLite waits for another writer before it gives up."""
_APPEND_ATTEMPTS = 50
"""Each lost attempt means that another writer of the same scope got through, so this many are never needed."""
_IDS_PER_STATEMENT = 500
"""Well under the bound-variable limit of either database."""


class LogEntry(NamedTuple):
    """A turn and its place in the log of its scope."""

    position: int
    """From 0, growing; turns that were forgotten leave gaps."""
    turn: Turn


class TurnLog(Protocol):
    """Every acknowledged turn of every scope. Two scopes share nothing, however alike their ids look."""

    def append(self, scope: Scope, turn: Turn) -> int:
        """Store `turn` durably as the last of `scope` and return its position.

        The same turn again changes nothing and returns the position it has.

        Raises:
            RecordError: If another turn has this id, or the turn cannot be stored without loss.
        """
        ...

    def entries(self, scope: Scope) -> tuple[LogEntry, ...]:
        """Return the turns of `scope` with their positions, oldest first."""
        ...

    def turns(self, scope: Scope) -> tuple[Turn, ...]:
        """Return the turns of `scope`, oldest first."""
        ...

    def forget(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        """Erase these turns of `scope` (`None`: all of them) and return how many there were."""
        ...

    def close(self) -> None:
        """Release the database; the log is of no use afterwards."""
        ...


class SqlTurnLog:
    """A turn log in SQLite or PostgreSQL, brought to the newest schema when it is opened.

    Args:
        url: A SQLAlchemy URL, for instance `sqlite:////home/me/turns.sqlite` or `postgresql://host/stead`.

    Raises:
        DataVersionError: If the database was written by a newer version of the project.
        MemoryStoreError: If it cannot be opened.
    """

    def __init__(self, url: str | URL) -> None:
        parsed = make_url(url)
        if parsed.drivername == "postgresql":  # psycopg 3 is the driver that the extra `postgres` installs
            parsed = parsed.set(drivername="postgresql+psycopg")
        self._name = parsed.render_as_string(hide_password=True)
        self._is_closed = False
        with self._translated("open"):
            self._engine = create_engine(parsed)
            if self._is_sqlite:
                _configure_sqlite(self._engine)
            try:
                with self._writing() as connection:
                    migrate(connection)
            except BaseException:
                self._engine.dispose()
                raise

    def append(self, scope: Scope, turn: Turn) -> int:
        content = _encode(turn)
        with self._translated("append to"):
            for _ in range(_APPEND_ATTEMPTS):
                try:
                    return self._append_once(scope, turn.turn_id, content)
                except IntegrityError:  # another writer took the position, or stored this very turn
                    continue
        raise MemoryStoreError(
            f"{_APPEND_ATTEMPTS} other writers of one scope were faster; turn {turn.turn_id!r} waits"
        )

    def entries(self, scope: Scope) -> tuple[LogEntry, ...]:
        query = select(turns.c.position, turns.c.content).where(_is_in(scope)).order_by(turns.c.position)
        with self._translated("read"), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(LogEntry(position, self._decode(content, position)) for position, content in rows)

    def turns(self, scope: Scope) -> tuple[Turn, ...]:
        return tuple(entry.turn for entry in self.entries(scope))

    def forget(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        if turn_ids is None:
            conditions = [_is_in(scope)]
        else:
            ids = list(dict.fromkeys(turn_ids))
            batches = (ids[start : start + _IDS_PER_STATEMENT] for start in range(0, len(ids), _IDS_PER_STATEMENT))
            conditions = [and_(_is_in(scope), turns.c.turn_id.in_(batch)) for batch in batches]
        with self._translated("erase from"):
            with self._writing() as connection:
                count = sum(connection.execute(delete(turns).where(condition)).rowcount for condition in conditions)
            if self._is_sqlite:
                self._empty_write_ahead_log()
        return count

    def close(self) -> None:
        self._is_closed = True
        self._engine.dispose()

    @property
    def _is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def _append_once(self, scope: Scope, turn_id: str, content: str) -> int:
        with self._writing() as connection:
            same_id = and_(_is_in(scope), turns.c.turn_id == turn_id)
            stored = connection.execute(select(turns.c.position, turns.c.content).where(same_id)).one_or_none()
            if stored is not None:
                if _sorted_keys(stored.content) != _sorted_keys(content):
                    raise RecordError(
                        f"turn {turn_id!r} is in the log with another content, and the log is append-only; "
                        "give the new turn an id of its own, or forget the stored one first"
                    )
                return int(stored.position)
            last = select(func.max(turns.c.position)).where(_is_in(scope))
            found = connection.execute(last).scalar_one_or_none()
            position = 0 if found is None else int(found) + 1
            tenant, user, agent = scope.key
            row = {"tenant": tenant, "user_id": user, "agent": agent, "position": position}
            connection.execute(insert(turns).values(**row, turn_id=turn_id, content=content))
            return position

    def _decode(self, content: str, position: int) -> Turn:
        try:
            return Turn.model_validate_json(content)
        except ValidationError as exc:
            raise RecordError(f"the record at position {position} of {self._name} is not a turn: {exc}") from exc

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(stead_writes=True) as connection, connection.begin():
            yield connection

    def _empty_write_ahead_log(self) -> None:
        """Copy the write-ahead log into the database and cut it to nothing: what was erased is still in it."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            is_busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
        if is_busy:
            raise MemoryStoreError(
                f"the turns are out of {self._name}, but a reader kept their bytes in its write-ahead log; "
                "erase again when no other process reads the database"
            )

    @contextmanager
    def _translated(self, action: str) -> Iterator[None]:
        if self._is_closed:  # the engine would connect again, with the directory no longer locked
            raise MemoryStoreError(f"the turn log {self._name} is closed; open the memory again to use it")
        try:
            yield
        except SQLAlchemyError as exc:
            raise MemoryStoreError(f"cannot {action} the turn log {self._name}: {exc}") from exc


def _is_in(scope: Scope) -> ColumnElement[bool]:
    """Return the condition that a row belongs to exactly this scope."""
    for part in scope.key:
        if "\x00" in part or not _is_unicode(part):
            raise ScopeError(f"the id {part!r} holds a NUL or half a surrogate pair, which no database stores")
    tenant, user, agent = scope.key
    return and_(turns.c.tenant == tenant, turns.c.user_id == user, turns.c.agent == agent)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _encode(turn: Turn) -> str:
    """Return the turn as JSON, from which the same turn can be read again.

    Raises:
        RecordError: If something would be lost, as with a number that is not finite or half a surrogate pair.
    """
    if "\x00" in turn.turn_id:
        raise RecordError(f"the turn id {turn.turn_id!r} holds a NUL, which no database stores")
    try:
        content = turn.model_dump_json()
    except PydanticSerializationError as exc:
        raise RecordError(f"turn {turn.turn_id!r} cannot be written as JSON: {exc}") from exc
    if Turn.model_validate_json(content) != turn:
        raise RecordError(
            f"turn {turn.turn_id!r} would be read back as another one; use finite numbers and plain JSON in arguments "
            "and observations"
        )
    return content


def _sorted_keys(content: str) -> str:
    return json.dumps(json.loads(content), sort_keys=True)


def _configure_sqlite(engine: Engine) -> None:
    """Make every connection durable, patient and leaving nothing behind that was deleted."""

    @event.listens_for(engine, "connect")
    def _set_pragmas(connection: Any, record: object) -> None:
        connection.isolation_level = None  # the driver would begin transactions on its own, and too late
        for pragma in (
            f"busy_timeout={_BUSY_TIMEOUT_MS}",
            "journal_mode=WAL",
            "synchronous=FULL",  # in WAL mode the default may lose the last commits at a power cut
            "secure_delete=ON",  # overwrite deleted content with zeros
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and writes then fails at once when another one wrote in between.
        is_writing = connection.get_execution_options().get("stead_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
