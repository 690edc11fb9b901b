"""How commands say what is wrong with their input: one message, exit status 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from agent.commands.near_names import SuggestingGroup

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


class ReportingGroup(SuggestingGroup):
    """Commands that end in one message, exit status 2, where stdout cannot be written to, as on a full disk."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except OSError as exc:
            if isinstance(exc, BrokenPipeError) or _takes_output():
                raise
            typer.echo(f"stead-bench: cannot write the output ({exc.strerror or exc}); send it elsewhere", err=True)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails once more as it ends
            raise typer.Exit(BAD_INPUT) from exc
        return done


def _takes_output() -> bool:
    """Say whether stdout takes what waits for it and a line's end, so that another file was at fault."""
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        return False
    return True


def _mendable() -> tuple[type[Exception], ...]:
    from agent.errors import AgentError
    from benchmark_adapter.errors import BenchmarkError
    from clarifier.errors import CalibrationError
    from memory.errors import MemoryStoreError

    return (BenchmarkError, MemoryStoreError, CalibrationError, AgentError)
