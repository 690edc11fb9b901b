"""What the commands on remembered data share: their options, opening the directory, and failing in one message."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from agent.errors import AgentError
from agent.printable import printable
from clarifier.errors import CalibrationError
from memory.errors import MemoryStoreError

if TYPE_CHECKING:
    from memory.memory import Memory

DEFAULT_EMBEDDER = "use"
_INTERRUPTED = 128 + signal.SIGINT
LOCK_TIMEOUT_S = 3.0
"""A person waits for this long when another process has the data directory open."""

DataOption = Annotated[Path, typer.Option(help="Directory that keeps the turns, as in `stead chat --data`.")]
TenantOption = Annotated[str, typer.Option(help="Tenant whose users are meant; tenants share nothing.")]


@contextmanager
def opened_memory(data: Path, *, must_exist: bool) -> Iterator[Memory]:
    """Open the memory in a data directory.

    Args:
        data: The directory.
        must_exist: Refuse to make one; `False` makes it where there is none.

    Raises:
        AgentError: If it must exist and does not.
        MemoryStoreError: If it cannot be opened.
    """
    from memory.memory import Memory

    if must_exist:
        check_memory(data)
    with Memory.open(data, embedder=DEFAULT_EMBEDDER, lock_timeout_s=LOCK_TIMEOUT_S) as memory:
        yield memory


def check_memory(data: Path) -> None:
    """Refuse a directory that is none of a memory; to open it would put one there.

    Raises:
        AgentError: If it holds no memory.
    """
    if not data.is_dir():
        raise AgentError(f"there is no data directory {str(data)!r}; name the one of `stead chat` with --data")
    if not any((data / name).exists() for name in ("memory.json", "turns.sqlite")):
        raise AgentError(f"no memory is in {str(data)!r}; name the directory of `stead chat` with --data")


@contextmanager
def progress_bar(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar on standard error where a person looks at it; hand out what tells it how much of how much is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def naming_files(action: str, path: Path) -> Iterator[None]:
    """Turn a failure of the file system into an error that names the file.

    Raises:
        AgentError: If reading or writing `path` fails.
    """
    try:
        yield
    except OSError as exc:
        raise AgentError(f"cannot {action} {str(path)!r}: {exc.strerror or exc}") from exc


@contextmanager
def failing_kindly() -> Iterator[None]:
    """Turn what is wrong with the data, the settings or the endpoint into one message and exit status 2.

    An interruption by the person becomes a message and 130, the status of what the signal ends.
    """
    try:
        yield
    except (MemoryStoreError, AgentError, CalibrationError) as exc:
        fail(str(exc))
    except KeyboardInterrupt:
        typer.echo("stead: interrupted; what was done until then stays", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def fail(message: str) -> NoReturn:
    """End the command with a message and exit status 2."""
    typer.echo(printable(f"stead: {message}"), err=True)
    raise typer.Exit(2)
