"""The steps of a reference trajectory: what the benchmark holds to be right in a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

CLARIFICATION = "ask_user_for_required_parameters"
"""Pseudo-action of a reference that stands for a question to the person."""
FINAL_ANSWER = "prepare_to_answer"
"""Pseudo-action of a reference that stands for the final reply."""
PSEUDO_ACTIONS = frozenset({CLARIFICATION, FINAL_ANSWER})


class Action(BaseModel):
    """What a reference step calls: a tool, or one of the `PSEUDO_ACTIONS`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    arguments: dict[str, Any] | str = {}
    """As JSON values; some data sets write them as JSON text."""


class ReferenceStep(BaseModel):
    """One node of a reference trajectory."""

    # Data sets carry notes of their authors in further fields.
    model_config = ConfigDict(frozen=True, extra="ignore")

    action: Action
    observation: Any = None
    """What the tool returned; for a pseudo-action what the assistant says."""
    user_input: str | None = None
    """The person's reply to a question."""
    dependency_list: tuple[int, ...] = ()
    """Indices of the steps of the same list that come before this one."""

    @property
    def is_tool_call(self) -> bool:
        return self.action.name not in PSEUDO_ACTIONS


def arguments(step: ReferenceStep) -> dict[str, Any]:
    """Return the arguments of a reference step as values; those written as unreadable text are none."""
    written = step.action.arguments
    if isinstance(written, Mapping):
        return dict(written)
    try:
        value = json.loads(written)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
