"""The control of personalisation: persons who remember somebody else's turns (`--memory-of`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark_adapter.data.dataset import Session
from benchmark_adapter.errors import BenchmarkError, UnknownPersonaError
from benchmark_adapter.replay.past import View, past_turn
from memory.records import Turn


def givers(sessions: Sequence[Session], persona: str) -> Mapping[str, Session]:
    """Return whose turns each person is given: `persona`'s, and `persona` those of the next file.

    After the last file comes the first.

    Args:
        sessions: All persons of the data, in file order.
        persona: Name of a session.

    Raises:
        UnknownPersonaError: If nobody is called so.
        BenchmarkError: If there is nobody else.
    """
    names = [session.name for session in sessions]
    if persona not in names:
        raise UnknownPersonaError(persona, names)
    if len(names) == 1:
        raise BenchmarkError(f"--memory-of needs data of at least two persons, got {persona!r} alone; add another file")
    position = names.index(persona)
    giver, next_one = sessions[position], sessions[(position + 1) % len(names)]
    return {name: next_one if name == persona else giver for name in names}


def given_turn(giver: Session, index: int, *, view: View) -> Turn | None:
    """Return what is remembered in place of the turn at `index`; `None` once the giver's turns are used up.

    Its id is none that a turn of the person's own has, so that it passes for nobody's evidence.
    """
    if index >= len(giver.turns):
        return None
    remembered = past_turn(giver.turns[index], view=view)
    return remembered.model_copy(update={"turn_id": f"other-{remembered.turn_id}"})
