"""The command `stead`."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from agent.commands import calibrate as calibrate_cli
from agent.commands import doctor as doctor_cli
from agent.commands import imports as import_cli
from agent.commands import reindex as memory_cli
from agent.commands import state as state_cli
from agent.commands.data_option import DEFAULT_EMBEDDER, LOCK_TIMEOUT_S, failing_kindly
from agent.commands.near_names import SuggestingGroup
from agent.commands.options import (
    BaseUrlOption,
    MemoryOption,
    ModelOption,
    PolicyOption,
    ProviderOption,
    VersionOption,
)
from agent.printable import counted, escape_what_streams_lack, printable
from agent.settings import KEY_VARIABLE, URL_VARIABLE, ChatSettings

if TYPE_CHECKING:
    from agent.seams import Planner
    from memory.embedder import Embedder

app = typer.Typer(
    name="stead",
    cls=SuggestingGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="""A personal agent that remembers you, and decides from evidence whether to act or to ask.

    Start with `stead chat`: it needs no key and no network. Say what you want, in English or Chinese, about train
    trips, the weather or a table for dinner; then /why shows the evidence behind every argument, /state what is
    believed of you, and /forget erases it. The next session remembers this one.
    """,
)


DEFAULT_USER = "me"


PlannerName = Literal["rules", "chat"]


@app.callback()
def _stead(version: VersionOption = False) -> None:
    """Take the options that stand before a command."""
    escape_what_streams_lack()


app.add_typer(state_cli.app, name="state")
app.command("turns")(state_cli.turns)
app.command("import")(import_cli.import_)
app.command("reindex")(memory_cli.reindex)
app.command("doctor")(doctor_cli.doctor)
app.command("calibrate")(calibrate_cli.calibrate)


@app.command()
def chat(
    data: Annotated[Path, typer.Option(help="Directory that keeps the turns; made if it does not exist.")] = Path(
        ".stead"
    ),
    user: Annotated[str, typer.Option(help="Who is talking; each user has a memory of their own.")] = DEFAULT_USER,
    memory: MemoryOption = "stead",
    planner: Annotated[
        PlannerName | None,
        typer.Option(
            help="Who proposes: `rules` needs no model; `chat` is a model behind an endpoint.",
            show_default=f"chat with --provider or where {KEY_VARIABLE} and {URL_VARIABLE} are set, else rules",
        ),
    ] = None,
    policy: PolicyOption = "product",
    heads: Annotated[
        str,
        typer.Option(
            metavar="HEADS",
            help="What turns evidence into probabilities: `hand_set`, `persona`, or a file of `stead calibrate`.",
        ),
    ] = "hand_set",
    toolset: Annotated[str, typer.Option(help="Demo tools on offer: trips, weather, dinner or all.")] = "all",
    provider: ProviderOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    now: Annotated[
        datetime | None, typer.Option(help="Pretend that it is this time. Default: the clock.", show_default=False)
    ] = None,
) -> None:
    r"""Talk with the agent on the demo toolsets, in English or Chinese.

    Commands inside: /why, /state, /turns, /forget, /help, /quit. Works over a pipe too:

        printf 'weather in Turin tomorrow\n/why\n' | stead chat
    """
    # What follows takes seconds to import; `stead --help` does without.
    from agent.agent import Agent, local_time
    from agent.demo.toolbox import Toolbox
    from agent.terminal import Chat
    from clarifier.calibration.heads import load_heads
    from memory.embedders import open_embedder
    from memory.memory import Memory
    from memory.records import Scope

    with failing_kindly(), ExitStack() as closing:
        settings = _chat_settings(planner, os.environ, provider=provider, model=model, base_url=base_url)
        toolbox, scope, fitted = Toolbox(toolset), Scope(user), load_heads(heads)
        embedder = open_embedder(DEFAULT_EMBEDDER)
        opened = closing.enter_context(Memory.open(data, embedder=embedder, lock_timeout_s=LOCK_TIMEOUT_S))
        planning = closing.enter_context(_planner(settings, embedder))
        person = opened.user(scope)
        agent = Agent(
            person,
            planning,
            strategy=memory,
            policy=policy,
            clock=local_time if now is None else lambda: now,
            heads=fitted,
        )
        if misfit := fitted.misfit(planner=planning.name, strategy=memory):
            typer.echo(f"stead: {misfit}", err=True)
        console = StreamConsole(sys.stdin, sys.stdout)
        hello = "Hello" if user == DEFAULT_USER else f"Hello {user}"
        console.write(
            f"{hello}. I can help with {toolbox.toolsets['en'].about}（{toolbox.toolsets['zh'].about}）. "
            f"Planner {planning.name}, memory {memory}, policy {policy}; "
            f"{counted(len(person.kept_turns()), 'turn')} remembered. /help lists commands."
        )
        if person.settings.is_paused:
            console.write(f"(paused: nothing is remembered or used until `stead state resume {user}`)")
        try:
            Chat(agent, toolbox, console).talk()
        except KeyboardInterrupt:
            console.write("\nGoodbye.")


class StreamConsole:
    """Reads and writes lines of text streams, as UTF-8 whatever the locale says; prompts only a person.

    Args:
        lines: Where lines come from.
        out: Where they go.
    """

    def __init__(self, lines: TextIO, out: TextIO) -> None:
        for stream in (lines, out):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="replace")
        self._lines = lines
        self._out = out
        self._is_person = lines.isatty()

    def read(self, prompt: str) -> str | None:
        """Return the next line without its end; `None` when there are no more."""
        if self._is_person:
            try:
                return input(prompt)
            except EOFError:
                self.write("")
                return None
        line = self._lines.readline()
        return line.rstrip("\r\n") if line else None

    def write(self, line: str) -> None:
        """Show a line at once, with what would steer the terminal escaped."""
        self._out.write(printable(line) + "\n")
        self._out.flush()


def _chat_settings(
    planner: PlannerName | None,
    environ: Mapping[str, str],
    *,
    provider: str | None,
    model: str | None,
    base_url: str | None,
) -> ChatSettings | None:
    """Return the settings of the planner chat where it is chosen, or nothing is and the endpoint is named."""
    is_named = provider is not None or bool(environ.get(KEY_VARIABLE) and environ.get(URL_VARIABLE))
    if planner == "chat" or (planner is None and is_named):
        return ChatSettings.from_environ(environ, provider=provider, model=model, base_url=base_url)
    return None


@contextmanager
def _planner(settings: ChatSettings | None, embedder: Embedder) -> Iterator[Planner]:
    if settings is not None:
        from agent.planners.chat import ChatPlanner

        with ChatPlanner(settings) as planner:
            planner.endpoint.check()
            yield planner
    else:
        from agent.planners.rules import RulesPlanner

        yield RulesPlanner(embedder)


if __name__ == "__main__":
    app()
