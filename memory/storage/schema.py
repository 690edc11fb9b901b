"""The relational schema of the turn log, and bringing a database to it.

One schema serves SQLite and PostgreSQL. It changes only through a new revision in `migrations/versions`.
"""

from __future__ import annotations

import threading

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, String, Table, Text, UniqueConstraint, text

from memory.errors import DataVersionError

metadata = MetaData()
_upgrading = threading.Lock()
"""Alembic keeps the running migration in module globals: two at once, of two databases even, break each other."""
_MIGRATION_LOCK = int.from_bytes(b"stead")
"""The advisory lock of PostgreSQL that the workers of a service take in turn to migrate."""


def _scope_columns() -> list[Column[str]]:
    # Ids are opaque: both databases compare them byte for byte under their default collations.
    return [Column(name, String, primary_key=True) for name in ("tenant", "user_id", "agent")]


turns = Table(
    "turns",
    metadata,
    *_scope_columns(),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("turn_id", String, nullable=False),
    Column("content", Text, nullable=False),
    UniqueConstraint("tenant", "user_id", "agent", "turn_id", name="turns_turn_id_once_per_scope"),
)
"""A row a turn; `content` is the turn as JSON, `position` its place in the log of its scope, from 0."""

scopes = Table(
    "scopes",
    metadata,
    *_scope_columns(),
    Column("epoch", BigInteger, nullable=False),
    Column("appended", Integer, nullable=False),
    Column("erased", Integer, nullable=False),
)
"""A row a scope that has turns, by which readers notice a change and writers take turns.

`epoch` is drawn at random when the row is made, `appended` is the next position, `erased` counts erasures.
"""

user_settings = Table(
    "user_settings",
    metadata,
    *_scope_columns(),
    Column("content", Text, nullable=False),
)
"""A row a scope that has settled something about its memory; `content` is that as JSON."""

journal = Table(
    "journal",
    metadata,
    *_scope_columns(),
    Column("turn_id", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("stage", String, nullable=False),
    Column("intent", Text, nullable=False),
    Column("result", Text, nullable=True),
)
"""A row a call that changes something, from before it is made until its turn is in the log and told; `intent` and
`result` are JSON."""


def migrate(connection: Connection) -> None:
    """Bring the database of `connection` to the newest revision, within its running transaction.

    Workers that open one empty database at once migrate it one after the other.

    Raises:
        DataVersionError: If the database is of a revision that this version of the project does not know.
    """
    # Alembic costs a quarter of a second to import and is needed only where a log is opened.
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    if connection.dialect.name == "postgresql":  # SQLite's writers take turns anyway
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    config = Config()
    config.set_main_option("script_location", "memory:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    scripts = ScriptDirectory.from_config(config)
    known = {script.revision for script in scripts.walk_revisions()}
    found = set(MigrationContext.configure(connection).get_current_heads())
    if found - known:
        raise DataVersionError(
            f"the turn log is of revision {', '.join(sorted(found))}, and this version of the project knows only "
            f"{', '.join(sorted(known))}; it was written by a newer version: install that one to open it"
        )
    if found != set(scripts.get_heads()):
        with _upgrading:
            command.upgrade(config, "head")
