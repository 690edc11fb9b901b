"""What can go wrong in `clarifier`.

CalibrationError
├── HeadFormatError      a head's file that cannot be read, or is of another version
└── UnknownPolicyError   a policy name that does not exist
"""

from __future__ import annotations

from collections.abc import Iterable


class CalibrationError(Exception):
    """The root of everything `clarifier` raises on purpose."""


class HeadFormatError(CalibrationError, ValueError):
    """A head's file that cannot be read, or that another version of the format wrote.

    Args:
        where: The file, as given.
        problem: What was expected and what came.
    """

    def __init__(self, where: str, problem: str) -> None:
        self.where = where
        self.problem = problem
        super().__init__(f"the heads in {where!r} cannot be used: {problem}; fit them again or name another file")


class UnknownPolicyError(CalibrationError, ValueError):
    """A policy name that does not exist."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"no policy is called {name!r}; choose one of {', '.join(self.known)}")
