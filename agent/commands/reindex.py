"""The commands of `stead` that keep a memory in order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.commands.data_option import (
    DEFAULT_EMBEDDER,
    LOCK_TIMEOUT_S,
    DataOption,
    check_memory,
    failing_kindly,
    progress_bar,
)
from agent.commands.options import EmbedderOption
from agent.printable import counted


def reindex(
    data: DataOption = Path(".stead"),
    embedder: EmbedderOption = DEFAULT_EMBEDDER,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Embed every turn anew, not only what is missing.")
    ] = False,
    log_url: Annotated[
        str | None, typer.Option(help="Turn log on a server, for instance postgresql://host/stead.", show_default=False)
    ] = None,
    chroma: Annotated[
        list[str] | None,
        typer.Option(help="URL of a Chroma server; once for each, in the order of the service.", show_default=False),
    ] = None,
) -> None:
    """Bring the vector index to the turn log, or rebuild it for another embedder.

    A memory in use goes on working meanwhile where it is on servers. After an interruption, run it again: it goes on
    where it stopped.
    """
    from memory.memory import Memory

    with failing_kindly():
        is_on_servers = log_url is not None and bool(chroma)
        if not is_on_servers:
            check_memory(data)
        with (
            Memory.open(
                None if is_on_servers else data,
                embedder=embedder,
                log_url=log_url,
                chroma=chroma or (),
                lock_timeout_s=LOCK_TIMEOUT_S,
                reindexing=True,
            ) as opened,
            progress_bar("Indexing turns") as advance,
        ):
            done = opened.reindex(
                from_scratch=from_scratch, on_progress=lambda progress: advance(progress.turns, progress.all_turns)
            )
        turns, users = counted(done.turns, "turn"), counted(done.users, "user")
        typer.echo(f"The index has {turns} of {users}, embedded by {embedder}.")
