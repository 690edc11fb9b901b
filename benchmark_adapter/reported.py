"""How commands say what is wrong with their input: one message, exit status 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

BAD_INPUT = 2


@contextmanager
def reported(on_interrupt: str) -> Iterator[None]:
    """Turn what can be wrong with the input into one message and exit status 2."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"stead-bench: interrupted; {on_interrupt}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except Exception as exc:
        # What a caller can mend comes as an error of one of the packages; all else is a fault and keeps its traceback.
        if not isinstance(exc, _mendable()):
            raise
        typer.echo(f"stead-bench: {exc}", err=True)
        raise typer.Exit(BAD_INPUT) from exc


def _mendable() -> tuple[type[Exception], ...]:
    from agent.errors import AgentError
    from benchmark_adapter.errors import BenchmarkError
    from clarifier.errors import CalibrationError
    from memory.errors import MemoryStoreError

    return (BenchmarkError, MemoryStoreError, CalibrationError, AgentError)
