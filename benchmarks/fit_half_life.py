"""Fits the half-life of habits: under which decay the slot posterior foretells best what a person chooses next.

    python -m benchmarks.fit_half_life [--data ../shared/utb-dev --toolsets ../shared/toolsets] [--json]

Every value of an accepted call whose slot has evidence before is foretold by the posterior of DESIGN §6 from the
evidence of that very slot in the turns before; a value not seen before has the mass on "unknown". Days of the calendar
are left out, since no habit is about one. The half-life in turns is fitted without times, that in days with them. The
figure is the mean log-likelihood (nats) per choice; `unsaid` are the choices that the person's words do not name, the
only ones that memory has to make. A person is left out in turn: the half-life that is best for the others is tried on
them, and the gain over the half-life in use is given with a standard error over turns. Exit status 0 whatever comes
out: that data cannot tell half-lives apart is a finding.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Literal, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmark_adapter.data.dataset import DEFAULT_SEED, Session
from benchmark_adapter.data.source import read_data
from benchmark_adapter.replay.past import clock_of, past_turn
from clarifier.posterior import DEFAULTS, Moment, by_value, posterior
from memory.evidence import Evidence
from memory.state.extraction import extract_all
from memory.state.wording import is_calendar_date
from memory.tools import Parameter, parse_tools

Clock = Literal["turns", "days"]
GRID: dict[Clock, tuple[float, ...]] = {
    "turns": (2, 5, 10, 20, 40, 80, 160, 1e6),
    "days": (3, 7, 15, 30, 60, 120, 240, 1e6),
}
"""Half-lives that are tried; the last stands for no decay at all."""


class Choice(NamedTuple):
    """A value that a person accepted, with what was known of its slot before."""

    person: str
    value: Evidence
    before: tuple[Evidence, ...]
    moment: Moment
    parameter: Parameter | None


@dataclass(frozen=True)
class Gain:
    """What the half-life fitted on the others gains on a person, in nats per choice."""

    person: str
    choices: int
    fitted: float
    over_default: float
    over_default_se: float | None
    """Over turns, since choices of one turn are not independent; `None` where there is only one."""


@dataclass(frozen=True)
class Point:
    """The mean log-likelihood of a choice (nats) at one half-life."""

    half_life: float
    all: float
    unsaid: float | None
    over_default: float
    """Mean difference to the half-life in use, over all choices."""
    over_default_se: float | None


@dataclass(frozen=True)
class Fit:
    """What the data say of the half-life in one unit."""

    clock: Clock
    default: float
    choices: int
    unsaid: int
    curve: tuple[Point, ...]
    gains: tuple[Gain, ...]
    """By person left out, then over all of them (`pooled`, whose `fitted` is that of all data)."""


def choices(session: Session, clock: Clock) -> Iterator[Choice]:
    """Yield the choices of a person, oldest first."""
    view: Literal["extended", "official"] = "extended" if clock == "days" else "official"
    turns = [past_turn(turn, view=view) for turn in session.turns]
    for position, turn in enumerate(session.turns):
        tools = {tool.name: tool for tool in parse_tools(turn.tools, strict=False)}
        known = extract_all(turns[:position])
        now = clock_of(turn.env_info) if clock == "days" else None
        for piece in extract_all(turns[: position + 1]):
            if piece.position != position or piece.kind != "plain" or is_calendar_date(piece.value):
                continue
            before = tuple(one for one in known if one.slot == piece.slot and one.may_fill)
            if before and piece.slot.tool in tools:
                parameter = tools[piece.slot.tool].parameter(piece.slot.argument)
                yield Choice(session.name, piece, before, Moment(position, now), parameter)


def likelihood(choice: Choice, clock: Clock, half_life: float) -> float:
    """Return the log-likelihood (nats) of a choice under a half-life."""
    settings = replace(DEFAULTS, half_life_days=half_life, half_life_turns=half_life)
    found = posterior(by_value(choice.before), choice.moment, parameter=choice.parameter, settings=settings)
    probability = found.probability(choice.value.value) or found.unknown
    return math.log(max(probability, 1e-6))  # outside its enum a value has no probability at all


def gains(table: Mapping[float, Sequence[float]], found: Sequence[Choice], default: float) -> list[Gain]:
    """Return what leaving each person out gives, and over all of them (`pooled`).

    Args:
        table: The log-likelihoods of `found`, by half-life.
        found: The choices.
        default: The half-life in use.
    """
    rows: list[Gain] = []
    pooled: dict[tuple[str, int], float] = {}
    for person in dict.fromkeys(choice.person for choice in found):
        best = max(table, key=partial(_sum_of_others, table, found, person))
        by_turn = {
            turn: gain for turn, gain in _by_turn(found, table[best], table[default]).items() if turn[0] == person
        }
        rows.append(_gain(person, sum(choice.person == person for choice in found), best, by_turn))
        pooled |= by_turn
    return [*rows, _gain("pooled", len(found), max(table, key=lambda half_life: sum(table[half_life])), pooled)]


def _by_turn(found: Sequence[Choice], values: Sequence[float], others: Sequence[float]) -> dict[tuple[str, int], float]:
    """Return the difference of two likelihoods summed over each turn of each person."""
    sums: dict[tuple[str, int], float] = defaultdict(float)
    for choice, value, other in zip(found, values, others, strict=True):
        sums[choice.person, choice.moment.position] += value - other
    return sums


def _sum_of_others(
    table: Mapping[float, Sequence[float]], found: Sequence[Choice], person: str, half_life: float
) -> float:
    return sum(value for choice, value in zip(found, table[half_life], strict=True) if choice.person != person)


def _gain(person: str, count: int, fitted: float, by_turn: Mapping[tuple[str, int], float]) -> Gain:
    """The standard error is that of a sum over turns of unequal size, divided by the choices."""
    spread = stdev(by_turn.values()) * math.sqrt(len(by_turn)) / count if len(by_turn) > 1 else None
    return Gain(person, count, fitted, sum(by_turn.values()) / count, spread)


def measured(sessions: Sequence[Session], clock: Clock) -> Fit:
    """Return the curve over the grid, and what leaving each person out gives."""
    found = [choice for session in sessions for choice in choices(session, clock)]
    default = DEFAULTS.half_life_days if clock == "days" else DEFAULTS.half_life_turns
    table = {
        half_life: [likelihood(choice, clock, half_life) for choice in found]
        for half_life in sorted({default, *GRID[clock]})
    }
    unsaid = [index for index, choice in enumerate(found) if not choice.value.is_said]
    curve = []
    for half_life, values in table.items():
        over = _gain("all", len(found), half_life, _by_turn(found, values, table[default]))
        left = mean([values[index] for index in unsaid]) if unsaid else None
        curve.append(Point(half_life, mean(values), left, over.over_default, over.over_default_se))
    return Fit(clock, default, len(found), len(unsaid), tuple(curve), tuple(gains(table, found, default)))


def main() -> None:
    """Print the curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a further folder of topic files, besides the bundled persons")
    parser.add_argument("--toolsets", type=Path, help="its toolsets")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    sessions = list(read_data(None, None, DEFAULT_SEED))
    if options.data is not None:
        sessions += read_data(options.data, options.toolsets, DEFAULT_SEED)
    fits = [measured(sessions, clock) for clock in GRID]
    if options.json:
        print(json.dumps({fit.clock: asdict(fit) for fit in fits}))
        return
    for fit in fits:
        _show(fit)


def _show(fit: Fit) -> None:
    curve = Table(title=f"{fit.choices} choices, {fit.unsaid} of them unsaid; {fit.default:g} {fit.clock} in use")
    for name in (f"half-life, {fit.clock}", "nats, all", "nats, unsaid", "over the one in use"):
        curve.add_column(name, justify="right")
    for point in fit.curve:
        unsaid = "n/a" if point.unsaid is None else f"{point.unsaid:.4f}"
        over = _with_error(point.over_default, point.over_default_se)
        curve.add_row(f"{point.half_life:g}", f"{point.all:.4f}", unsaid, over)
    left_out = Table(title="each person left out")
    for name in ("person", "choices", "fitted on the others", "over the one in use"):
        left_out.add_column(name, justify="right")
    for gain in fit.gains:
        over = _with_error(gain.over_default, gain.over_default_se)
        left_out.add_row(gain.person, str(gain.choices), f"{gain.fitted:g}", over)
    Console().print(curve, left_out)


def _with_error(value: float, error: float | None) -> str:
    return f"{value:+.4f}" if error is None else f"{value:+.4f} ± {error:.4f}"


if __name__ == "__main__":
    main()
