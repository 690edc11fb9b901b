"""What the clarifier is for: planners of three makes, each without it, with it, and with stated sources.

    python -m benchmarks.distortions [--data ../shared/utb-dev] [--memory full]

The honest planner is the oracle. The two others are the same with a seeded distortion: one invents every required
value that it could not read and says that the request told it or led to it, quoting some words; one asks for everything
that a call requires before it makes it. A clarifier is worth its place if it catches both and leaves the honest one
alone.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from agent.seams import Decide, Planner
from benchmark_adapter.data.dataset import ReferenceTurn
from benchmark_adapter.runs.launch import RunOptions, prepare
from clarifier.decision import Act, Answer, Ask, Decision, Odds, Origin, Proposal, Situation, StatedSource
from memory.evidence import Slot
from memory.records import ToolCall, Turn
from memory.tools import Parameter

Make = Literal["honest", "inventing", "asking"]
Clarifier = Literal["none", "patterns", "sources"]
MAKES: tuple[Make, ...] = ("honest", "inventing", "asking")
CLARIFIERS: tuple[Clarifier, ...] = ("none", "patterns", "sources")
"""`none`: whatever is proposed is done; `patterns`: nothing is stated; `sources`: sources are stated and checked."""
QUOTED_WORDS = 3
_CERTAIN = Odds(p_act=1, p_calls=1, p_asked=1)
_SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "sto", "vel")


@dataclass(frozen=True)
class Inventing:
    """Fills every required argument that the planner left out with a made-up value, and states the request for it."""

    planner: Planner
    seed: int = 0
    name: str = "inventing"

    def plan(self, situation: Situation) -> Proposal:
        """Return the planner's proposal with its gaps filled; the same situation gets the same inventions."""
        proposal = self.planner.plan(situation)
        rng = random.Random(f"{self.seed} {situation.request}")
        calls, sources = [], []
        for index, call in enumerate(proposal.calls):
            tool = situation.tool(call.name)
            missing = [one for one in tool.required if one.name not in call.arguments] if tool is not None else []
            invented = {one.name: made_up(one, rng) for one in missing}
            calls.append(call.model_copy(update={"arguments": {**call.arguments, **invented}}))
            said = proposal.sources[index] if proposal.sources else {}
            sources.append({**said, **{name: _claim(situation.request, rng) for name in invented}})
        stated = tuple(sources) if proposal.understands else ()
        return replace(proposal, calls=tuple(calls), sources=stated)


@dataclass(frozen=True)
class Asking:
    """Asks for all that its calls require, until it has an answer or is told that no question is needed."""

    planner: Planner
    name: str = "asking"

    def plan(self, situation: Situation) -> Proposal:
        """Return a question for the calls that the planner proposes, or these."""
        proposal = self.planner.plan(situation)
        slots = tuple(_required(proposal.calls, situation))
        if not slots or situation.question_steps or situation.hints:
            return proposal
        return replace(proposal, calls=(), sources=(), question="Could you tell me more?", question_slots=slots)


def made_up(parameter: Parameter, rng: random.Random) -> JsonValue:
    """Return a value that the parameter takes and nobody named."""
    if parameter.enum:
        return rng.choice(parameter.enum)
    word = "".join(rng.choices(_SYLLABLES, k=3))
    number = rng.randrange(1_000, 10_000)
    of_format: dict[str | None, JsonValue] = {
        "email": f"{word}@example.com", "url": f"https://{word}.example", "ip": "203.0.113.7",
        "date": f"2031-{rng.randrange(1, 13):02d}-17", "time": f"{rng.randrange(24):02d}:{rng.randrange(60):02d}",
    }  # fmt: skip
    of_type: dict[str, JsonValue] = {"integer": number, "number": number, "boolean": rng.random() < 0.5, "object": {}}
    if parameter.type == "array":
        return [made_up(parameter.items, rng)] if parameter.items is not None else [word]
    is_id = "id" in parameter.name.casefold()
    return of_type.get(parameter.type, of_format.get(parameter.format, f"{word}-{number}" if is_id else word.title()))


def obey(situation: Situation, proposal: Proposal) -> Decision:
    """Do whatever is proposed."""
    if proposal.calls:
        return Act(policy="none", odds=_CERTAIN, calls=proposal.calls)
    if proposal.question:
        slots = tuple(map(str, proposal.question_slots))
        return Ask(policy="none", odds=_CERTAIN, question=proposal.question, slots=slots)
    return Answer(policy="none", odds=_CERTAIN, reply=proposal.reply or "")


class Cell(NamedTuple):
    """One planner under one clarifier."""

    make: Make
    clarifier: Clarifier
    metrics: dict[str, Any]


def cell(make: Make, clarifier: Clarifier, *, data: Path | None, memory: str, seed: int = 0) -> Cell:
    """Play the data once and return its metrics."""
    with tempfile.TemporaryDirectory(prefix="stead-distortions-") as folder:
        options = RunOptions(
            data=data, planner="oracle", memory=memory, stated_sources=clarifier == "sources", out=Path(folder, "run")
        )
        launch = prepare(options)
        honest = launch.setup.planner_for

        def planner_for(turn: ReferenceTurn, past: Sequence[Turn]) -> Planner:
            return distorted(make, honest(turn, past), seed)

        decide: Decide = obey if clarifier == "none" else launch.setup.decide
        launch = replace(launch, setup=replace(launch.setup, planner_for=planner_for, decide=decide))
        with launch.open() as run:
            return Cell(make, clarifier, launch.finish(run).metrics)


def distorted(make: Make, planner: Planner, seed: int) -> Planner:
    """Return the planner as this make of it."""
    makes: dict[Make, Callable[[], Planner]] = {
        "honest": lambda: planner,
        "inventing": lambda: Inventing(planner, seed),
        "asking": lambda: Asking(planner),
    }
    return makes[make]()


def row(one: Cell) -> str:
    """Return a cell as a line of a table."""
    metrics = one.metrics
    figures = (
        metrics["exact"]["micro"], metrics["relaxed"]["micro"], metrics["ask"]["over_ask"], metrics["ask"]["under_ask"],
    )  # fmt: skip
    told = " | ".join("–" if figure is None else f"{figure:.3f}" for figure in figures)
    return f"| {one.make} | {one.clarifier} | {told} |"


def _required(calls: Sequence[ToolCall], situation: Situation) -> Iterator[Slot]:
    for call in calls:
        tool = situation.tool(call.name)
        yield from (Slot(call.name, one.name) for one in (tool.required if tool is not None else ()))


def _claim(request: str, rng: random.Random) -> StatedSource:
    """Return the request as a source, said or derived, with words of it that have nothing to do with the value."""
    words = request.split()
    start = rng.randrange(max(1, len(words) - QUOTED_WORDS + 1))
    origin: Origin = rng.choice(("request", "derived"))
    return StatedSource(origin, quote=" ".join(words[start : start + QUOTED_WORDS]))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--memory", default="full")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    print("| planner | clarifier | exact | relaxed | over-ask | under-ask |\n| --- | --- | ---: | ---: | ---: | ---: |")
    for make in MAKES:
        for clarifier in CLARIFIERS:
            print(row(cell(make, clarifier, data=given.data, memory=given.memory, seed=given.seed)), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
