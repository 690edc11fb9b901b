"""What a person has settled about their memory: whether it is paused, and how long evidence is used."""

from __future__ import annotations

from typing import Annotated, Protocol

from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import delete, insert, select

from memory.errors import RecordError
from memory.evidence import Kind
from memory.records import Scope
from memory.schema import user_settings
from memory.sql_turn_log import SqlTurnLog, row_key, rows_of


class UserSettings(BaseModel, frozen=True, extra="forbid"):
    """The choices of one person. They outlive the erasure of what is remembered."""

    is_paused: bool = False
    """Whether turns are neither remembered nor used."""
    retention_days: dict[Kind, Annotated[float, Field(ge=0)]] = {}
    """For how long evidence of a kind is used; kinds that are not named are used for ever."""


class SettingsStore(Protocol):
    """Keeps the choices of every scope."""

    def get(self, scope: Scope) -> UserSettings:
        """Return the choices of `scope`, the defaults where it made none."""
        ...

    def put(self, scope: Scope, settings: UserSettings) -> None:
        """Keep the choices of `scope`."""
        ...


class SqlSettingsStore:
    """Keeps them in the database of a turn log, which it does not close.

    Args:
        log: The turn log.
    """

    def __init__(self, log: SqlTurnLog) -> None:
        self._log = log

    def get(self, scope: Scope) -> UserSettings:
        with self._log.connection("read settings from") as connection:
            query = select(user_settings.c.content).where(rows_of(user_settings, scope))
            content = connection.execute(query).scalar_one_or_none()
        if content is None:
            return UserSettings()
        try:
            return UserSettings.model_validate_json(content)
        except ValidationError as exc:
            raise RecordError(f"the settings of {scope} cannot be read: {exc}") from exc

    def put(self, scope: Scope, settings: UserSettings) -> None:
        with self._log.connection("write settings to", writes=True) as connection:
            connection.execute(delete(user_settings).where(rows_of(user_settings, scope)))
            if settings != UserSettings():
                row = {**row_key(scope), "content": settings.model_dump_json()}
                connection.execute(insert(user_settings).values(**row))
