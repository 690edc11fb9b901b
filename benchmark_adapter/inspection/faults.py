"""Faults of a data set, each with its place and its mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "warning"]
"""`error`: it cannot be run, or not be scored as its author means it; `warning`: it can, but look at it."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    severity: Severity
    kind: str
    """A stable name, for instance `unknown-tool`."""
    problem: str
    """What was expected and what came."""
    mend: str
    path: Path = Path()
    line: int | None = None
    """1-based line in the file; `None` where the fault is not in one line."""
    topic: str | int | None = None
    turn: int | None = None
    """0-based, as in `gold.evidence`."""
    step: int | None = None
    """0-based, as in `dependency_list`."""

    def at(
        self,
        *,
        path: Path | None = None,
        line: int | None = None,
        topic: str | int | None = None,
        turn: int | None = None,
        step: int | None = None,
    ) -> Fault:
        """Return the fault with those parts of its place that it lacks so far."""
        given = {"line": line, "topic": topic, "turn": turn, "step": step}
        missing: dict[str, Any] = {key: value for key, value in given.items() if getattr(self, key) is None}
        if path is not None and self.path == Path():
            missing["path"] = path
        return replace(self, **missing)

    @property
    def place(self) -> str:
        """`file:line: topic 'x', turn 1, step 2`, as far as it is known."""
        file = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        inside = [
            f"{name} {value!r}"
            for name, value in zip(("topic", "turn", "step"), self._inside, strict=True)
            if value is not None
        ]
        return f"{file}: {', '.join(inside)}" if inside else file

    @property
    def _inside(self) -> tuple[str | int | None, ...]:
        return (self.topic, self.turn, self.step)

    def as_json(self) -> dict[str, Any]:
        """Return the fault with its path as text."""
        return asdict(self) | {"path": str(self.path)}


def error(kind: str, problem: str, mend: str, *, turn: int | None = None, step: int | None = None) -> Fault:
    """Return an error whose place is to be completed."""
    return Fault("error", kind, problem, mend, turn=turn, step=step)


def warning(kind: str, problem: str, mend: str, *, turn: int | None = None, step: int | None = None) -> Fault:
    """Return a warning whose place is to be completed."""
    return Fault("warning", kind, problem, mend, turn=turn, step=step)


@dataclass(frozen=True)
class ValidationReport:
    """What was looked at, and all that is wrong in it by file, line, turn and step."""

    files: int
    topics: int
    turns: int
    faults: tuple[Fault, ...]

    @property
    def errors(self) -> int:
        return self._count("error")

    @property
    def warnings(self) -> int:
        return self._count("warning")

    def _count(self, severity: Severity) -> int:
        return sum(fault.severity == severity for fault in self.faults)

    def as_json(self) -> dict[str, Any]:
        """Return the report as one JSON object."""
        return {
            "files": self.files,
            "topics": self.topics,
            "turns": self.turns,
            "errors": self.errors,
            "warnings": self.warnings,
            "faults": [fault.as_json() for fault in self.faults],
        }


def in_reading_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults of one file by line, turn and step, each once; those of the whole come first."""

    def key(fault: Fault) -> tuple[int, int, int]:
        return (fault.line or 0, -1 if fault.turn is None else fault.turn, -1 if fault.step is None else fault.step)

    return tuple(sorted(dict.fromkeys(faults), key=key))
