"""Data sets by name: the bundled personas, or any folder in the topic format."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from benchmark_adapter.dataset import ReferenceTurn, Session, load_sessions
from benchmark_adapter.manifest import digest

BUNDLED = "bundled"
"""Names the data set that ships with the package."""


def read_data(data: Path | None, toolsets: Path | None, seed: int) -> tuple[Session, ...]:
    """Return the sessions of a data set, the bundled one for `None`."""
    if data is not None:
        return load_sessions(data, toolsets=toolsets, seed=seed)
    with resources.as_file(resources.files("benchmark_adapter") / BUNDLED) as folder:
        return load_sessions(folder, toolsets=toolsets, seed=seed)


def data_hash(sessions: Sequence[Session]) -> str:
    """Return the SHA-256 of everything in a data set that a run or a scorer reads."""
    return digest([[session.name, [_turn_content(turn) for turn in session.turns]] for session in sessions])


def _turn_content(turn: ReferenceTurn) -> list[Any]:
    return [
        turn.request,
        list(turn.tools),
        turn.env_info,
        [step.model_dump(mode="json") for step in turn.answer],
        turn.task_type,
        turn.subtype,
        turn.topic_id,
        turn.gold.model_dump(mode="json") if turn.gold else None,
    ]
