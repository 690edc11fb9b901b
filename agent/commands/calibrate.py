"""The command `stead calibrate`: heads from what people accepted, corrected and undid."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.data_option import DataOption, TenantOption, failing_kindly, naming_files, opened_memory
from agent.errors import AgentError

if TYPE_CHECKING:
    from agent.stewardship.past_decisions import ToolsFor


def calibrate(
    out: Annotated[Path, typer.Option(help="Where the heads go, as JSON; made anew.")],
    user: Annotated[list[str] | None, typer.Option(help="Whose turns; repeat for several. Default: me.")] = None,
    base: Annotated[
        str, typer.Option(metavar="HEADS", help="Start from these: hand_set, persona or a file.")
    ] = "hand_set",
    tools: Annotated[
        Path | None,
        typer.Option(help="JSON list of the tools that were on offer. Default: the demo tools.", show_default=False),
    ] = None,
    planner: Annotated[str, typer.Option(help="Who planned these turns; the heads are named after it.")] = "rules",
    memory: Annotated[str, typer.Option(help="Memory strategy that is used with the heads.")] = "stead",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Fit the clarifier's heads to a product's own log.

    A call counts as right that no undo or correction followed by the end of the next turn. With one person or fewer
    than 50 labels only the intercepts of --base move; what cannot be learnt from a log is taken from --base. With too
    few labels, or labels all alike: one message, exit status 2, and nothing is written.
    """
    with failing_kindly():
        from agent.demo.toolbox import Toolbox
        from agent.stewardship.past_decisions import past_decisions
        from clarifier.calibration.fitting import fit_or_shift
        from clarifier.calibration.heads import load_heads
        from memory.records import Scope

        heads = load_heads(base)
        tools_for = Toolbox("all").tools_for if tools is None else _tools_in(tools)
        users = user or ["me"]
        with opened_memory(data, must_exist=True) as opened:
            shelves = {name: opened.user(Scope(name, tenant=tenant)) for name in users}
            labelled = [
                one
                for name, shelf in shelves.items()
                for one in past_decisions(shelf.turns(), name, tools_for, shelf.embedder, strategy=memory)
            ]
        fitted = fit_or_shift(labelled, heads, planner=planner, strategy=memory)
        with naming_files("write", out):
            out.write_text(json.dumps(fitted.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n", "utf-8")
    right = sum(one.labels.get("p_calls", False) for one in labelled)
    if as_json:
        counts = {"labels": len(labelled), "accepted": right, "provenance": fitted.provenance}
        typer.echo(json.dumps({"out": str(out), **counts}, ensure_ascii=False))
    else:
        typer.echo(f"{len(labelled)} turns with calls, {right} accepted. {fitted.provenance}.\nWritten to {out}.")


def _tools_in(path: Path) -> ToolsFor:
    """Return what hands out the tools in a file.

    Raises:
        AgentError: If it is no list of tool definitions.
    """
    from memory.errors import MemoryStoreError
    from memory.tools import Tool, parse_tools

    with naming_files("read", path):
        text = path.read_text("utf-8")
    try:
        definitions = json.loads(text)
        if not isinstance(definitions, list):
            raise ValueError(f"a {type(definitions).__name__}")
        found: Sequence[Tool] = parse_tools(definitions, strict=False)
    except (ValueError, TypeError, KeyError, MemoryStoreError) as exc:
        raise AgentError(f"expected a JSON list of tool definitions in {str(path)!r}, got {exc}") from exc
    return lambda request: found
