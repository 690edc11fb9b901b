"""How long a decision takes as what is remembered grows.

    python -m benchmarks.clarifier [--json]

A person's past of so many turns, three arguments each, is recalled as state lines that share their evidence:
`references` counts what the items point to, as a recall of the state does. `first` is the first decision on a recall,
which has to be read; `next` are the further decisions of the same turn. Processor time, which other work on the machine
disturbs least. Exit status 1 if a bound does not hold.
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
from memory.evidence import Evidence, Slot
from memory.recall import Recall, RecallItem
from memory.records import ToolCall
from memory.tools import Parameter, Tool

TURNS = (62, 250, 1000, 4000)
REFERENCES_PER_PIECE = 4
DECISIONS = 60
NOW = datetime(2026, 6, 1, 9)
BOUND_MS = 3.0
"""Of a further decision with 1,000 turns remembered, at the 95th percentile."""
BOUND_AT = 1000
_CITIES = ("Lyon", "Bern", "Oslo", "Ghent", "Turin")


@dataclass(frozen=True)
class Reading:
    """What deciding took with a past of one length."""

    turns: int
    pieces: int
    references: int
    first_p50_ms: float
    first_p95_ms: float
    next_p50_ms: float
    next_p95_ms: float


def tools_on_offer() -> tuple[Tool, ...]:
    """Return twelve tools of the same three arguments: every one's past bears on the others."""
    parameters = (
        Parameter(name="city", is_required=True, description="City name."),
        Parameter(name="level", enum=("low", "mid", "high"), is_required=True),
        Parameter(name="count", type="integer", description="How many."),
    )
    return tuple(
        Tool(name=f"{verb}_{noun}", description=f"{verb.title()} a {noun}.", parameters=parameters, definition={})
        for verb in ("get", "search", "book", "send")
        for noun in ("room", "boat", "desk")
    )


def past_of(turns: int, tools: Sequence[Tool], rng: random.Random) -> list[Evidence]:
    """Return what accepted calls of `turns` turns say, oldest first, five turns a day."""
    pieces: list[Evidence] = []
    for turn in range(turns):
        name = rng.choice(tools).name
        values = (("city", rng.choice(_CITIES)), ("level", rng.choice(("low", "mid"))), ("count", rng.randint(1, 5)))
        then = NOW - timedelta(days=(turns - turn) / 5)
        pieces += [
            Evidence(Slot(name, argument), value, "accepted_call", "plain", f"t{turn}", turn, then)
            for argument, value in values
        ]
    return pieces


def recall_of(pieces: Sequence[Evidence]) -> Recall:
    """Return state lines that each point to all evidence of one slot, several of them to the same."""
    by_slot: dict[Slot, list[Evidence]] = {}
    for piece in pieces:
        by_slot.setdefault(piece.slot, []).append(piece)
    items = [
        RecallItem("state", tuple(dict.fromkeys(one.turn_id for one in own)), str(slot), 4, evidence=tuple(own))
        for slot, own in by_slot.items()
        for _ in range(REFERENCES_PER_PIECE)
    ]
    return Recall(tuple(items))


def proposal_of(tools: Sequence[Tool]) -> Proposal:
    """Return two calls: one all from memory, one with a value nothing speaks for."""
    return Proposal(
        calls=(
            ToolCall(id="1", name=tools[0].name, arguments={"city": "Lyon", "level": "low", "count": 3}),
            ToolCall(id="2", name=tools[6].name, arguments={"city": "Quenby", "level": "mid"}),
        )
    )


def reading(turns: int, *, seed: int = 0) -> Reading:
    """Return how long decisions take with a past of `turns` turns; every situation has a request of its own."""
    tools = tools_on_offer()
    pieces = past_of(turns, tools, random.Random(seed))
    proposal, policy = proposal_of(tools), open_policy("product")
    first: list[float] = []
    later: list[float] = []
    gc.collect()
    for number in range(DECISIONS):
        recall = recall_of(pieces)
        for taken in (first, later):
            here = Situation(request=f"As usual, please, number {number}", tools=tools, recall=recall, now=NOW)
            started = time.thread_time()
            decide(here, proposal, policy=policy)
            taken.append((time.thread_time() - started) * 1000)
    references = sum(len(item.evidence) for item in recall_of(pieces).items)
    return Reading(turns, len(pieces), references, median(first), _p95(first), median(later), _p95(later))


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]


def faults(readings: Sequence[Reading]) -> list[str]:
    """Return which bounds do not hold: the time at 1,000 turns, and growth no faster than the past's."""
    found = [
        f"{one.turns} turns: p95 of further decisions {one.next_p95_ms:.2f} ms > {BOUND_MS} ms"
        for one in readings
        if one.turns == BOUND_AT and one.next_p95_ms > BOUND_MS
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
    table = Table("turns", "pieces", "references", "first p50", "first p95", "next p50", "next p95 (ms)")
    for one in readings:
        times = (one.first_p50_ms, one.first_p95_ms, one.next_p50_ms, one.next_p95_ms)
        table.add_row(f"{one.turns:,}", f"{one.pieces:,}", f"{one.references:,}", *(f"{ms:.2f}" for ms in times))
    console = Console()
    console.print(table)
    for problem in problems:
        console.print(f"[red]{problem}[/red]")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
