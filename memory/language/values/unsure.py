"""What becomes of a text on which a reader of values fails: it is read as unsure, and the turn goes on."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

_log = logging.getLogger(__name__)
Further = ParamSpec("Further")
Read = TypeVar("Read")


def unsure_on_error(
    unsure: Callable[[str], Read],
) -> Callable[[Callable[Concatenate[str, Further], Read]], Callable[Concatenate[str, Further], Read]]:
    """Return a decorator for a reader of a text, whose errors end no turn.

    Args:
        unsure: What is read of a text instead, where the reader raises; the error is logged once a text, by its hash.
    """

    def guarded(reader: Callable[Concatenate[str, Further], Read]) -> Callable[Concatenate[str, Further], Read]:
        @wraps(reader)
        def read(text: str, /, *args: Further.args, **kwargs: Further.kwargs) -> Read:
            try:
                return reader(text, *args, **kwargs)
            except Exception as error:  # whatever it is: people's words must not be able to break a turn
                digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
                _log_once(reader.__qualname__, digest, f"{type(error).__name__} at {_place(error)}")
                return unsure(text)

        return read

    return guarded


@lru_cache(maxsize=1024)
def _log_once(reader: str, digest: str, error: str) -> None:
    """Log a failure without its text, which is a person's; a repeated one is not logged again."""
    _log.error("%s could not read the text with hash %s: %s", reader, digest, error)


def _place(error: Exception) -> str:
    """Return the module and line that raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "?" if trace is None else f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}"
