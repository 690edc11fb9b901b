"""The commands `stead state` and `stead turns`: a person in charge of their memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.data_option import DataOption, TenantOption, failing_kindly, naming_files, opened_memory
from agent.printable import counted

if TYPE_CHECKING:
    from agent.stewardship.steward import Steward

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""What is believed of a person, and their say over it.

    Everything believed comes from turns: `show` names them, `correct` puts a value right, `forget` erases turns and
    with them what they said, `export` takes everything along, `pause` stops remembering and using.
    """,
)

UserArgument = Annotated[str, typer.Argument(help="Whose memory, as in `stead chat --user`.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class EvidenceKind(StrEnum):
    """How something was said."""

    PLAIN = "plain"
    STANDING = "standing"
    CONDITIONAL = "conditional"
    ONE_OFF = "one_off"
    HYPOTHETICAL = "hypothetical"
    OTHER_PERSON = "other_person"
    NEGATED = "negated"


@app.command()
def show(
    user: UserArgument,
    as_of: Annotated[
        str | None,
        typer.Option(help="As it was after this turn, or at this time: t12, or 2026-03-09T12:00.", show_default=False),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also ids and days that calls took.")] = False,
    as_json: JsonOption = False,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Show what is believed, with its probability and the turns it comes from.

    A line is a value of a slot (TOOL.ARGUMENT, or @person.TOPIC for what was said without a call). Values that no
    longer hold stay listed with the turn that ended them. --as-of shows an earlier state.
    """
    from agent.agent import local_time
    from agent.stewardship.state_view import state_data, state_lines

    with _steward(user, data, tenant) as steward:
        moment = steward.moment(as_of) if as_of is not None else None
        now: datetime | None = moment if isinstance(moment, datetime) else local_time()
        state, turns = steward.state(moment, now=now), steward.turns()
        count = len(turns)
        if isinstance(moment, int):  # what it was worth then, not what is left of it now
            turns = turns[: moment + 1]
            now = turns[-1].time if turns else None
        if as_json:
            settings = steward.settings
            _print_json(
                {
                    "user": user,
                    "turns": count,
                    "is_paused": settings.is_paused,
                    "retention_days": dict(settings.retention_days),
                    "slots": state_data(state, turns, now=now),
                }
            )
            return
        if steward.settings.is_paused:
            typer.echo(f"(paused: nothing new is remembered and nothing of this is used; `stead state resume {user}`)")
        for line in state_lines(state, turns, now=now, shows_all=everything) or [f"Nothing is believed of {user}."]:
            typer.echo(line)


@app.command()
def correct(
    user: UserArgument,
    slot: Annotated[str, typer.Argument(help="TOOL.ARGUMENT, as `show` lists it; or @person.TOPIC.")],
    value: Annotated[str, typer.Argument(help="The right value: JSON (5, true, [1]) or text.")],
    is_not: Annotated[bool, typer.Option("--not", help="Say that it is not this value.")] = False,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Put a value right. It holds as a standing rule until another one is said.

    Nothing is overwritten: the correction is a turn of its own, which `stead turns` lists and `forget` can erase.
    For instance: stead state correct me book_train.seat aisle, or: stead state correct me "@person.home city" Ghent
    """
    from agent.agent import local_time
    from agent.stewardship.steward import as_value

    with _steward(user, data, tenant) as steward:
        meant = steward.slot(slot)
        like, is_new = steward.like(meant), not steward.turns()
        turn = steward.correct(meant, as_value(value), now=local_time(), is_negated=is_not)
        typer.echo(f"Noted as turn {turn.turn_id}: {turn.request}")
        if is_new:
            typer.echo(
                f"Nothing was remembered of {user} before. `stead state forget {user} {turn.turn_id}` takes this back."
            )
        elif like is not None:
            typer.echo(
                f"Nothing was known of {meant} before. Did you mean {like}? "
                f"`stead state forget {user} {turn.turn_id}` takes this back."
            )


@app.command()
def forget(
    user: UserArgument,
    what: Annotated[
        str | None, typer.Argument(help="A turn id, or a slot: then every turn that says something for it.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Erase everything of this person.")] = False,
    lapsed: Annotated[
        bool, typer.Option("--lapsed", help="Erase turns of which `retain` lets nothing be used.")
    ] = False,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Erase turns, and with them all they said. The state is then as if they had never been.

    Nothing is kept of them, not even that they were there: importing a file that still holds them brings them back.
    """
    from agent.agent import local_time

    if [what is not None, everything, lapsed].count(True) != 1:
        raise typer.BadParameter("say what to forget: a turn, a slot, --all or --lapsed")
    with _steward(user, data, tenant) as steward:
        erased = ""
        if everything:
            forgotten = steward.forget_all()
        elif lapsed:
            forgotten = steward.forget_lapsed(local_time())
        else:
            erased = f" ({', '.join(steward.turns_about(what or ''))})"
            forgotten = steward.forget(what or "")
        typer.echo(f"Forgotten: {counted(forgotten.turns, 'turn')}{erased}, with the vectors of {forgotten.vectors}.")


@app.command()
def export(
    user: UserArgument,
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: standard output.", show_default=False)
    ] = None,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Write all turns as JSON Lines. `stead import` reads them back, and the state is the same."""
    with _steward(user, data, tenant) as steward:
        lines = list(steward.export())
    if out is None:
        for line in lines:
            typer.echo(line)
        return
    with failing_kindly(), naming_files("write", out):
        out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    typer.echo(f"{counted(len(lines), 'turn')} written to {out}", err=True)


@app.command()
def pause(user: UserArgument, data: DataOption = Path(".stead"), tenant: TenantOption = "default") -> None:
    """Remember nothing and use nothing of this person, until `resume`. What is remembered stays."""
    with _steward(user, data, tenant) as steward:
        steward.pause()
        typer.echo(f"Paused: nothing of {user} is remembered or used until `stead state resume {user}`.")


@app.command()
def resume(user: UserArgument, data: DataOption = Path(".stead"), tenant: TenantOption = "default") -> None:
    """End a pause. Turns of the pause were not remembered."""
    with _steward(user, data, tenant) as steward:
        steward.resume()
        count = len(steward.turns())
        typer.echo(f"Resumed: {counted(count, 'turn')} of {user} {'is' if count == 1 else 'are'} used again.")


@app.command(context_settings={"ignore_unknown_options": True})  # -3 is a number that is too small, no option
def retain(
    user: UserArgument,
    kind: Annotated[EvidenceKind, typer.Argument(help="How it was said.")],
    days: Annotated[str, typer.Argument(help="A number of days, or `forever`.")],
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """Settle for how long evidence of a kind is used, say `retain me one_off 30`.

    `stead state forget me --lapsed` erases the turns of which that lets nothing be used any longer.
    """
    from agent.stewardship.steward import StewardError

    with _steward(user, data, tenant) as steward:
        try:
            kept = None if days == "forever" else float(days)
        except ValueError as exc:
            raise StewardError(f"a number of days or `forever` was expected, got {days!r}") from exc
        if kept is not None and not 0 <= kept < float("inf"):
            raise StewardError(f"days are at least 0, got {days!r}")
        steward.retain(kind.value, kept)
        typer.echo(f"Evidence of kind {kind.value} is used {'for ever' if kept is None else f'for {kept:g} days'}.")


def turns(
    user: UserArgument,
    as_json: JsonOption = False,
    data: DataOption = Path(".stead"),
    tenant: TenantOption = "default",
) -> None:
    """List the turns that are remembered, oldest first; --json prints a line of JSON a turn."""
    from agent.stewardship.state_view import turn_data
    from agent.stewardship.steward import listed

    with _steward(user, data, tenant) as steward:
        if as_json:
            for turn in steward.turns():
                _print_json(turn_data(turn))
            return
        for line in listed(steward.turns()) or [f"No turn of {user} is remembered."]:
            typer.echo(line)


@contextmanager
def _steward(user: str, data: Path, tenant: str) -> Iterator[Steward]:
    from agent.stewardship.steward import Steward
    from memory.records import Scope

    with failing_kindly(), opened_memory(data, must_exist=True) as memory:
        yield Steward(memory.user(Scope(user, tenant=tenant)))


def _print_json(data: object) -> None:
    typer.echo(json.dumps(data, ensure_ascii=False))
