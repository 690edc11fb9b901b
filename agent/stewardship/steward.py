"""A person in charge of their own memory: seeing, correcting, forgetting, taking along and pausing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches

from pydantic import JsonValue

from agent.errors import AgentError
from agent.printable import printable
from agent.stewardship.slot_names import meant_slots
from memory.errors import UnreadableSettingsError, UnreadableTurnError
from memory.evidence import Kind, Slot
from memory.language.values.json_text import json_value
from memory.records import Turn
from memory.state.corrections import correction
from memory.state.extraction import extract_all
from memory.state.transcripts import export_line
from memory.state.user_state import UserState, fold, has_lapsed
from memory.storage.user_memory import Forgotten, UserMemory
from memory.storage.user_settings import UserSettings

_NUMBERED = re.compile(r"c(\d+)")


class StewardError(AgentError, ValueError):
    """What a person asked for names nothing that is remembered."""


class Steward:
    """Does with one person's memory what the person asks for. It sees all of it, also while it is paused.

    Args:
        memory: Of the person.
    """

    def __init__(self, memory: UserMemory) -> None:
        self._memory = memory

    @property
    def settings(self) -> UserSettings:
        """What the person has settled."""
        return self._memory.settings

    def turns(self) -> tuple[Turn, ...]:
        """Return all that is remembered, oldest first."""
        return self._memory.kept_turns()

    def state(self, as_of: int | datetime | None = None, *, now: datetime | None = None) -> UserState:
        """Return what is believed of the person, `now` (by default at the last turn) or as of a turn or time."""
        return fold(
            self.turns(),
            as_of=as_of,
            now=now if as_of is None else None,
            retention=self.settings.retention_days,
            extractor=self._memory.extractor,
        )

    def moment(self, text: str) -> int | datetime:
        """Return what "as of" means: a turn id, a position in the log, or a time in ISO 8601.

        Raises:
            StewardError: If it is none of them.
        """
        turns = self.turns()
        for position, turn in enumerate(turns):
            if turn.turn_id == text:
                return position
        try:
            if text.isdecimal() and int(text) < len(turns):
                return int(text)
            return datetime.fromisoformat(text)
        except ValueError as exc:
            raise StewardError(
                f"{text!r} is no turn of `stead turns`, no position and no time like 2026-03-09T12:00"
            ) from exc

    def slot(self, name: str) -> Slot:
        """Return the slot called `TOOL.ARGUMENT`; one that is known goes before one that could be meant.

        Raises:
            StewardError: If it has no dot.
        """
        for slot in self.state().slots:
            if str(slot) == name:
                return slot
        tool, _, argument = name.partition(".")
        if not tool or not argument:
            raise StewardError(f"a slot is called TOOL.ARGUMENT, as `stead state show` lists them; got {name!r}")
        return Slot(tool, argument)

    def like(self, slot: Slot) -> str | None:
        """Return the name of the known slot that is spelt most like `slot`; `None` if it is known, or none is."""
        known = [str(one) for one in self.state().slots]
        return None if str(slot) in known else next(iter(get_close_matches(str(slot), known, 1, cutoff=0.8)), None)

    def correct(self, slot: Slot, value: JsonValue, *, now: datetime | None, is_negated: bool = False) -> Turn:
        """Append a turn that says what `slot` is, or is not, and return it.

        Raises:
            StewardError: If `value` is null or a blank text.
        """
        if value is None or (isinstance(value, str) and not value.strip()):
            raise StewardError(
                f"a value was expected for {slot}, got {value!r}; `stead state forget` takes away what is remembered"
            )
        numbers = (int(match[1]) for turn in self.turns() if (match := _NUMBERED.fullmatch(turn.turn_id)))
        turn = correction(slot, value, turn_id=f"c{max(numbers, default=0) + 1}", time=now, is_negated=is_negated)
        self._memory.remember(turn, even_if_paused=True)
        return turn

    def forget_all(self) -> Forgotten:
        """Erase everything."""
        return self._memory.forget()

    def turns_about(self, what: str) -> list[str]:
        """Return the turn called `what`, or every turn that says something for the slot called so, oldest first.

        Raises:
            StewardError: If it is neither.
        """
        try:
            turns = self.turns()
        except UnreadableTurnError as exc:
            if exc.turn_id != what:
                raise
            return [what]
        if any(turn.turn_id == what for turn in turns):
            return [what]
        found = extract_all(turns, self._memory.extractor)
        turn_ids = dict.fromkeys(piece.turn_id for piece in found if str(piece.slot) == what)
        if not turn_ids:
            meant = meant_slots(what, [str(slot) for slot in self.state().slots])
            hint = f"did you mean {' or '.join(meant)}? Nothing" if meant else "nothing"
            raise StewardError(
                f"{what!r} is neither a turn of `stead turns` nor a slot of `stead state show`; {hint} is forgotten"
            )
        return list(turn_ids)

    def forget(self, what: str) -> Forgotten:
        """Erase the turns about `what` (see `turns_about`).

        Raises:
            StewardError: If there are none.
        """
        return self._memory.forget_turns(self.turns_about(what))

    def forget_lapsed(self, now: datetime) -> Forgotten:
        """Erase the turns that say something of which nothing is kept any longer by the retention that was settled."""
        retention = self.settings.retention_days
        lapsed: dict[str, bool] = {}
        for piece in extract_all(self.turns()):
            lapsed[piece.turn_id] = lapsed.get(piece.turn_id, True) and has_lapsed(piece, now, retention)
        return self._memory.forget_turns([turn_id for turn_id, is_lapsed in lapsed.items() if is_lapsed])

    def export(self) -> Iterator[str]:
        """Yield a line a turn; importing them gives the same state."""
        return (export_line(self._memory.scope.user, turn) for turn in self.turns())

    def pause(self) -> None:
        """From now on remember nothing and use nothing of what is remembered."""
        self._settle(self._readable_settings(), is_paused=True)

    def resume(self) -> None:
        """End a pause; what is remembered from before is used again."""
        self._settle(self._readable_settings(), is_paused=False)

    def retain(self, kind: Kind, days: float | None) -> None:
        """Use evidence of `kind` for so many days; `None`: for ever."""
        settings = self.settings
        others = {one: held for one, held in settings.retention_days.items() if one != kind}
        self._settle(settings, retention_days=others if days is None else {**others, kind: days})

    def _settle(self, settings: UserSettings, **changes: object) -> None:
        self._memory.settle(UserSettings.model_validate({**settings.model_dump(), **changes}))

    def _readable_settings(self) -> UserSettings:
        """Return what the person has settled, and as if that were nothing where it cannot be read."""
        try:
            return self.settings
        except UnreadableSettingsError:
            return UserSettings()


def as_value(text: str) -> JsonValue:
    """Return what a person typed as a value: JSON where it is that, else the text itself."""
    try:
        return json_value(text)
    except ValueError:
        return text


def listed(turns: Sequence[Turn]) -> list[str]:
    """Return a line a turn: its id, time and request, and the tools it called."""
    lines = []
    for turn in turns:
        when = f"  {turn.time:%Y-%m-%d %H:%M}" if turn.time is not None else ""
        tools = ", ".join(dict.fromkeys(call.name for call in turn.calls))
        line = f"{turn.turn_id}{when}  {' '.join(turn.request.split())}{f'  [{tools}]' if tools else ''}"
        lines.append(printable(line))
    return lines
