"""The command `stead import`: existing chat logs, in bulk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.data_option import (
    DataOption,
    TenantOption,
    failing_kindly,
    naming_files,
    opened_memory,
    progress_bar,
)
from agent.printable import counted, printable

if TYPE_CHECKING:
    from agent.stewardship.importing import Imported

MAX_NAMED = 20
"""Bad lines that are named one by one; the rest is only counted."""


def import_(
    file: Annotated[Path, typer.Argument(help="JSON Lines: one conversation a line, or an export.", metavar="FILE")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as one JSON object.")] = False,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Remember existing chat logs. Importing a file again, or after it has grown, adds what is not remembered.

    So it adds again what was forgotten since: of erased turns nothing is kept, not even that they were there. Take them
    out of the file first.

    A line is {"user", "conversation", "messages": [{"role", "content", "tool_calls"?, "tool_call_id"?, "time"?}]}:
    messages as OpenAI has them, times in ISO 8601 with their offset. A line of `stead state export` is read too.
    A line that cannot be read is named by its number, skipped and counted; the exit status is then 2. Keys of messages
    that nothing reads are named.
    """
    with failing_kindly():
        from agent.stewardship.importing import import_lines

        with naming_files("read", file):
            lines = file.open(encoding="utf-8-sig", errors="surrogateescape")
        with lines, opened_memory(data, must_exist=False) as memory, progress_bar(file.name) as advance:
            imported = import_lines(lines, memory, tenant=tenant, on_progress=advance)
    _report(imported, file, as_json=as_json)
    if imported.faults:
        raise typer.Exit(2)


def _report(imported: Imported, file: Path, *, as_json: bool) -> None:
    is_jsonl = not imported.lines or imported.no_json < imported.lines
    if not is_jsonl:
        typer.echo(
            f"stead: {str(file)!r} is no JSON Lines file: none of its {counted(imported.lines, 'line')} is JSON. "
            "Expected a conversation or an exported turn a line, see `stead import --help`",
            err=True,
        )
    for number, fault in imported.faults[:MAX_NAMED] if is_jsonl else ():
        typer.echo(printable(f"stead: line {number} is skipped: {fault}"), err=True)
    if is_jsonl and len(imported.faults) > MAX_NAMED:
        typer.echo(f"stead: {len(imported.faults) - MAX_NAMED} further lines are skipped", err=True)
    for key, numbers in sorted(imported.unread.items()):
        typer.echo(printable(f"stead: {_unread(key, numbers)}"), err=True)
    if as_json:
        counts = {
            "lines": imported.lines,
            "users": imported.users,
            "added": imported.added,
            "grown": imported.grown,
            "known": imported.known,
            "unread": {key: {"lines": len(numbers), "first": min(numbers)} for key, numbers in imported.unread.items()},
            "skipped": [{"line": number, "error": fault} for number, fault in imported.faults],
        }
        typer.echo(json.dumps(counts, ensure_ascii=False))
    elif is_jsonl:
        typer.echo(
            f"{counted(imported.added, 'turn')} of {counted(imported.users, 'user')} remembered, "
            f"{imported.known} were known, "
            f"{f'{imported.grown} went on, ' if imported.grown else ''}"
            f"{len(imported.faults)} of {counted(imported.lines, 'line')} skipped."
            + (" Turns that were forgotten count as new." if imported.added and imported.known else "")
        )


def _unread(key: str, numbers: list[int]) -> str:
    lines = "1 line has" if len(numbers) == 1 else f"{len(numbers)} lines have"
    return (
        f"{lines} messages with the key {key!r}, the first is line {min(numbers)}; nothing reads it, only role, "
        "content, tool_calls, tool_call_id and time"
    )
