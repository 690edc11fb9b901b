"""Remembers chat logs in bulk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.errors import MemoryStoreError, NoJsonError, RecordError
from memory.language.values.value_forms import wall_time
from memory.memory import Memory
from memory.records import Scope, Turn
from memory.state.transcripts import Conversation, ExportedTurn, read_line, turns_of
from memory.storage.turn_growth import has_grown_to
from memory.storage.user_memory import UserMemory

_LINES_AT_ONCE = 64
"""Whose turns are acknowledged together where all of them are new."""

OnProgress = Callable[[int, int], None]
"""Told how many lines are done, and of how many."""


@dataclass
class Imported:
    """What became of a file."""

    lines: int = 0
    """Lines with something on them."""
    no_json: int = 0
    """Lines that are no JSON."""
    users: int = 0
    """Whose lines were taken in; those who have paused are none."""
    added: int = 0
    """Turns that are new."""
    grown: int = 0
    """Turns that were remembered up to a point, and now to their end."""
    known: int = 0
    """Turns that were remembered before."""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Lines that were skipped, by number from 1, with what is wrong; in order of number."""
    unread: dict[str, list[int]] = field(default_factory=dict)
    """Keys of messages that nothing reads, each with the numbers of the lines that were taken in without it."""


@dataclass(frozen=True)
class _Line:
    number: int
    user: str
    turns: tuple[Turn, ...]
    is_exported: bool
    unread_keys: tuple[str, ...]


def import_lines(
    lines: Iterable[str], memory: Memory, *, tenant: str = "default", on_progress: OnProgress = lambda done, of: None
) -> Imported:
    """Remember the turns of `lines`; of what is remembered already only what has grown changes.

    The conversations of a person are remembered oldest first where all of them have times, else in the order of the
    file, as exported turns always are. All lines are read before the first is remembered.

    Args:
        lines: Of a chat log or an export (`memory.state.transcripts`); blank ones are passed over.
        memory: Of the application.
        tenant: Whose users they are.
        on_progress: Called after each line that was remembered or skipped.

    Raises:
        MemoryStoreError: If the memory fails; what was remembered until then stays, and importing again goes on.
    """
    imported = Imported()
    by_user: dict[str, list[_Line]] = {}
    for line in _read(lines, imported):
        by_user.setdefault(line.user, []).append(line)
    done = len(imported.faults)
    for user, held in by_user.items():
        person = memory.user(Scope(user, tenant=tenant))
        imported.users += not person.settings.is_paused
        ordered = _in_order(held)
        known = {turn.turn_id: turn for turn in person.kept_turns()}
        for start in range(0, len(ordered), _LINES_AT_ONCE):
            some = ordered[start : start + _LINES_AT_ONCE]
            stored = _remember_new(some, person, known)
            for line in some:
                _remember(line, person, known, stored, imported)
                done += 1
                on_progress(done, imported.lines)
    imported.faults.sort()
    return imported


def _read(lines: Iterable[str], imported: Imported) -> Iterator[_Line]:
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        imported.lines += 1
        try:
            line = read_line(text)
            Scope(line.user)  # checks it
            is_exported = isinstance(line, ExportedTurn)
            unread = () if isinstance(line, ExportedTurn) else tuple(sorted(line.unread_keys))
            yield _Line(number, line.user, _turns(line), is_exported, unread)
        except (RecordError, MemoryStoreError) as exc:
            imported.no_json += isinstance(exc, NoJsonError)
            imported.faults.append((number, str(exc)))


def _turns(line: Conversation | ExportedTurn) -> tuple[Turn, ...]:
    return (line.turn,) if isinstance(line, ExportedTurn) else turns_of(line)


def _in_order(lines: list[_Line]) -> list[_Line]:
    times: list[datetime] = [time for line in lines if line.turns and (time := line.turns[0].time) is not None]
    if len(times) < len(lines) or any(line.is_exported for line in lines):
        return lines
    order = sorted(range(len(lines)), key=lambda index: wall_time(times[index]))
    return [lines[index] for index in order]


def _remember_new(lines: Sequence[_Line], person: UserMemory, known: Mapping[str, Turn]) -> Collection[str]:
    """Remember the turns of lines of which nothing is known, all at once, and return their ids."""
    new: dict[str, Turn] = {}
    for line in lines:
        turns = {turn.turn_id: turn for turn in line.turns}
        if len(turns) == len(line.turns) and turns.keys().isdisjoint(known) and turns.keys().isdisjoint(new):
            new.update(turns)
    try:
        person.remember_all(new.values())
    except RecordError:  # which line has it shows when they are remembered one by one
        return ()
    return new


def _remember(
    line: _Line, person: UserMemory, known: dict[str, Turn], stored: Collection[str], imported: Imported
) -> None:
    if person.settings.is_paused:
        user = person.scope.user
        imported.faults.append((line.number, f"{user!r} has paused; `stead state resume {user}` ends that"))
        return
    try:
        for turn in line.turns:
            held = known.get(turn.turn_id)
            if held is None:
                if turn.turn_id not in stored:
                    person.remember(turn)
                imported.added += 1
            elif has_grown_to(turn, held):  # the same, or taken down earlier
                imported.known += 1
                continue
            elif has_grown_to(held, turn):
                person.grow(turn)
                imported.grown += 1
            else:
                person.remember(turn)  # which says that another turn has its id
            known[turn.turn_id] = turn
        for key in line.unread_keys:
            imported.unread.setdefault(key, []).append(line.number)
    except RecordError as exc:
        imported.faults.append((line.number, str(exc)))
