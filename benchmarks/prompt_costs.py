"""What each block of the chat planner's first prompt of a turn costs: `python -m benchmarks.prompt_costs`.

Tokens by `memory.tokens`, as they are sent, per memory strategy: the mean of every block over all turns of the data,
and the history (all that is recalled) by third of a person's turns, against that of `full`; `recall alone` is the last
third's as the budget counts it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agent.planners.prompt import Style
from agent.planners.prompt_costs import block_costs
from agent.planners.prompt_files import PromptFiles
from agent.providers import find_profile
from benchmark_adapter.data.dataset import DEFAULT_SEED, Session
from benchmark_adapter.data.source import read_data
from benchmark_adapter.replay.past import clock_of, past_turn
from clarifier.decision import Situation
from memory.embedder import Embedder
from memory.embedders import open_embedder
from memory.memory import Memory
from memory.records import Scope
from memory.strategies import default_budget, open_strategy
from memory.tools import parse_tools

STRATEGIES = ("none", "recent", "lexical", "dense", "hybrid", "state", "stead", "full")
HISTORY = ("known", "examples", "earlier", "topic")
"""The blocks that are recalled."""
RECALL = "recall"
"""What is recalled without ids, dates and the frames of messages, which is what a budget counts."""
THIRDS = 3

Costs = dict[str, int]
"""Tokens by block."""


def costs_of(
    session: Session, strategy: str, embedder: Embedder, provider: str | None, budget: int | None
) -> Iterator[Costs]:
    """Yield the tokens by block of every turn's first request, and under `recall` those that the budget counts."""
    own = default_budget(strategy)
    profile, files = find_profile(provider, {}), PromptFiles.load()
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=embedder) as memory:
        shelf = memory.user(Scope(session.name))
        recalling = open_strategy(strategy, shelf)
        for turn in session.turns:
            tools, now = parse_tools(turn.tools, strict=False), clock_of(turn.env_info)
            recall = recalling.recall(turn.request, tools, now, budget if budget and own else own)
            situation = Situation(turn.request, tools, recall, now=now)
            yield {**block_costs(situation, Style.of(situation, profile, files)), RECALL: recall.tokens}
            past = past_turn(turn, view="official")
            shelf.remember(past)
            shelf.wait_indexed()
            recalling.observe(past)


def mean_blocks(persons: Sequence[Sequence[Costs]]) -> dict[str, float]:
    """Return the mean of every block over all turns, with their sum as `all` and the largest sum as `largest`."""
    turns = [turn for person in persons for turn in person]
    means = {block: sum(turn[block] for turn in turns) / len(turns) for block in turns[0] if block != RECALL}
    sums = [sum(turn.values()) - turn[RECALL] for turn in turns]
    return {**means, "all": sum(sums) / len(sums), "largest": max(sums)}


def history_by_third(persons: Sequence[Sequence[Costs]], blocks: Sequence[str] = HISTORY) -> list[float]:
    """Return the mean tokens of some blocks a turn, by third of each person's turns."""
    thirds: list[list[int]] = [[] for _ in range(THIRDS)]
    for person in persons:
        for index, turn in enumerate(person):
            thirds[index * THIRDS // len(person)].append(sum(turn[block] for block in blocks))
    return [sum(values) / len(values) if values else 0.0 for values in thirds]


def main() -> None:
    """Print a table of blocks and one of the history by third, a row a strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="default: the bundled personas")
    parser.add_argument("--toolsets", type=Path)
    parser.add_argument("--provider")
    parser.add_argument("--memory", nargs="+", default=STRATEGIES)
    parser.add_argument("--budget", type=int, help="default: the strategy's own")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sessions, embedder = read_data(options.data, options.toolsets, DEFAULT_SEED), open_embedder("use")
    found: dict[str, Any] = {}
    for strategy in options.memory:
        persons = [
            list(costs_of(session, strategy, embedder, options.provider, options.budget)) for session in sessions
        ]
        found[strategy] = {
            "blocks": mean_blocks(persons),
            "history": history_by_third(persons),
            "recall": history_by_third(persons, [RECALL]),
        }
    if options.json:
        print(json.dumps(found))
        return
    blocks = [name for name in mean_blocks(persons) if any(one["blocks"][name] for one in found.values())]
    print(f"| memory | {' | '.join(blocks)} |\n| --- |{' ---: |' * len(blocks)}")
    for strategy, one in found.items():
        print(f"| {strategy} | {' | '.join(format(one['blocks'][name], '.0f') for name in blocks)} |")
    print("\n| memory | first third | middle third | last third | of `full`'s | recall alone | of `full`'s |")
    print(f"| --- |{' ---: |' * 6}")
    for strategy, one in found.items():
        cells = [format(value, ".0f") for value in one["history"]]
        for name in ("history", "recall"):
            whole = found["full"][name][-1] if "full" in found else 0
            share = format(one[name][-1] / whole, ".3f") if whole else ""
            cells += [share] if name == "history" else [format(one[name][-1], ".0f"), share]
        print(f"| {strategy} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
