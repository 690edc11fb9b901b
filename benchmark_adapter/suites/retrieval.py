"""How well strategies find what a query needs: recall and reciprocal rank over public data sets."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmark_adapter.suites.retrieval_suites import Log, Query, Suite, fold_value
from memory.memory import Memory
from memory.recall import Recall, RecallItem, TurnShelf
from memory.records import Scope, Turn
from memory.rendering import render_turn
from memory.strategies import default_budget, open_strategy
from memory.tokens import count_tokens

DEEPEST_RANK = 10
"""Every strategy is given room for at least so many whole turns; what lies further down counts as not found."""


_SPARE_TOKENS = 100
"""Strategies show no turn in the last few tokens of a budget, which very short logs would never get beyond."""


class Found(NamedTuple):
    """What a ranking found of one query's gold."""

    at_5: float
    """Share of the gold among the first five turns."""
    at_10: float
    reciprocal_rank: float
    """Of the first gold turn, 0 where there is none; for values the mean over them, each by its first turn."""
    weight: int
    """1, or the number of values: shares are of all values of a suite together."""


@dataclass
class Tally:
    """What one strategy found in one suite."""

    found: list[Found] = field(default_factory=list)
    seconds: float = 0.0
    """Spent in recalling."""

    def as_json(self) -> dict[str, Any]:
        """Return `n`, `recall_at_5`, `recall_at_10`, `mrr` and `queries_per_second`; what is undefined is null."""
        total = sum(one.weight for one in self.found)

        def mean(value: Callable[[Found], float]) -> float | None:
            return math.fsum(value(one) * one.weight for one in self.found) / total if total else None

        return {
            "n": len(self.found),
            "recall_at_5": mean(lambda one: one.at_5),
            "recall_at_10": mean(lambda one: one.at_10),
            "mrr": mean(lambda one: one.reciprocal_rank),
            "queries_per_second": len(self.found) / self.seconds if self.seconds else None,
        }


def steps_of(suites: Iterable[Suite], strategies: Sequence[str]) -> int:
    """Return the steps that `evaluate` takes: turns to remember and queries to put."""
    return sum(len(log.turns) + len(log.queries) * len(strategies) for suite in suites for log in suite.logs)


def judge(query: Query, ranking: Sequence[Turn]) -> Found:
    """Return what `ranking`, best first, found of the gold of `query`."""
    if query.gold_values:
        texts = [fold_value(turn.request) for turn in ranking]
        ranks = [_first(texts, lambda text, value=value: value in text) for value in query.gold_values]  # type: ignore[misc]
        reciprocal = math.fsum(1 / rank for rank in ranks if rank) / len(ranks)
    else:
        ids = [turn.turn_id for turn in ranking]
        ranks = [_first(ids, lambda id_, gold=gold: id_ == gold) for gold in query.gold_turns]  # type: ignore[misc]
        reciprocal = max((1 / rank for rank in ranks if rank), default=0.0)
    at_5, at_10 = (sum(rank is not None and rank <= k for rank in ranks) / len(ranks) for k in (5, 10))
    return Found(at_5, at_10, reciprocal, len(query.gold_values) or 1)


def _first(texts: Sequence[str], is_wanted: Callable[[str], bool]) -> int | None:
    """Return the rank, from 1, of the first of `texts` that is wanted."""
    return next((rank for rank, text in enumerate(texts, start=1) if is_wanted(text)), None)


def evaluate(
    suites: Sequence[Suite],
    strategies: Sequence[str],
    *,
    embedder: str = "use",
    on_step: Callable[[int], None] = lambda turns_or_queries: None,
) -> Mapping[str, Mapping[str, Tally]]:
    """Return what each strategy found, by suite and strategy.

    The logs are remembered by a memory in a temporary directory, each by a user of its own, and recalled from it as an
    application does.

    Args:
        suites: What to find.
        strategies: Names.
        embedder: For `memory.embedders.open_embedder`.
        on_step: Called with the number of turns remembered, or of queries put, since the last time.

    Raises:
        UnknownStrategyError: If no strategy has one of the names.
        EmbedderError: If there is no such embedder, or it fails.
    """
    for name in strategies:
        default_budget(name)  # an unknown name is refused before anything is embedded
    tallies = {suite.name: {name: Tally() for name in strategies} for suite in suites}
    with (
        tempfile.TemporaryDirectory(prefix="stead-retrieve-") as directory,
        Memory.open(directory, embedder=embedder) as memory,
    ):
        for suite in suites:
            for log in suite.logs:
                user = memory.user(Scope(f"{suite.name}/{log.user}"))
                user.remember_all(log.turns)
                user.wait_indexed()
                on_step(len(log.turns))
                for name in strategies:
                    _play(log, name, user, tallies[suite.name][name])
                    on_step(len(log.queries))
    return tallies


def _play(log: Log, name: str, shelf: TurnShelf, tally: Tally) -> None:
    strategy = open_strategy(name, shelf)
    for turn in log.turns:
        strategy.observe(turn)
    budget = _room(log.turns)
    for query in log.queries:
        started = time.perf_counter()
        recall = strategy.recall(query.text, (), None, budget)
        tally.seconds += time.perf_counter() - started
        tally.found.append(judge(query, ranked_turns(recall, log.turns)))


def _room(turns: Iterable[Turn]) -> int:
    """Return the tokens that the longest turns take, as many as are judged, and a hundred more."""
    longest = sorted((count_tokens(render_turn(turn)) for turn in turns), reverse=True)[:DEEPEST_RANK]
    return sum(longest) + _SPARE_TOKENS


def ranked_turns(recall: Recall, turns: Collection[Turn]) -> list[Turn]:
    """Return the turns that `recall` shows, by score, best first; ties in reading order. State lines are no turns."""
    by_id = {turn.turn_id: turn for turn in turns}

    def worst_last(item: RecallItem) -> float:
        return -item.score

    shown = sorted((item for item in recall.items if item.turn is not None), key=worst_last)
    return [by_id[turn.turn_id] for turn in dict.fromkeys(item.turn for item in shown if item.turn is not None)]
