"""Data sets by name: the bundled personas, any folder in the topic format, or one on the hub (`hf:OWNER/NAME@REV`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from benchmark_adapter.data.dataset import ReferenceTurn, Session, load_sessions
from benchmark_adapter.data.hub import fetch, parse_hub_name
from benchmark_adapter.provenance import digest

BUNDLED = "bundled"
"""Names the data set that ships with the package."""


def read_data(data: Path | None, toolsets: Path | None, seed: int) -> tuple[Session, ...]:
    """Return the sessions of a data set.

    Args:
        data: As for `located`.
        toolsets: Where toolset numbers point to; `None`: in or beside the data.
        seed: Of the draw among topics of one point in time.

    Raises:
        DatasetError: If a file is not as it should be.
        HubError: If the data set is on the hub and cannot be had.
    """
    with located(data) as path:
        return load_sessions(path, toolsets=toolsets, seed=seed)


@contextmanager
def located(data: Path | None) -> Iterator[Path]:
    """Hand out where a data set lies on this machine.

    Args:
        data: A topic file, a folder of them, `hf:OWNER/NAME@REVISION`, or `None` for the bundled personas.

    Raises:
        HubError: If the data set is on the hub and cannot be had.
    """
    if data is None:
        with resources.as_file(resources.files("benchmark_adapter") / BUNDLED) as folder:
            yield folder
    elif hub := parse_hub_name(data.as_posix()):
        yield fetch(hub)
    else:
        yield data


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
