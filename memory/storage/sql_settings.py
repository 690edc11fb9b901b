"""The choices of persons in the database of the turn log."""

from __future__ import annotations

from pydantic import ValidationError
from sqlalchemy import delete, insert, select

from memory.errors import UnreadableSettingsError
from memory.records import Scope
from memory.storage.schema import user_settings
from memory.storage.sql_turn_log import SqlTurnLog, of, of_scope, row_key, rows_of
from memory.storage.user_settings import UserSettings

_CONTENT = select(user_settings.c.content).where(of_scope(user_settings))  # asked for at every recall, so made once


class SqlSettingsStore:
    """Keeps them in the database of a turn log, which it does not close.

    Args:
        log: The turn log.
    """

    def __init__(self, log: SqlTurnLog) -> None:
        self._log = log

    def get(self, scope: Scope) -> UserSettings:
        with self._log.connection("read settings from") as connection:
            content = connection.execute(_CONTENT, of(scope)).scalar_one_or_none()
        if content is None:
            return UserSettings()
        try:
            return UserSettings.model_validate_json(content)
        except ValidationError as exc:
            raise UnreadableSettingsError(scope.user, exc.errors(include_input=False)[0]["msg"]) from exc

    def put(self, scope: Scope, settings: UserSettings) -> None:
        with self._log.connection("write settings to", writes=True) as connection:
            connection.execute(delete(user_settings).where(rows_of(user_settings, scope)))
            if settings != UserSettings():
                row = {**row_key(scope), "content": settings.model_dump_json()}
                connection.execute(insert(user_settings).values(**row))

    def erase(self, scope: Scope) -> int:
        where = rows_of(user_settings, scope)
        with self._log.connection("read settings from") as connection:
            if connection.execute(select(user_settings.c.content).where(where)).first() is None:
                return 0
        with self._log.connection("erase settings from", erases=True) as connection:
            return connection.execute(delete(user_settings).where(where)).rowcount
