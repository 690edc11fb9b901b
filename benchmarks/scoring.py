"""How long scoring one turn takes, and how much memory, as its reference graph grows.

    python -m benchmarks.scoring [--plot growth.png] [--enumerate-to 6] [--json]

The reference evaluator lists every path of a graph before it judges the first reply; of n independent calls of distinct
tools there are 3, 13, 75, 541, 4683, 47293, 545835 for n = 2 to 8. The rows `listing all paths` are an implementation
that does so too (`tests/benchmark_adapter/enumeration.py`). Exit status 1 if a bound does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.data.reference import CLARIFICATION, FINAL_ANSWER, PSEUDO_ACTIONS, Action, ReferenceStep
from benchmark_adapter.replay.environment import Reply, WrittenCall
from benchmark_adapter.scoring.exact import score_turn

REPEATS = 5
"""The shortest of so many readings is reported: the rest of the machine only adds to it."""
INDEPENDENT = (2, 3, 4, 5, 6, 7, 8, 16, 32, 64)
BESIDE_QUESTION = (2, 4, 6, 8, 10)
LONG = (2, 8, 25, 50, 100, 200)
REFERENCE_SECONDS = {7: 10.0, 8: 150.0}
REFERENCE_BYTES = {8: 2.1e9}
"""Of the reference evaluator, for n independent calls (notes to the conformance vectors, 11)."""
BOUNDS_S = {
    ("independent calls", 8): REFERENCE_SECONDS[8] / 10_000,
    ("independent calls", 64): 0.050,
    ("chain", 200): 0.100,
    ("diamonds", 200): 0.100,
}


@dataclass(frozen=True)
class Reading:
    """What scoring one turn took."""

    shape: str
    calls: int
    seconds: float
    peak_bytes: float | None


def independent(n: int) -> list[tuple[int, ...]]:
    """Return the dependencies of n calls that need nothing of each other."""
    return [()] * n


def chain(n: int) -> list[tuple[int, ...]]:
    """Return the dependencies of n calls, each of which needs the one before."""
    return [() if index == 0 else (index - 1,) for index in range(n)]


def diamonds(n: int) -> list[tuple[int, ...]]:
    """Return the dependencies of n calls in diamonds, one after the other: one call, two beside each other, one."""
    before: list[tuple[int, ...]] = []
    for index in range(n):
        place = index % 4
        if place == 3:
            before.append((index - 2, index - 1))
        else:
            before.append(() if index == 0 else (index - max(place, 1),))
    return before


def turn_of(dependencies: Sequence[tuple[int, ...]], *, question: bool = False) -> ReferenceTurn:
    """Return a turn whose reference has these calls, each of a tool of its own, and then the final answer.

    With a question it has one that no call needs, before the final answer: a text reply does not narrow the open paths,
    so every state of that depth stays possible (note 18).
    """
    names = [f"tool_{index:03}" for index in range(len(dependencies))]
    steps = [
        ReferenceStep(action=Action(name=name, arguments={"n": index}), dependency_list=before)
        for index, (name, before) in enumerate(zip(names, dependencies, strict=True))
    ]
    if question:
        steps.append(ReferenceStep(action=Action(name=CLARIFICATION), observation="Which?", user_input="That."))
    steps.append(ReferenceStep(action=Action(name=FINAL_ANSWER), dependency_list=tuple(range(len(steps)))))
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tools = tuple({"type": "function", "function": {"name": name, "parameters": parameters}} for name in names)
    return ReferenceTurn("s", 0, "Go on.", tools, None, tuple(steps), "Multi-Tool", None, "t", 0, 0)


def replies_to(dependencies: Sequence[tuple[int, ...]], *, together: bool) -> list[Reply]:
    """Return right replies: every call as soon as it may be made, or one call a reply."""
    heights: list[int] = []
    for before in dependencies:
        heights.append(1 + max((heights[index] for index in before), default=-1))
    steps = [[index for index, height in enumerate(heights) if height == level] for level in sorted(set(heights))]
    if not together:
        steps = [[index] for step in steps for index in step]
    replies = [
        Reply(
            calls=tuple(
                WrittenCall(id=str(index), name=f"tool_{index:03}", arguments=f'{{"n": {index}}}') for index in step
            )
        )
        for step in steps
    ]
    return [*replies, Reply(content="Done.")]


def measured(shape: str, calls: int, action: Callable[[], object], *, repeats: int = REPEATS) -> Reading:
    """Return the shortest time of an action, and the memory it needed at its peak in a run of its own."""
    seconds = min(_timed(action) for _ in range(repeats))
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Reading(shape, calls, seconds, peak)


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def score_readings(shape: str, dependencies: Sequence[tuple[int, ...]], *, question: bool = False) -> Reading:
    """Return the slower of two ways through a turn: together, and one call a reply; a question is asked first."""
    turn = turn_of(dependencies, question=question)
    readings = []
    for together in (True, False):
        replies = [Reply(content="Which?")] * question + replies_to(dependencies, together=together)
        if score_turn(turn, replies, similarity="fallback").label != "correct":
            raise AssertionError(f"right replies to {len(dependencies)} calls ({shape}) were not judged correct")

        def action(replies: Sequence[Reply] = replies) -> object:
            return score_turn(turn, replies, similarity="fallback")

        readings.append(measured(shape, len(dependencies), action))
    return max(readings, key=lambda reading: reading.seconds)


def enumeration_readings(up_to: int) -> Iterator[Reading]:
    """Yield what listing all paths takes for independent calls, as far as that is sensible."""
    from tests.benchmark_adapter.enumeration import LiteralFollower

    for n in (n for n in INDEPENDENT if n <= up_to):
        turn = turn_of(independent(n))
        names = [step.action.name for step in turn.answer]
        before = [step.dependency_list for step in turn.answer]

        def action(names: Any = names, before: Any = before) -> object:
            follower = LiteralFollower(names, before, PSEUDO_ACTIONS)
            return follower.calls(names[:-1]), follower.text()

        yield measured("listing all paths", n, action, repeats=1)


def all_readings(enumerate_to: int) -> list[Reading]:
    """Return every row of the table."""
    readings = [score_readings("independent calls", independent(n)) for n in INDEPENDENT]
    readings += [score_readings("calls, question", independent(n), question=True) for n in BESIDE_QUESTION]
    readings += [score_readings("chain", chain(n)) for n in LONG]
    readings += [score_readings("diamonds", diamonds(n)) for n in LONG]
    readings += enumeration_readings(enumerate_to)
    readings += [
        Reading("recorded reference", n, seconds, REFERENCE_BYTES.get(n)) for n, seconds in REFERENCE_SECONDS.items()
    ]
    return readings


def growth_table(readings: Sequence[Reading]) -> Table:
    """Return the readings as a table; a bar shows the time on a logarithmic scale, one mark a factor of 10^0.25."""
    table = Table(title="Scoring one turn, by the calls of its reference", title_justify="left")
    for heading in ("shape", "calls", "time", "peak memory", "10 µs … 100 s"):
        table.add_column(heading, justify="left" if heading in ("shape", "10 µs … 100 s") else "right")
    for earlier, reading in pairwise([None, *readings]):
        assert reading is not None
        if earlier is not None and earlier.shape != reading.shape:
            table.add_section()
        memory = "n/a" if reading.peak_bytes is None else f"{reading.peak_bytes / 1e6:,.2f} MB"
        table.add_row(reading.shape, str(reading.calls), f"{reading.seconds * 1e3:,.2f} ms", memory, _bar(reading))
    return table


def _bar(reading: Reading) -> str:
    marks, unit = 0, 1e-5
    while reading.seconds >= unit:
        marks, unit = marks + 1, unit * 10**0.25
    return "█" * marks


def bound_lines(readings: Sequence[Reading]) -> Iterator[tuple[bool, str]]:
    """Yield for each bound whether it holds, and a sentence on it."""
    seconds = {(reading.shape, reading.calls): reading.seconds for reading in readings}
    for (shape, calls), bound in BOUNDS_S.items():
        took = seconds[shape, calls]
        faster = f" ({REFERENCE_SECONDS[calls] / took:,.0f} times faster than recorded)" if calls == 8 else ""
        holds = took < bound
        word = "holds" if holds else "does NOT hold"
        yield holds, f"{calls} {shape}: {took * 1e3:.2f} ms{faster}; the bound of {bound * 1e3:.0f} ms {word}"


def plot(readings: Sequence[Reading], path: Path) -> None:
    """Draw time and memory against calls, both axes logarithmic.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (times, memory) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for shape in dict.fromkeys(reading.shape for reading in readings):
        rows = [reading for reading in readings if reading.shape == shape]
        times.plot([row.calls for row in rows], [row.seconds for row in rows], marker="o", label=shape)
        known = [row for row in rows if row.peak_bytes is not None]
        memory.plot([row.calls for row in known], [row.peak_bytes for row in known], marker="o", label=shape)
    for axes, title in ((times, "seconds"), (memory, "peak bytes")):
        axes.set(xscale="log", yscale="log", xlabel="calls of the reference", title=f"Scoring one turn: {title}")
        axes.grid(alpha=0.3)
    times.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the figures too; needs the extra `plots`")
    parser.add_argument("--enumerate-to", type=int, default=6, metavar="N", help="list all paths up to N calls (6)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args(arguments)
    readings = all_readings(options.enumerate_to)
    bounds = list(bound_lines(readings))
    if options.json:
        held = {line: holds for holds, line in bounds}
        sys.stdout.write(json.dumps({"readings": [asdict(reading) for reading in readings], "bounds": held}) + "\n")
    else:
        console = Console(highlight=False)
        console.print(growth_table(readings))
        for _, line in bounds:
            console.print(line, soft_wrap=True)
    if options.plot is not None:
        try:
            plot(readings, options.plot)
        except ImportError:
            parser.error("--plot needs matplotlib, which is not installed: pip install 'stead[plots]'")
    return 0 if all(holds for holds, _ in bounds) else 1


if __name__ == "__main__":
    sys.exit(main())
