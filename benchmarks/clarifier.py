"""How long a decision takes as what is remembered grows.

    python -m benchmarks.clarifier [--json]

A person's past of so many turns, of three kinds of things with four tools and three arguments each, is recalled by the
strategy `state`, whose items hold the most evidence: `references` counts what they point to. Before each request a turn
is added. `first` is the first decision on a recall, which has to be read; `next` are the further decisions of the same
turn. A turn has two decisions or more, so `all` are both together. Recalling is not counted. Processor time, which
other work on the machine disturbs least. Exit status 1 if a bound does not hold.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median, quantiles

from rich.console import Console
from rich.table import Table

from clarifier.clarifier import decide
from clarifier.decision import Proposal, Situation
from clarifier.policy import open_policy
from memory.embedder import Embedder
from memory.recall import Hit, TurnVectors
from memory.records import CallStep, Observation, ToolCall, Turn
from memory.strategies import open_strategy
from memory.tools import Parameter, Tool

TURNS = (62, 250, 1000, 4000)
DECISIONS = 60
BUDGET_TOKENS = 600
NOW = datetime(2026, 6, 1, 9)
BOUND_MS = 3.0
"""Of a decision beyond its recall with 1,000 turns remembered, at the 95th percentile."""
BOUND_AT = 1000
THINGS = ("room", "boat", "desk")
_CITIES = ("Lyon", "Bern", "Oslo", "Ghent", "Turin")


@dataclass(frozen=True)
class Reading:
    """What deciding took with a past of one length."""

    turns: int
    references: int
    first_p50_ms: float
    first_p95_ms: float
    next_p50_ms: float
    next_p95_ms: float
    all_p95_ms: float


def tools_on_offer() -> tuple[Tool, ...]:
    """Return four tools for each of three things; those for one thing have the same arguments."""
    return tuple(
        Tool(
            name=f"{verb}_{thing}",
            description=f"{verb.title()} a {thing}.",
            parameters=_parameters(thing),
            definition={},
        )
        for thing in THINGS
        for verb in ("get", "search", "book", "send")
    )


def _parameters(thing: str) -> tuple[Parameter, ...]:
    return (
        Parameter(name=f"{thing}_city", is_required=True, description="City name."),
        Parameter(name=f"{thing}_level", enum=("low", "mid", "high"), is_required=True),
        Parameter(name=f"{thing}_count", type="integer", description="How many."),
    )


def past_of(turns: int, tools: Sequence[Tool], rng: random.Random) -> list[Turn]:
    """Return so many turns with one accepted call each, oldest first, five a day."""
    found: list[Turn] = []
    for turn in range(turns):
        tool = rng.choice(tools)
        city, level, count = rng.choice(_CITIES), rng.choice(("low", "mid")), rng.randint(1, 5)
        names = [parameter.name for parameter in tool.parameters]
        call = ToolCall(id="1", name=tool.name, arguments=dict(zip(names, (city, level, count), strict=True)))
        step = CallStep(calls=(call,), observations=(Observation(content={"ok": True}),))
        then = NOW - timedelta(days=(turns - turn) / 5)
        request = f"{tool.description} {city}, {level}, {count}"
        found.append(Turn(turn_id=f"t{turn}", request=request, steps=(step,), reply="Done.", time=then))
    return found


class Shelf:
    """A person's turns so far. The state is recalled without vectors, so that there are none."""

    def __init__(self, turns: Sequence[Turn], so_far: int) -> None:
        self._turns = turns
        self.so_far = so_far

    @property
    def embedder(self) -> Embedder:
        """Not to be had."""
        raise NotImplementedError

    def turns(self) -> Sequence[Turn]:
        """Return every turn so far, oldest first."""
        return self._turns[: self.so_far]

    def similar(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Not to be had."""
        raise NotImplementedError

    def vectors(self) -> TurnVectors:
        """Not to be had."""
        raise NotImplementedError


def proposal_of(tools: Sequence[Tool]) -> Proposal:
    """Return two calls: one all from memory, one with a value nothing speaks for."""
    wanted = ((tools[2], ("Lyon", "low", 3)), (tools[6], ("Quenby", "mid")))
    return Proposal(
        calls=tuple(
            ToolCall(
                id=tool.name,
                name=tool.name,
                arguments={one.name: value for one, value in zip(tool.parameters, values, strict=False)},
            )
            for tool, values in wanted
        )
    )


def reading(turns: int, *, seed: int = 0) -> Reading:
    """Return how long decisions take with a past of `turns` turns and more: one is added before each request."""
    tools = tools_on_offer()
    shelf = Shelf(past_of(turns + DECISIONS, tools, random.Random(seed)), turns)
    strategy = open_strategy("state", shelf)
    proposal, policy = proposal_of(tools), open_policy("product")
    first: list[float] = []
    later: list[float] = []
    references = 0
    gc.collect()
    for number in range(DECISIONS):
        request = f"Book a room as usual, please, number {number}"
        recall = strategy.recall(request, tools, NOW, BUDGET_TOKENS)
        shelf.so_far += 1
        references = sum(len(item.evidence) for item in recall.items)
        for taken in (first, later):
            here = Situation(request=request, tools=tools, recall=recall, now=NOW)
            started = time.thread_time()
            decide(here, proposal, policy=policy)
            taken.append((time.thread_time() - started) * 1000)
    return Reading(turns, references, median(first), _p95(first), median(later), _p95(later), _p95([*first, *later]))


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]


def faults(readings: Sequence[Reading]) -> list[str]:
    """Return which bounds do not hold: the time at 1,000 turns, and growth no faster than the past's."""
    found = [
        f"{one.turns} turns: p95 of decisions {one.all_p95_ms:.2f} ms > {BOUND_MS} ms"
        for one in readings
        if one.turns == BOUND_AT and one.all_p95_ms > BOUND_MS
    ]
    for less, more in pairwise(readings):
        if more.first_p50_ms / less.first_p50_ms > 1.5 * more.turns / less.turns:
            found.append(f"from {less.turns} to {more.turns} turns the first decision grows faster than the past")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the readings; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    reading(TURNS[0])  # patterns and word lists are loaded at first use
    readings = [reading(turns) for turns in TURNS]
    problems = faults(readings)
    if options.json:
        print(json.dumps({"readings": [asdict(one) for one in readings], "faults": problems}))
        return int(bool(problems))
    table = Table("turns", "references", "first p50", "first p95", "next p50", "next p95", "all p95 (ms)")
    for one in readings:
        times = (one.first_p50_ms, one.first_p95_ms, one.next_p50_ms, one.next_p95_ms, one.all_p95_ms)
        table.add_row(f"{one.turns:,}", f"{one.references:,}", *(f"{ms:.2f}" for ms in times))
    console = Console()
    console.print(table)
    for problem in problems:
        console.print(f"[red]{problem}[/red]")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
