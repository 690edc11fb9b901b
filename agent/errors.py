"""What can go wrong in `agent`.

AgentError
├── UnexpectedEventError      an event that does not answer the pending action
├── ObservationCountError     an executor that returned too few or too many observations
├── MissingCheckpointerError  questions that must wait, and nothing to keep the turn meanwhile
├── ForeignTurnError          a turn that is resumed for somebody else
├── ToolsetError              a demo toolset that does not exist or cannot be read
├── PlannerSettingsError      a planner that cannot be set up
└── PlannerError              a planner that could not propose
    ├── PlannerTimeoutError       the endpoint took too long
    ├── PlannerRateLimitError     the endpoint refuses for now; `retry_after_s` where it said so
    ├── PlannerRefusedError       the endpoint refuses this request or this key (4xx)
    ├── PlannerUnavailableError   the endpoint cannot be reached or fails (5xx)
    └── PlannerOutputError        the endpoint answered something that is no chat completion
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from clarifier.decision import Usage  # which takes long to import


class AgentError(Exception):
    """The root of everything `agent` raises on purpose."""


class UnexpectedEventError(AgentError, ValueError):
    """An event that does not answer the pending action: the driver skipped or repeated a step."""

    def __init__(self, *, action: str, event: str) -> None:
        self.action = action
        self.event = event
        super().__init__(f"the turn waits for what comes of {action!r} and got the event {event!r}")


class ObservationCountError(AgentError, ValueError):
    """An executor must return one observation a call."""

    def __init__(self, *, expected: int, got: int) -> None:
        self.expected = expected
        self.got = got
        super().__init__(
            f"an executor returns one observation a call, in order: expected {expected}, got {got}. "
            "Return Observation(error=…) for a call that failed"
        )


class MissingCheckpointerError(AgentError):
    """Without a person at hand a question interrupts the graph, which needs a checkpointer to go on later."""

    def __init__(self) -> None:
        super().__init__(
            "the context has no `user`, so a question must interrupt the graph and wait for its answer, and that needs "
            "a checkpointer: pass one to build_graph(checkpointer=…) with a thread_id in the config, "
            "or a `user` in the context"
        )


class ForeignTurnError(AgentError):
    """A turn that was started for one scope and is resumed for another."""

    def __init__(self, turn_id: str) -> None:
        self.turn_id = turn_id
        super().__init__(
            f"turn {turn_id!r} was started for another scope than the context has; "
            "name tenant, user and agent in the thread_id, so that two people never share a thread"
        )


class ToolsetError(AgentError, ValueError):
    """A demo toolset that does not exist or cannot be read."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no toolset is called {name!r}; choose one of {', '.join(self.known)}")


class PlannerSettingsError(AgentError):
    """A planner that cannot be set up; the message names the setting."""


class PlannerError(AgentError):
    """A planner that could not propose; `usage` is what was spent on it, `notes` and `attempts` as in `Proposal`."""

    usage: Usage | None = None
    notes: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()

    def after(self, usage: Usage, notes: Iterable[str] = (), attempts: Iterable[str] = ()) -> Self:
        """Return this error with what was spent, noted and tried before it."""
        self.usage = usage if self.usage is None else usage + self.usage
        self.notes = (*notes, *self.notes)
        self.attempts = (*attempts, *self.attempts)
        return self


class PlannerTimeoutError(PlannerError):
    """The endpoint took longer than the timeout, also when tried again."""


class PlannerRateLimitError(PlannerError):
    """The endpoint still refuses for now after the retries."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class PlannerRefusedError(PlannerError):
    """The endpoint refuses this request or this key; trying again would not help."""

    def __init__(self, message: str, *, status: int, parameter: str | None = None) -> None:
        self.status = status
        self.parameter = parameter
        """The part of the request that the endpoint names."""
        super().__init__(message)


class PlannerUnavailableError(PlannerError):
    """The endpoint cannot be reached, or fails on its side."""

    def __init__(self, message: str, *, retry_after_s: float | None = None, status: int | None = None) -> None:
        self.retry_after_s = retry_after_s
        self.status = status
        """`None` where nobody answered."""
        super().__init__(message)


class PlannerOutputError(PlannerError):
    """The endpoint answered something that is no chat completion."""
