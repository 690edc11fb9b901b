"""The relational schema of the turn log, and bringing a database to it.

One schema serves SQLite and PostgreSQL. It changes only through a new revision in `migrations/versions`.
"""

from __future__ import annotations

import threading

from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, Text, UniqueConstraint

from memory.errors import DataVersionError

metadata = MetaData()
_upgrading = threading.Lock()
"""Alembic keeps the running migration in module globals: two at once, of two databases even, break each other."""

turns = Table(
    "turns",
    metadata,
    # Ids are opaque: both databases compare them byte for byte under their default collations.
    Column("tenant", String, primary_key=True),
    Column("user_id", String, primary_key=True),
    Column("agent", String, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("turn_id", String, nullable=False),
    Column("content", Text, nullable=False),
    UniqueConstraint("tenant", "user_id", "agent", "turn_id", name="turns_turn_id_once_per_scope"),
)
"""A row a turn; `content` is the turn as JSON, `position` its place in the log of its scope, from 0."""


def migrate(connection: Connection) -> None:
    """Bring the database of `connection` to the newest revision, within its running transaction.

    Raises:
        DataVersionError: If the database is of a revision that this version of the project does not know.
    """
    # Alembic costs a quarter of a second to import and is needed only where a log is opened.
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

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
