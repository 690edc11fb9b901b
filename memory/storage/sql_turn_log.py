"""The turn log in SQLite or PostgreSQL."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    bindparam,
    create_engine,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError

from memory.errors import MemoryStoreError, RecordError, ScopeError, UnreadableTurnError
from memory.records import Scope, Turn
from memory.storage import sqlite_file
from memory.storage.schema import migrate, scopes, turns
from memory.storage.turn_growth import has_grown_to
from memory.storage.turn_locks import FileLocks, PostgresLocks, TurnLocks
from memory.storage.turn_log import LogEntry, LogVersion, decode_turn, encode_turn, is_same_turn

_log = logging.getLogger(__name__)

_APPEND_ATTEMPTS = 50
"""Each lost attempt means that another writer of the same scope got through, so this many are never needed."""
_IDS_PER_STATEMENT = 500
"""Well under the bound-variable limit of either database."""
_EPOCH_BITS = 62
_SCOPE_COLUMNS = ("tenant", "user_id", "agent")
_POSTGRES_RESIDUE = (
    "PostgreSQL keeps deleted bytes in its files until `VACUUM FULL turns, scopes, user_settings, journal` and "
    "`CHECKPOINT`, and in its write-ahead log, archives and backups until those are removed"
)


def of_scope(table: Table) -> ColumnElement[bool]:
    """Return the condition that a row belongs to the scope whose `of` is given when the statement is executed."""
    return and_(*(table.c[name] == bindparam(f"of_{name}") for name in _SCOPE_COLUMNS))


# Made once: building a statement takes longer than running it.
_INSERT = insert(turns)
_ADVANCE = (
    update(scopes)
    .where(of_scope(scopes))
    .values(appended=scopes.c.appended + bindparam("count"))
    .returning(scopes.c.appended)
)
_VERSION = select(scopes.c.epoch, scopes.c.appended, scopes.c.erased).where(of_scope(scopes))
_ENTRIES = (
    select(turns.c.position, turns.c.content)
    .where(and_(of_scope(turns), turns.c.position > bindparam("after")))
    .order_by(turns.c.position)
)


class SqlTurnLog:
    """A turn log in SQLite or PostgreSQL, brought to the newest schema when it is opened.

    Writers of one scope take turns (SQLite: all writers), so positions are given out in the order of commits.

    Args:
        url: A SQLAlchemy URL, for instance `sqlite:////home/me/turns.sqlite` or `postgresql://host/stead`.

    Raises:
        DataVersionError: If the database was written by a newer version of the project.
        MemoryStoreError: If it cannot be opened.
    """

    def __init__(self, url: str | URL) -> None:
        self._is_closed = False
        self._process_id = os.getpid()
        self._place: sqlite_file.Place | None = None
        try:
            parsed = make_url(url)
        except ArgumentError as exc:  # its message would show the URL, and a password in it
            raise MemoryStoreError(
                "the URL of the turn log is no database URL; it looks like DRIVER://HOST/DB"
            ) from exc
        if parsed.drivername in ("postgresql", "postgres"):  # psycopg 3 is the driver that `postgres` installs
            parsed = parsed.set(drivername="postgresql+psycopg")
        self._name = parsed.render_as_string(hide_password=True)
        with self._translated("open"):
            try:
                is_sqlite = parsed.get_backend_name() == "sqlite"
                options = {} if is_sqlite else {"client_encoding": "utf8"}
                self._engine = create_engine(
                    parsed, pool_pre_ping=not is_sqlite, connect_args=options, hide_parameters=True
                )
            except ImportError as exc:
                raise MemoryStoreError(
                    f"the turn log {self._name} needs a driver that is not installed ({exc}); "
                    "for PostgreSQL: pip install 'stead[postgres]'"
                ) from exc
            if self._is_sqlite:
                sqlite_file.configure(self._engine)
            try:
                with self._writing() as connection:
                    _check_encoding(connection, self._name)
                    migrate(connection)
            except BaseException:
                self._engine.dispose()
                raise
        self._place = sqlite_file.place(parsed) if self._is_sqlite else None
        self._complete_erasure()

    def append(self, scope: Scope, turn: Turn) -> int:
        content, key = encode_turn(turn), row_key(scope)
        with self._translated("append to"):
            for _ in range(_APPEND_ATTEMPTS):
                try:
                    with self._writing() as connection:
                        position = _next_position(connection, scope)
                        connection.execute(_INSERT, _row(key, position, turn, content))
                        return position
                except IntegrityError:  # this turn is there, or another writer began the scope just now
                    if (found := self._position(scope, turn.turn_id, content)) is not None:
                        return found
        raise MemoryStoreError(
            f"{_APPEND_ATTEMPTS} other writers of one scope were faster; turn {turn.turn_id!r} waits"
        )

    def append_all(self, scope: Scope, turns: Sequence[Turn]) -> list[int]:
        if len(turns) < 2:
            return [self.append(scope, turn) for turn in turns]
        key = row_key(scope)
        with self._translated("append to"):
            try:
                contents = [encode_turn(turn) for turn in turns]
                with self._writing() as connection:
                    start = _next_position(connection, scope, len(turns))
                    rows = [_row(key, start + n, turn, contents[n]) for n, turn in enumerate(turns)]
                    connection.execute(_INSERT, rows)
                    return [start + n for n in range(len(turns))]
            except (RecordError, IntegrityError):  # one cannot be stored, is there, or another writer began the scope
                pass
        return [self.append(scope, turn) for turn in turns]

    def grow(self, scope: Scope, turn: Turn) -> int:
        content, of_turn = encode_turn(turn), and_(rows_of(turns, scope), turns.c.turn_id == turn.turn_id)
        with self._translated("append to"), self._writing() as connection:
            # First, so that writers of this scope wait. Readers take everything in anew, as after an erasure.
            connection.execute(update(scopes).where(rows_of(scopes, scope)).values(erased=scopes.c.erased + 1))
            stored = connection.execute(select(turns.c.position, turns.c.content).where(of_turn)).one_or_none()
            if stored is None or not has_grown_to(decode_turn(stored.content, self._name), turn):
                raise RecordError(f"turn {turn.turn_id!r} is not the beginning of a turn that is in the log")
            connection.execute(update(turns).where(of_turn).values(content=content))
            return int(stored.position)

    def version(self, scope: Scope) -> LogVersion | None:
        with self._translated("read"), self._engine.connect() as connection:
            row = connection.execute(_VERSION, of(scope)).one_or_none()
        return None if row is None else LogVersion(*row)

    def entries(self, scope: Scope, *, after: int = -1) -> tuple[LogEntry, ...]:
        with self._translated("read"), self._engine.connect() as connection:
            rows = connection.execute(_ENTRIES, {**of(scope), "after": after}).all()
        return tuple(LogEntry(position, self._decoded(scope, position, content)) for position, content in rows)

    def turns(self, scope: Scope) -> tuple[Turn, ...]:
        return tuple(entry.turn for entry in self.entries(scope))

    def scopes(self) -> Mapping[Scope, int]:
        key = (turns.c.tenant, turns.c.user_id, turns.c.agent)
        with self._translated("read"), self._engine.connect() as connection:
            rows = connection.execute(select(*key, func.count()).group_by(*key)).all()
        return {
            Scope(user, tenant=tenant, agent=agent): count for tenant, user, agent, count in sorted(map(tuple, rows))
        }

    def forget(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        if turn_ids is None:
            conditions = [rows_of(turns, scope)]
        else:
            ids = list(dict.fromkeys(turn_ids))
            batches = (ids[start : start + _IDS_PER_STATEMENT] for start in range(0, len(ids), _IDS_PER_STATEMENT))
            conditions = [and_(rows_of(turns, scope), turns.c.turn_id.in_(batch)) for batch in batches]
        with self._translated("erase from"), self._erasing() as connection:
            # First, so that writers of this scope wait.
            connection.execute(update(scopes).where(rows_of(scopes, scope)).values(erased=scopes.c.erased + 1))
            count = sum(connection.execute(delete(turns).where(condition)).rowcount for condition in conditions)
            if connection.execute(select(turns.c.position).where(rows_of(turns, scope)).limit(1)).first() is None:
                connection.execute(delete(scopes).where(rows_of(scopes, scope)))
        return count

    @property
    def residue(self) -> str | None:
        return None if self._is_sqlite else _POSTGRES_RESIDUE

    def close(self) -> None:
        self._is_closed = True
        self._engine.dispose(close=self._process_id == os.getpid())

    @contextmanager
    def connection(
        self, action: str, *, writes: bool = False, erases: bool = False, waits_for_disk: bool = True
    ) -> Iterator[Connection]:
        """Lend a connection within one transaction, for the other tables of this database.

        Args:
            action: What an error says could not be done, as in "cannot read settings from the turn log".
            writes: Whether the transaction writes.
            erases: Whether it deletes, and nothing of that is to stay in the files.
            waits_for_disk: `False`: what is written survives the end of this process, but a power cut only from the
                next transaction on that waits.
        """
        with self._translated(action):
            if writes or erases:
                with self._erasing() if erases else self._writing(waits_for_disk=waits_for_disk) as connection:
                    yield connection
            else:
                with self._engine.connect() as connection:
                    yield connection

    def locks(self) -> TurnLocks:
        """Return locks on the turns of persons that hold among all processes which use this database."""
        if not self._is_sqlite:
            return TurnLocks(PostgresLocks(self._engine))
        path = self._place.path if self._place is not None else None
        return TurnLocks(FileLocks(path.with_name(f"{path.name}-running")) if path is not None else None)

    @property
    def _is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def _decoded(self, scope: Scope, position: int, content: str) -> Turn:
        try:
            return decode_turn(content, f"position {position} of {self._name}")
        except RecordError as exc:
            is_it = and_(rows_of(turns, scope), turns.c.position == position)
            with self._engine.connect() as connection:
                turn_id = connection.execute(select(turns.c.turn_id).where(is_it)).scalar_one_or_none()
            raise UnreadableTurnError(str(turn_id), str(exc)) from exc

    def _position(self, scope: Scope, turn_id: str, content: str) -> int | None:
        """Return the position of the turn that is there under this id, which must be the same one."""
        is_it = and_(rows_of(turns, scope), turns.c.turn_id == turn_id)
        with self._engine.connect() as connection:
            stored = connection.execute(select(turns.c.position, turns.c.content).where(is_it)).one_or_none()
        if stored is None:
            return None
        if not is_same_turn(stored.content, content):
            raise RecordError(
                f"turn {turn_id!r} is in the log with another content, and the log is append-only; "
                "give the new turn an id of its own, or forget the stored one first"
            )
        return int(stored.position)

    @contextmanager
    def _writing(self, *, waits_for_disk: bool = True) -> Iterator[Connection]:
        if self._place is not None and not self._place.is_taken():  # SQLite would go on writing in a file without name
            raise MemoryStoreError(
                f"the file of the turn log {self._name} was moved or deleted while it was open, so nothing is written; "
                "put it back, close the memory and open it again"
            )
        options = {"stead_writes": True, "stead_waits": waits_for_disk}
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            if not waits_for_disk and not self._is_sqlite:
                connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            yield connection

    @contextmanager
    def _erasing(self) -> Iterator[Connection]:
        """Lend a connection for a transaction that deletes, and scrub the files after it.

        A file of SQLite notes it in the same transaction: whoever opens one whose eraser was killed in between scrubs
        it.
        """
        with self._writing() as connection:
            if self._is_sqlite:
                sqlite_file.note_erasure(connection)
            yield connection
        self._scrub()

    def _complete_erasure(self) -> None:
        """Scrub the files where an erasure was cut off before it did."""
        if not self._is_sqlite:
            return
        try:
            with self._translated("complete an erasure of"):
                with self._engine.connect() as connection:
                    is_unscrubbed = sqlite_file.erasures(connection) > 0
                if is_unscrubbed:
                    self._scrub()
        except MemoryStoreError as exc:  # a full disk, say: no reason to keep everybody from their turns
            _log.warning("an erasure was cut off, and bytes of it stay in the files: %s", exc)

    def _scrub(self) -> None:
        """Leave nothing of what was erased in the files of SQLite; let PostgreSQL reuse their space."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if not self._is_sqlite:
                connection.exec_driver_sql("VACUUM turns, scopes, user_settings, journal")
            elif not sqlite_file.scrub(connection):
                raise MemoryStoreError(
                    f"the turns are out of {self._name}, but a reader kept their bytes in its write-ahead log; "
                    "erase again when no other process reads the database"
                )

    @contextmanager
    def _translated(self, action: str) -> Iterator[None]:
        if self._is_closed:  # the engine would connect again, with the directory no longer locked
            raise MemoryStoreError(f"the turn log {self._name} is closed; open the memory again to use it")
        if self._process_id != os.getpid():  # the thread that indexes and the lock of the directory stayed with it
            raise MemoryStoreError(
                f"the turn log {self._name} was opened by process {self._process_id}, of which this one is a fork; "
                "open the memory in each process, after forking"
            )
        try:
            yield
        except SQLAlchemyError as exc:
            raise MemoryStoreError(f"cannot {action} the turn log {self._name}: {_reason(exc)}") from exc


def _reason(exc: SQLAlchemyError) -> str:
    """Return what the database said, without the statement, and what to do where it is a damaged file."""
    said = str((exc.orig if isinstance(exc, DBAPIError) else None) or exc).strip()
    is_damaged = any(sign in said for sign in ("malformed", "not a database"))
    remedy = "; put the file back from a backup, or save what it still has with the program sqlite3 (.recover)"
    return said + remedy * is_damaged


def _next_position(connection: Connection, scope: Scope, count: int = 1) -> int:
    """Give out the next position of `scope`, or `count` of which it is the first.

    Until this transaction ends, other writers of the scope wait.
    """
    appended = connection.execute(_ADVANCE, {**of(scope), "count": count}).scalar_one_or_none()
    if appended is None:
        appended = count
        first = {"epoch": secrets.randbits(_EPOCH_BITS), "appended": appended, "erased": 0}
        connection.execute(insert(scopes).values(**row_key(scope), **first))
    return int(appended) - count


def _row(key: Mapping[str, str], position: int, turn: Turn, content: str) -> dict[str, object]:
    return {**key, "position": position, "turn_id": turn.turn_id, "content": content}


def rows_of(table: Table, scope: Scope) -> ColumnElement[bool]:
    """Return the condition that a row of `table` belongs to exactly this scope."""
    return and_(*(table.c[name] == part for name, part in row_key(scope).items()))


def row_key(scope: Scope) -> dict[str, str]:
    """Return the columns that say whose a row is."""
    if not isinstance(scope, Scope):
        raise ScopeError(f"whose turns are meant is said by a Scope; got {scope!r}")
    return dict(zip(_SCOPE_COLUMNS, scope.key, strict=True))


def of(scope: Scope) -> dict[str, str]:
    """Return the values with which a statement that has `of_scope` is executed."""
    return {f"of_{name}": part for name, part in row_key(scope).items()}


def _check_encoding(connection: Connection, name: str) -> None:
    if connection.dialect.name == "postgresql":
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            raise MemoryStoreError(
                f"the database {name} has encoding {encoding}, which cannot hold every text; make it with: "
                "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
            )
