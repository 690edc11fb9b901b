"""What can go wrong in `clarifier`.

CalibrationError
├── HeadFormatError          a head's file that cannot be read, or is of another version
├── UnknownPolicyError       a policy name that does not exist
├── LabelsError              labels that no head can be fitted on: too few, or all alike
├── CertificateRefusedError  a promise that the calibration set cannot back
└── MissingExtraError        a library of the extra `calibration` is not installed
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


class LabelsError(CalibrationError, ValueError):
    """Labels that no head can be fitted on: too few, or all alike.

    Args:
        problem: What was expected and what came.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(f"heads cannot be fitted: {problem}; give more runs or a longer log")


class CertificateRefusedError(CalibrationError, ValueError):
    """A promise that the calibration set cannot back.

    Attributes:
        reason: Why not.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"no certificate: {reason}")


class MissingExtraError(CalibrationError, ImportError):
    """scikit-learn is not installed; only fitting needs it."""

    def __init__(self) -> None:
        super().__init__(
            "fitting heads needs scikit-learn, which is not installed; run `pip install 'stead[calibration]'` "
            "(heads that are fitted already work without it)"
        )
