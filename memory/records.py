"""What is remembered: whose it is (a scope) and what happened (a turn)."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated, Literal

from pydantic import BaseModel, Field, JsonValue, field_validator, model_validator

from memory.errors import ScopeError
from memory.storable import storable

MAX_ID_BYTES = 512
"""Of a part of a scope, and of a turn id: all four together fit into one key of PostgreSQL's index (2,704 bytes)."""


def id_fault(value: object) -> str | None:
    """Return why `value` cannot be an id that every database stores as it is, or `None` where it can."""
    if not isinstance(value, str) or not value.strip():
        return "is no text, or blank"
    if "\x00" in value:
        return "holds a NUL"
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        return "holds half a surrogate pair"
    return f"takes {size} bytes, more than {MAX_ID_BYTES}" if size > MAX_ID_BYTES else None


class Scope(BaseModel, frozen=True, extra="forbid", strict=True):
    """Whose memory is meant. Every read and write of the store needs one; two scopes share nothing.

    The parts are opaque and compare character by character: case, accents, widths and wildcards are as any other.

    Raises:
        ScopeError: If a part is not text, is empty or blank, holds a NUL or half a surrogate pair, or takes more than
            512 bytes as UTF-8.
    """

    user: str
    tenant: str = "default"
    agent: str = "default"

    def __init__(self, user: str, *, tenant: str = "default", agent: str = "default") -> None:
        _check_parts(user, tenant, agent)
        super().__init__(user=user, tenant=tenant, agent=agent)

    @property
    def key(self) -> tuple[str, str, str]:
        """The parts in storage order: tenant, user, agent."""
        _check_parts(self.user, self.tenant, self.agent)  # `model_construct` and `model_copy` check nothing
        return (self.tenant, self.user, self.agent)


def _check_parts(user: object, tenant: object, agent: object) -> None:
    for name, value in (("user", user), ("tenant", tenant), ("agent", agent)):
        if fault := id_fault(value):
            shown = f"{value[:80]!r}, which {fault}" if isinstance(value, str) and value.strip() else repr(value)
            raise ScopeError(f"a scope needs a {name} id that is text and not blank; got {shown}")


class ToolCall(BaseModel, frozen=True, extra="forbid"):
    """A call of a tool, as proposed or as made."""

    id: str
    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class Observation(BaseModel, frozen=True, extra="forbid"):
    """What a tool gave back: its content, or the text of its error."""

    content: JsonValue = None
    error: str | None = None
    marks: tuple[str, ...] = Field(default=(), exclude_if=lambda marks: not marks)
    """Where `content` is text for what JSON cannot hold, as `place: type` (`memory.storable`)."""

    @classmethod
    def of(cls, result: object) -> Observation:
        """Return the observation of whatever a tool gave back."""
        content, marks = storable(result)
        return cls(content=content, marks=marks)


UNRECORDED = Observation(error="no result was recorded")
"""What stands for the result of a call that a chat log lacks."""


class CallStep(BaseModel, frozen=True, extra="forbid"):
    """Tool calls made together, each with its observation (same order, same length)."""

    kind: Literal["calls"] = "calls"
    calls: tuple[ToolCall, ...] = Field(min_length=1)
    observations: tuple[Observation, ...]

    @model_validator(mode="after")
    def _paired(self) -> CallStep:
        if len(self.calls) != len(self.observations):
            raise ValueError(f"{len(self.calls)} calls need as many observations, got {len(self.observations)}")
        return self


class QuestionStep(BaseModel, frozen=True, extra="forbid"):
    """Something said to the person within the turn, and what they answered (`None`: nothing)."""

    kind: Literal["question"] = "question"
    question: str
    answer: str | None = None
    slots: tuple[str, ...] = ()
    """The slots asked for as `tool.argument`; empty where only the wording is known."""


Step = Annotated[CallStep | QuestionStep, Field(discriminator="kind")]


class Turn(BaseModel, frozen=True, extra="forbid"):
    """One user request with all that followed until the final reply.

    The order of turns is that of the log. `turn_id` is unique within a scope and opaque.
    """

    turn_id: str = Field(min_length=1)
    request: str
    steps: tuple[Step, ...] = ()
    reply: str | None = None
    time: datetime | None = None
    """When the request came, with its offset from UTC; naive where the zone is unknown, `None` where the time is."""
    topic: str | None = None
    """The topic, where topic boundaries are known."""

    @field_validator("time")
    @classmethod
    def _at_its_offset(cls, time: datetime | None) -> datetime | None:
        """Return the time at a fixed offset, as JSON has it: one of a zone equals no other in the hour of a change."""
        offset = time.utcoffset() if time is not None else None
        return time if time is None or offset is None else time.replace(tzinfo=timezone(offset), fold=0)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call of the turn, in order."""
        return tuple(call for step in self.steps if isinstance(step, CallStep) for call in step.calls)
