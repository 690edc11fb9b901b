"""What a person has settled about their memory: whether it is paused, and how long evidence is used."""

from __future__ import annotations

from typing import Annotated, Protocol, runtime_checkable

from pydantic import BaseModel, Field

from memory.evidence import Kind
from memory.records import Scope


class UserSettings(BaseModel, frozen=True, extra="forbid"):
    """The choices of one person. They outlive the erasure of turns, and end with that of everything."""

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

    def erase(self, scope: Scope) -> int:
        """Erase the choices of `scope` for good, and return 1 if there were any, else 0."""
        ...


@runtime_checkable
class Settled(Protocol):
    """A shelf of turns whose person may have settled something."""

    @property
    def settings(self) -> UserSettings:
        """What that is."""
        ...
