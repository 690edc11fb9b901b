"""What each block of the chat planner's first prompt of a turn costs: `python -m benchmarks.prompt_costs`.

Tokens by `memory.tokens`, mean over all turns of the data and the largest, per memory strategy.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

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


def costs_of(session: Session, strategy: str, embedder: Embedder, provider: str | None) -> Iterator[dict[str, int]]:
    """Yield the tokens by block of every turn's first request."""
    profile, files = find_profile(provider, {}), PromptFiles.load()
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=embedder) as memory:
        shelf = memory.user(Scope(session.name))
        recalling = open_strategy(strategy, shelf)
        for turn in session.turns:
            tools, now = parse_tools(turn.tools), clock_of(turn.env_info)
            recall = recalling.recall(turn.request, tools, now, default_budget(strategy))
            situation = Situation(turn.request, tools, recall, now=now)
            yield block_costs(situation, Style.of(situation, profile, files))
            past = past_turn(turn, view="official")
            shelf.remember(past)
            recalling.observe(past)


def main() -> None:
    """Print a table of blocks by strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="default: the bundled personas")
    parser.add_argument("--toolsets", type=Path)
    parser.add_argument("--provider")
    parser.add_argument("--memory", nargs="+", default=["none", "stead", "full"])
    options = parser.parse_args()
    sessions = read_data(options.data, options.toolsets, DEFAULT_SEED)
    embedder = open_embedder("use")
    print("| memory | " + " | ".join(["block", "mean", "largest"]) + " |\n| --- | --- | --- | --- |")
    for strategy in options.memory:
        turns = [cost for session in sessions for cost in costs_of(session, strategy, embedder, options.provider)]
        for block in [*turns[0], "all"]:
            values = [sum(turn.values()) if block == "all" else turn[block] for turn in turns]
            if any(values):
                print(f"| {strategy} | {block} | {sum(values) / len(values):.0f} | {max(values)} |")


if __name__ == "__main__":
    main()
