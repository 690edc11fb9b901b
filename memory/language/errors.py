"""Errors of the room for language.

ReadingError
└── WeightsError   a weights file is of another version, damaged or missing
"""


class ReadingError(Exception):
    """The root of what this room raises."""


class WeightsError(ReadingError):
    """A weights file is of another version, damaged or missing."""
