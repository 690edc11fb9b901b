"""The command `stead doctor`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from agent.commands.data_option import failing_kindly
from agent.settings import ChatSettings


def doctor(
    provider: Annotated[
        str | None,
        typer.Option(help="Profile of the endpoint, say kimi-k2.6. Default: OPENAI_BASE_URL.", show_default=False),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model id.", show_default="the profile's")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address, or a region of the profile.", show_default="the profile's")
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of prompt files.", show_default="the bundled ones")
    ] = None,
) -> None:
    """Check a model's endpoint: key, address, a tool call, and the call's result sent back.

    Two short answers are paid for. Exit status: 0 when all is well, 1 when a check fails, 2 on bad input.
    """
    with failing_kindly():
        settings = ChatSettings.from_environ(
            os.environ, provider=provider, model=model, base_url=base_url, prompt=prompt
        )
        from agent.doctor import examine, prompt_costs
        from agent.planners.chat import ChatPlanner
        from agent.planners.prompt_costs import cost_lines

        is_well = True
        with ChatPlanner(settings) as planner:
            for check in examine(planner):
                is_well = is_well and check.is_well
                typer.echo(f"{'well ' if check.is_well else 'WRONG'}  {check.name}: {check.words}")
            if is_well:
                typer.echo("\nTokens of a bare request by block:")
                typer.echo("\n".join(f"  {line}" for line in cost_lines(prompt_costs(planner))))
    raise typer.Exit(0 if is_well else 1)
