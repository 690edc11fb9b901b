"""The seam to turn logs: the append-only truth that everything else in `memory` is derived from."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from memory.errors import RecordError
from memory.records import Scope, Turn, id_fault


class LogEntry(NamedTuple):
    """A turn and its place in the log of its scope."""

    position: int
    """From 0, growing; turns that were forgotten leave gaps."""
    turn: Turn


class LogVersion(NamedTuple):
    """What the log of a scope was like at one moment; another version means that it changed."""

    epoch: int
    """Drawn at random when the scope got its first turn."""
    appended: int
    """How many positions were given out."""
    erased: int
    """How often turns were erased, or grew."""

    def only_grew_to(self, later: LogVersion) -> bool:
        """Say whether nothing but new turns lies between this version and a later one."""
        return (self.epoch, self.erased) == (later.epoch, later.erased)


class TurnLog(Protocol):
    """Every acknowledged turn of every scope. Two scopes share nothing, however alike their ids look."""

    def append(self, scope: Scope, turn: Turn) -> int:
        """Store `turn` durably as the last of `scope` and return its position.

        The same turn again changes nothing and returns the position it has.

        Raises:
            RecordError: If another turn has this id, or the turn cannot be stored without loss.
        """
        ...

    def append_all(self, scope: Scope, turns: Sequence[Turn]) -> list[int]:
        """Store `turns` in this order as `append` does each, and return their positions; all at once takes less time.

        Raises:
            RecordError: As `append`; those before are stored.
        """
        ...

    def grow(self, scope: Scope, turn: Turn) -> int:
        """Put `turn` in the place of the one of its id, which must be its beginning, and return its position.

        Nothing that was said is lost so (`has_grown_to`). To readers it is as if turns had been erased.

        Raises:
            RecordError: If that one says something else or is not there, or the turn cannot be stored without loss.
        """
        ...

    def version(self, scope: Scope) -> LogVersion | None:
        """Return the version of the log of `scope`, cheaply; `None` where it has no turns."""
        ...

    def entries(self, scope: Scope, *, after: int = -1) -> tuple[LogEntry, ...]:
        """Return the turns of `scope` at positions above `after`, oldest first."""
        ...

    def turns(self, scope: Scope) -> tuple[Turn, ...]:
        """Return the turns of `scope`, oldest first."""
        ...

    def scopes(self) -> Mapping[Scope, int]:
        """Return every scope with the number of its turns, sorted by tenant, user and agent; for upkeep only."""
        ...

    def forget(self, scope: Scope, turn_ids: Collection[str] | None = None) -> int:
        """Erase these turns of `scope` (`None`: all of them) and return how many there were."""
        ...

    @property
    def residue(self) -> str | None:
        """Where bytes of what was erased may stay, and what its operator does about it; `None`: nowhere."""
        ...

    def close(self) -> None:
        """Release the database; the log is of no use afterwards."""
        ...


def encode_turn(turn: Turn) -> str:
    """Return the turn as JSON, from which the same turn can be read again.

    Raises:
        RecordError: If something would be lost, as with a number that is not finite, half a surrogate pair, or
            objects in objects so deep that no reader takes them.
    """
    if fault := id_fault(turn.turn_id):
        raise RecordError(f"the turn id {turn.turn_id[:80]!r} {fault}, which no database stores; give it another one")
    try:
        content = turn.model_dump_json()
    except (PydanticSerializationError, ValueError) as exc:
        raise RecordError(f"turn {turn.turn_id!r} cannot be written as JSON: {exc}") from exc
    try:
        again = Turn.model_validate_json(content)
    except ValidationError as exc:
        reason = exc.errors()[0]["msg"]
        raise RecordError(
            f"turn {turn.turn_id!r} could not be read back ({reason}); nest arguments and observations at most 100 deep"
        ) from exc
    if again != turn:
        raise RecordError(
            f"turn {turn.turn_id!r} would be read back as another one; use finite numbers and plain JSON in arguments "
            "and observations"
        )
    return content


def decode_turn(content: str, place: str) -> Turn:
    """Return the turn that was written as `content`; `place` names it in the error.

    Raises:
        RecordError: If it is not a turn.
    """
    try:
        return Turn.model_validate_json(content)
    except ValidationError as exc:
        first = exc.errors(include_input=False)[0]  # the text of the exception quotes the person
        where = ".".join(map(str, first["loc"])) or "record"
        raise RecordError(f"the record at {place} is not a turn ({where}: {first['msg']})") from None


def is_same_turn(content: str, other: str) -> bool:
    """Say whether two turns written as JSON are the same; the order of arguments says nothing."""
    return content == other or _sorted_keys(content) == _sorted_keys(other)


def _sorted_keys(content: str) -> str:
    return json.dumps(json.loads(content), sort_keys=True)
